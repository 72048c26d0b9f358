package ulid

import (
	"cmp"
	"encoding/binary"
	"encoding/hex"
	"io"
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

// referenceIsUUIDv7 reads the version and the variant where RFC 9562 draws them: they are the first
// digits of the third and the fourth group of UUID notation.
func referenceIsUUIDv7(id ULID) bool {
	digits := hex.EncodeToString(id[:])
	return digits[12] == '7' && strings.ContainsRune("89ab", rune(digits[16]))
}

// randomBits returns the 80 random bits of an ID as a number, or the 74 of a UUIDv7.
func randomBits(id ULID, uuidv7 bool) *big.Int {
	if !uuidv7 {
		return new(big.Int).SetBytes(id[6:])
	}
	a := big.NewInt(int64(id[6]&0x0f)<<8 | int64(id[7]))
	b := new(big.Int).SetBytes(append([]byte{id[8] & 0x3f}, id[9:]...))
	return b.Add(b, a.Lsh(a, 62))
}

func randomBitCount(uuidv7 bool) uint {
	if uuidv7 {
		return 74
	}
	return 80
}

// fromRandomBits returns the ID with the given time and random bits. It is the inverse of
// randomBits.
func fromRandomBits(ms uint64, number *big.Int, uuidv7 bool) (id ULID) {
	n := new(big.Int).Set(number)
	if uuidv7 {
		a := new(big.Int).Rsh(n, 62)
		n.Sub(n, new(big.Int).Lsh(a, 62)).SetBit(n, 63, 1)
		n.Or(n, a.Lsh(a.Or(a, big.NewInt(0x7000)), 64))
	}
	n.Or(n, new(big.Int).Lsh(new(big.Int).SetUint64(ms), 80))
	n.FillBytes(id[:]) // panics if there are too many
	return id
}

// freshBits returns the random bits of an ID that is made of 10 bytes of entropy.
func freshBits(p []byte, uuidv7 bool) *big.Int {
	return randomBits(ULID(append(make([]byte, 6), p...)), uuidv7)
}

// referenceScale returns the whole part of n·(hi·2⁶⁴+lo)/2¹²⁸.
func referenceScale(hi, lo, n uint64) *big.Int {
	product := new(big.Int).SetUint64(hi)
	product.Lsh(product, 64).Or(product, new(big.Int).SetUint64(lo))
	return product.Mul(product, new(big.Int).SetUint64(n)).Rsh(product, 128)
}

// referencePlaces draws places in [0, n) from the system's entropy. A power of two takes the upper bits
// of a word of the ChaCha8, any other n two words.
type referencePlaces struct {
	number int // which ChaCha8 it is
	drawn  int // how many words
	chacha mathrand.ChaCha8
}

func newReferencePlaces(number int, seed []byte) *referencePlaces {
	return &referencePlaces{number: number, chacha: *mathrand.NewChaCha8([32]byte(seed))}
}

func (s *referencePlaces) word() uint64 {
	s.drawn++
	return s.chacha.Uint64()
}

func (s *referencePlaces) next(n uint64) *big.Int {
	size := new(big.Int).SetUint64(n)
	if n == 1 {
		return new(big.Int)
	}
	word := new(big.Int).SetUint64(s.word())
	if exponent := uint(size.BitLen() - 1); size.TrailingZeroBits() == exponent {
		return word.Rsh(word, 64-exponent)
	}
	return referenceScale(word.Uint64(), s.word(), n)
}

// follow reports whether these places are the next ones. Where Fill takes several at once, three
// words have the upper 48 bits of three places, and their lower 16 bits are the fourth place. Some
// places before may have been taken one by one.
func (s *referencePlaces) follow(places []*big.Int, n uint64) bool {
	for single := range len(places) + 1 {
		next := *s
		isNext := true
		for i := 0; isNext && i < len(places); i++ {
			if i >= single && n == 1<<48 && i+4 <= len(places) {
				isNext = next.followFour(places[i : i+4])
				i += 3
			} else {
				isNext = next.next(n).Cmp(places[i]) == 0
			}
		}
		if isNext {
			*s = next
			return true
		}
	}
	return false
}

func (s *referencePlaces) compare(other *referencePlaces) int {
	return cmp.Or(cmp.Compare(s.number, other.number), cmp.Compare(s.drawn, other.drawn))
}

func (s *referencePlaces) followFour(places []*big.Int) bool {
	fourth := uint64(0)
	for _, place := range places[:3] {
		word := s.word()
		fourth = fourth*65536 + word%65536
		if place.Uint64() != word/65536 {
			return false
		}
	}
	return places[3].Uint64() == fourth
}

// A referenceGenerator is a Generator with a reader: a time and a number of 80 random bits, or 74. All
// numbers up to used are used up.
type referenceGenerator struct {
	uuidv7  bool
	spacing uint64
	entropy io.Reader
	started bool
	leaps   bool
	ms      int64
	used    *big.Int
}

func newReferenceGenerator(uuidv7 bool, spacing uint64, entropy io.Reader) *referenceGenerator {
	return &referenceGenerator{uuidv7: uuidv7, spacing: cmp.Or(spacing, 1<<48), entropy: entropy}
}

// end returns the least number that is too great.
func (s *referenceGenerator) end() *big.Int {
	return new(big.Int).Lsh(big.NewInt(1), randomBitCount(s.uuidv7))
}

// has reports whether so many numbers are left in the millisecond.
func (s *referenceGenerator) has(n *big.Int) bool {
	return new(big.Int).Add(s.used, n).Cmp(s.end()) < 0
}

func (s *referenceGenerator) next(ms int64) (id ULID, err error) {
	ms = max(ms, 0)
	number := new(big.Int)
	one, spacing := big.NewInt(1), new(big.Int).SetUint64(s.spacing)
	leap := new(big.Int).Lsh(one, randomBitCount(s.uuidv7)-8)
	switch behind := s.started && ms <= s.ms; {
	case behind && s.leaps && s.has(leap):
		var p [10]byte
		if _, err := io.ReadFull(s.entropy, p[:]); err != nil {
			return id, err
		}
		distance := freshBits(p[:], s.uuidv7)
		number.Add(s.used, one).Add(number, distance.Mod(distance, leap))
		ms, s.used = s.ms, number
	case behind && !s.leaps && s.has(spacing):
		place := new(big.Int)
		if s.spacing != 1 {
			var p [16]byte
			if _, err := io.ReadFull(s.entropy, p[:]); err != nil {
				return id, err
			}
			place = referenceScale(binary.BigEndian.Uint64(p[:8]), binary.BigEndian.Uint64(p[8:]), s.spacing)
		}
		number.Add(s.used, one).Add(number, place)
		ms, s.used = s.ms, new(big.Int).Add(s.used, spacing)
	default:
		if behind {
			ms = s.ms + 1
		}
		if ms > maxTime {
			return id, ErrBigTime
		}
		var p [10]byte
		if _, err := io.ReadFull(s.entropy, p[:]); err != nil {
			return id, err
		}
		number = freshBits(p[:], s.uuidv7)
		s.used = number
	}
	s.started, s.leaps, s.ms = true, false, ms
	return fromRandomBits(uint64(ms), number, s.uuidv7), nil
}

// advancePast returns ErrAhead if id is more than limit milliseconds after ms.
func (s *referenceGenerator) advancePast(id ULID, limit, ms int64) error {
	idMS, number := int64(id.Time()), randomBits(id, s.uuidv7)
	if version := id[6] >> 4; s.uuidv7 && version != 7 {
		// The last of id's millisecond, or of the one before.
		number = new(big.Int).Sub(s.end(), big.NewInt(1))
		if version < 7 {
			idMS--
		}
	} else if s.uuidv7 && !referenceIsUUIDv7(id) {
		// The last with the same 12 bits, or the one before the first of them.
		first := new(big.Int).Lsh(new(big.Int).Rsh(number, 62), 62)
		number.Sub(first, big.NewInt(1))
		if id[8]>>6 > 2 {
			number.Add(number, new(big.Int).Lsh(big.NewInt(1), 62))
		}
		if number.Sign() < 0 {
			idMS--
			number.Sub(s.end(), big.NewInt(1))
		}
	}
	isPassed := s.started && (idMS < s.ms || idMS == s.ms && number.Cmp(s.used) <= 0)
	if idMS < 0 || isPassed {
		return nil
	}
	if int64(id.Time())-max(ms, 0) > limit {
		return ErrAhead
	}
	s.started, s.leaps, s.ms, s.used = true, true, idMS, number
	return nil
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
