package ulid

import (
	"bytes"
	"crypto/rand"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	mathrand "math/rand/v2"
	"reflect"
	"sync"
	"testing"
	"testing/iotest"
	"time"
)

// What the tests of several files use. What they compare with stands in reference_test.go.

func mustHex(s string) (id ULID) {
	if n, err := hex.Decode(id[:], []byte(s)); n != 16 || err != nil {
		panic(s)
	}
	return id
}

func mustPanic(t *testing.T, name string, f func()) {
	t.Helper()
	defer func() {
		t.Helper()
		if recover() == nil {
			t.Errorf("%s did not panic", name)
		}
	}()
	f()
}

// panicOf returns the error with which f panics, or nil.
func panicOf(f func()) (err error) {
	defer func() { err, _ = recover().(error) }()
	f()
	return nil
}

// Types of IDs.

// An idType is a type of IDs, with what the tests of every type need.
type idType struct {
	name   string
	stores format // what Value returns and Scan reads
	writes format // what String returns, and text and JSON have
	of     func(ULID) any
}

// idTypes has every type of the package.
var idTypes = []idType{
	idTypeOf[ULID]("ULID", textFormat, textFormat),
	idTypeOf[AsBinary]("AsBinary", binaryFormat, textFormat),
	idTypeOf[AsUUID]("AsUUID", uuidFormat, textFormat),
	idTypeOf[UUID]("UUID", uuidFormat, uuidFormat),
}

func idTypeOf[T ~[16]byte](name string, stores, writes format) idType {
	return idType{name, stores, writes, func(id ULID) any { return T(id) }}
}

// pointer returns a pointer to the ID as the type.
func (typ idType) pointer(id ULID) any {
	pointer := reflect.New(reflect.TypeOf(typ.of(id)))
	pointer.Elem().Set(reflect.ValueOf(typ.of(id)))
	return pointer.Interface()
}

// text returns what the type writes.
func (typ idType) text(id ULID) string {
	if typ.writes == uuidFormat {
		return referenceUUIDString(id)
	}
	return referenceString(id)
}

// Generators and their IDs.

// checkID shows both IDs by the fields of layout, one under the other.
func checkID(t *testing.T, got, want ULID) {
	t.Helper()
	fields := func(id ULID) string {
		hi, lo := binary.BigEndian.Uint64(id[:8]), binary.BigEndian.Uint64(id[8:])
		return fmt.Sprintf("time %012x, version %x, fraction %03x, variant %x, rest of fraction %x, random %015x",
			hi>>16, hi>>12%16, hi%(1<<12), lo>>62, lo>>58%16, lo%(1<<58))
	}
	if got != want {
		t.Fatalf("got  %s,\nwant %s", fields(got), fields(want))
	}
}

func mustNew(t *testing.T, at time.Time, entropy io.Reader) ULID {
	t.Helper()
	id, err := New(at, entropy)
	if err != nil {
		t.Fatal(err)
	}
	return id
}

func checkUnlocked(t *testing.T, mu *sync.Mutex) {
	t.Helper()
	if !mu.TryLock() {
		t.Fatal("a lock was left behind")
	}
	mu.Unlock()
}

// Readers, and what stands in the place of crypto/rand.Reader.

// failing is a reader that gives n bytes of 0xab and then fails.
func failing(n int, err error) io.Reader {
	return io.MultiReader(io.LimitReader(constant(0xab), int64(n)), iotest.ErrReader(err))
}

type readerFunc func(p []byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

var errFaulty = errors.New("faulty")

// A recorder is a reader and a Source that keeps what it gave each time, in the order of the calls. It also keeps the
// readings of a clock, as nil.
type recorder struct {
	io.Reader
	calls [][]byte
}

func (r *recorder) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	r.calls = append(r.calls, bytes.Clone(p[:n]))
	return n, err
}

func (r *recorder) Uint64() uint64 {
	p := make([]byte, 8)
	r.Read(p)
	return binary.BigEndian.Uint64(p)
}

// clock returns a clock whose readings are kept.
func (r *recorder) clock(now func() time.Time) func() time.Time {
	return func() time.Time {
		r.calls = append(r.calls, nil)
		return now()
	}
}

// mustHaveReadClock takes the oldest call that is left, which must have read a clock.
func (r *recorder) mustHaveReadClock(t *testing.T) {
	t.Helper()
	r.mustHaveRead(t, 0)
}

// mustHaveRead takes the oldest call that is left, which must have read n bytes.
func (r *recorder) mustHaveRead(t *testing.T, n int) []byte {
	t.Helper()
	if len(r.calls) == 0 || len(r.calls[0]) != n {
		t.Fatalf("the calls that are left have read %x; want %d bytes first, where none are a clock", r.calls, n)
	}
	p := r.calls[0]
	r.calls = r.calls[1:]
	return p
}

// mustEnd checks that no call is left.
func (r *recorder) mustEnd(t *testing.T) {
	t.Helper()
	if len(r.calls) > 0 {
		t.Fatalf("%x were read, and are in no ID", r.calls)
	}
}

// record lets a recorder take the place of crypto/rand.Reader.
func record(t *testing.T) *recorder {
	r := &recorder{Reader: rand.Reader}
	replaceSystem(t, r)
	return r
}

// replaceSystem puts a reader in the place of crypto/rand.Reader for the rest of the test.
func replaceSystem(t *testing.T, reader io.Reader) {
	t.Helper()
	before := rand.Reader
	t.Cleanup(func() { rand.Reader = before })
	rand.Reader = reader
}

// seeded returns a reader and Source of random bytes that are the same in every run.
func seeded(n byte) *mathrand.ChaCha8 { return mathrand.NewChaCha8([32]byte{n}) }

// constant is a reader and Source of the same byte for ever.
type constant byte

func (c constant) Uint64() uint64 { return uint64(c) * 0x0101_0101_0101_0101 }

func (c constant) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = byte(c)
	}
	return len(p), nil
}

// isExactly reports whether err is want, and an ErrSyntax, an ErrOverflow or an InvalidCharacterError only if want is.
func isExactly(err, want error) bool {
	return errors.Is(err, want) && kindOf(err) == kindOf(want)
}

func kindOf(err error) (kind struct {
	isSyntax, isOverflow bool
	wrong                InvalidCharacterError
}) {
	kind.isSyntax, kind.isOverflow = errors.Is(err, ErrSyntax), errors.Is(err, ErrOverflow)
	errors.As(err, &kind.wrong)
	return kind
}
