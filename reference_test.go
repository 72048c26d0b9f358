package ulid

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"
	"math/big"
	mathrand "math/rand/v2"
	"regexp"
	"strings"
	"testing"
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
		return id, ErrDataSize
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
		return ErrDataSize
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

// layout returns the ID with a number and random bits, bit by bit as docs/guarantees.md draws it.
func layout(number, random uint64, uuidv7 bool) (id ULID) {
	n, r := fmt.Sprintf("%064b", number), fmt.Sprintf("%064b", random)
	all := n + r
	if uuidv7 {
		all = n[:48] + "0111" + n[48:60] + "10" + n[60:] + r[:58]
	}
	for i, bit := range all {
		id[i/8] = id[i/8]<<1 | byte(bit-'0')
	}
	return id
}

// layoutFast is layout without random bits.
func layoutFast(number uint64, uuidv7 bool) (id ULID) {
	binary.BigEndian.PutUint64(id[:], number)
	if uuidv7 {
		binary.BigEndian.PutUint16(id[6:], 0x7000+uint16(number)/16)
		id[8] = 0x80 + byte(number%16*4)
	}
	return id
}

// numberOf returns the number of an ID of a Generator.
func numberOf(id ULID, uuidv7 bool) uint64 {
	number := binary.BigEndian.Uint64(id[:8])
	if uuidv7 {
		number = number/65536*65536 + number%4096*16 + uint64(id[8]%64/4)
	}
	return number
}

// referenceNumber returns the greatest number of which an ID is at most id. It reports false if there
// is none.
func referenceNumber(id ULID, uuidv7 bool) (number uint64, ok bool) {
	if layout(0, 0, uuidv7).Compare(id) > 0 {
		return 0, false
	}
	for bit := uint64(1 << 63); bit > 0; bit /= 2 {
		if layout(number+bit, 0, uuidv7).Compare(id) <= 0 {
			number += bit
		}
	}
	return number, true
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
	uuidv7  bool
	entropy *recorder // of the Generator, or nil
	system  *recorder // of crypto/rand

	last        uint64 // the number of the last ID
	salt, spare uint64
	chachas     []mathrand.ChaCha8 // the one in the pool, or all that it may be
}

// fill checks the IDs of one Fill, or of a Make, at a time.
func (r *referenceGenerator) fill(t *testing.T, ids []ULID, ms uint64) {
	t.Helper()
	for len(ids) > 0 {
		size := 1
		if r.entropy == nil {
			size = min(256, len(ids))
		}
		r.fillPiece(t, ids[:size], ms)
		ids = ids[size:]
	}
	r.checkRead(t)
}

// fillPiece checks IDs with one number.
func (r *referenceGenerator) fillPiece(t *testing.T, ids []ULID, ms uint64) {
	t.Helper()
	number, random := r.last+1, uint64(0)
	isFirst, isDrawn := r.last == 0 || r.last/65536 < ms, false
	switch {
	case r.entropy != nil:
		p := r.entropy.mustNext(t, 10)
		random = binary.BigEndian.Uint64(p[2:])
		if isFirst {
			number = firstNumber(ms, p)
		}
	case isFirst:
		p := r.fresh(t)
		number, random = firstNumber(ms, p), binary.BigEndian.Uint64(p[2:])
	case r.spare != 0:
		random, r.spare = r.spare^r.salt, 0
	default:
		isDrawn = true
	}
	r.last = number
	switch {
	case len(ids) > 1:
		if isDrawn { // for the first ID, whose bits the index replaces
			r.draw(t, number, ids[:1], true)
		}
		r.draw(t, number, ids, false)
	case isDrawn:
		r.draw(t, number, ids, false)
	case ids[0] != layout(number, random, r.uuidv7):
		t.Fatalf("got %x, want %x", ids[0], layout(number, random, r.uuidv7))
	}
}

// firstNumber returns the number of the first ID of a millisecond.
func firstNumber(ms uint64, fresh []byte) uint64 {
	return ms*65536 + uint64(binary.BigEndian.Uint16(fresh))%32768 + 1
}

// fresh returns what was read of crypto/rand for a new millisecond, or for AdvancePast.
func (r *referenceGenerator) fresh(t *testing.T) []byte {
	t.Helper()
	p := r.system.mustNext(t, 18)
	r.salt += binary.BigEndian.Uint64(p[2:])
	r.spare = binary.BigEndian.Uint64(p[10:])
	return p
}

// draw checks IDs whose bits come from a ChaCha8, or any, if these bits are in no ID. The pool has one
// ChaCha8 at most, but it may forget that one, as it often does under the race detector. Then another
// is seeded.
func (r *referenceGenerator) draw(t *testing.T, number uint64, ids []ULID, any bool) {
	t.Helper()
	candidates := r.chachas
	for _, seed := range r.system.seeds {
		candidates = append(candidates, *mathrand.NewChaCha8([32]byte(seed)))
	}
	r.chachas = nil
	for _, c := range candidates {
		if r.isDrawn(&c, number, ids) || any {
			r.chachas = append(r.chachas, c)
		}
	}
	if len(r.chachas) == 0 {
		t.Fatalf("%x have not the next bits of any ChaCha8", ids)
	}
}

// isDrawn reports whether the IDs have an index and the next bits of c.
func (r *referenceGenerator) isDrawn(c *mathrand.ChaCha8, number uint64, ids []ULID) bool {
	places := uint64(1)
	for places < uint64(len(ids)) {
		places *= 2
	}
	isRight := true
	for i, id := range ids {
		random := c.Uint64() ^ r.salt
		if places > 1 {
			size := math.MaxUint64/places + 1
			random = uint64(i)*size + random%size
		}
		isRight = isRight && id == layout(number, random, r.uuidv7)
	}
	return isRight
}

// advancePast follows an AdvancePast that returned nil.
func (r *referenceGenerator) advancePast(t *testing.T, id ULID) {
	t.Helper()
	if number, ok := referenceNumber(id, r.uuidv7); ok && number > r.last {
		r.last = number
		if r.entropy == nil {
			r.last += uint64(r.fresh(t)[1])
		}
	}
	r.checkRead(t)
}

// checkRead checks that nothing else was read.
func (r *referenceGenerator) checkRead(t *testing.T) {
	t.Helper()
	r.system.seeds = nil
	for _, recorder := range []*recorder{r.entropy, r.system} {
		if recorder != nil && len(recorder.reads) > 0 {
			t.Fatalf("%x were read, and are in no ID", recorder.reads)
		}
	}
}

// Helpers of several files.

func mustHex(s string) (id ULID) {
	if n, err := hex.Decode(id[:], []byte(s)); n != 16 || err != nil {
		panic(s)
	}
	return id
}

// mustUUID is for IDs whose version and variant matter.
func mustUUID(s string) ULID {
	id, ok := referenceParseUUID(s)
	if !ok {
		panic(s)
	}
	return id
}

func mustPanic(t *testing.T, name string, f func()) {
	t.Helper()
	defer func() {
		t.Helper()
		if recover() == nil {
			t.Errorf("%s did not panic", name)
		}
	}()
	f()
}

// seeded returns a reader of random bytes that are the same in every run.
func seeded(n byte) *mathrand.ChaCha8 { return mathrand.NewChaCha8([32]byte{n}) }

// constant is a reader of the same byte for ever.
type constant byte

func (c constant) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = byte(c)
	}
	return len(p), nil
}
