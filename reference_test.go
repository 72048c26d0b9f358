package ulid

import (
	"encoding/binary"
	"fmt"
	"math/big"
	mathrand "math/rand/v2"
	"regexp"
	"strings"
	"testing"
	"time"
)

// What the tests compare with: the same results from math/big and obvious code.

const (
	knownText = "01ARYZ6S41TSV4RRFFQ69G5FAV"
	knownUUID = "01563df3-6481-d676-4c61-efb99302bd5b"
	knownMS   = 1469918176385
	largestID = "7ZZZZZZZZZZZZZZZZZZZZZZZZZ"
)

var (
	known   = mustHex("01563df36481d6764c61efb99302bd5b")
	maxULID = new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), 128), big.NewInt(1))
)

// samples returns the IDs that the round trips go through: the ends, those next to a carry
// between the words of 64 bits or into the time, every single bit, and random ones.
func samples() []ULID {
	ids := []ULID{
		{},
		mustHex("ffffffffffffffffffffffffffffffff"),
		known,
		mustHex("01563e3ab5d3d676ffffffffffffffff"),
		mustHex("01563e3ab5d3d6760000000000000000"),
		mustHex("01563e3ab5d3ffffffffffffffffffff"),
		mustHex("ffffffffffffffff0000000000000000"),
	}
	for bit := range 128 {
		var id ULID
		id[bit/8] = 0x80 >> (bit % 8)
		ids = append(ids, id)
	}
	random := seeded(1)
	for range 1000 {
		var id ULID
		random.Read(id[:])
		ids = append(ids, id)
	}
	return ids
}

func referenceParse(s string) (id ULID, err error) {
	if len(s) != 26 {
		return id, ErrSyntax
	}
	n := new(big.Int)
	for i, c := range []byte(s) {
		value := strings.IndexByte("0123456789ABCDEFGHJKMNPQRSTVWXYZ", c)
		if 'a' <= c && c <= 'z' {
			value = strings.IndexByte("0123456789ABCDEFGHJKMNPQRSTVWXYZ", c-'a'+'A')
		}
		if value < 0 {
			return id, InvalidCharacterError{Offset: i, Char: c}
		}
		n.Mul(n, big.NewInt(32)).Add(n, big.NewInt(int64(value)))
	}
	if n.Cmp(maxULID) > 0 {
		return id, ErrOverflow
	}
	n.FillBytes(id[:])
	return id, nil
}

func referenceString(id ULID) string {
	n := new(big.Int).SetBytes(id[:])
	text := make([]byte, 26)
	for i := range text {
		digit := new(big.Int)
		n.DivMod(n, big.NewInt(32), digit)
		text[25-i] = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"[digit.Int64()]
	}
	return string(text)
}

// referenceLenient returns the text that ParseLenient should read s as, and the offset in s of each
// of its characters.
func referenceLenient(s string) (text string, offsets []int) {
	for i, c := range []byte(s) {
		switch c {
		case '-':
			continue
		case 'I', 'i', 'L', 'l':
			c = '1'
		case 'O', 'o':
			c = '0'
		}
		text += string([]byte{c})
		offsets = append(offsets, i)
	}
	return text, offsets
}

var uuidPattern = regexp.MustCompile(`^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$`)

func referenceParseUUID(s string) (id ULID, ok bool) {
	if !uuidPattern.MatchString(s) {
		return id, false
	}
	n, _ := new(big.Int).SetString(strings.ReplaceAll(s, "-", ""), 16)
	n.FillBytes(id[:])
	return id, true
}

func referenceUUIDError(s string) error {
	if len(s) != 36 {
		return ErrSyntax
	}
	for i, c := range []byte(s) {
		allowed := "0123456789abcdefABCDEF"
		if knownUUID[i] == '-' {
			allowed = "-"
		}
		if strings.IndexByte(allowed, c) < 0 {
			return InvalidCharacterError{Offset: i, Char: c}
		}
	}
	return nil
}

// referenceLayout returns the ID with a tick and random bits, bit by bit as docs/guarantees.md draws it.
func referenceLayout(tick, random uint64) (id ULID) {
	t, r := fmt.Sprintf("%064b", tick), fmt.Sprintf("%064b", random)
	for i, bit := range t[:48] + "0111" + t[48:60] + "10" + t[60:] + r[:58] {
		id[i/8] = id[i/8]<<1 | byte(bit-'0')
	}
	return id
}

// tickOf returns the tick of an ID of a Generator.
func tickOf(id ULID) uint64 {
	upper := binary.BigEndian.Uint64(id[:8])
	return upper/65536*65536 + upper%4096*16 + uint64(id[8]%64/4)
}

// randomOf returns the random bits of an ID of a Generator.
func randomOf(id ULID) uint64 { return binary.BigEndian.Uint64(id[8:]) % (1 << 58) }

// isUUIDv7 reports whether an ID has the version and the variant.
func isUUIDv7(id ULID) bool { return id[6]/16 == 7 && id[8]/64 == 2 }

// referenceTick returns the tick of a clock.
func referenceTick(now time.Time) uint64 {
	ns := new(big.Int).Mul(big.NewInt(now.Unix()), big.NewInt(1e9))
	ns.Add(ns, big.NewInt(int64(now.Nanosecond())))
	if ns.Sign() < 0 {
		return 0
	}
	return ns.Lsh(ns, 16).Div(ns, big.NewInt(1e6)).Uint64()
}

// referenceScale returns the whole part of n·(hi·2⁶⁴+lo)/2¹²⁸.
func referenceScale(hi, lo, n uint64) *big.Int {
	product := new(big.Int).SetUint64(hi)
	product.Lsh(product, 64).Or(product, new(big.Int).SetUint64(lo))
	return product.Mul(product, new(big.Int).SetUint64(n)).Rsh(product, 128)
}

// A referenceGenerator follows a Generator. From what was read of crypto/rand, or of an Entropy, it
// knows every bit of every ID.
type referenceGenerator struct {
	entropy *recorder // of the Generator, or nil
	system  *recorder // of crypto/rand

	last    uint64             // the tick of the last ID
	begun   uint64             // the latest millisecond of the clock, plus 1
	second  bool               // a Make after the call that began it has read crypto/rand too
	salt    uint64             // the sum of what was read of crypto/rand
	chachas []mathrand.ChaCha8 // the one in the pool, or all that it may be
}

// make checks the ID of a Make under a clock.
func (r *referenceGenerator) make(t *testing.T, id ULID, now time.Time) {
	t.Helper()
	isFirst := r.begun != referenceTick(now)>>16+1
	if r.entropy != nil || r.second && !isFirst {
		r.fill(t, []ULID{id}, now)
		return
	}
	tick, fresh := r.take(t, 1, now)
	if !isFirst {
		r.second = true
		fresh = binary.BigEndian.Uint64(r.system.mustNext(t, 8))
	}
	checkID(t, id, referenceLayout(tick, fresh))
	r.checkRead(t)
}

// fill checks the IDs of one Fill, or of a Make that reads nothing of crypto/rand, under a clock.
func (r *referenceGenerator) fill(t *testing.T, ids []ULID, now time.Time) {
	t.Helper()
	if len(ids) == 0 {
		r.checkRead(t)
		return
	}
	tick, _ := r.take(t, len(ids), now)
	if r.entropy == nil {
		r.draw(t, tick, ids)
	} else {
		for i, id := range ids {
			checkID(t, id, referenceLayout(tick+uint64(i), binary.BigEndian.Uint64(r.entropy.mustNext(t, 8))))
		}
	}
	r.checkRead(t)
}

// take returns the first of n ticks, and what was read of crypto/rand if they begin a millisecond.
func (r *referenceGenerator) take(t *testing.T, n int, now time.Time) (tick, fresh uint64) {
	t.Helper()
	tick = referenceTick(now)
	if r.entropy == nil {
		if r.begun != tick>>16+1 {
			r.begun, r.second = tick>>16+1, false
			fresh = r.renew(t)
		}
		tick = tick/16*16 + r.salt%16
	}
	tick = max(tick, r.last+1)
	r.last = tick + uint64(n) - 1
	return tick, fresh
}

// renew returns what was read of crypto/rand for a new millisecond, or for AdvancePast.
func (r *referenceGenerator) renew(t *testing.T) uint64 {
	t.Helper()
	fresh := binary.BigEndian.Uint64(r.system.mustNext(t, 8))
	r.salt += fresh
	return fresh
}

// draw checks IDs whose bits come from a ChaCha8. The pool has one ChaCha8 at most, but it may forget
// that one, as it often does under the race detector. Then another is seeded.
func (r *referenceGenerator) draw(t *testing.T, tick uint64, ids []ULID) {
	t.Helper()
	if len(ids) == 0 {
		return
	}
	for i, id := range ids { // whatever their random bits
		checkID(t, id, referenceLayout(tick+uint64(i), randomOf(id)<<6))
	}
	candidates := r.chachas
	for _, seed := range r.system.seeds {
		candidates = append(candidates, *mathrand.NewChaCha8([32]byte(seed)))
	}
	r.system.seeds, r.chachas = nil, nil
	for _, c := range candidates {
		isDrawn := true
		for _, id := range ids {
			isDrawn = isDrawn && randomOf(id) == (c.Uint64()^r.salt)>>6
		}
		if isDrawn {
			r.chachas = append(r.chachas, c)
		}
	}
	if len(r.chachas) == 0 {
		t.Fatalf("the random bits of %d IDs, of which the first is %s, are not the next of a ChaCha8, salted with %x",
			len(ids), ids[0], r.salt)
	}
}

// advancePast follows an AdvancePast that returned nil.
func (r *referenceGenerator) advancePast(t *testing.T, id ULID) {
	t.Helper()
	tick := binary.BigEndian.Uint64(id[:8]) | 65535
	if isUUIDv7(id) {
		tick = tickOf(id)
	}
	if tick > r.last {
		r.last = tick
		if r.entropy == nil {
			r.last += r.renew(t) % 256
		}
	}
	r.checkRead(t)
}

// checkRead checks that nothing else was read.
func (r *referenceGenerator) checkRead(t *testing.T) {
	t.Helper()
	for _, recorder := range []*recorder{r.entropy, r.system} {
		if recorder != nil && len(recorder.reads) > 0 {
			t.Fatalf("%x were read, and are in no ID", recorder.reads)
		}
	}
	if len(r.system.seeds) > 0 {
		t.Fatal("a ChaCha8 was seeded for nothing")
	}
}
