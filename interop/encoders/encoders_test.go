// Package encoders proves what docs/json.md says of encoders, flags, logs and templates: what they write for an ID,
// that they read it again, and what they reject.
package encoders

import (
	"bytes"
	"encoding"
	"encoding/gob"
	"encoding/json"
	"encoding/xml"
	"flag"
	"fmt"
	"log/slog"
	"reflect"
	"strings"
	"testing"
	"text/template"

	"github.com/vmihailenco/msgpack/v5"
	"go.mongodb.org/mongo-driver/v2/bson"
	"gopkg.in/yaml.v3"

	"github.com/seed-961d0905/ulid"
	"github.com/seed-961d0905/ulid/interop/page"
	"github.com/seed-961d0905/ulid/typed"
)

var (
	id    = ulid.MustParse("01ARYZ6S41TSV4RRFFQ69G5FAV")
	other = ulid.MustParse("7ZZZZZZZZZZZZZZZZZZZZZZZZZ")
)

// An anyID is a ULID or a typed ID. Each test is run with both.
type anyID interface {
	ulid.ULID | typedID
	fmt.Stringer
	IsZero() bool
}

type (
	typedID  = typed.ID[userKind]
	userKind struct{ typed.TextColumn }
)

func (userKind) Prefix() string { return "user" }

// An encoder is one with what it does.
type encoder struct {
	name      string
	marshal   func(any) ([]byte, error)
	unmarshal func([]byte, any) error

	isBinary  bool // whether it writes 16 bytes, and not the string
	noMapKeys bool // whether it rejects a map by ID
	noNull    bool // whether it leaves out a nil pointer
	clears    bool // whether a null sets a ULID to zero, and does not leave it as it is
	noZeroTag bool // whether no tag leaves out a zero ULID
}

var encoders = []encoder{
	{name: "encoding/json", marshal: json.Marshal, unmarshal: json.Unmarshal},
	{
		name: "encoding/xml", marshal: xml.Marshal, unmarshal: xml.Unmarshal,
		noMapKeys: true, noNull: true, noZeroTag: true,
	},
	{name: "encoding/gob", marshal: gobMarshal, unmarshal: gobUnmarshal, isBinary: true, noNull: true},
	{name: "yaml.v3", marshal: yaml.Marshal, unmarshal: yaml.Unmarshal},
	{name: "msgpack", marshal: msgpack.Marshal, unmarshal: msgpack.Unmarshal, isBinary: true, clears: true},
	{name: "bson", marshal: bson.Marshal, unmarshal: bson.Unmarshal, isBinary: true, clears: true},
}

func TestEncoders(t *testing.T) {
	for _, e := range encoders {
		t.Run(e.name, func(t *testing.T) {
			testEncoder[ulid.ULID](t, e)
			testEncoder[typedID](t, e)
		})
	}
}

// user is the document of every encoder: an ID, a pointer to one, and a nil pointer.
type user[T any] struct {
	ID   T
	Ref  *T
	None *T
}

// account leaves out a zero ID where the encoder has a tag that does.
type account[T any] struct {
	ID T `json:",omitzero" yaml:",omitempty" msgpack:",omitempty" bson:",omitempty" xml:",omitempty"`
}

// field has a value of another type where user and account have the ID.
type field[T any] struct{ ID T }

func testEncoder[T anyID](t *testing.T, e encoder) {
	written := T(id).String()
	if e.isBinary {
		written = string(id.Bytes())
	}
	testRoundTrip[T](t, e, written)
	testMapKey[T](t, e, written)
	testNull[T](t, e)
	testZero[T](t, e)
}

func testRoundTrip[T anyID](t *testing.T, e encoder, written string) {
	ref, stale := T(id), T(other)
	in := user[T]{ID: ref, Ref: &ref}
	encoded := e.encode(t, in)
	if n := strings.Count(encoded, written); n != 2 {
		t.Errorf("%+v came out as %q, with %q %d times", in, encoded, written, n)
	}
	out := user[T]{ID: stale, Ref: &stale}
	if err := e.unmarshal([]byte(encoded), &out); err != nil || !reflect.DeepEqual(out, in) {
		t.Errorf("%+v came back as %+v, %v", in, out, err)
	}
}

func testMapKey[T anyID](t *testing.T, e encoder, written string) {
	in := map[T]int{T(id): 1}
	if e.noMapKeys {
		if b, err := e.marshal(in); err == nil {
			t.Errorf("a map came out as %q", b)
		}
		return
	}
	if e.name == "bson" {
		written = T(id).String() // its keys are always strings
	}
	encoded := e.encode(t, in)
	var out map[T]int
	err := e.unmarshal([]byte(encoded), &out)
	if err != nil || !reflect.DeepEqual(out, in) || !strings.Contains(encoded, written) {
		t.Errorf("a map came out as %q, and back as %v, %v", encoded, out, err)
	}
}

// testNull reads a null, or nothing where there is none, into an ID that has a value.
func testNull[T anyID](t *testing.T, e encoder) {
	null := e.encode(t, field[*T]{})
	if e.noNull && strings.Contains(null, "null") {
		t.Errorf("nil came out as %q", null)
	}
	out, want := field[T]{T(other)}, T(other)
	if e.clears {
		want = T{}
	}
	if err := e.unmarshal([]byte(null), &out); err != nil || out.ID != want {
		t.Errorf("null made the ID %v, %v; want %v", out.ID, err, want)
	}
}

// testZero writes a zero ID with the tag that leaves it out.
func testZero[T anyID](t *testing.T, e encoder) {
	encoded := e.encode(t, account[T]{})
	isThere := strings.Contains(encoded, T{}.String()) || strings.Contains(encoded, string(make([]byte, 16)))
	if isThere != e.noZeroTag {
		t.Errorf("the zero ID came out as %q", encoded)
	}
	var out account[T]
	if err := e.unmarshal([]byte(encoded), &out); err != nil || !out.ID.IsZero() {
		t.Errorf("the zero ID came back as %v, %v", out.ID, err)
	}
}

func (e encoder) encode(t *testing.T, v any) string {
	t.Helper()
	b, err := e.marshal(v)
	if err != nil {
		t.Fatalf("cannot encode %+v: %v", v, err)
	}
	return string(b)
}

// TestBadInput reads what another program may write where a ULID should be.
func TestBadInput(t *testing.T) {
	const good = "01ARYZ6S41TSV4RRFFQ69G5FAV"
	for _, e := range encoders {
		for _, bad := range []string{"", good[:25], good + "0", "8" + good[1:], good[:25] + "U"} {
			e.checkRejected(t, field[string]{bad})
			e.checkRejected(t, field[marshaler]{marshaler{&bad}})
		}
		for _, size := range []int{1, 15, 17} {
			bad := string(id.Bytes()) + "!"
			bad = bad[:size]
			if e.isBinary && e.name != "bson" {
				e.checkRejected(t, field[[]byte]{[]byte(bad)})
				e.checkRejected(t, field[marshaler]{marshaler{&bad}})
			}
		}
	}
}

// A marshaler is written by an encoder as it writes a ULID, so that nothing but the content is wrong. It is a pointer
// because gob leaves out what is zero.
type marshaler struct{ content *string }

func (m marshaler) MarshalText() ([]byte, error)   { return []byte(*m.content), nil }
func (m marshaler) MarshalBinary() ([]byte, error) { return []byte(*m.content), nil }

func (e encoder) checkRejected(t *testing.T, doc any) {
	t.Helper()
	encoded := e.encode(t, doc)
	out := field[ulid.ULID]{other}
	if err := e.unmarshal([]byte(encoded), &out); err == nil || out.ID != other {
		t.Errorf("%s reads %q as %s, %v", e.name, encoded, out.ID, err)
	}
}

// TestShortBSON reads a binary of fewer than 16 bytes, of which bson does not ask the ULID.
func TestShortBSON(t *testing.T) {
	page.Fact(t, "docs/json.md", "short-bson-is-accepted")
	encoded, err := bson.Marshal(field[[]byte]{id[:15]})
	if err != nil {
		t.Fatal(err)
	}
	out := field[ulid.ULID]{other}
	want := ulid.ULID(append(id.Bytes()[:15], other[15]))
	if err := bson.Unmarshal(encoded, &out); err != nil || out.ID != want {
		t.Errorf("15 bytes are read as %s, %v; the page says %s", out.ID, err, want)
	}
}

// TestGobKeepsTheOldID decodes a zero ID, which gob leaves out, into a variable that was used before.
func TestGobKeepsTheOldID(t *testing.T) {
	page.Fact(t, "docs/json.md", "gob-keeps-the-old-id")
	encoded, err := gobMarshal(field[ulid.ULID]{})
	if err != nil {
		t.Fatal(err)
	}
	out := field[ulid.ULID]{id}
	if err := gobUnmarshal(encoded, &out); err != nil || out.ID != id {
		t.Errorf("the zero ID makes a variable %s, %v; the page says that it stays %s", out.ID, err, id)
	}
}

// In YAML digits without quotes are a number: the encoder must quote them, and the decoder take them as they stand
// where a person forgot.
func TestYAMLDigits(t *testing.T) {
	for _, digits := range []string{
		"00000000000000000000000000", "01234567890123456789012345", "01234567890123456789012E05",
	} {
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

// bsonStrings is a registry that stores IDs as strings. A client gets it from options.Client().SetRegistry.
var bsonStrings = func() *bson.Registry {
	r := bson.NewRegistry()
	for _, typ := range []reflect.Type{reflect.TypeFor[ulid.ULID](), reflect.TypeFor[typedID]()} {
		r.RegisterTypeEncoder(typ, bson.ValueEncoderFunc(writeString))
		r.RegisterTypeDecoder(typ, bson.ValueDecoderFunc(readString))
	}
	return r
}()

func writeString(_ bson.EncodeContext, w bson.ValueWriter, v reflect.Value) error {
	return w.WriteString(v.Interface().(fmt.Stringer).String())
}

func readString(_ bson.DecodeContext, r bson.ValueReader, v reflect.Value) error {
	s, err := r.ReadString()
	if err != nil {
		return err
	}
	return v.Addr().Interface().(encoding.TextUnmarshaler).UnmarshalText([]byte(s))
}

func TestBSONStrings(t *testing.T) {
	e := encoder{
		name: "bson",
		marshal: func(v any) ([]byte, error) {
			var b bytes.Buffer
			e := bson.NewEncoder(bson.NewDocumentWriter(&b))
			e.SetRegistry(bsonStrings)
			err := e.Encode(v)
			return b.Bytes(), err
		},
		unmarshal: func(b []byte, v any) error {
			d := bson.NewDecoder(bson.NewDocumentReader(bytes.NewReader(b)))
			d.SetRegistry(bsonStrings)
			return d.Decode(v)
		},
	}
	testRoundTrip[ulid.ULID](t, e, id.String())
	testRoundTrip[typedID](t, e, typedID(id).String())
	for _, bad := range []string{"", id.String()[1:], id.String()[:25] + "U"} {
		e.checkRejected(t, field[string]{bad})
	}
}

func TestLogsAndTemplates(t *testing.T) {
	testWriters[ulid.ULID](t)
	testWriters[typedID](t)
}

func testWriters[T anyID](t *testing.T) {
	v := T(id)
	var log strings.Builder
	slog.New(slog.NewTextHandler(&log, nil)).Info("", "id", v, "ref", &v)
	slog.New(slog.NewJSONHandler(&log, nil)).Info("", "id", v, "ref", &v)
	if err := template.Must(template.New("").Parse("{{.}} {{.}}")).Execute(&log, v); err != nil {
		t.Error(err)
	}
	if n := strings.Count(log.String(), v.String()); n != 6 {
		t.Errorf("%s stands %d times in\n%s\nwant 6", v, n, &log)
	}
}

func TestFlag(t *testing.T) {
	testFlag[ulid.ULID](t)
	testFlag[typedID](t)
}

func testFlag[T anyID](t *testing.T) {
	id, other := T(id), T(other)
	for _, tt := range []struct {
		args []string
		want T
		ok   bool
	}{
		{nil, id, true},
		{[]string{"-id", other.String()}, other, true},
		{[]string{"-id", other.String() + "0"}, id, false},
	} {
		var usage strings.Builder
		var got T
		set := flag.NewFlagSet("", flag.ContinueOnError)
		set.SetOutput(&usage)
		set.TextVar(any(&got).(encoding.TextUnmarshaler), "id", any(id).(encoding.TextMarshaler), "which one")
		if err := set.Parse(tt.args); got != tt.want || (err == nil) != tt.ok {
			t.Errorf("%q gives %v, %v", tt.args, got, err)
		}
		set.PrintDefaults()
		if !strings.Contains(usage.String(), "(default "+id.String()+")") {
			t.Errorf("the usage is %q", &usage)
		}
	}
}
