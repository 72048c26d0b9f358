package ulid

import (
	"encoding/binary"
	"fmt"
)

// EncodedSize is the length of a ULID's string in characters.
const EncodedSize = 26

// pairs holds the two characters of every 10-bit number, one after the other: half as
// many look-ups as with single characters. Line i begins with character i of the alphabet,
// Crockford's Base32, which has no I, L, O and U.
const pairs = "" +
	"000102030405060708090A0B0C0D0E0F0G0H0J0K0M0N0P0Q0R0S0T0V0W0X0Y0Z" +
	"101112131415161718191A1B1C1D1E1F1G1H1J1K1M1N1P1Q1R1S1T1V1W1X1Y1Z" +
	"202122232425262728292A2B2C2D2E2F2G2H2J2K2M2N2P2Q2R2S2T2V2W2X2Y2Z" +
	"303132333435363738393A3B3C3D3E3F3G3H3J3K3M3N3P3Q3R3S3T3V3W3X3Y3Z" +
	"404142434445464748494A4B4C4D4E4F4G4H4J4K4M4N4P4Q4R4S4T4V4W4X4Y4Z" +
	"505152535455565758595A5B5C5D5E5F5G5H5J5K5M5N5P5Q5R5S5T5V5W5X5Y5Z" +
	"606162636465666768696A6B6C6D6E6F6G6H6J6K6M6N6P6Q6R6S6T6V6W6X6Y6Z" +
	"707172737475767778797A7B7C7D7E7F7G7H7J7K7M7N7P7Q7R7S7T7V7W7X7Y7Z" +
	"808182838485868788898A8B8C8D8E8F8G8H8J8K8M8N8P8Q8R8S8T8V8W8X8Y8Z" +
	"909192939495969798999A9B9C9D9E9F9G9H9J9K9M9N9P9Q9R9S9T9V9W9X9Y9Z" +
	"A0A1A2A3A4A5A6A7A8A9AAABACADAEAFAGAHAJAKAMANAPAQARASATAVAWAXAYAZ" +
	"B0B1B2B3B4B5B6B7B8B9BABBBCBDBEBFBGBHBJBKBMBNBPBQBRBSBTBVBWBXBYBZ" +
	"C0C1C2C3C4C5C6C7C8C9CACBCCCDCECFCGCHCJCKCMCNCPCQCRCSCTCVCWCXCYCZ" +
	"D0D1D2D3D4D5D6D7D8D9DADBDCDDDEDFDGDHDJDKDMDNDPDQDRDSDTDVDWDXDYDZ" +
	"E0E1E2E3E4E5E6E7E8E9EAEBECEDEEEFEGEHEJEKEMENEPEQERESETEVEWEXEYEZ" +
	"F0F1F2F3F4F5F6F7F8F9FAFBFCFDFEFFFGFHFJFKFMFNFPFQFRFSFTFVFWFXFYFZ" +
	"G0G1G2G3G4G5G6G7G8G9GAGBGCGDGEGFGGGHGJGKGMGNGPGQGRGSGTGVGWGXGYGZ" +
	"H0H1H2H3H4H5H6H7H8H9HAHBHCHDHEHFHGHHHJHKHMHNHPHQHRHSHTHVHWHXHYHZ" +
	"J0J1J2J3J4J5J6J7J8J9JAJBJCJDJEJFJGJHJJJKJMJNJPJQJRJSJTJVJWJXJYJZ" +
	"K0K1K2K3K4K5K6K7K8K9KAKBKCKDKEKFKGKHKJKKKMKNKPKQKRKSKTKVKWKXKYKZ" +
	"M0M1M2M3M4M5M6M7M8M9MAMBMCMDMEMFMGMHMJMKMMMNMPMQMRMSMTMVMWMXMYMZ" +
	"N0N1N2N3N4N5N6N7N8N9NANBNCNDNENFNGNHNJNKNMNNNPNQNRNSNTNVNWNXNYNZ" +
	"P0P1P2P3P4P5P6P7P8P9PAPBPCPDPEPFPGPHPJPKPMPNPPPQPRPSPTPVPWPXPYPZ" +
	"Q0Q1Q2Q3Q4Q5Q6Q7Q8Q9QAQBQCQDQEQFQGQHQJQKQMQNQPQQQRQSQTQVQWQXQYQZ" +
	"R0R1R2R3R4R5R6R7R8R9RARBRCRDRERFRGRHRJRKRMRNRPRQRRRSRTRVRWRXRYRZ" +
	"S0S1S2S3S4S5S6S7S8S9SASBSCSDSESFSGSHSJSKSMSNSPSQSRSSSTSVSWSXSYSZ" +
	"T0T1T2T3T4T5T6T7T8T9TATBTCTDTETFTGTHTJTKTMTNTPTQTRTSTTTVTWTXTYTZ" +
	"V0V1V2V3V4V5V6V7V8V9VAVBVCVDVEVFVGVHVJVKVMVNVPVQVRVSVTVVVWVXVYVZ" +
	"W0W1W2W3W4W5W6W7W8W9WAWBWCWDWEWFWGWHWJWKWMWNWPWQWRWSWTWVWWWXWYWZ" +
	"X0X1X2X3X4X5X6X7X8X9XAXBXCXDXEXFXGXHXJXKXMXNXPXQXRXSXTXVXWXXXYXZ" +
	"Y0Y1Y2Y3Y4Y5Y6Y7Y8Y9YAYBYCYDYEYFYGYHYJYKYMYNYPYQYRYSYTYVYWYXYYYZ" +
	"Z0Z1Z2Z3Z4Z5Z6Z7Z8Z9ZAZBZCZDZEZFZGZHZJZKZMZNZPZQZRZSZTZVZWZXZYZZ"

// values holds the value of every character in either case, and __ for all other bytes.
//
// The values are 64 bits wide and __ is negative, so that decode can combine values before it
// has checked any: no shift to the left loses the sign, and one test at the end finds an
// invalid character wherever it stood.
var values = [256]int64{
	__, __, __, __, __, __, __, __, __, __, __, __, __, __, __, __,
	__, __, __, __, __, __, __, __, __, __, __, __, __, __, __, __,
	__, __, __, __, __, __, __, __, __, __, __, __, __, __, __, __,
	0, 1, 2, 3, 4, 5, 6, 7, 8, 9, __, __, __, __, __, __,
	__, 10, 11, 12, 13, 14, 15, 16, 17, __, 18, 19, __, 20, 21, __,
	22, 23, 24, 25, 26, __, 27, 28, 29, 30, 31, __, __, __, __, __,
	__, 10, 11, 12, 13, 14, 15, 16, 17, __, 18, 19, __, 20, 21, __,
	22, 23, 24, 25, 26, __, 27, 28, 29, 30, 31, __, __, __, __, __,
	__, __, __, __, __, __, __, __, __, __, __, __, __, __, __, __,
	__, __, __, __, __, __, __, __, __, __, __, __, __, __, __, __,
	__, __, __, __, __, __, __, __, __, __, __, __, __, __, __, __,
	__, __, __, __, __, __, __, __, __, __, __, __, __, __, __, __,
	__, __, __, __, __, __, __, __, __, __, __, __, __, __, __, __,
	__, __, __, __, __, __, __, __, __, __, __, __, __, __, __, __,
	__, __, __, __, __, __, __, __, __, __, __, __, __, __, __, __,
	__, __, __, __, __, __, __, __, __, __, __, __, __, __, __, __,
}

const __ = -1

// Parse parses a ULID of 26 characters, in upper or lower case. It never guesses: a lenient
// decoder turns a typo into another valid ID.
//
// Every error wraps [ErrSyntax]. If the length is right it is an [InvalidCharacterError] for the first
// wrong character, or [ErrOverflow].
func Parse(s string) (id ULID, err error) {
	if len(s) != EncodedSize {
		return id, sizeError{len(s), "26"}
	}
	// decode takes a pointer to id because returning a ULID would be slower.
	err = decode(&id, (*[EncodedSize]byte)([]byte(s)))
	return id, err
}

// MustParse is like [Parse] but panics on an error. The panic quotes s.
func MustParse(s string) ULID {
	id, err := Parse(s)
	if err != nil {
		panic(fmt.Errorf("%w in MustParse(%q)", err, s))
	}
	return id
}

// ParseLenient reads what a person typed. I, i, L and l mean 1, O and o mean 0, and hyphens
// are ignored. Its errors are those of [Parse], and an Offset is an index into s, hyphens
// included.
func ParseLenient(s string) (id ULID, err error) {
	var (
		text    [EncodedSize]byte
		offsets [EncodedSize]int // of its characters in s
		n       int
	)
	for i, c := range []byte(s) {
		if c == '-' {
			continue
		}
		if n < len(text) {
			text[n], offsets[n] = digitFor(c), i
		}
		n++
	}
	if n != len(text) {
		return id, sizeError{n, "26 without hyphens"}
	}
	err = decode(&id, &text)
	if bad, ok := err.(InvalidCharacterError); ok {
		bad.Offset = offsets[bad.Offset]
		return id, bad
	}
	return id, err
}

// digitFor returns the digit that the look-alike c stands for, or c itself.
func digitFor(c byte) byte {
	switch c {
	case 'I', 'i', 'L', 'l':
		return '1'
	case 'O', 'o':
		return '0'
	}
	return c
}

// String returns the ULID as 26 characters in upper case. fmt's %x prints these characters in
// hexadecimal, so use id[:] for the 16 bytes.
func (id ULID) String() string {
	var text [EncodedSize]byte
	encode(&text, &id)
	return string(text[:])
}

// GoString returns Go code for the ID, as in ulid.MustParse("01ARZ3NDEKTSV4RRFFQ69G5FAV"), which
// fmt prints for %#v.
func (id ULID) GoString() string { return `ulid.MustParse("` + id.String() + `")` }

// AppendText appends what String returns to b.
func (id ULID) AppendText(b []byte) ([]byte, error) {
	// Appending a constant makes the room. With slices.Grow, AppendText would be too large to
	// be inlined.
	const room = "00000000000000000000000000"
	n := len(b)
	b = append(b, room...)
	encode((*[EncodedSize]byte)(b[n:]), &id)
	return b, nil
}

// MarshalText returns what String returns.
func (id ULID) MarshalText() ([]byte, error) {
	return id.AppendText(make([]byte, 0, EncodedSize))
}

// UnmarshalText sets the ULID from a string, as [Parse] does. For a JSON null,
// encoding/json leaves the ULID unchanged, and encoding/json/v2 sets it to zero.
func (id *ULID) UnmarshalText(text []byte) error {
	if len(text) != EncodedSize {
		return sizeError{len(text), "26"}
	}
	return decode(id, (*[EncodedSize]byte)(text))
}

// encode writes the text of id to dst: 130 bits, of which the first two are zero, in 13
// groups of 10.
func encode(dst *[EncodedSize]byte, id *ULID) {
	hi, lo := binary.BigEndian.Uint64(id[:8]), binary.BigEndian.Uint64(id[8:])
	encodePair(dst[0:], hi>>56)
	encodePair(dst[2:], hi>>46)
	encodePair(dst[4:], hi>>36)
	encodePair(dst[6:], hi>>26)
	encodePair(dst[8:], hi>>16)
	encodePair(dst[10:], hi>>6)
	encodePair(dst[12:], hi<<4|lo>>60)
	encodePair(dst[14:], lo>>50)
	encodePair(dst[16:], lo>>40)
	encodePair(dst[18:], lo>>30)
	encodePair(dst[20:], lo>>20)
	encodePair(dst[22:], lo>>10)
	encodePair(dst[24:], lo)
}

// encodePair writes the two characters of the low 10 bits of w. It compiles to one load and
// one store of 16 bits, without a bounds check.
func encodePair(dst []byte, w uint64) {
	i := w & 1023
	binary.LittleEndian.PutUint16(dst, uint16(pairs[2*i])|uint16(pairs[2*i+1])<<8)
}

// decode sets id from its text, or returns an error and leaves it as it was. The groups
// of six are short chains that the processor works on side by side.
func decode(id *ULID, s *[EncodedSize]byte) error {
	v := &values
	a := v[s[0]]<<5 | v[s[1]]
	b := ((((v[s[2]]<<5|v[s[3]])<<5|v[s[4]])<<5|v[s[5]])<<5|v[s[6]])<<5 | v[s[7]]
	c := ((((v[s[8]]<<5|v[s[9]])<<5|v[s[10]])<<5|v[s[11]])<<5|v[s[12]])<<5 | v[s[13]]
	d := ((((v[s[14]]<<5|v[s[15]])<<5|v[s[16]])<<5|v[s[17]])<<5|v[s[18]])<<5 | v[s[19]]
	e := ((((v[s[20]]<<5|v[s[21]])<<5|v[s[22]])<<5|v[s[23]])<<5|v[s[24]])<<5 | v[s[25]]
	if uint64(a)>>8|uint64(b|c|d|e)>>63 != 0 {
		return decodeError(s)
	}
	// 8 bits of a, then 30 of each group.
	binary.BigEndian.PutUint64(id[:8], uint64(a<<56|b<<26|c>>4))
	binary.BigEndian.PutUint64(id[8:], uint64(c<<60|d<<30|e))
	return nil
}

// decodeError says why decode refused s.
func decodeError(s *[EncodedSize]byte) error {
	for i, c := range s {
		if values[c] < 0 {
			return InvalidCharacterError{Offset: i, Char: c}
		}
	}
	return ErrOverflow
}
