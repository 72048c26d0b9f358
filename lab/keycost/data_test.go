package keycost

import (
	"crypto/sha256"
	"encoding/base32"
	"math/rand/v2"
	"time"

	"github.com/google/uuid"

	"github.com/seed-961d0905/ulid"
)

var start = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// arrival returns the time at which row i arrives.
func arrival(i int) time.Time { return start.Add(time.Duration(i) * time.Millisecond) }

// seed makes the IDs of every run the same.
var seed = sha256.Sum256([]byte("keycost"))

// makes makes IDs as Make does, but at the times at which the rows arrive.
func makes(n int) []ulid.ULID { return generated(n, false) }

func makesUUIDv7(n int) []ulid.ULID { return generated(n, true) }

func generated(n int, v7 bool) []ulid.ULID {
	var ids []ulid.ULID
	now := func() time.Time { return arrival(len(ids)) }
	g := ulid.Generator{Entropy: rand.NewChaCha8(seed), Clock: now, UUIDv7: v7}
	for range n {
		id, err := g.Make()
		if err != nil {
			panic(err) // neither the entropy nor the clock can fail
		}
		ids = append(ids, id)
	}
	return ids
}

func randomUUIDs(n int) []ulid.ULID {
	ids := make([]ulid.ULID, n)
	entropy := rand.NewChaCha8(seed)
	for i := range ids {
		ids[i] = ulid.ULID(uuid.Must(uuid.NewRandomFromReader(entropy)))
	}
	return ids
}

// texts is what the rows hold besides numbers.
var texts = func() string {
	random := make([]byte, 1<<16)
	rand.NewChaCha8(seed).Read(random)
	return base32.StdEncoding.EncodeToString(random)
}()

// filler returns n characters that differ from row to row.
func filler(i, n int) string {
	begin := i * 31 % (len(texts) - n)
	return texts[begin : begin+n]
}
