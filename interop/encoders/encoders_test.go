// Package encoders proves what docs/integrations.md says of encoders, flags, logs and templates: what they write for an
// ID, that they read it again, and the tag or setting that they need.
package encoders

//go:generate go test . -write

import (
	"bytes"
	"cmp"
	"encoding"
	"encoding/gob"
	"encoding/json"
	"encoding/xml"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"reflect"
	"strings"
	"testing"
	"text/template"
	"unicode/utf8"

	"github.com/BurntSushi/toml"
	"github.com/fxamacker/cbor/v2"
	"github.com/vmihailenco/msgpack/v5"
	"go.mongodb.org/mongo-driver/v2/bson"
	"gopkg.in/yaml.v3"

	"github.com/seed-961d0905/ulid"
	"github.com/seed-961d0905/ulid/interop/golden"
	"github.com/seed-961d0905/ulid/typed"
)

const (
	text     = "01ARYZ6S41TSV4RRFFQ69G5FAV"
	badText  = "01ARYZ6S41TSV4RRFFQ69G5FAU"
	zeroText = "00000000000000000000000000"
	raw      = "\x01\x56\x3d\xf3\x64\x81\xd6\x76\x4c\x61\xef\xb9\x93\x02\xbd\x5b"

	prefix    = "user_"
	typedText = prefix + "01aryz6s41tsv4rrffq69g5fav"
)

// An anyID is a ULID or a typed ID. Each test is run with both, and both fill the same cells.
type anyID interface {
	ulid.ULID | typedID
	encoding.TextMarshaler
	fmt.Stringer
	IsZero() bool
}

type (
	typedID  = typed.ID[userKind]
	userKind struct{ typed.TextColumn }
)

func (userKind) Prefix() string { return "user" }

var (
	id    = ulid.MustParse(text)
	other = ulid.MustParse("7ZZZZZZZZZZZZZZZZZZZZZZZZZ")
)

// user is the document of every encoder: an ID, a pointer to one, and a nil pointer.
type user[T anyID] struct {
	ID   T
	Ref  *T
	None *T
}

// account leaves out a zero ID where the encoder has a tag that does. cbor takes the tag of json.
type account[T anyID] struct {
	ID T `json:",omitzero" toml:",omitzero" yaml:",omitempty" msgpack:",omitempty" bson:",omitempty" xml:",omitempty"`
}

// field puts a value of another type where user and account have the ID.
type field[T any] struct{ ID T }

// like is what another program may write where a ULID should be. Encoders that ask a ULID for its text or its bytes
// write it in the same form, so that nothing but the content is wrong. It is a pointer because gob leaves out what is
// zero.
type like struct{ content *string }

func (l like) MarshalText() ([]byte, error)   { return []byte(*l.content), nil }
func (l like) MarshalBinary() ([]byte, error) { return []byte(*l.content), nil }

// A codec is one encoder with what is expected of it. What is not expected here is a cell of RESULTS.md.
type codec struct {
	name      string
	marshal   func(any) ([]byte, error)
	unmarshal func([]byte, any) error

	form   string // describes what comes out
	id     string // the encoding of id
	user   string // the encoding of user{id, &id, nil}
	mapKey string // the encoding of map[ulid.ULID]int{id: 1}, "" if it may be rejected
	tag    string // the tag that leaves out a zero ID, "" if there may be none

	noNull  bool   // whether it leaves out a nil pointer
	setting string // describes what must be set

	refusal string // what an error says that is not about types; "ulid: " by default
	unasked bool   // whether it fills the bytes of a ULID without asking it
	prefix  string // of the texts
}

// toTyped puts a typed ID in the place of the ULID, and its length where bson and cbor write the length before it.
var toTyped = strings.NewReplacer(
	// cbor: a text of 26 characters, and one of 31.
	"\x78\x1a"+text, "\x78\x1f"+typedText,
	// bson: a text and its NUL; then the same as the key of a map, and the document of a user.
	"\x1b\x00\x00\x00"+text, "\x20\x00\x00\x00"+typedText,
	"\x25\x00\x00\x00\x10"+text, "\x2a\x00\x00\x00\x10"+typedText,
	"\x52\x00\x00\x00", "\x5c\x00\x00\x00",
	text, typedText,
)

// typed returns what is expected of the encoder with a typed ID.
func (c codec) typed() codec {
	c.id = toTyped.Replace(c.id)
	c.user = toTyped.Replace(c.user)
	c.mapKey = toTyped.Replace(c.mapKey)
	c.refusal = cmp.Or(c.refusal, "user ID: ")
	c.prefix = prefix
	return c
}

const (
	asText  = "string"
	asBytes = "16 bytes"
)

var codecs = []codec{{
	name: "encoding/json", marshal: json.Marshal, unmarshal: json.Unmarshal,
	form:   asText,
	id:     `"` + text + `"`,
	user:   `{"ID":"` + text + `","Ref":"` + text + `","None":null}`,
	mapKey: `{"` + text + `":1}`,
	tag:    "omitzero",
}, {
	name: "encoding/xml", marshal: xml.Marshal, unmarshal: xml.Unmarshal,
	form:   asText,
	id:     ">" + text + "<",
	user:   "<user><ID>" + text + "</ID><Ref>" + text + "</Ref></user>",
	noNull: true,
}, {
	name: "encoding/gob", marshal: gobMarshal, unmarshal: gobUnmarshal,
	form:   asBytes,
	id:     "\x10" + raw,
	mapKey: "\x01\x10" + raw + "\x02",
	noNull: true,
}, {
	name: "yaml.v3", marshal: yaml.Marshal, unmarshal: yaml.Unmarshal,
	form:   asText + ", quoted where it would be a number",
	id:     ": " + text + "\n",
	user:   "id: " + text + "\nref: " + text + "\nnone: null\n",
	mapKey: text + ": 1\n",
	tag:    "omitempty",
}, {
	name: "BurntSushi/toml", marshal: toml.Marshal, unmarshal: toml.Unmarshal,
	form:   asText,
	id:     `"` + text + `"`,
	user:   `ID = "` + text + `"` + "\n" + `Ref = "` + text + `"` + "\n",
	noNull: true,
}, {
	name: "fxamacker/cbor", marshal: cbor.Marshal, unmarshal: cbor.Unmarshal,
	form:   asBytes + ", a byte string",
	id:     "\x50" + raw,
	user:   "\xa3\x62ID\x50" + raw + "\x63Ref\x50" + raw + "\x64None\xf6",
	mapKey: "\xa1\x50" + raw + "\x01",
	tag:    "omitzero",
}, {
	name: "fxamacker/cbor, text", marshal: cborText.Marshal, unmarshal: cborBoth.Unmarshal,
	form:   asText,
	id:     "\x78\x1a" + text,
	user:   "\xa3\x62ID\x78\x1a" + text + "\x63Ref\x78\x1a" + text + "\x64None\xf6",
	mapKey: "\xa1\x78\x1a" + text + "\x01",
	tag:    "omitzero",
	setting: "`EncOptions{BinaryMarshaler: BinaryMarshalerNone, TextMarshaler: TextMarshalerTextString}`, " +
		"`DecOptions{TextUnmarshaler: TextUnmarshalerTextString}` (reads the bytes too)",
}, {
	name: "vmihailenco/msgpack", marshal: msgpack.Marshal, unmarshal: msgpack.Unmarshal,
	form:   asBytes + ", a bin",
	id:     "\xc4\x10" + raw,
	user:   "\x83\xa2ID\xc4\x10" + raw + "\xa3Ref\xc4\x10" + raw + "\xa4None\xc0",
	mapKey: "\x81\xc4\x10" + raw + "\x01",
	tag:    "omitempty",
}, {
	name: "mongo-driver bson", marshal: bson.Marshal, unmarshal: bson.Unmarshal,
	form: asBytes + ", a binary of subtype 0",
	id:   "\x10\x00\x00\x00\x00" + raw,
	user: "\x3e\x00\x00\x00" +
		"\x05id\x00\x10\x00\x00\x00\x00" + raw +
		"\x05ref\x00\x10\x00\x00\x00\x00" + raw +
		"\x0anone\x00\x00",
	mapKey:  "\x25\x00\x00\x00\x10" + text + "\x00\x01\x00\x00\x00\x00",
	tag:     "omitempty",
	refusal: "more elements returned in array than can fit",
	unasked: true,
}, {
	name: "mongo-driver bson, text", marshal: bsonMarshalText, unmarshal: bsonUnmarshalText,
	form: asText,
	id:   "\x1b\x00\x00\x00" + text + "\x00",
	user: "\x52\x00\x00\x00" +
		"\x02id\x00\x1b\x00\x00\x00" + text + "\x00" +
		"\x02ref\x00\x1b\x00\x00\x00" + text + "\x00" +
		"\x0anone\x00\x00",
	mapKey:  "\x25\x00\x00\x00\x10" + text + "\x00\x01\x00\x00\x00\x00",
	tag:     "omitempty",
	setting: "an encoder and a decoder for each type in the registry of the client, as `bsonTexts` in encoders_test.go",
}}

// A row is a row of RESULTS.md.
type row struct{ out, back, mapKey, badInput, needs string }

func (r row) note(table *golden.Table, name string) {
	table.Cell(name, "what comes out", r.out)
	table.Cell(name, "comes back", r.back)
	table.Cell(name, "as a map key", r.mapKey)
	table.Cell(name, "bad input", r.badInput)
	table.Cell(name, "tag or setting needed", r.needs)
}

func TestEncoders(t *testing.T) {
	table := golden.New(t, "Encoders",
		"Go 1.26 and later", // of which .ci/run tries the oldest and the newest
		golden.Module(t, "gopkg.in/yaml.v3"),
		golden.Module(t, "github.com/BurntSushi/toml"),
		golden.Module(t, "github.com/fxamacker/cbor/v2"),
		golden.Module(t, "github.com/vmihailenco/msgpack/v5"),
		golden.Module(t, "go.mongodb.org/mongo-driver/v2"),
	)
	for _, c := range codecs {
		t.Run(c.name, func(t *testing.T) {
			testCodec[ulid.ULID](t, c, table)
			testCodec[typedID](t, c.typed(), table)
		})
	}
	testWriters[ulid.ULID](t, text, table)
	testWriters[typedID](t, typedText, table)
	t.Run("flag.TextVar", func(t *testing.T) {
		testFlag[ulid.ULID](t, text, table)
		testFlag[typedID](t, typedText, table)
	})
}

func testCodec[T anyID](t *testing.T, c codec, table *golden.Table) {
	// What comes out. The documents of gob hold type numbers that depend on what else the process has encoded, so of
	// them only the ID is compared.
	ref := T(id)
	in := user[T]{ID: ref, Ref: &ref}
	encoded := c.encode(t, in)
	if strings.Count(encoded, c.id) != 2 || c.user != "" && encoded != c.user {
		t.Errorf("%+v came out as %q", in, encoded)
	}

	stale := T(other)
	out := user[T]{ID: stale, Ref: &stale}
	if err := c.unmarshal([]byte(encoded), &out); err != nil || !reflect.DeepEqual(out, in) {
		t.Errorf("%+v came back as %+v, %v", in, out, err)
	}
	row{
		out:      c.form,
		back:     "yes; " + readNull[T](t, c),
		mapKey:   asMapKey[T](t, c),
		badInput: badInput[T](t, c),
		needs:    cmp.Or(c.setting, "none") + "; " + zero[T](t, c),
	}.note(table, c.name)
}

func (c codec) encode(t *testing.T, v any) string {
	t.Helper()
	b, err := c.marshal(v)
	if err != nil {
		t.Fatalf("cannot encode %+v: %v", v, err)
	}
	return string(b)
}

// readNull reads a null, or nothing where there is none, into an ID that has a value.
func readNull[T anyID](t *testing.T, c codec) string {
	out := field[T]{T(other)}
	err := c.unmarshal([]byte(c.encode(t, field[*T]{})), &out)
	switch {
	case err != nil:
		return "null into a ULID is rejected: use a `*ULID`"
	case out.ID.IsZero():
		return "null gives the zero ULID"
	case out.ID != T(other):
		t.Errorf("null came back as %v", out.ID)
	case c.noNull:
		return "has no null: nil is omitted"
	}
	return "null keeps the ULID as it was"
}

func asMapKey[T anyID](t *testing.T, c codec) string {
	in := map[T]int{T(id): 1}
	if _, err := c.marshal(in); err != nil && c.mapKey == "" {
		return "rejected: use `map[string]…`"
	}
	encoded := c.encode(t, in)
	if encoded != c.mapKey && !(c.user == "" && strings.HasSuffix(encoded, c.mapKey)) {
		t.Errorf("a map came out as %q, want %q", encoded, c.mapKey)
	}
	var out map[T]int
	if err := c.unmarshal([]byte(encoded), &out); err != nil || !reflect.DeepEqual(out, in) {
		t.Errorf("a map came back as %v, %v, want %v", out, err, in)
	}
	if strings.Contains(strings.ToUpper(encoded), text) {
		return asText
	}
	return asBytes
}

// zero writes a zero ID with the tag, and reads it again.
func zero[T anyID](t *testing.T, c codec) string {
	encoded := c.encode(t, account[T]{})
	var out account[T]
	if err := c.unmarshal([]byte(encoded), &out); err != nil || !out.ID.IsZero() {
		t.Errorf("the zero ID came back as %v, %v", out.ID, err)
	}
	if strings.Contains(encoded, zeroText) || strings.Contains(encoded, string(make([]byte, 16))) {
		if c.tag != "" {
			t.Errorf("the zero ID came out as %q in spite of %s", encoded, c.tag)
		}
		return "no tag omits the zero ULID: use a `*ULID`"
	}
	if c.tag == "" {
		return "SILENT: the zero ULID is omitted, so a variable that is decoded into again keeps its old ID"
	}
	return "`" + c.tag + "` omits the zero ULID"
}

// badInput reads what is not a ULID. Each content must be rejected for itself at least once, because a mismatch of
// types says nothing of it.
func badInput[T anyID](t *testing.T, c codec) string {
	taken := false
	for _, content := range []string{badText, "", text[:25], text + "0", "8" + text[1:], raw[:15], raw + "\x00"} {
		isText := utf8.ValidString(content)
		if isText {
			content = c.prefix + strings.ToLower(content)
		}
		got := readBad[T](t, c, content)
		taken = taken || got.taken
		mayBeWritten := isText || strings.HasPrefix(c.form, asBytes)
		if mayBeWritten && !got.refused && !got.taken {
			t.Errorf("%q was never rejected for what it says", content)
		}
	}
	if taken {
		return "SILENT: a binary of fewer than 16 bytes is accepted, and the other bytes of the ULID stay as they were"
	}
	return "rejected"
}

// A reading is what an encoder does with a content in several forms.
type reading struct {
	refused bool // for what it says, at least once
	taken   bool // as the first bytes of the ULID, without a question to it
}

// readBad reads a content in each form in which another program may write it.
func readBad[T anyID](t *testing.T, c codec, content string) (got reading) {
	refusal := cmp.Or(c.refusal, "ulid: ")
	filled := T(other)
	copy(filled[:], content)
	for _, bad := range []any{field[string]{content}, field[[]byte]{[]byte(content)}, field[like]{like{&content}}} {
		encoded, err := c.marshal(bad)
		if err != nil {
			continue // it is not UTF-8
		}
		out := field[T]{T(other)}
		err = c.unmarshal(encoded, &out)
		switch {
		case c.unasked && err == nil && out.ID == filled:
			got.taken = true
		case err == nil || out.ID != T(other):
			t.Errorf("%q was read as %v, %v", encoded, out.ID, err)
		case strings.Contains(err.Error(), refusal):
			got.refused = true
		}
	}
	return got
}

// In YAML digits without quotes are a number: the encoder must quote them, and the decoder take them as they stand
// where a person forgot.
func TestYAMLDigits(t *testing.T) {
	for _, digits := range []string{zeroText, "01234567890123456789012345", "01234567890123456789012E05"} {
		in := field[ulid.ULID]{ulid.MustParse(digits)}
		b, err := yaml.Marshal(in)
		if want := "id: \"" + digits + "\"\n"; err != nil || string(b) != want {
			t.Errorf("came out as %q, %v; want %q", b, err, want)
		}
		for _, doc := range []string{string(b), "id: " + digits} {
			var out field[ulid.ULID]
			if err := yaml.Unmarshal([]byte(doc), &out); err != nil || out != in {
				t.Errorf("%q came back as %v, %v", doc, out.ID, err)
			}
		}
	}
}

func gobMarshal(v any) ([]byte, error) {
	var b bytes.Buffer
	err := gob.NewEncoder(&b).Encode(v)
	return b.Bytes(), err
}

func gobUnmarshal(b []byte, v any) error { return gob.NewDecoder(bytes.NewReader(b)).Decode(v) }

var (
	cborText = must(cbor.EncOptions{
		BinaryMarshaler: cbor.BinaryMarshalerNone,
		TextMarshaler:   cbor.TextMarshalerTextString,
	}.EncMode())
	cborBoth = must(cbor.DecOptions{TextUnmarshaler: cbor.TextUnmarshalerTextString}.DecMode())
)

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// bsonTexts is a registry that stores IDs as strings; a client gets it from options.Client().SetRegistry.
var bsonTexts = func() *bson.Registry {
	r := bson.NewRegistry()
	for _, typ := range []reflect.Type{reflect.TypeFor[ulid.ULID](), reflect.TypeFor[typedID]()} {
		r.RegisterTypeEncoder(typ, bson.ValueEncoderFunc(writeText))
		r.RegisterTypeDecoder(typ, bson.ValueDecoderFunc(readText))
	}
	return r
}()

func writeText(_ bson.EncodeContext, w bson.ValueWriter, v reflect.Value) error {
	return w.WriteString(v.Interface().(fmt.Stringer).String())
}

func readText(_ bson.DecodeContext, r bson.ValueReader, v reflect.Value) error {
	s, err := r.ReadString()
	if err != nil {
		return err
	}
	return v.Addr().Interface().(encoding.TextUnmarshaler).UnmarshalText([]byte(s))
}

func bsonMarshalText(v any) ([]byte, error) {
	var b bytes.Buffer
	e := bson.NewEncoder(bson.NewDocumentWriter(&b))
	e.SetRegistry(bsonTexts)
	err := e.Encode(v)
	return b.Bytes(), err
}

func bsonUnmarshalText(b []byte, v any) error {
	d := bson.NewDecoder(bson.NewDocumentReader(bytes.NewReader(b)))
	d.SetRegistry(bsonTexts)
	return d.Decode(v)
}

// testWriters tests what writes an ID and reads none.
func testWriters[T anyID](t *testing.T, text string, table *golden.Table) {
	ref := T(id)
	u := user[T]{ID: ref, Ref: &ref}
	for _, w := range []struct {
		name  string
		write func(io.Writer) error
		want  string
	}{
		{
			name:  "log/slog text",
			write: func(w io.Writer) error { return logTo(slog.NewTextHandler(w, undated), u) },
			want:  "msg=made id=" + text + " ref=" + text + " none=<nil>\n",
		},
		{
			name:  "log/slog JSON",
			write: func(w io.Writer) error { return logTo(slog.NewJSONHandler(w, undated), u) },
			want:  `{"msg":"made","id":"` + text + `","ref":"` + text + `","none":null}` + "\n",
		},
		{
			name:  "text/template",
			write: func(w io.Writer) error { return must(template.New("").Parse("{{.ID}} {{.Ref}}")).Execute(w, u) },
			want:  text + " " + text,
		},
	} {
		t.Run(w.name, func(t *testing.T) {
			var b strings.Builder
			if err := w.write(&b); err != nil || b.String() != w.want {
				t.Errorf("got %q, %v; want %q", &b, err, w.want)
			}
			row{out: asText, back: "is not read", badInput: "is not read", needs: "none"}.note(table, w.name)
		})
	}
}

var undated = &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
	if a.Key == slog.TimeKey || a.Key == slog.LevelKey {
		return slog.Attr{}
	}
	return a
}}

func logTo[T anyID](h slog.Handler, u user[T]) error {
	slog.New(h).Info("made", "id", u.ID, "ref", u.Ref, "none", u.None)
	return nil
}

func testFlag[T anyID](t *testing.T, text string, table *golden.Table) {
	id, other := T(id), T(other)
	for _, c := range []struct {
		args []string
		want T
		ok   bool
	}{
		{nil, id, true},
		{[]string{"-id", other.String()}, other, true},
		{[]string{"-id", badText}, id, false},
	} {
		var usage strings.Builder
		var got T
		set := flag.NewFlagSet("", flag.ContinueOnError)
		set.SetOutput(&usage)
		set.TextVar(any(&got).(encoding.TextUnmarshaler), "id", id, "which one")
		if err := set.Parse(c.args); got != c.want || (err == nil) != c.ok {
			t.Errorf("%q gives %v, %v", c.args, got, err)
		}
		set.PrintDefaults()
		if !strings.Contains(usage.String(), "(default "+text+")") {
			t.Errorf("the usage is %q", &usage)
		}
	}
	row{out: "string, the default too", back: "yes", badInput: "rejected", needs: "none"}.note(table, "flag.TextVar")
}
