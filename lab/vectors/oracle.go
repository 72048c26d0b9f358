package vectors

import (
	"fmt"
	"math/big"
	"strings"
)

// The oracle: a ULID is an integer below 2¹²⁸, and everything is said of it with math/big.

const digits = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"

var (
	one         = big.NewInt(1)
	entropyEnd  = new(big.Int).Lsh(one, 80)
	timeEnd     = new(big.Int).Lsh(one, 48)
	idEnd       = new(big.Int).Lsh(one, 128)
	maxEntropy  = new(big.Int).Sub(entropyEnd, one)
	accepted    = Problem{}
	wrongLength = Problem{Reason: Length}
	tooGreat    = Problem{Reason: Overflow}
)

func wrongCharacter(offset int) Problem {
	return Problem{Reason: Character, Offset: &offset}
}

// value returns the value of a digit of either case, and -1 for every other character.
func value(r rune) int {
	if 'a' <= r && r <= 'z' {
		r += 'A' - 'a'
	}
	return strings.IndexRune(digits, r)
}

// decode reads a text. It counts what it is given: bytes or Unicode characters.
func decode[T byte | rune](text []T) (*big.Int, Problem) {
	if len(text) != 26 {
		return nil, wrongLength
	}
	n := new(big.Int)
	for i, c := range text {
		v := value(rune(c))
		if v < 0 {
			return nil, wrongCharacter(i)
		}
		n.Add(n.Mul(n, big.NewInt(32)), big.NewInt(int64(v)))
	}
	if n.Cmp(idEnd) >= 0 {
		return nil, tooGreat
	}
	return n, accepted
}

// decodeLenient reads a text by Crockford's rules. Its offsets count the hyphens.
func decodeLenient(text string) (*big.Int, Problem) {
	var plain []byte
	var offsets []int
	for i, c := range []byte(text) {
		if c == '-' {
			continue
		}
		if strings.IndexByte("IiLl", c) >= 0 {
			c = '1'
		}
		if strings.IndexByte("Oo", c) >= 0 {
			c = '0'
		}
		plain = append(plain, c)
		offsets = append(offsets, i)
	}
	n, problem := decode(plain)
	if problem.Offset != nil {
		problem = wrongCharacter(offsets[*problem.Offset])
	}
	return n, problem
}

// encode writes the text of n: 26 digits, the last of which is the remainder by 32.
func encode(n *big.Int) string {
	text := ""
	rest, digit := new(big.Int).Set(n), new(big.Int)
	for len(text) < 26 {
		rest.DivMod(rest, big.NewInt(32), digit)
		text = string(digits[digit.Int64()]) + text
	}
	return text
}

func hexadecimal(n *big.Int) string { return fmt.Sprintf("%032x", n) }

func uuid(n *big.Int) string {
	h := hexadecimal(n)
	return strings.Join([]string{h[:8], h[8:12], h[12:16], h[16:20], h[20:]}, "-")
}

// decodeUUID reads 8-4-4-4-12 hexadecimal digits of either case.
func decodeUUID[T byte | rune](text []T) (*big.Int, Problem) {
	if len(text) != 36 {
		return nil, wrongLength
	}
	n := new(big.Int)
	for i, c := range text {
		hyphen := i == 8 || i == 13 || i == 18 || i == 23
		v := strings.IndexRune("0123456789abcdef", rune(c))
		if v < 0 {
			v = strings.IndexRune("0123456789ABCDEF", rune(c))
		}
		if hyphen != (c == '-') || !hyphen && v < 0 {
			return nil, wrongCharacter(i)
		}
		if !hyphen {
			n.Add(n.Mul(n, big.NewInt(16)), big.NewInt(int64(v)))
		}
	}
	return n, accepted
}

// join makes a ULID of a time and its entropy.
func join(ms uint64, entropy *big.Int) *big.Int {
	n := new(big.Int).SetUint64(ms)
	return n.Add(n.Mul(n, entropyEnd), entropy)
}

// split is the reverse of join.
func split(n *big.Int) (ms uint64, entropy *big.Int) {
	t, entropy := new(big.Int).DivMod(n, entropyEnd, new(big.Int))
	return t.Uint64(), entropy
}

func fromHex(s string) *big.Int {
	n, ok := new(big.Int).SetString(s, 16)
	if !ok {
		panic("no hexadecimal number: " + s)
	}
	return n
}

// monotonic runs the specification's source: an ID of a new millisecond takes the next entropy, and
// one of the same millisecond adds 1 to the entropy of the one before. What would reach 2⁸⁰ is
// refused, and so is everything after it in that millisecond.
func monotonic(entropy []string, asked []Call) (calls []Call) {
	var last *big.Int
	var lastMS uint64
	for _, call := range asked {
		ms := call.MS
		switch {
		case last == nil || ms != lastMS:
			last, lastMS, entropy = fromHex(entropy[0]), ms, entropy[1:]
		case last.Cmp(entropyEnd) < 0:
			last = new(big.Int).Add(last, one)
		}
		call = Call{MS: ms}
		if last.Cmp(entropyEnd) < 0 {
			call.ID = encode(join(ms, last))
		} else {
			call.Reason = Overflow
		}
		calls = append(calls, call)
	}
	if len(entropy) > 0 {
		panic("entropy is left over")
	}
	return calls
}

// byCharacters returns how one that counts characters refuses text, if that differs.
func byCharacters(byBytes Problem, text string, decode func([]rune) (*big.Int, Problem)) *Problem {
	_, p := decode([]rune(text))
	if p.Reason == byBytes.Reason && (p.Offset == nil || *p.Offset == *byBytes.Offset) {
		return nil
	}
	return &p
}
