package main

import (
	"database/sql"
	"database/sql/driver"
	"encoding/binary"
	"fmt"
	"reflect"
	"strings"

	"github.com/oklog/ulid/v2"
)

// A source is what a column or a file may have where a ULID is read.
type source struct {
	name string
	text string
}

const text = "01ARYZ6S41TSV4RRFFQ69G5FAV"

// sources are read as a string and as bytes.
var sources = []source{
	{"nothing", ""},
	{"15 bytes", string(first[:15])},
	{"16 bytes", string(first[:])},
	{"16 letters", string(letters[:])},
	{"17 bytes", string(first[:]) + "0"},
	{"25 characters", text[:25]},
	{"26 characters", text},
	{"27 characters", text + "0"},
	{"lower case", strings.ToLower(text)},
	{"mixed case", "01aryz6s41TSV4RRFFQ69G5FAV"},
	{"zero", ulid.ULID{}.String()},
	{"greatest", last.String()},
	{"overflow 8", "8ZZZZZZZZZZZZZZZZZZZZZZZZZ"},
	{"overflow Z", "ZZZZZZZZZZZZZZZZZZZZZZZZZZ"},
	{"wrong I", text[:25] + "I"},
	{"wrong L", text[:10] + "L" + text[11:]},
	{"wrong O", "O" + text[1:]},
	{"wrong o", "0o" + text[2:]},
	{"wrong U", text[:25] + "U"},
	{"wrong space", text[:25] + " "},
	{"wrong NUL", text[:25] + "\x00"},
	{"wrong é", text[:24] + "é"},
	{"UUID", uuidText(first)},
	{"UUID upper case", strings.ToUpper(uuidText(first))},
	{"36 characters", strings.Repeat("0", 36)},
	{"32 digits", fmt.Sprintf("%x", first[:])},
	{"garbage", "not a ULID"},
}

func uuidText(id ulid.ULID) string {
	s := fmt.Sprintf("%x", id[:])
	return strings.Join([]string{s[:8], s[8:12], s[12:16], s[16:20], s[20:]}, "-")
}

// readers read a text or bytes into an ID that has a value.
var readers = []struct {
	name string
	read func(id *ulid.ULID, s string) error
}{
	{"Scan of a string", func(id *ulid.ULID, s string) error { return id.Scan(s) }},
	{"Scan of bytes", func(id *ulid.ULID, s string) error { return id.Scan([]byte(s)) }},
	{"UnmarshalText", func(id *ulid.ULID, s string) error { return id.UnmarshalText([]byte(s)) }},
	{"UnmarshalBinary", func(id *ulid.ULID, s string) error { return id.UnmarshalBinary([]byte(s)) }},
	{"ParseStrict", func(id *ulid.ULID, s string) (err error) { *id, err = ulid.ParseStrict(s); return err }},
	{"Parse", func(id *ulid.ULID, s string) (err error) { *id, err = ulid.Parse(s); return err }},
}

type textual string

func values() {
	value()
	scan()
	for _, r := range readers {
		for _, s := range sources {
			group("read/"+r.name).sees(s.name, func() (any, error) { return read(before, s.text, r.read) })
		}
	}
}

// read shows the ID also after an error, because it must be as it was.
func read(id ulid.ULID, s string, from func(*ulid.ULID, string) error) (any, error) {
	err := from(&id, s)
	if err != nil {
		return nil, fmt.Errorf("%w, leaves %v", err, id)
	}
	return id, nil
}

func value() {
	g := group("Value")
	for _, id := range []ulid.ULID{{}, first, letters, last} {
		g.sees(id.String(), func() (any, error) { return id.Value() })
		g.sees("pointer to "+id.String(), func() (any, error) { return driver.Valuer(&id).Value() })
	}
	g.sees("nil pointer", func() (any, error) { return driver.DefaultParameterConverter.ConvertValue((*ulid.ULID)(nil)) })
	g.sees("sql.Null", func() (any, error) { return sql.Null[ulid.ULID]{V: first, Valid: true}.Value() })
	g.sees("converted", func() (any, error) { return driver.DefaultParameterConverter.ConvertValue(first) })
	g.sees("is a copy", func() (any, error) {
		id := first
		v := must(id.Value()).([]byte)
		v[0] = 0xff
		b := id.Bytes()
		b[0] = 0xff
		return id, nil
	})
	g.sees("has room for no more", func() (any, error) { return cap(must(first.Value()).([]byte)), nil })
	g.sees("type", func() (any, error) {
		t := reflect.TypeFor[ulid.ULID]()
		return fmt.Sprint(t, " ", t.PkgPath(), " ", t.Kind(), " ", t.Size(), " ", binary.Size(first)), nil
	})
	g.sees("method set", func() (any, error) { return methods(reflect.TypeFor[ulid.ULID]()), nil })
	g.sees("method set of the pointer", func() (any, error) { return methods(reflect.TypeFor[*ulid.ULID]()), nil })
}

// methods has the names and the types of the methods.
func methods(t reflect.Type) (list []string) {
	for i := range t.NumMethod() {
		list = append(list, t.Method(i).Name+" "+t.Method(i).Type.String())
	}
	return list
}

// scan reads what drivers do not return as a string or bytes, or seldom.
func scan() {
	id := first
	for name, src := range inOrder(map[string]any{
		"nil": nil, "int": 1, "int64": int64(1), "float64": 1.5, "bool": true, "time": ulid.Time(1).UTC(),
		"nil bytes": []byte(nil), "array of 16 bytes": [16]byte(first), "another array": [15]byte{}, "ULID": first,
		"pointer to a ULID": &id, "named string": textual(text), "raw bytes": sql.RawBytes(first[:]),
		"runes": []rune(text), "array pointer": (*[16]byte)(&id),
	}) {
		group("Scan").sees(name, func() (any, error) {
			return read(before, "", func(id *ulid.ULID, _ string) error { return id.Scan(src) })
		})
	}
	group("Scan").sees("sql.Null of nil", func() (any, error) { return scanNull(nil) })
	group("Scan").sees("sql.Null of bytes", func() (any, error) { return scanNull(first[:]) })
	group("Scan").sees("keeps no bytes", func() (any, error) {
		b := first.Bytes()
		var got ulid.ULID
		err := got.Scan(b)
		b[0] = 0xff
		return got, err
	})
}

func scanNull(src any) (any, error) {
	null := sql.Null[ulid.ULID]{V: before, Valid: true}
	err := null.Scan(src)
	return null.Valid, err
}
