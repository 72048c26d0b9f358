package vectors

import (
	"fmt"
	"math/big"
	"strings"
)

const (
	known = "01ARZ3NDEKTSV4RRFFQ69G5FAV" // the specification's example
	most  = "7ZZZZZZZZZZZZZZZZZZZZZZZZZ"
)

// replace puts s in the place of the digit at offset i of the known text.
func replace(i int, s string) string { return known[:i] + s + known[i+1:] }

func (m *maker) addValid() {
	m.valid("spec-example", known, "The example of the ULID specification.")
	m.valid("spec-components", "01AN4Z07BY79KA1307SR9X4MV3", "The specification's example of timestamp and randomness.")
	m.valid("zero", strings.Repeat("0", 26), "The smallest ULID. It is a ULID like any other.")
	m.valid("max", most, "The largest ULID, by the specification.")
	m.valid("max-lower", strings.ToLower(most), "The largest ULID in lower case.")
	m.valid("time-zero", "0000000000ZZZZZZZZZZZZZZZZ", "Time 0 with the greatest entropy.")
	m.valid("entropy-zero", "7ZZZZZZZZZ0000000000000000", "The latest time with zero entropy.")
	m.valid("lower", strings.ToLower(known), "ULIDs are case insensitive: lower case is read, upper case is written.")
	m.valid("mixed", "01aRz3NdEkTsV4rRfFq69G5fAv", "Both cases in one text.")
	m.valid("lower-time", "01arz3ndekTSV4RRFFQ69G5FAV", "Only the timestamp in lower case.")
	m.valid("lower-entropy", "01ARZ3NDEKtsv4rrffq69g5fav", "Only the randomness in lower case.")

	const numberLike = " Tools that guess types make a number of it: it is a text."
	m.valid("all-digits", "01234567890123456789012345", "Only decimal digits."+numberLike)
	m.valid("exponent", "10000000000000000000000E10", "Digits and an E, like a floating-point number."+numberLike)
	m.valid("hexadecimal", "0X000000000000000000000001", "It begins with 0X, like a hexadecimal number."+numberLike)
	m.valid("binary", "0B111111111111111111111111", "It begins with 0B, like a binary number."+numberLike)

	for i := range 32 {
		text := []byte{digits[i%8]}
		for j := 1; j < 26; j++ {
			text = append(text, digits[(i+j)%32])
		}
		why := "One of 32 texts that have every digit at every position, and 0 to 7 at the first."
		m.valid(fmt.Sprintf("digits-%02d", i), string(text), why)
		m.valid(fmt.Sprintf("digits-%02d-lower", i), strings.ToLower(string(text)), why+" In lower case.")
	}
	for i := range 16 {
		zeros, rest := strings.Repeat("00", i), strings.Repeat("00", 15-i)
		m.number(fmt.Sprintf("byte-%02d-high", i), zeros+"80"+rest,
			fmt.Sprintf("Only the highest bit of byte %d is set: bits must not be lost or sign-extended.", i))
		m.number(fmt.Sprintf("byte-%02d-low", i), zeros+"01"+rest,
			fmt.Sprintf("Only the lowest bit of byte %d is set: bits must not cross into a neighbor.", i))
	}
	m.number("signed-max", "7fffffffffffffff7fffffffffffffff", "The greatest signed integer in both halves of 64 bits.")
	m.number("signed-ones", "ffffffffffffffff0000000000000000", "The high half is -1 as a signed integer.")
	m.number("low-ones", "0000000000000000ffffffffffffffff", "The low half is -1 as a signed integer: it must not carry into the high half.")
	m.number("counting", "000102030405060708090a0b0c0d0e0f", "Each byte is its own index: the byte order shows.")
}

func (m *maker) addInvalid() {
	length := func(name, text, why string) { m.invalid(Length, ULID, name, text, why) }
	length("empty", "", "No text.")
	length("one-digit", "0", "A single digit: it must not be filled up with zeros.")
	length("short-25", known[:25], "The last digit is missing.")
	length("long-27", known+"0", "One digit too many at the end: it must not be cut off.")
	length("long-27-zero", "0"+known, "One zero too many at the start, as an integer in base 32 would allow.")
	length("timestamp-only", known[:10], "The timestamp alone.")
	length("randomness-only", known[10:], "The randomness alone. It has 16 characters, as many as a ULID has bytes.")
	length("two", known+known, "Two ULIDs.")
	length("hexadecimal", "01563e3ab5d3d6764c61efb99302bd5b", "The 16 bytes in hexadecimal.")
	m.invalid(Length, Library, "uuid", "01563e3a-b5d3-d676-4c61-efb99302bd5b", "UUID notation. A decoder may read both notations, but not this one as Base32.")
	length("newline-after", known+"\n", "A newline after the text: a regular expression's $ allows one in many languages.")
	length("crlf-after", known+"\r\n", "A line end of Windows after the text.")
	length("space-before", " "+known, "A space before the text: it is not skipped.")
	length("space-after", known+" ", "A space after the text: it is not skipped.")
	length("tab-after", known+"\t", "A tab after the text.")
	length("nul-after", known+"\x00", "A NUL after the text, as from a C string or a padded column.")
	length("nul-padded", known+strings.Repeat("\x00", 6), "The text in a field of 32 bytes, filled up with NULs.")
	length("quoted", `"`+known+`"`, "The text with the quotes of JSON.")
	length("braces", "{"+known+"}", "The text in braces, as UUIDs are sometimes written.")
	length("prefix", "ulid:"+known, "The text with a prefix.")
	length("two-lines", known+"\n"+known, "Two lines, each a ULID: a regular expression in multi-line mode takes the first.")
	length("check-symbol", known+"*", "A check symbol of Crockford's after the text. ULIDs have none.")
	m.invalid(Length, Library, "hyphens", "01ARZ3NDEK-TSV4RRFFQ69G5FAV", "Crockford's decoder ignores hyphens; a strict one does not. The section lenient has the same text.")
	length("byte-order-mark", "\uFEFF"+known, "A byte order mark before the text, as a file may begin with one.")
	length("zero-width-space", known+"\u200B", "A zero-width space after the text: it cannot be seen.")
	length("nbsp-after", known+"\u00A0", "A no-break space after the text, as copied from a page.")

	character := func(name, text, why string) { m.invalid(Character, ULID, name, text, why) }
	for i := range 26 {
		character(fmt.Sprintf("u-at-%02d", i), replace(i, "U"),
			fmt.Sprintf("U is no digit, in the alphabet or as a look-alike. Here it stands at offset %d: every position must be checked.", i))
	}
	character("u-lower", replace(25, "u"), "u is no digit either.")
	for _, c := range "ILOilo" {
		m.invalid(Character, Library, "letter-"+nameOf(c), replace(20, string(c)),
			fmt.Sprintf("%c is not in the alphabet. Crockford's decoder takes it for a digit; a strict one does not. The section lenient has the same text.", c))
	}
	for _, c := range []struct{ name, text, why string }{
		{"slash", "/", "the character before 0 in ASCII"}, {"colon", ":", "the character after 9 in ASCII"},
		{"at-sign", "@", "the character before A in ASCII"}, {"bracket", "[", "the character after Z in ASCII"},
		{"backtick", "`", "the character before a in ASCII"}, {"brace", "{", "the character after z in ASCII"},
		{"delete", "\x7F", "the last character of ASCII"}, {"hyphen", "-", "a hyphen, with 25 digits beside it"},
		{"underscore", "_", "a word character of regular expressions"}, {"plus", "+", "what a form sends for a space"},
		{"percent", "%", "an escape of URLs"}, {"equals", "=", "the padding of other Base32 encodings and a check symbol of Crockford's"},
		{"asterisk", "*", "a check symbol of Crockford's"}, {"tilde", "~", "a check symbol of Crockford's"},
		{"dollar", "$", "a check symbol of Crockford's"}, {"comma", ",", "a separator"}, {"dot", ".", "a separator"},
		{"quote", `"`, "a character that JSON escapes"}, {"backslash", `\`, "a character that JSON escapes"},
		{"space", " ", "a space"}, {"tab", "\t", "a tab"}, {"newline", "\n", "a newline"}, {"nul", "\x00", "an embedded NUL, where a C string ends"},
	} {
		character(c.name, replace(13, c.text), "In the middle stands "+c.why+".")
	}
	character("nul-first", replace(0, "\x00"), "The first character is NUL: as a C string the text is empty.")
	character("nul-last", replace(25, "\x00"), "The last character is NUL: as a C string the text has 25 characters.")
	character("space-first", replace(0, " "), "25 digits after a space: trimming leaves too few.")
	character("space-last", replace(25, " "), "25 digits before a space: trimming leaves too few.")
	character("newline-last", replace(25, "\n"), "25 digits before a newline.")
	character("minus", "-"+known[1:], "A minus sign first: a parser of integers would take it.")
	character("garbage", "0!!!!!!!!!!!!!!!!!!!!!!!!!", "A valid first digit and then garbage.")
	character("first-of-two", "01ARZUNDEKTSV4RRFFQ69G5FA!", "Two wrong characters: the offset is that of the first.")
	character("before-overflow", "8ZZZZZZZZZZZZZZZZZZZZZZZZ!", "Too great and with a wrong character.")

	// A text of 26 characters and one of 26 bytes with each.
	for _, c := range []struct{ name, text, why string }{
		{"dotless-i", "\u0131", "U+0131, the Turkish dotless i. In upper case it becomes I, and its low byte is the digit 1"},
		{"dotted-i", "\u0130", "U+0130, the Turkish dotted I. In lower case it becomes i, and its low byte is the digit 0"},
		{"long-s", "\u017F", "U+017F, the long s. In upper case it becomes S, a digit"},
		{"kelvin", "\u212A", "U+212A, the Kelvin sign. In lower case it becomes k, a digit"},
		{"sharp-s", "\u00DF", "U+00DF, the sharp s. In upper case it becomes SS, two digits"},
		{"ligature-ff", "\uFB00", "U+FB00, a ligature. In upper case it becomes FF, two digits"},
		{"fullwidth-0", "\uFF10", "U+FF10, the full-width digit zero. A decimal digit by Unicode, and 0 after normalization to NFKC"},
		{"fullwidth-a", "\uFF21", "U+FF21, the full-width A. It becomes A by normalization to NFKC"},
		{"arabic-0", "\u0660", "U+0660, the Arabic digit zero. A regular expression's \\d takes it in some languages"},
		{"superscript-2", "\u00B2", "U+00B2, the superscript two. It becomes 2 by normalization to NFKC"},
		{"cyrillic-a", "\u0410", "U+0410, the Cyrillic A. It looks like A"},
		{"greek-a", "\u0391", "U+0391, the Greek Alpha. It looks like A"},
		{"low-byte-a", "\u0141", "U+0141, whose low byte is A: the cut to a byte makes a digit of it"},
		{"combining", "A\u0301", "A with a combining accent, one character to a reader and two to Unicode"},
		{"math-0", "\U0001D7CE", "U+1D7CE, a mathematical zero. It takes two units of UTF-16 and becomes 0 by normalization to NFKC"},
		{"emoji", "\U0001F600", "U+1F600, an emoji. It takes two units of UTF-16"},
	} {
		runes, size := len([]rune(c.text)), len(c.text)
		length(c.name+"-26-characters", known[:26-runes]+c.text,
			fmt.Sprintf("%s. The text has 26 Unicode characters and %d bytes.", c.why, 26-runes+size))
		character(c.name+"-26-bytes", known[:26-size]+c.text,
			fmt.Sprintf("%s. The text has 26 bytes and %d Unicode characters.", c.why, 26-size+runes))
	}

	character("byte-ff", replace(7, "\xFF"), "The byte FF, which no UTF-8 holds. Only an implementation that reads bytes can be given it.")
	character("byte-high-bit", replace(7, "\xC1"), "The byte C1, which is A with the highest bit set. Only an implementation that reads bytes can be given it.")
	character("byte-high-bit-digit", replace(7, "\xB0"), "The byte B0, which is 0 with the highest bit set. Only an implementation that reads bytes can be given it.")

	overflow := func(name, text, why string) { m.invalid(Overflow, ULID, name, text, why) }
	for _, c := range digits[8:] {
		overflow("first-"+string(c), string(c)+strings.Repeat("0", 25),
			fmt.Sprintf("The first digit is %c: the text has more than 128 bits. Cut to 128 bits it becomes another ULID.", c))
	}
	overflow("first-z-lower", "z"+strings.Repeat("0", 25), "The first digit is z, in lower case.")
	overflow("greatest", strings.Repeat("Z", 26), "The greatest text: 130 bits, all set.")
	overflow("greatest-8", "8"+strings.Repeat("Z", 25), "The largest ULID with 8 for its first digit.")
}

// nameOf returns a name for a letter that tells its case without relying on it.
func nameOf(c rune) string {
	if 'a' <= c && c <= 'z' {
		return "lower-" + string(c)
	}
	return "upper-" + strings.ToLower(string(c))
}

func (m *maker) addLenient() {
	add := func(name, text, why string) { m.lenient(Crockford, name, text, why) }
	for _, c := range "IiLlOo" {
		digit := map[bool]string{true: "0", false: "1"}[c == 'O' || c == 'o']
		add("letter-"+nameOf(c), replace(20, string(c)), fmt.Sprintf("%c means %s.", c, digit))
	}
	add("first-i", "I"+known[1:], "A look-alike as the first digit.")
	add("first-o", "O"+known[1:], "A look-alike as the first digit.")
	add("last-l", known[:25]+"l", "A look-alike as the last digit.")
	add("all-look-alikes", "OoIiLlOoIiLlOoIiLlOoIiLlOo", "Only look-alikes.")
	add("plain", known, "Nothing to be lenient about.")
	add("lower", strings.ToLower(known), "Lower case.")
	add("hyphen-between", "01ARZ3NDEK-TSV4RRFFQ69G5FAV", "A hyphen between timestamp and randomness.")
	add("hyphen-groups", "01ARZ-3NDEK-TSV4R-RFFQ6-9G5FA-V", "Hyphens after every five digits.")
	add("hyphen-first", "-"+known, "A hyphen before the first digit.")
	add("hyphen-last", known+"-", "A hyphen after the last digit.")
	add("hyphen-double", "01ARZ3NDEK--TSV4RRFFQ69G5FAV", "Two hyphens in a row.")
	add("hyphen-every", strings.Join(strings.Split(known, ""), "-"), "A hyphen between all digits.")
	add("hyphens-and-look-alikes", "olarz3ndek-tsv4rrffq69g5fav", "A hyphen, lower case and look-alikes together.")
	add("max-hyphens", "7-ZZZZZZZZZ-ZZZZZZZZ-ZZZZZZZZ", "The largest ULID with hyphens.")
	m.lenient(ULID, "empty", "", "No text.")
	m.lenient(ULID, "only-hyphens", strings.Repeat("-", 26), "26 hyphens and no digit.")
	m.lenient(ULID, "hyphen-for-digit", replace(10, "-"), "26 characters, of which one is a hyphen: 25 digits are too few.")
	m.lenient(ULID, "long", "01ARZ3NDEK-TSV4RRFFQ69G5FAV0", "27 digits and a hyphen.")
	add("u", replace(20, "U"), "U stays invalid: it is no look-alike of V.")
	add("u-lower", replace(20, "u"), "u stays invalid.")
	add("u-after-hyphens", "01ARZ-3NDEK-TSV4R-RFFQU-9G5FA-V", "U after hyphens. The offset counts the hyphens.")
	m.lenient(ULID, "underscore", "01ARZ3NDEK_TSV4RRFFQ69G5FAV", "An underscore is not ignored.")
	m.lenient(ULID, "space", "01ARZ3NDEK TSV4RRFFQ69G5FAV", "A space is not ignored.")
	m.lenient(ULID, "space-for-digit", replace(10, " "), "A space is no digit.")
	m.lenient(ULID, "soft-hyphen", "01ARZ3NDEK\u00ADTSV4RRFFQ69G5FAV", "A soft hyphen, U+00AD, is not a hyphen of ASCII.")
	m.lenient(ULID, "en-dash", "01ARZ3NDEK\u2013TSV4RRFFQ69G5FAV", "An en dash, U+2013, is not a hyphen of ASCII.")
	m.lenient(ULID, "dotless-i", known[:24]+"\u0131", "U+0131, the Turkish dotless i, is no look-alike: only ASCII is mapped.")
	m.lenient(ULID, "overflow", "8-ZZZZZZZZZ-ZZZZZZZZ-ZZZZZZZZ", "Too great, with hyphens.")
	m.lenient(ULID, "overflow-look-alikes", "8OOOOOOOOOOOOOOOOOOOOOOOOO", "Too great, with look-alikes.")
}

func (m *maker) addTimes() {
	pow := func(n uint, add int64) *big.Int {
		p := new(big.Int).Lsh(one, n)
		return p.Add(p, big.NewInt(add))
	}
	for _, c := range []struct {
		name string
		ms   int64
		why  string
	}{
		{"epoch", 0, "1970-01-01. A time of 0 is a time, not a missing one."},
		{"one", 1, "One millisecond."},
		{"digit", 31, "The greatest of one digit."},
		{"digit-carry", 32, "The least of two digits."},
		{"below-second", 999, "A timestamp counts milliseconds, not seconds."},
		{"second", 1000, "One second."},
		{"uint16", 1<<16 - 1, "All 16 low bits, which stand in two bytes of their own in the binary layout."},
		{"uint16-carry", 1 << 16, "The lowest of the 32 high bits."},
		{"below-2-31", 1<<31 - 1, "The greatest signed integer of 32 bits."},
		{"2-31", 1 << 31, "Negative as a signed integer of 32 bits."},
		{"below-2-32", 1<<32 - 1, "The greatest integer of 32 bits."},
		{"2-32", 1 << 32, "The least that needs more than 32 bits."},
		{"past-2-32", 1<<32 + 1, "It is 1 if it is cut to 32 bits."},
		{"spec-example", 1469922850259, "The time of the specification's example."},
		{"rfc9562", 1645557742000, "The time of RFC 9562's example of a UUIDv7, 2022-02-22 19:22:22 UTC."},
		{"2038", 1 << 31 * 1000, "2038-01-19 03:14:08 UTC, when seconds no longer fit into 31 bits."},
		{"shift-40", 1 << 40, "2⁴⁰. A shift by 40 bits is one by 8 in languages that use the low five bits of the count."},
		{"year-9999", 253402300799999, "The last millisecond of the year 9999, where many date types end."},
		{"below-2-47", 1<<47 - 1, "The greatest signed integer of 48 bits."},
		{"2-47", 1 << 47, "The highest bit of the timestamp: ULIDs from here on are negative as signed integers."},
		{"before-max", 1<<48 - 2, "The last time but one."},
		{"max", 1<<48 - 1, "The latest time, 10889-08-02 05:31:50.655 UTC."},
	} {
		m.time(c.name, c.ms, c.why)
	}
	const cut = " Cut to 48 bits it becomes another time."
	m.tooLate("2-48", pow(48, 0), "One past the latest time. Cut to 48 bits it is 0.")
	m.tooLate("past-2-48", pow(48, 1469922850259), "The time of the specification's example and 2⁴⁸."+cut)
	m.tooLate("below-2-50", pow(50, -1), "The greatest number of ten digits in base 32: it fits into the text and not into the ULID.")
	m.tooLate("2-50", pow(50, 0), "The least number of eleven digits in base 32.")
	m.tooLate("microseconds", big.NewInt(1469922850259000), "Microseconds in the place of milliseconds.")
	m.tooLate("below-2-53", pow(53, -1), "The greatest integer that a double holds with all below it.")
	m.tooLate("2-53", pow(53, 0), "2⁵³, from where on doubles lose integers.")
	m.tooLate("past-2-53", pow(53, 1), "2⁵³+1, which no double holds.")
	m.tooLate("nanoseconds", big.NewInt(1469922850259000000), "Nanoseconds in the place of milliseconds.")
	m.tooLate("below-2-63", pow(63, -1), "The greatest signed integer of 64 bits.")
	m.tooLate("2-63", pow(63, 0), "Negative as a signed integer of 64 bits.")
	m.tooLate("below-2-64", pow(64, -1), "The greatest integer of 64 bits: -1 as a signed one.")

	const before, after = "A time before 1970 stands for the smallest ULID.", "A time past the latest stands for the largest ULID."
	m.clamped("before-epoch", -1, before+" One millisecond before.")
	m.clamped("year-1", -62135596800000, before+" The year 1, where many date types begin.")
	m.clamped("past-max", 1<<48, after+" One millisecond past.")
	m.clamped("2-53", 1<<53, after+" 2⁵³ milliseconds.")
}

func (m *maker) addOrder() {
	for i := range 16 {
		same := strings.Repeat("5a", i)
		m.pair(fmt.Sprintf("byte-%02d", i), same+"7f"+strings.Repeat("ff", 15-i), same+"80"+strings.Repeat("00", 15-i),
			fmt.Sprintf("The first difference is in byte %d, which is 7F and 80: bytes are unsigned, and the first difference decides.", i))
	}
	m.pair("high-sign", "7fffffffffffffffffffffffffffffff", "80000000000000000000000000000000", "The sign bit of the high 64 bits: halves are unsigned.")
	m.pair("low-sign", "00000000000000017fffffffffffffff", "00000000000000018000000000000000", "The sign bit of the low 64 bits: halves are unsigned.")
	m.pair("low-carry", "0000000000000000ffffffffffffffff", "00000000000000010000000000000000", "The high half decides before the low one.")
	m.pair("beyond-double", "00000000000000000020000000000000", "00000000000000000020000000000001", "2⁵³ and 2⁵³+1, which are equal as doubles.")
	m.pair("last-bit", "0156e3a5b5d3d6764c61efb99302bd5a", "0156e3a5b5d3d6764c61efb99302bd5b", "Only the last bit differs.")
	m.pair("time-first", "000000000001ffffffffffffffffffff", "00000000000200000000000000000000", "An earlier time comes first, whatever the entropy.")
	m.pair("greater", "ffffffffffffffffffffffffffffffff", "00000000000000000000000000000000", "The largest and the smallest, in this order.")
	m.pair("subtraction", "00000000000000000000000000000001", "ffffffffffffffffffffffffffffffff", "The difference of the two does not fit into a signed integer.")
	m.pair("equal-zero", "00000000000000000000000000000000", "00000000000000000000000000000000", "Zero and zero.")
	m.order("digit-letter", "00000000000000000000000009", "0000000000000000000000000A", "9 comes before A, as in ASCII. Some collations of databases sort letters first.")
	m.order("around-i", "0000000000000000000000000H", "0000000000000000000000000J", "H comes before J, with no letter between.")
	m.order("around-u", "0000000000000000000000000T", "0000000000000000000000000V", "T comes before V, with no letter between.")
	m.order("equal-cases", known, strings.ToLower(known), "The same ULID in both cases: as texts they differ.")
	m.order("cases-less", "0000000000000000000000000a", "0000000000000000000000000B", "a comes before B: compared as texts, lower case comes after all of upper case.")
	m.order("cases-greater", "0000000000000000000000000b", "0000000000000000000000000A", "b comes after A, in lower case too.")
	m.order("cases-time", "01arz3ndekzzzzzzzzzzzzzzzz", "01ARZ3NDEM0000000000000000", "An earlier time in lower case and a later one in upper case.")
}

func (m *maker) addMonotonic() {
	const ms = 1469922850259
	hex := func(text string) string { // of 16 characters of randomness
		n, _ := decode([]byte("0000000000" + text))
		return fmt.Sprintf("%020x", n)
	}
	entropy := func(s ...string) []string { return s }
	times := func(t ...uint64) []uint64 { return t }
	const specMS = 1508808576371 // of 01BX5ZZKBK
	add := func(name string, entropy []string, times []uint64, why string) {
		m.monotonic(ULID, name, entropy, times, why)
	}
	add("spec-carry", entropy(hex("ACTAV9WEVGEMMVRZ")), times(specMS, specMS), "The specification's first example: Z is followed by a carry.")
	add("spec-run", entropy(hex("ACTAV9WEVGEMMVRY")), times(specMS, specMS, specMS, specMS), "The start of the specification's second example.")
	add("spec-overflow", entropy(hex("ZZZZZZZZZZZZZZZX")), times(specMS, specMS, specMS, specMS), "The end of the specification's second example: after the largest randomness the next one fails.")
	add("single", entropy("d6764c61efb99302bd5b"), times(ms), "One ID: the entropy as it was drawn.")
	add("no-carry", entropy("00000000000000000000"), times(ms, ms, ms), "Zero entropy is a valid start, and grows by one.")
	add("zero-twice", entropy("00000000000000000000", "00000000000000000000"), times(ms, ms, ms+1, ms+1), "Zero entropy in two milliseconds in a row: zero does not mean that nothing was drawn.")
	for i := 1; i < 10; i++ {
		add(fmt.Sprintf("carry-%d-bytes", i), entropy("00"+strings.Repeat("00", 9-i)+strings.Repeat("ff", i)), times(ms, ms, ms),
			fmt.Sprintf("A carry over %d of the 10 bytes.", i))
	}
	for _, i := range []int{2, 4, 8} {
		half := strings.Repeat("00", 10-i) + "7f" + strings.Repeat("ff", i-1)
		add(fmt.Sprintf("sign-%d-bits", 8*i), entropy(half), times(ms, ms),
			fmt.Sprintf("A carry into the sign bit of the low %d bits.", 8*i))
	}
	add("carry-beyond-double", entropy("0000001fffffffffffff"), times(ms, ms, ms), "From 2⁵³-1 on: a double cannot count.")
	add("sign-80-bits", entropy("7fffffffffffffffffff"), times(ms, ms), "A carry into the highest bit of the entropy.")
	add("carry-2-64-twice", entropy("0001fffffffffffffffe"), times(ms, ms, ms), "Over the boundary of 2⁶⁴ in the second step.")
	for i := 1; i < 16; i++ {
		if i%3 == 0 {
			add(fmt.Sprintf("carry-%d-digits", i), entropy(hex(strings.Repeat("0", 16-i)+strings.Repeat("Z", i))), times(ms, ms),
				fmt.Sprintf("A carry over %d of the 16 digits of the text.", i))
		}
	}
	run := make([]uint64, 34)
	for i := range run {
		run[i] = ms
	}
	add("long-run", entropy("d6764c61efb99302bd50"), run, "34 IDs in a millisecond: more than a digit has values.")
	add("overflow-at-once", entropy("ffffffffffffffffffff"), times(ms, ms), "The largest entropy is valid, and the next ID fails: it must not wrap to zero.")
	add("overflow-stays", entropy("fffffffffffffffffffe"), times(ms, ms, ms, ms, ms), "After an overflow the millisecond goes on failing: any ID would be out of order.")
	add("overflow-not-into-time", entropy("ffffffffffffffffffff"), times(1<<32-1, 1<<32-1), "The carry must not change the timestamp.")
	add("overflow-then-later", entropy("ffffffffffffffffffff", "00000000000000000001"), times(ms, ms, ms+1, ms+1), "The next millisecond starts anew after an overflow.")
	add("overflow-at-max-time", entropy("fffffffffffffffffffe"), times(1<<48-1, 1<<48-1, 1<<48-1), "The largest ULID is reached, and nothing follows it.")
	add("new-millisecond", entropy("ffffffffffffffff0000", "00000000000000000000"), times(ms, ms+1), "A new millisecond takes new entropy, though it is smaller.")
	add("each-millisecond", entropy("d6764c61efb99302bd5b", "00112233445566778899", "ffeeddccbbaa99887766"), times(ms, ms+1, ms+1000), "Each millisecond takes its own entropy.")
	add("mixed", entropy("000000000000000000ff", "0000000000000000ffff", "fffffffffffffffffffe"), times(ms, ms, ms+1, ms+1, ms+1, ms+2, ms+2), "Milliseconds with one, two and three IDs.")
	add("time-zero", entropy("d6764c61efb99302bd5b"), times(0, 0), "Time 0 is a time like any other, and the first one may be.")
	add("time-zero-then-one", entropy("d6764c61efb99302bd5b", "00112233445566778899"), times(0, 0, 1, 1), "From time 0 to time 1.")
	add("time-max", entropy("d6764c61efb99302bd5b"), times(1<<48-1, 1<<48-1), "The latest time.")
	add("past-2-32", entropy("d6764c61efb99302bd5b", "00112233445566778899"), times(1, 1<<32+1), "Two times that are equal if they are cut to 32 bits.")

	const back = " The specification does not say what happens then. This library takes each change of the millisecond for a new one."
	m.monotonic(Library, "clock-back", entropy("d6764c61efb99302bd5b", "00112233445566778899"), times(ms, ms-1, ms-1), "The time goes back by a millisecond."+back)
	m.monotonic(Library, "clock-back-and-on", entropy("d6764c61efb99302bd5b", "00112233445566778899", "ffeeddccbbaa99887766"), times(ms, ms-1, ms, ms), "The time goes back and comes on again."+back)
	m.monotonic(Library, "clock-back-after-overflow", entropy("ffffffffffffffffffff", "00112233445566778899", "00000000000000000000"), times(ms, ms, ms-1, ms), "The time goes back after an overflow."+back)
}

func (m *maker) addUUIDs() {
	m.uuid("rfc-version-7", "017f22e2-79b0-7cc3-98c4-dc0c0c07398f", "RFC 9562, appendix A.6. The timestamp is where a ULID has its own.")
	m.uuid("rfc-version-7-upper", "017F22E2-79B0-7CC3-98C4-DC0C0C07398F", "Upper case is read, lower case is written.")
	m.uuid("rfc-version-1", "C232AB00-9414-11EC-B3C8-9F6BDECED846", "RFC 9562, appendix A.1. Any UUID is 128 bits, and so is a ULID; only the time means nothing.")
	m.uuid("rfc-version-4", "919108f7-52d1-4320-9bac-f847db4148a8", "RFC 9562, appendix A.3.")
	m.uuid("rfc-version-6", "1EC9414C-232A-6B00-B3C8-9F6BDECED846", "RFC 9562, appendix A.5.")
	m.uuid("rfc-version-8", "2489E9AD-2EE2-8E00-8EC9-32D5F69181C0", "RFC 9562, appendix B.1.")
	m.uuid("nil", "00000000-0000-0000-0000-000000000000", "The nil UUID is the zero ULID. It is no UUIDv7.")
	m.uuid("max", "ffffffff-ffff-ffff-ffff-ffffffffffff", "The max UUID is the largest ULID. It is no UUIDv7.")
	m.uuid("mixed-case", "017f22e2-79B0-7cC3-98c4-DC0c0C07398F", "Both cases in one text.")
	for _, c := range "078bcf" {
		m.uuid("variant-"+string(c), "017f22e2-79b0-7cc3-"+string(c)+"8c4-dc0c0c07398f", "Version 7 with the variant digit "+string(c)+": only 8, 9, a and b are the variant of RFC 9562.")
	}
	for _, c := range "068f" {
		m.uuid("version-"+string(c), "017f22e2-79b0-"+string(c)+"cc3-98c4-dc0c0c07398f", "The variant of RFC 9562 with the version digit "+string(c)+".")
	}
	m.uuid("version-7-first", "00000000-0000-7000-8000-000000000000", "The smallest UUIDv7.")
	m.uuid("version-7-last", "ffffffff-ffff-7fff-bfff-ffffffffffff", "The largest UUIDv7.")

	const text = "017f22e2-79b0-7cc3-98c4-dc0c0c07398f"
	at := func(i int, s string) string { return text[:i] + s + text[i+1:] }
	length := func(source, name, text, why string) { m.invalidUUID(Length, source, name, text, why) }
	character := func(source, name, text, why string) { m.invalidUUID(Character, source, name, text, why) }
	length(RFC9562, "empty", "", "No text.")
	length(RFC9562, "short", text[:35], "The last digit is missing.")
	length(RFC9562, "long", text+"0", "One digit too many.")
	length(RFC9562, "newline-after", text+"\n", "A newline after the text.")
	length(RFC9562, "space-before", " "+text, "A space before the text.")
	length(Library, "no-hyphens", strings.ReplaceAll(text, "-", ""), "Hexadecimal without hyphens. Others may read it.")
	length(Library, "braces", "{"+text+"}", "In braces, as Windows writes it. Others may read it.")
	length(Library, "urn", "urn:uuid:"+text, "With the prefix of a URN. Others may read it.")
	length(Library, "ulid", known, "The text of a ULID. Others may read both notations with one function.")
	character(RFC9562, "letter-g", at(0, "g"), "g is no hexadecimal digit.")
	character(RFC9562, "letter-o", at(35, "O"), "O is no hexadecimal digit, and no look-alike.")
	character(RFC9562, "second-half", at(20, "z"), "A wrong digit as the second of a byte.")
	character(RFC9562, "hyphen-for-digit", at(2, "-"), "A hyphen in the place of a digit.")
	for i, offset := range []int{8, 13, 18, 23} {
		character(RFC9562, fmt.Sprintf("digit-for-hyphen-%d", i+1), at(offset, "0"), fmt.Sprintf("A digit in the place of hyphen %d.", i+1))
	}
	character(RFC9562, "hyphen-moved", "017f22e27-9b0-7cc3-98c4-dc0c0c07398f", "A hyphen one place too late.")
	character(RFC9562, "underscore", strings.ReplaceAll(text, "-", "_"), "Underscores in the place of hyphens.")
	character(RFC9562, "plus", at(9, "+"), "A sign, which a parser of integers would take.")
	character(RFC9562, "prefix-0x", "0x"+text[2:], "A prefix of hexadecimal numbers, which a parser of integers would take.")
	character(RFC9562, "nul", at(35, "\x00"), "The last character is NUL.")
	length(RFC9562, "fullwidth-0", at(0, "\uFF10"), "U+FF10, the full-width digit zero. The text has 36 Unicode characters and 38 bytes.")
}
