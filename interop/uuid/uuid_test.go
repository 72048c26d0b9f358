// Package neighbours proves that ULIDs agree with their neighbours: the UUID types of Go, and
// other implementations of ULIDs.
package neighbours

import (
	"bytes"
	"fmt"
	"testing"
	"time"

	gofrs "github.com/gofrs/uuid/v5"
	google "github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/seed-961d0905/ulid"
	"github.com/seed-961d0905/ulid/interop/internal/record"
)

// samples returns the extremes, a fixed ID, and many random ones over all of time.
func samples(t *testing.T) []ulid.ULID {
	t.Helper()
	ids := []ulid.ULID{
		{},
		ulid.MustParse("7ZZZZZZZZZZZZZZZZZZZZZZZZZ"),
		ulid.MustParse("00000000000000000000000001"),
		ulid.MustParse("7ZZZZZZZZZ0000000000000000"),
		ulid.MustParse("0000000000ZZZZZZZZZZZZZZZZ"),
		ulid.MustParse("01ARYZ6S41TSV4RRFFQ69G5FAV"),
	}
	for range 1000 {
		ids = append(ids, ulid.ULID(google.New()))
	}
	return ids
}

// A peer is a UUID type of 16 bytes.
type peer[U ~[16]byte] struct {
	name       string
	conversion string
	parse      func(string) (U, error)
	string     func(U) string
	newV7      func() (U, error)
}

func (p peer[U]) test(t *testing.T) {
	for _, id := range samples(t) {
		u := U(id)
		if back := ulid.ULID(u); back != id {
			t.Fatalf("%v came back as %v", id, back)
		}
		if s := p.string(u); s != id.UUIDString() {
			t.Fatalf("%v is %s there and %s here", id, s, id.UUIDString())
		}
		if back, err := ulid.ParseUUID(p.string(u)); err != nil || back != id {
			t.Fatalf("%v came back as text as %v, %v", id, back, err)
		}
		if back, err := p.parse(id.UUIDString()); err != nil || back != u {
			t.Fatalf("%s was parsed as %v, %v", id.UUIDString(), back, err)
		}
	}
	record.Cell(t, "UUID neighbours", p.name, "conversion", p.conversion)
	record.Cell(t, "UUID neighbours", p.name, "without loss", "yes, both ways, as bytes and as text")

	before := ulid.Now()
	first, err := p.newV7()
	if err != nil {
		t.Fatal(err)
	}
	after := ulid.Now()
	if ms := ulid.ULID(first).Time(); ms < before || ms > after {
		t.Errorf("the time of %s is %d, not in [%d, %d]", p.string(first), ms, before, after)
	}
	// A later millisecond makes a greater ID, so that both may stand in one index.
	time.Sleep(2 * time.Millisecond)
	second, err := p.newV7()
	if err != nil || ulid.ULID(first).Compare(ulid.ULID(second)) >= 0 {
		t.Errorf("%s does not come before %s, %v", p.string(first), p.string(second), err)
	}
	record.Cell(t, "UUID neighbours", p.name, "time of its UUIDv7", "`ulid.ULID(u).Time()` to the millisecond")
}

// testUUIDv7 hands the peer's own reading of the version, the variant and the time, in
// milliseconds, UUIDs that MakeUUIDv7 made.
func (p peer[U]) testUUIDv7(t *testing.T, check func(U) error, ms func(U) (uint64, error)) {
	t.Helper()
	for range 1000 {
		before := ulid.Now()
		id := ulid.MakeUUIDv7()
		after := ulid.Now()
		u, err := p.parse(id.UUIDString())
		if err != nil || u != U(id) || p.string(u) != id.UUIDString() || ulid.ULID(u) != id {
			t.Fatalf("%s was parsed as %s, %v", id.UUIDString(), p.string(u), err)
		}
		if err := check(U(id)); err != nil {
			t.Fatalf("%s: %v", id.UUIDString(), err)
		}
		if got, err := ms(U(id)); err != nil || got != id.Time() || got < before || got > after {
			t.Fatalf("%s: the time is %d there, %v, and %d here; it was made in [%d, %d]",
				id.UUIDString(), got, err, id.Time(), before, after)
		}
	}
	record.Cell(t, "UUID neighbours", p.name, "`MakeUUIDv7` in it", "version 7, variant of RFC 9562, the same time")
}

// versionAndVariant is a check of what the peer calls the two.
func versionAndVariant[U any, V, W comparable](version func(U) V, seven V, variant func(U) W, rfc W) func(U) error {
	return func(u U) error {
		if version(u) != seven || variant(u) != rfc {
			return fmt.Errorf("version %v, variant %v", version(u), variant(u))
		}
		return nil
	}
}

const plain = "`uuid.UUID(id)` and `ulid.ULID(u)`"

func TestGoogle(t *testing.T) {
	p := peer[google.UUID]{"google/uuid", plain, google.Parse, google.UUID.String, google.NewV7}
	p.test(t)
	p.testUUIDv7(t, versionAndVariant(google.UUID.Version, 7, google.UUID.Variant, google.RFC4122),
		func(u google.UUID) (uint64, error) {
			sec, nsec := u.Time().UnixTime()
			return ulid.Timestamp(time.Unix(sec, nsec)), nil
		})

	// Its own reading of the time.
	u := google.Must(google.NewV7())
	sec, nsec := u.Time().UnixTime()
	if want := time.Unix(sec, nsec).UnixMilli(); int64(ulid.ULID(u).Time()) != want {
		t.Errorf("the time of %v is %d, google/uuid says %d", u, ulid.ULID(u).Time(), want)
	}
}

func TestGofrs(t *testing.T) {
	p := peer[gofrs.UUID]{"gofrs/uuid", plain, gofrs.FromString, gofrs.UUID.String, gofrs.NewV7}
	p.test(t)
	p.testUUIDv7(t, versionAndVariant(gofrs.UUID.Version, gofrs.V7, gofrs.UUID.Variant, gofrs.VariantRFC9562),
		func(u gofrs.UUID) (uint64, error) {
			stamp, err := gofrs.TimestampFromV7(u)
			if err != nil {
				return 0, err
			}
			at, err := stamp.Time()
			return ulid.Timestamp(at), err
		})

	u := gofrs.Must(gofrs.NewV7())
	stamp, err := gofrs.TimestampFromV7(u)
	if err != nil {
		t.Fatal(err)
	}
	own, err := stamp.Time()
	if want := own.UnixMilli(); err != nil || int64(ulid.ULID(u).Time()) != want {
		t.Errorf("the time of %v is %d, gofrs/uuid says %d, %v", u, ulid.ULID(u).Time(), want, err)
	}
}

// pgtype.UUID is no array but holds one.
func TestPgtype(t *testing.T) {
	parse := func(s string) (u [16]byte, err error) {
		var p pgtype.UUID
		err = p.Scan(s)
		return p.Bytes, err
	}
	format := func(u [16]byte) string { return pgtype.UUID{Bytes: u, Valid: true}.String() }
	newV7 := func() ([16]byte, error) { u, err := google.NewV7(); return u, err }
	const conversion = "`pgtype.UUID{Bytes: id, Valid: true}` and `ulid.ULID(u.Bytes)`; look at `u.Valid` first"
	peer[[16]byte]{"pgtype.UUID", conversion, parse, format, newV7}.test(t)

	// NULL is zero bytes that are not valid: the conversion cannot tell it from the zero ID.
	var null pgtype.UUID
	if err := null.Scan(nil); err != nil || null.Valid || !bytes.Equal(null.Bytes[:], make([]byte, 16)) {
		t.Errorf("NULL is %+v, %v", null, err)
	}
}
