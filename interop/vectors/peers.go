package main

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strconv"
	"strings"
	"time"

	oklog1 "github.com/oklog/ulid"
	oklog2 "github.com/oklog/ulid/v2"
	zeiss "github.com/zeiss/pkg/ulid"

	"github.com/seed-961d0905/ulid"
	"github.com/seed-961d0905/ulid/interop/internal/node"
)

// A question asks for one operation of an implementation. All that is asked and answered is text, so that any
// language can take part.
type question struct {
	Op   string   `json:"op"`
	Args []string `json:"args"`
}

// An answer is a value, an error, or that there is no such function.
type answer struct {
	Value string `json:"value"`
	Error string `json:"error"`
	None  bool   `json:"none"`
}

// A peer is a row of the table.
type peer struct {
	name     string
	module   string // for its version; empty for this library
	version  string
	function string // what reads a text
	node     string // its name in npm/peer.js, if it is asked there; then its texts are Unicode
	ask      func([]question) []answer
}

// key names the peer without its version.
func (p peer) key() string { return strings.TrimSpace(p.name + " " + p.function) }

func (p peer) String() string {
	if p.module == "" {
		return p.name
	}
	return p.name + " " + p.version + ", `" + p.function + "`"
}

// operations are the functions of a Go implementation, by the names that questions use. What is nil, the
// implementation does not have.
type operations struct {
	decode    func(text string) ([16]byte, error)
	encode    func([16]byte) string
	ms        func([16]byte) uint64
	lenient   func(text string) ([16]byte, error)
	make      func(ms uint64, entropy io.Reader) ([16]byte, error)
	compare   func(a, b [16]byte) int
	monotonic func(io.Reader) io.Reader // for make
	uuid      func([16]byte) string
	fromUUID  func(uuid string) ([16]byte, error)
	first     func(time.Time) [16]byte
	last      func(time.Time) [16]byte
}

func (o operations) ask(questions []question) []answer {
	answers := make([]answer, len(questions))
	for i, q := range questions {
		value, err := o.answer(q.Op, q.Args)
		switch {
		case err == errNone:
			answers[i].None = true
		case err != nil:
			answers[i].Error = err.Error()
		default:
			answers[i].Value = value
		}
	}
	return answers
}

var errNone = errors.New("there is no such function")

func (o operations) answer(op string, args []string) (value string, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	switch {
	case op == "decode":
		id, err := o.decode(args[0])
		return hex.EncodeToString(id[:]), err
	case op == "encode":
		return o.encode([16]byte(unhex(args[0]))), nil
	case op == "ms":
		id, err := o.decode(args[0])
		return strconv.FormatUint(o.ms(id), 10), err
	case op == "lenient" && o.lenient != nil:
		id, err := o.lenient(args[0])
		return o.encode(id), err
	case op == "time" && o.make != nil:
		id, err := o.make(mustUint(args[0]), bytes.NewReader(make([]byte, 10)))
		return o.encode(id)[:10], err
	case op == "make" && o.make != nil:
		id, err := o.make(mustUint(args[0]), bytes.NewReader(unhex(args[1])))
		return o.encode(id), err
	case op == "first" && o.first != nil:
		return o.encode(o.first(time.UnixMilli(int64(mustUint(args[0]))))), nil
	case op == "last" && o.last != nil:
		return o.encode(o.last(time.UnixMilli(int64(mustUint(args[0]))))), nil
	case op == "compare" && o.compare != nil:
		a, errA := o.decode(args[0])
		b, errB := o.decode(args[1])
		return strconv.Itoa(o.compare(a, b)), errors.Join(errA, errB)
	case op == "monotonic" && o.monotonic != nil:
		source := o.monotonic(bytes.NewReader(unhex(strings.ReplaceAll(args[1], ",", ""))))
		var made []string
		for _, ms := range strings.Split(args[0], ",") {
			if id, err := o.make(mustUint(ms), source); err != nil {
				made = append(made, "error")
			} else {
				made = append(made, o.encode(id))
			}
		}
		return strings.Join(made, ","), nil
	case op == "uuid" && o.uuid != nil:
		id, err := o.decode(args[0])
		return o.uuid(id), err
	case op == "fromuuid" && o.fromUUID != nil:
		id, err := o.fromUUID(args[0])
		return o.encode(id), err
	}
	return "", errNone
}

func mustUint(s string) uint64 {
	n, err := strconv.ParseUint(s, 10, 64)
	if err != nil {
		panic(err)
	}
	return n
}

func unhex(s string) []byte {
	b, err := hex.DecodeString(s)
	if err != nil {
		panic(err)
	}
	return b
}

func goPeers() []peer {
	ours := operations{
		decode:    func(s string) ([16]byte, error) { id, err := ulid.Parse(s); return id, err },
		encode:    func(id [16]byte) string { return ulid.ULID(id).String() },
		ms:        func(id [16]byte) uint64 { return ulid.ULID(id).Time() },
		lenient:   func(s string) ([16]byte, error) { id, err := ulid.ParseLenient(s); return id, err },
		make:      func(ms uint64, r io.Reader) ([16]byte, error) { id, err := ulid.New(ms, r); return id, err },
		compare:   func(a, b [16]byte) int { return ulid.ULID(a).Compare(b) },
		monotonic: func(r io.Reader) io.Reader { return ulid.Monotonic(r, 1) },
		uuid:      func(id [16]byte) string { return ulid.ULID(id).UUIDString() },
		fromUUID:  func(s string) ([16]byte, error) { id, err := ulid.ParseUUID(s); return id, err },
		first:     func(t time.Time) [16]byte { return ulid.FirstAt(t) },
		last:      func(t time.Time) [16]byte { return ulid.LastAt(t) },
	}
	two := operations{
		decode:    func(s string) ([16]byte, error) { id, err := oklog2.Parse(s); return id, err },
		encode:    func(id [16]byte) string { return oklog2.ULID(id).String() },
		ms:        func(id [16]byte) uint64 { return oklog2.ULID(id).Time() },
		make:      func(ms uint64, r io.Reader) ([16]byte, error) { id, err := oklog2.New(ms, r); return id, err },
		compare:   func(a, b [16]byte) int { return oklog2.ULID(a).Compare(b) },
		monotonic: func(r io.Reader) io.Reader { return oklog2.Monotonic(r, 1) },
	}
	twoStrict := two
	twoStrict.decode = func(s string) ([16]byte, error) { id, err := oklog2.ParseStrict(s); return id, err }
	one := operations{
		decode:    func(s string) ([16]byte, error) { id, err := oklog1.Parse(s); return id, err },
		encode:    func(id [16]byte) string { return oklog1.ULID(id).String() },
		ms:        func(id [16]byte) uint64 { return oklog1.ULID(id).Time() },
		make:      func(ms uint64, r io.Reader) ([16]byte, error) { id, err := oklog1.New(ms, r); return id, err },
		compare:   func(a, b [16]byte) int { return oklog1.ULID(a).Compare(b) },
		monotonic: func(r io.Reader) io.Reader { return oklog1.Monotonic(r, 1) },
	}
	oneStrict := one
	oneStrict.decode = func(s string) ([16]byte, error) { id, err := oklog1.ParseStrict(s); return id, err }
	leftAligned := operations{
		decode: func(s string) ([16]byte, error) { id, err := zeiss.ParseString(s); return id, err },
		encode: func(id [16]byte) string { return zeiss.ULID(id).String() },
		ms:     func(id [16]byte) uint64 { return uint64(zeiss.ULID(id).Time()) },
	}
	return []peer{
		{name: "this library", ask: ours.ask},
		{name: "oklog/ulid", module: "github.com/oklog/ulid/v2", function: "Parse", ask: two.ask},
		{name: "oklog/ulid", module: "github.com/oklog/ulid/v2", function: "ParseStrict", ask: twoStrict.ask},
		{name: "oklog/ulid", module: "github.com/oklog/ulid", function: "Parse", ask: one.ask},
		{name: "oklog/ulid", module: "github.com/oklog/ulid", function: "ParseStrict", ask: oneStrict.ask},
		{name: "zeiss/pkg/ulid", module: "github.com/zeiss/pkg", function: "ParseString", ask: leftAligned.ask},
	}
}

// npmPeers are asked by npm/peer.js, all at once.
func npmPeers() []peer {
	var peers []peer
	for _, name := range []string{"ulid", "ulidx"} {
		for _, function := range []string{"ulidToUUID", "isValid", "decodeTime"} {
			p := peer{name: "npm " + name, module: name, function: function, node: name + "-" + function}
			p.node = strings.TrimSuffix(p.node, "-ulidToUUID")
			peers = append(peers, p)
		}
	}
	return append(peers, peer{name: "npm id128", module: "id128", function: "Ulid.fromCanonical", node: "id128"})
}

// askNPM answers for all rows of npm, by their names in npm/peer.js.
func askNPM(dir string, questions []question) (answers map[string][]answer, err error) {
	return answers, node.Ask(dir, "peer.js", questions, &answers)
}

// versions returns the versions of the peers' modules and packages.
func versions(peers []peer, npmDir string) (map[string]string, error) {
	packages, err := node.Versions(npmDir + "/package-lock.json")
	if err != nil {
		return nil, err
	}
	found := map[string]string{}
	for _, p := range peers {
		switch {
		case p.node != "":
			found[p.module] = packages["node_modules/"+p.module]
		case p.module != "":
			out, err := exec.Command("go", "list", "-m", "-f", "{{.Version}}", p.module).Output()
			if err != nil {
				return nil, fmt.Errorf("go list %s: %w", p.module, err)
			}
			found[p.module] = strings.TrimSpace(string(out))
		}
	}
	return found, nil
}
