package vectors

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	oklog1 "github.com/oklog/ulid"
	oklog2 "github.com/oklog/ulid/v2"
	zeiss "github.com/zeiss/pkg/ulid"

	"github.com/seed-961d0905/ulid"
	"github.com/seed-961d0905/ulid/interop/golden"
	"github.com/seed-961d0905/ulid/interop/page"
)

// A question asks for one operation of an implementation, with one argument or two. All that is asked
// and answered is text, so that any language can take part.
type question struct {
	Op string `json:"op"`
	A  string `json:"a"`
	B  string `json:"b"`
}

// An answer is a value, an error, or that there is no such function.
type answer struct {
	Value string `json:"value"`
	Error string `json:"error"`
	None  bool   `json:"none"`
}

// operations are the functions of a Go implementation, by the names that questions use.
type operations map[string]func(a, b string) (string, error)

func (o operations) ask(questions []question) []answer {
	answers := make([]answer, len(questions))
	for i, q := range questions {
		answers[i] = o.answer(q)
	}
	return answers
}

func (o operations) answer(q question) answer {
	f := o[q.Op]
	if f == nil {
		return answer{None: true}
	}
	value, err := try(f, q)
	if err != nil {
		return answer{Error: err.Error()}
	}
	return answer{Value: value}
}

// try calls a function, and takes a panic for an error.
func try(f func(a, b string) (string, error), q question) (value string, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	return f(q.A, q.B)
}

// id is a ULID of some implementation.
type id interface {
	~[16]byte
	String() string
}

// reads are the operations of one that reads and writes texts.
func reads[ID id](parse func(string) (ID, error), ms func(ID) uint64) operations {
	return operations{
		"decode": func(text, _ string) (string, error) {
			id, err := parse(text)
			return fmt.Sprintf("%x", [16]byte(id)), err
		},
		"encode": func(digits, _ string) (string, error) { return ID(unhex(digits)).String(), nil },
		"ms": func(text, _ string) (string, error) {
			id, err := parse(text)
			return strconv.FormatUint(ms(id), 10), err
		},
	}
}

// functions are those that packages like oklog/ulid have.
type functions[ID id] struct {
	parse     func(string) (ID, error)
	ms        func(ID) uint64
	newID     func(ms uint64, entropy io.Reader) (ID, error)
	compare   func(a, b ID) int
	monotonic func(entropy io.Reader) io.Reader
}

func (f functions[ID]) operations() operations {
	o := reads(f.parse, f.ms)
	o["time"] = func(ms, _ string) (string, error) {
		id, err := f.newID(number(ms), bytes.NewReader(make([]byte, 10)))
		return id.String()[:10], err
	}
	o["make"] = func(ms, entropy string) (string, error) {
		id, err := f.newID(number(ms), bytes.NewReader(unhex(entropy)))
		return id.String(), err
	}
	o["compare"] = func(a, b string) (string, error) {
		idA, errA := f.parse(a)
		idB, errB := f.parse(b)
		return strconv.Itoa(f.compare(idA, idB)), errors.Join(errA, errB)
	}
	o["monotonic"] = f.run
	return o
}

// run makes IDs at times from one monotonic source. Those that it refuses are "error".
func (f functions[ID]) run(times, entropy string) (string, error) {
	source := f.monotonic(bytes.NewReader(unhex(strings.ReplaceAll(entropy, ",", ""))))
	var made []string
	for ms := range strings.SplitSeq(times, ",") {
		text := "error"
		id, err := f.newID(number(ms), source)
		if err == nil {
			text = id.String()
		}
		made = append(made, text)
	}
	return strings.Join(made, ","), nil
}

func number(s string) uint64 {
	n, err := strconv.ParseUint(s, 10, 64)
	if err != nil {
		panic(err)
	}
	return n
}

// ours are the operations of this library.
func ours() operations {
	o := functions[ulid.ULID]{
		parse:     ulid.Parse,
		ms:        ulid.ULID.Time,
		newID:     ulid.New,
		compare:   ulid.ULID.Compare,
		monotonic: func(entropy io.Reader) io.Reader { return ulid.Monotonic(entropy, 1) },
	}.operations()
	o["lenient"] = func(s, _ string) (string, error) {
		id, err := ulid.ParseLenient(s)
		return id.String(), err
	}
	o["fromuuid"] = func(s, _ string) (string, error) {
		id, err := ulid.ParseUUID(s)
		return id.String(), err
	}
	o["uuid"] = func(s, _ string) (string, error) {
		id, err := ulid.Parse(s)
		return id.UUIDString(), err
	}
	o["first"] = func(ms, _ string) (string, error) {
		return ulid.FirstAt(time.UnixMilli(int64(number(ms)))).String(), nil
	}
	o["last"] = func(ms, _ string) (string, error) {
		return ulid.LastAt(time.UnixMilli(int64(number(ms)))).String(), nil
	}
	return o
}

// version1 are the operations of oklog/ulid, of its first version.
func version1(parse func(string) (oklog1.ULID, error)) operations {
	return functions[oklog1.ULID]{
		parse:     parse,
		ms:        oklog1.ULID.Time,
		newID:     oklog1.New,
		compare:   oklog1.ULID.Compare,
		monotonic: func(entropy io.Reader) io.Reader { return oklog1.Monotonic(entropy, 1) },
	}.operations()
}

func version2(parse func(string) (oklog2.ULID, error)) operations {
	return functions[oklog2.ULID]{
		parse:     parse,
		ms:        oklog2.ULID.Time,
		newID:     oklog2.New,
		compare:   oklog2.ULID.Compare,
		monotonic: func(entropy io.Reader) io.Reader { return oklog2.Monotonic(entropy, 1) },
	}.operations()
}

// A peer is a row of the table.
type peer struct {
	name     string
	module   string // for its version; empty for this library
	version  string
	function string // what reads a text
	npm      string // its name in npm/peer.js, if it is asked there, where texts are Unicode
	operations
}

// key names the peer without its version.
func (p peer) key() string { return strings.TrimSpace(p.name + " " + p.function) }

func (p peer) String() string {
	if p.module == "" {
		return p.name
	}
	return p.name + " " + p.version + ", `" + p.function + "`"
}

// TestZeiss shows why the table lacks zeiss/pkg/ulid: it aligns the bits to the left of the 26 characters.
func TestZeiss(t *testing.T) {
	page.Fact(t, "docs/vectors.md", "zeiss")
	page.Contains(t, "docs/vectors.md", golden.Module(t, "github.com/zeiss/pkg"))
	if id, err := zeiss.ParseString("01ARZ3NDEKTSV4RRFFQ69G5FAV"); err == nil {
		t.Errorf("it reads the specification's example as %x", id)
	}
	if id, err := zeiss.ParseString("80000000000000000000000000"); err != nil || id[0] != 0x40 {
		t.Errorf("it reads a first digit of 8 as %x, %v, want its bits on the left", id, err)
	}
}

func goPeers() []peer {
	const v1, v2 = "github.com/oklog/ulid", "github.com/oklog/ulid/v2"
	return []peer{
		{name: "ulid", operations: ours()},
		{name: "oklog/ulid", module: v2, function: "Parse", operations: version2(oklog2.Parse)},
		{name: "oklog/ulid", module: v2, function: "ParseStrict", operations: version2(oklog2.ParseStrict)},
		{name: "oklog/ulid", module: v1, function: "Parse", operations: version1(oklog1.Parse)},
		{name: "oklog/ulid", module: v1, function: "ParseStrict", operations: version1(oklog1.ParseStrict)},
	}
}

// npmPeers are asked by npm/peer.js, all at once.
func npmPeers() []peer {
	return []peer{
		{name: "npm ulid", module: "ulid", function: "ulidToUUID", npm: "ulid"},
		{name: "npm ulid", module: "ulid", function: "isValid", npm: "ulid-isValid"},
		{name: "npm ulid", module: "ulid", function: "decodeTime", npm: "ulid-decodeTime"},
		{name: "npm ulidx", module: "ulidx", function: "ulidToUUID", npm: "ulidx"},
		{name: "npm ulidx", module: "ulidx", function: "isValid", npm: "ulidx-isValid"},
		{name: "npm ulidx", module: "ulidx", function: "decodeTime", npm: "ulidx-decodeTime"},
		{name: "npm id128", module: "id128", function: "Ulid.fromCanonical", npm: "id128"},
	}
}

// version returns the version of a peer's module or package.
func version(t *testing.T, p peer) string {
	t.Helper()
	var found string
	if p.npm != "" {
		found = npmVersions(t)[p.module]
	} else if p.module != "" {
		out, err := exec.Command("go", "list", "-m", "-f", "{{.Version}}", p.module).Output()
		if err != nil {
			t.Fatalf("go list -m %s: %v", p.module, err)
		}
		found = strings.TrimSpace(string(out))
	}
	if p.module != "" && found == "" {
		t.Fatalf("%s has no version", p.module)
	}
	return found
}
