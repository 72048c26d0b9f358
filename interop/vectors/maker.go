package vectors

import (
	"errors"
	"fmt"
	"math/big"
	"slices"
	"unicode/utf8"
)

// A maker collects the cases. Each method takes what a case is about, and asks the oracle for the outcome. A case
// whose outcome is not the one that its method stands for is an error, so that the oracle and the author of the
// case check each other.
type maker struct {
	file File
	seen map[string]bool // the names and the inputs, with their sections
	errs []error
}

func (m *maker) errorf(format string, args ...any) {
	m.errs = append(m.errs, fmt.Errorf(format, args...))
}

// once reports a name or an input that a section has twice.
func (m *maker) once(section, s string) {
	if key := section + "/" + s; m.seen[key] {
		m.errorf("%q stands twice", key)
	} else {
		m.seen[key] = true
	}
}

func (m *maker) add(section, name, why, source string) Case {
	m.once(section, name)
	if why == "" {
		m.errorf("%s/%s: why?", section, name)
	}
	if !slices.Contains([]string{ULID, Crockford, RFC9562, Library}, source) {
		m.errorf("%s/%s: no source %q", section, name, source)
	}
	m.file.Counts[section]++
	return Case{Name: name, Why: why, Source: source}
}

func (m *maker) valid(name, text, why string) {
	m.once("valid", "text "+text)
	c := m.add("valid", name, why, ULID)
	n, problem := decode([]byte(text))
	if problem != accepted {
		m.errorf("valid/%s: %q is refused: %v", name, text, problem)
		return
	}
	ms, entropy := split(n)
	m.file.Valid = append(m.file.Valid, Valid{Case: c, Text: text, Canonical: encode(n),
		Hex: hexadecimal(n), UUID: uuid(n), MS: ms, Entropy: fmt.Sprintf("%020x", entropy)})
}

// number is valid with the canonical text of a hexadecimal number.
func (m *maker) number(name, hex, why string) { m.valid(name, encode(fromHex(hex)), why) }

// invalid adds a text that is refused for the reason.
func (m *maker) invalid(reason, source, name, text, why string) {
	m.once("invalid", "text "+text)
	c := Invalid{Case: m.add("invalid", name, why, source), Text: text}
	if !utf8.ValidString(text) {
		c.Text, c.Bytes = "", fmt.Sprintf("%x", text)
	}
	_, c.Problem = decode([]byte(text))
	if c.Reason != reason {
		m.errorf("invalid/%s: %q is refused for %q, not %q", name, text, c.Reason, reason)
	}
	if c.Bytes == "" {
		c.ByCharacters = byCharacters(c.Problem, text, decode)
	}
	m.file.Invalid = append(m.file.Invalid, c)
}

// byCharacters returns how one that counts characters refuses text, if that differs.
func byCharacters(byBytes Problem, text string, decode func([]rune) (*big.Int, Problem)) *Problem {
	_, p := decode([]rune(text))
	same := p.Reason == byBytes.Reason && (p.Offset == nil || *p.Offset == *byBytes.Offset)
	if same {
		return nil
	}
	return &p
}

func (m *maker) lenient(source, name, text, why string) {
	m.once("lenient", "text "+text)
	n, problem := decodeLenient(text)
	c := Lenient{Case: m.add("lenient", name, why, source), Text: text, Problem: problem}
	if n != nil {
		c.Canonical = encode(n)
	}
	m.file.Lenient = append(m.file.Lenient, c)
}

func (m *maker) time(name string, ms int64, why string) {
	c := Time{Case: m.add("times", name, why, ULID), MS: &ms,
		First: encode(join(uint64(ms), new(big.Int))), Last: encode(join(uint64(ms), maxEntropy))}
	if big.NewInt(ms).Cmp(timeEnd) >= 0 {
		m.errorf("times/%s: too late", name)
	}
	m.file.Times = append(m.file.Times, c)
}

// tooLate adds a time that fits into no ULID. Up to 2⁵³ every language can read it as a number.
func (m *maker) tooLate(name string, ms *big.Int, why string) {
	c := Time{Case: m.add("times", name, why, ULID), Reason: TooLate}
	if ms.BitLen() <= 53 || ms.Cmp(new(big.Int).Lsh(one, 53)) == 0 {
		small := ms.Int64()
		c.MS = &small
	} else {
		c.Decimal = ms.String()
	}
	if ms.Cmp(timeEnd) < 0 {
		m.errorf("times/%s: not too late", name)
	}
	m.file.Times = append(m.file.Times, c)
}

// clamped adds a time outside the range, and the ULID that stands for it in a query.
func (m *maker) clamped(name string, ms int64, why string) {
	n := new(big.Int)
	if ms >= 0 {
		n.Sub(idEnd, one)
	}
	m.file.Clamped = append(m.file.Clamped, Time{Case: m.add("clamped", name, why, Library),
		MS: &ms, First: encode(n), Last: encode(n)})
}

func (m *maker) order(name, a, b, why string) {
	na, problemA := decode([]byte(a))
	nb, problemB := decode([]byte(b))
	if problemA != accepted || problemB != accepted {
		m.errorf("order/%s: %v, %v", name, problemA, problemB)
		return
	}
	m.file.Order = append(m.file.Order, Order{Case: m.add("order", name, why, ULID),
		A: a, B: b, Compare: na.Cmp(nb)})
}

// pair is order with the canonical texts of two hexadecimal numbers.
func (m *maker) pair(name, a, b, why string) {
	m.order(name, encode(fromHex(a)), encode(fromHex(b)), why)
}

func (m *maker) monotonic(source, name string, entropy []string, times []uint64, why string) {
	m.file.Monotonic = append(m.file.Monotonic, Monotonic{Case: m.add("monotonic", name, why, source),
		Entropy: entropy, Calls: monotonic(entropy, times)})
}

func (m *maker) uuid(name, text, why string) {
	m.once("uuid", "text "+text)
	n, problem := decodeUUID([]byte(text))
	if problem != accepted {
		m.errorf("uuid/%s: %q is refused: %v", name, text, problem)
		return
	}
	ms, _ := split(n)
	canonical := uuid(n)
	m.file.UUID = append(m.file.UUID, UUID{Case: m.add("uuid", name, why, RFC9562), UUID: text,
		Canonical: canonical, Text: encode(n), MS: ms,
		Version7: canonical[14] == '7' && slices.Contains([]byte("89ab"), canonical[19])})
}

func (m *maker) invalidUUID(reason, source, name, text, why string) {
	m.once("invalid_uuid", "text "+text)
	c := Invalid{Case: m.add("invalid_uuid", name, why, source), Text: text}
	_, c.Problem = decodeUUID([]byte(text))
	if c.Reason != reason {
		m.errorf("invalid_uuid/%s: %q is refused for %q, not %q", name, text, c.Reason, reason)
	}
	c.ByCharacters = byCharacters(c.Problem, text, decodeUUID)
	m.file.InvalidUUID = append(m.file.InvalidUUID, c)
}

func generate() (File, error) {
	m := maker{seen: map[string]bool{}, file: File{
		About:  "Conformance vectors for ULIDs. https://github.com/seed-961d0905/ulid/blob/main/testdata/README.md describes the fields.",
		Format: 1,
		Counts: map[string]int{},
	}}
	m.addValid()
	m.addInvalid()
	m.addLenient()
	m.addTimes()
	m.addOrder()
	m.addMonotonic()
	m.addUUIDs()
	return m.file, errors.Join(m.errs...)
}
