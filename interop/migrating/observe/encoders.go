package main

import (
	"bytes"
	"encoding"
	"encoding/gob"
	"encoding/json"
	"encoding/xml"
	"errors"
	"flag"
	"fmt"
	"io"
	"iter"
	"log"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/template"

	"github.com/BurntSushi/toml"
	"github.com/fxamacker/cbor/v2"
	"github.com/oklog/ulid/v2"
	"github.com/vmihailenco/msgpack/v5"
	"go.mongodb.org/mongo-driver/v2/bson"
	"gopkg.in/yaml.v3"
)

type (
	one[T any]  struct{ ID T }
	pair[T any] struct{ Left, Right T }
	// omitted leaves out a zero ID where the encoder has a tag that does.
	omitted struct {
		ID  ulid.ULID  `json:",omitempty" toml:",omitempty" yaml:",omitempty" msgpack:",omitempty" bson:",omitempty"`
		Ref *ulid.ULID `json:",omitempty" toml:",omitempty" yaml:",omitempty" msgpack:",omitempty" bson:",omitempty"`
		Go  ulid.ULID  `json:",omitzero" toml:",omitzero" cbor:",omitzero"`
	}
	embedding struct {
		ulid.ULID
		Name string
	}
	attributes struct {
		ID  ulid.ULID  `xml:"id,attr"`
		Ref *ulid.ULID `xml:"ref,attr,omitempty"`
		In  ulid.ULID  `xml:",chardata"`
	}
)

// A codec is an encoder and its decoder.
type codec struct {
	name      string
	marshal   func(any) ([]byte, error)
	unmarshal func([]byte, any) error
}

var codecs = []codec{
	{"json", json.Marshal, json.Unmarshal},
	{"xml", xml.Marshal, xml.Unmarshal},
	{"gob", gobMarshal, gobUnmarshal},
	{"yaml", yaml.Marshal, yaml.Unmarshal},
	{"toml", toml.Marshal, toml.Unmarshal},
	{"cbor", cbor.Marshal, cbor.Unmarshal},
	{"msgpack", msgpack.Marshal, msgpack.Unmarshal},
	{"bson", bson.Marshal, bson.Unmarshal},
}

func gobMarshal(v any) ([]byte, error) {
	var b bytes.Buffer
	err := gob.NewEncoder(&b).Encode(v)
	return b.Bytes(), err
}

func gobUnmarshal(data []byte, v any) error { return gob.NewDecoder(bytes.NewReader(data)).Decode(v) }

// gob writes the name of a registered type, which has the import path, where an interface holds a value. Other encoders
// take their own registrations.
func init() {
	gob.Register(ulid.ULID{})
	gob.Register(pair[ulid.ULID]{})
	gob.Register(map[ulid.ULID]string{})
	gob.Register([]ulid.ULID{})
}

// documents are values that hold IDs, each with a variable to read them into, which has another ID.
func documents() iter.Seq2[string, pair[any]] {
	id, other := first, before
	return inOrder(map[string]pair[any]{
		"value":            {first, &other},
		"field":            {one[ulid.ULID]{first}, &one[ulid.ULID]{before}},
		"pointer":          {one[*ulid.ULID]{&id}, &one[*ulid.ULID]{}},
		"pointer with ID":  {one[*ulid.ULID]{&id}, &one[*ulid.ULID]{&other}},
		"nil pointer":      {pair[*ulid.ULID]{nil, &id}, &pair[*ulid.ULID]{}},
		"null into an ID":  {pair[*ulid.ULID]{nil, &id}, &pair[ulid.ULID]{before, before}},
		"zero":             {pair[ulid.ULID]{ulid.ULID{}, first}, &pair[ulid.ULID]{before, before}},
		"slice":            {one[[]ulid.ULID]{[]ulid.ULID{first, letters}}, &one[[]ulid.ULID]{}},
		"array":            {one[[2]ulid.ULID]{[2]ulid.ULID{first, last}}, &one[[2]ulid.ULID]{}},
		"map key":          {one[map[ulid.ULID]int]{map[ulid.ULID]int{first: 1}}, &one[map[ulid.ULID]int]{}},
		"map":              {map[ulid.ULID]ulid.ULID{first: last}, &map[ulid.ULID]ulid.ULID{}},
		"map value":        {map[string]ulid.ULID{"a": first}, &map[string]ulid.ULID{}},
		"any":              {one[any]{first}, &one[any]{}},
		"map of any":       {map[string]any{"a": first}, &map[string]any{}},
		"slice of any":     {one[[]any]{[]any{first, &id}}, &one[[]any]{}},
		"pair of any":      {pair[any]{first, letters}, &pair[any]{}},
		"any of a pair":    {one[any]{pair[ulid.ULID]{first, last}}, &one[any]{}},
		"any of a map":     {one[any]{map[ulid.ULID]string{first: "a"}}, &one[any]{}},
		"any of a slice":   {one[any]{[]ulid.ULID{first, last}}, &one[any]{}},
		"omitted":          {omitted{}, &omitted{}},
		"not omitted":      {omitted{first, &id, letters}, &omitted{}},
		"embedding":        {embedding{first, "a"}, &embedding{}},
		"XML attributes":   {attributes{first, &id, last}, &attributes{}},
		"string into ID":   {one[string]{text}, &one[ulid.ULID]{before}},
		"UUID into ID":     {one[string]{uuidText(first)}, &one[ulid.ULID]{before}},
		"short into ID":    {one[string]{text[:25]}, &one[ulid.ULID]{before}},
		"wrong U into ID":  {one[string]{text[:25] + "U"}, &one[ulid.ULID]{before}},
		"bytes into ID":    {one[[]byte]{first[:]}, &one[ulid.ULID]{before}},
		"15 bytes into ID": {one[[]byte]{first[:15]}, &one[ulid.ULID]{before}},
		"number into ID":   {one[int]{1}, &one[ulid.ULID]{before}},
		"ID into string":   {one[ulid.ULID]{first}, &one[string]{}},
		"ID into bytes":    {one[ulid.ULID]{first}, &one[[]byte]{}},
	})
}

// inOrder ranges over a map by its keys.
func inOrder[V any](m map[string]V) iter.Seq2[string, V] {
	return func(yield func(string, V) bool) {
		for _, key := range slices.Sorted(maps.Keys(m)) {
			if !yield(key, m[key]) {
				return
			}
		}
	}
}

func encoders() {
	for _, c := range codecs {
		g := group(c.name)
		for name, d := range documents() {
			var encoded []byte
			g.sees(name, func() (b any, err error) { encoded, err = c.marshal(d.Left); return string(encoded), err })
			if encoded != nil {
				g.sees(name+" again", func() (any, error) { return d.Right, c.unmarshal(encoded, d.Right) })
			}
		}
	}
}

// fileName says which encoder made what of which document.
func fileName(dir string, c codec, document string) string {
	return filepath.Join(dir, strings.ReplaceAll(document, " ", "_")+"."+c.name)
}

func writeFiles(dir string) {
	for _, c := range codecs {
		for name, d := range documents() {
			encoded, err := c.marshal(d.Left)
			if err == nil {
				err = os.WriteFile(fileName(dir, c, name), encoded, 0o666)
				must(0, err)
			}
		}
	}
}

func readFiles(dir string) {
	for _, c := range codecs {
		for name, d := range documents() {
			encoded, err := os.ReadFile(fileName(dir, c, name))
			if errors.Is(err, os.ErrNotExist) {
				continue // the encoder refuses it
			}
			group(c.name).sees(name, func() (any, error) { return d.Right, errors.Join(err, c.unmarshal(encoded, d.Right)) })
		}
	}
}

// texts shows IDs in formatted texts, templates, logs and flags.
func texts() {
	id := first
	for _, verb := range strings.Fields("%v %+v %#v %s %q %x %X %d %T %c %40s| %-30v| %.4s %08b %t %U %p") {
		for name, v := range inOrder(map[string]any{
			"value": first, "pointer": &id, "struct": one[ulid.ULID]{first}, "slice": []ulid.ULID{first, last},
			"map": map[ulid.ULID]ulid.ULID{first: last}, "nil": (*ulid.ULID)(nil), "zero": ulid.ULID{},
		}) {
			if verb == "%p" || name != "value" && (verb == "%#v" || verb == "%d") && name == "pointer" {
				continue // an address
			}
			group("fmt/"+verb).sees(name, func() (any, error) { return fmt.Sprintf(verb, v), nil })
		}
	}
	g := group("text")
	for _, t := range []string{
		"{{.}}", "{{.Time}}", "{{.String | len}}", "{{index . 0}}", "{{len .}}", `{{printf "%x" .}}`, "{{if .}}a{{end}}",
		"{{with .IsZero}}zero{{else}}not{{end}}", "{{eq . .}}", "{{range .}}{{.}} {{end}}", "{{js .}}", "{{.Value}}",
	} {
		for name, v := range map[string]any{"value": first} {
			g.sub("template "+t).sees(name, func() (any, error) {
				var b strings.Builder
				err := must(template.New("").Parse(t)).Execute(&b, v)
				return b.String(), err
			})
		}
	}
	for name, handler := range inOrder(map[string]func(io.Writer, *slog.HandlerOptions) slog.Handler{
		"text": func(w io.Writer, o *slog.HandlerOptions) slog.Handler { return slog.NewTextHandler(w, o) },
		"JSON": func(w io.Writer, o *slog.HandlerOptions) slog.Handler { return slog.NewJSONHandler(w, o) },
	}) {
		g.sees("slog "+name, func() (any, error) {
			var b strings.Builder
			withoutTime := func(_ []string, a slog.Attr) slog.Attr {
				if a.Key == slog.TimeKey {
					return slog.Attr{}
				}
				return a
			}
			logger := slog.New(handler(&b, &slog.HandlerOptions{ReplaceAttr: withoutTime}))
			logger.Info("a", "id", first, "pointer", &id, "nil", (*ulid.ULID)(nil), "slice", []ulid.ULID{first})
			return b.String(), nil
		})
	}
	g.sees("log", func() (any, error) {
		var b strings.Builder
		log.New(&b, "", 0).Print(first, &id)
		return b.String(), nil
	})
	for _, arg := range []string{text, strings.ToLower(text), text[:25], "8" + text[1:]} {
		g.sees("flag "+arg, func() (any, error) {
			flags := flag.NewFlagSet("a", flag.ContinueOnError)
			flags.SetOutput(io.Discard)
			var got ulid.ULID
			flags.TextVar(&got, "id", encoding.TextMarshaler(before), "an ID")
			err := flags.Parse([]string{"-id", arg})
			return got, err
		})
	}
	g.sees("Fscan", func() (any, error) {
		var got ulid.ULID
		_, err := fmt.Sscan(text, &got)
		return got, err
	})
}
