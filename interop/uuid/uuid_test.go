// Package uuid tests docs/uuid.md: that ULIDs convert to the UUID types of Go and back without loss.
package uuid

//go:generate go test . -write

import (
	"fmt"
	"slices"
	"testing"
	"time"

	google "github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/seed-961d0905/ulid"
	"github.com/seed-961d0905/ulid/interop/page"
)

// A peer is a UUID type of 16 bytes.
type peer[U ~[16]byte] struct {
	parse    func(string) (U, error)
	string   func(U) string
	newV7    func() (U, error)
	version  func(U) string // and the variant, as the peer reads them; nil if it reads no part of a UUID
	version7 string
	ms       func(U) (uint64, error) // the time as the peer reads it
}

// test converts IDs to the type and back, and reads the time of its UUIDv7.
func (p peer[U]) test(t *testing.T) {
	for _, id := range samples() {
		u := U(id)
		if got := ulid.ULID(u); got != id {
			t.Fatalf("%v came back as %v", id, got)
		}
		if got, want := p.string(u), id.UUIDString(); got != want {
			t.Fatalf("%v is %s there, want %s", id, got, want)
		}
		if got, err := ulid.ParseUUID(p.string(u)); got != id {
			t.Fatalf("%v came back as text as %v, %v", id, got, err)
		}
		if got, err := p.parse(id.UUIDString()); got != u {
			t.Fatalf("%s was parsed as %v, %v", id.UUIDString(), got, err)
		}
	}

	before := ulid.Now()
	u, err := p.newV7()
	if got, after := ulid.ULID(u).Time(), ulid.Now(); err != nil || got < before || got > after {
		t.Errorf("the time of %s is %d, not in [%d, %d], %v", p.string(u), got, before, after, err)
	}
	p.testTime(t, u)
	if p.version == nil {
		return
	}
	for range 1000 {
		u := U(ulid.MakeUUIDv7())
		if got := p.version(u); got != p.version7 {
			t.Fatalf("%s has version and variant %s, want %s", p.string(u), got, p.version7)
		}
		p.testTime(t, u)
	}
}

// testTime compares the time of a UUIDv7 as both read it.
func (p peer[U]) testTime(t *testing.T, u U) {
	t.Helper()
	if p.ms == nil {
		return
	}
	if got, err := p.ms(u); got != ulid.ULID(u).Time() {
		t.Fatalf("the time of %s is %d there, %v, and %d here", p.string(u), got, err, ulid.ULID(u).Time())
	}
}

// samples returns the extremes, a fixed ID, and many random ones over all of time.
func samples() []ulid.ULID {
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

// conversions is the block of the page. TestPage makes the calls of its first part, the other tests those of the
// others.
const conversions = `// UUID format, and back. MustParseUUID is for constants.
id.UUIDString() // 01563df3-6481-d676-4c61-efb99302bd5b
ulid.ParseUUID(text)

// google/uuid, gofrs/uuid and Go 1.27's uuid: plain conversions
uuid.UUID(id)
ulid.ULID(u)

// pgtype: check u.Valid first
pgtype.UUID{Bytes: id, Valid: true}
ulid.ULID(u.Bytes)

// the time of a UUID of version 7
ulid.ULID(uuidV7).Timestamp()
`

// generating is the first block of the page, with the example of RFC 9562.
const generating = `// For many, FillUUIDv7, or a Generator with UUIDv7: true.
id := ulid.MakeUUIDv7()
id.String()     // 01FWHE4YDGFK1SHH6W1G60EECF
id.UUIDString() // 017f22e2-79b0-7cc3-98c4-dc0c0c07398f
`

func TestPage(t *testing.T) {
	for _, code := range []string{generating, conversions} {
		if !slices.Contains(page.Blocks(page.Text(t, "docs/uuid.md")), page.Block{Language: "go", Code: code}) {
			t.Errorf("docs/uuid.md lacks the block\n%s", code)
		}
	}
	for _, test := range []struct{ ulid, uuid string }{
		{"01FWHE4YDGFK1SHH6W1G60EECF", "017f22e2-79b0-7cc3-98c4-dc0c0c07398f"},
		{"01ARYZ6S41TSV4RRFFQ69G5FAV", "01563df3-6481-d676-4c61-efb99302bd5b"},
	} {
		id := ulid.MustParse(test.ulid)
		if got := id.UUIDString(); got != test.uuid {
			t.Errorf("UUIDString of %s is %s, and the page says %s", id, got, test.uuid)
		}
		if got, err := ulid.ParseUUID(test.uuid); got != id || err != nil || ulid.MustParseUUID(test.uuid) != id {
			t.Errorf("%s came back as %v, %v", test.uuid, got, err)
		}
	}
	if id := ulid.MakeUUIDv7(); !id.IsUUIDv7() || !ulid.MustParse("01FWHE4YDGFK1SHH6W1G60EECF").IsUUIDv7() {
		t.Errorf("%s or the example is no UUIDv7", id.UUIDString())
	}
}

func TestGoogle(t *testing.T) {
	peer[google.UUID]{
		parse:    google.Parse,
		string:   google.UUID.String,
		newV7:    google.NewV7,
		version:  func(u google.UUID) string { return fmt.Sprint(u.Version(), u.Variant()) },
		version7: fmt.Sprint(google.Version(7), google.RFC4122),
		ms: func(u google.UUID) (uint64, error) {
			sec, nsec := u.Time().UnixTime()
			return ulid.Timestamp(time.Unix(sec, nsec)), nil
		},
	}.test(t)
}

// TestPgtype has a struct that holds the array.
func TestPgtype(t *testing.T) {
	parse := func(s string) (u [16]byte, err error) {
		var p pgtype.UUID
		err = p.Scan(s)
		return p.Bytes, err
	}
	format := func(u [16]byte) string { return pgtype.UUID{Bytes: u, Valid: true}.String() }
	newV7 := func() ([16]byte, error) {
		u, err := google.NewV7()
		return u, err
	}
	peer[[16]byte]{parse: parse, string: format, newV7: newV7}.test(t)

	// NULL is zero bytes that are not valid: the conversion cannot tell it from the zero ID.
	null := pgtype.UUID{Bytes: [16]byte{1}, Valid: true}
	if err := null.Scan(nil); err != nil || null != (pgtype.UUID{}) {
		t.Errorf("NULL is %+v, %v, want the zero value", null, err)
	}
}
