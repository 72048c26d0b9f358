package ulid

import (
	"encoding/binary"
	"fmt"
	"math/big"
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

func referenceUUIDString(id ULID) string {
	return fmt.Sprintf("%x-%x-%x-%x-%x", id[0:4], id[4:6], id[6:8], id[8:10], id[10:16])
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

// A referenceGenerator follows a Generator. From what was read of crypto/rand or of its Source, it knows every bit of
// every ID.
type referenceGenerator struct {
	read     *recorder
	isSource bool // each ID has a call of its own, and with crypto/rand up to 64 have one
	isClock  bool // its readings are recorded

	last uint64 // the tick of the last ID
}

// fill checks the IDs of one Make or Fill under a clock. The bits of the first 64 are read before the clock.
func (r *referenceGenerator) fill(t *testing.T, ids []ULID, now time.Time) {
	t.Helper()
	tick := uint64(0)
	for from := 0; from < len(ids); from += 64 {
		piece := ids[from:min(from+64, len(ids))]
		random := r.bits(t, len(piece))
		if from == 0 {
			r.clock(t)
			tick = max(referenceTick(now)/16*16+random[0]%16, r.last+1)
			r.last = tick + uint64(len(ids)) - 1
		}
		for i, id := range piece {
			checkID(t, id, referenceLayout(tick+uint64(from+i), random[i]))
		}
	}
	r.read.mustEnd(t)
}

// bits takes the random bits of n IDs.
func (r *referenceGenerator) bits(t *testing.T, n int) (random []uint64) {
	t.Helper()
	calls, size := 1, 8*n
	if r.isSource {
		calls, size = n, 8
	}
	for range calls {
		p := r.read.mustHaveRead(t, size)
		for ; len(p) > 0; p = p[8:] {
			random = append(random, binary.BigEndian.Uint64(p))
		}
	}
	return random
}

func (r *referenceGenerator) clock(t *testing.T) {
	t.Helper()
	if r.isClock {
		r.read.mustHaveReadClock(t)
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
		r.clock(t)
		r.last = tick + r.bits(t, 1)[0]%256
	}
	r.read.mustEnd(t)
}
