// Package vectors has an oracle for the cases of testdata/vectors.json. It treats a ULID as an
// integer of math/big, and does not import the library. The tests compare the file with the oracle.
package vectors

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"unicode/utf16"
)

// File is testdata/vectors.json, which testdata/README.md describes. Its sections stand in this order.
type File struct {
	About       string         `json:"about"`
	Format      int            `json:"format"`
	Counts      map[string]int `json:"counts"`
	Valid       []Valid        `json:"valid"`
	Invalid     []Invalid      `json:"invalid"`
	Lenient     []Lenient      `json:"lenient"`
	Times       []Time         `json:"times"`
	Clamped     []Clamped      `json:"clamped"`
	Order       []Order        `json:"order"`
	Monotonic   []Monotonic    `json:"monotonic"`
	UUID        []UUID         `json:"uuid"`
	InvalidUUID []InvalidUUID  `json:"invalid_uuid"`
}

// The sources of a case: who fixes its outcome.
const (
	ULID      = "ulid"      // https://github.com/ulid/spec
	Crockford = "crockford" // https://www.crockford.com/base32.html
	RFC9562   = "rfc9562"   // https://www.rfc-editor.org/rfc/rfc9562
	Library   = "library"   // a choice of this library, where others may choose otherwise
)

// The reasons for which an input is refused.
const (
	Length    = "length"
	Character = "character"
	Overflow  = "overflow"
	TooLate   = "time"
)

// Case is what every case begins with.
type Case struct {
	Name   string `json:"name"`
	Why    string `json:"why"`
	Source string `json:"source"`
}

// Problem says why an input is refused. Only a Character has an Offset.
type Problem struct {
	Reason string `json:"reason,omitempty"`
	Offset *int   `json:"offset,omitempty"`
}

// Valid is a text and what it says.
type Valid struct {
	Case
	Text      string `json:"text"`
	Canonical string `json:"canonical"`
	Hex       string `json:"hex"`
	UUID      string `json:"uuid"`
	MS        uint64 `json:"ms"`
	Entropy   string `json:"entropy"`
}

// Invalid is an input that must be refused: a Text, or Bytes in hexadecimal where the input is not
// Unicode.
type Invalid struct {
	Case
	Text  string `json:"text"`
	Bytes string `json:"bytes,omitempty"`
	Problem
	ByCharacters *Problem `json:"by_characters,omitempty"`
}

// Input is the input in whichever form it stands.
func (c Invalid) Input() string {
	if c.Bytes != "" {
		return string(unhex(c.Bytes))
	}
	return c.Text
}

// InvalidUUID is a text that is no UUID. It has no Bytes.
type InvalidUUID Invalid

// Lenient is a text for a lenient decoder. It has a Canonical or a Reason.
type Lenient struct {
	Case
	Text      string `json:"text"`
	Canonical string `json:"canonical,omitempty"`
	Problem
}

// Time is a time and the first and the last ULID of its millisecond, or a time that is refused.
// Decimal stands for MS where not every language's number can hold it.
type Time struct {
	Case
	MS      *int64 `json:"ms,omitempty"`
	Decimal string `json:"decimal,omitempty"`
	First   string `json:"first,omitempty"`
	Last    string `json:"last,omitempty"`
	Reason  string `json:"reason,omitempty"`
}

// Clamped is a time that no ULID has, and the ULIDs that stand for it.
type Clamped Time

// Order is a pair of texts and how their ULIDs compare.
type Order struct {
	Case
	A       string `json:"a"`
	B       string `json:"b"`
	Compare int    `json:"compare"`
}

// Monotonic is a run of a monotonic source. Each new millisecond takes the next Entropy.
type Monotonic struct {
	Case
	Entropy []string `json:"entropy"`
	Calls   []Call   `json:"calls"`
}

// Call is one call of a monotonic source. It has an ID or a Reason.
type Call struct {
	MS     uint64 `json:"ms"`
	ID     string `json:"id,omitempty"`
	Reason string `json:"reason,omitempty"`
}

// UUID is a UUID and the same 128 bits as a ULID.
type UUID struct {
	Case
	UUID      string `json:"uuid"`
	Canonical string `json:"canonical"`
	Text      string `json:"text"`
	MS        uint64 `json:"ms"`
	Version7  bool   `json:"version7"`
}

func unhex(s string) []byte {
	b, err := hex.DecodeString(s)
	if err != nil {
		panic(err)
	}
	return b
}

// Marshal returns the file as it is committed: indented, and in ASCII, so that no editor, terminal
// or tool changes the characters that the cases are about.
func (f File) Marshal() ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(f); err != nil {
		return nil, err
	}
	var ascii []byte
	for _, r := range b.String() {
		switch {
		case r > 0xFFFF:
			hi, lo := utf16.EncodeRune(r)
			ascii = fmt.Appendf(ascii, `\u%04x\u%04x`, hi, lo)
		case r > 0x7E:
			ascii = fmt.Appendf(ascii, `\u%04x`, r)
		default:
			ascii = append(ascii, byte(r))
		}
	}
	return ascii, nil
}
