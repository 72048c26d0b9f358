package ulid

//lint:file-ignore SA1019 It has the deprecated names, because oklog/ulid has them.

import (
	"bytes"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/seed-961d0905/ulid"
)

// The names are those of oklog/ulid 2.1.2, and no others. interop/migrating compares all of them with the real library.
func TestNames(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "ulid.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for node := range ast.Preorder(file) {
		switch node := node.(type) {
		case *ast.TypeSpec:
			names = append(names, node.Name.Name)
		case *ast.ValueSpec:
			names = append(names, node.Names[0].Name)
		case *ast.FuncDecl:
			if node.Recv == nil {
				names = append(names, node.Name.Name)
			}
		}
	}
	names = slices.DeleteFunc(names, func(name string) bool { return !ast.IsExported(name) })
	slices.Sort(names)
	want := strings.Fields(`DefaultEntropy EncodedSize Encoding ErrBigTime ErrBufferSize ErrDataSize ErrInvalidCharacters
		ErrMonotonicOverflow ErrOverflow ErrScanValue LockedMonotonicReader Make MaxTime Monotonic MonotonicEntropy
		MonotonicReader MustNew MustNewDefault MustParse MustParseStrict New Now Parse ParseStrict Time Timestamp ULID Zero`)
	if !slices.Equal(names, want) {
		t.Errorf("the names are %v, want %v", names, want)
	}

	setters := strings.Fields("Scan SetEntropy SetTime UnmarshalBinary UnmarshalText")
	getters := strings.Fields(`Bytes Compare Entropy IsZero MarshalBinary MarshalBinaryTo MarshalText MarshalTextTo String
		Time Timestamp Value`)
	if got := methods(reflect.TypeFor[ULID]()); !slices.Equal(got, getters) {
		t.Errorf("the methods of a ULID are %v, want %v", got, getters)
	}
	want = slices.Sorted(slices.Values(append(setters, getters...)))
	if got := methods(reflect.TypeFor[*ULID]()); !slices.Equal(got, want) {
		t.Errorf("the methods of a *ULID are %v, want %v", got, want)
	}
	for own, library := range map[reflect.Type]reflect.Type{
		reflect.TypeFor[MonotonicReader]():       reflect.TypeFor[ulid.MonotonicReader](),
		reflect.TypeFor[MonotonicEntropy]():      reflect.TypeFor[ulid.MonotonicEntropy](),
		reflect.TypeFor[LockedMonotonicReader](): reflect.TypeFor[ulid.LockedMonotonicReader](),
	} {
		if own != library {
			t.Errorf("%v is not %v", own, library)
		}
	}
}

func methods(receiver reflect.Type) (names []string) {
	for i := range receiver.NumMethod() {
		names = append(names, receiver.Method(i).Name)
	}
	return names
}

// Each method returns what that of the library returns, but Value, which returns the bytes.
func TestMethods(t *testing.T) {
	for _, library := range []ulid.ULID{{}, ulid.Make(), ulid.LastAt(Time(MaxTime()))} {
		id := ULID(library)
		value, err := id.Value()
		if b, ok := value.([]byte); err != nil || !ok || !bytes.Equal(b, library[:]) {
			t.Errorf("Value of %s = %v, %v; want the 16 bytes", library, value, err)
		}
		text, _ := id.MarshalText()
		binary, _ := id.MarshalBinary()
		got := []any{
			id.String(), id.Bytes(), id.Time(), id.Timestamp(), id.Entropy(), id.IsZero(), string(text), binary,
			id.Compare(ULID{5}),
		}
		want := []any{
			library.String(), library[:], library.Time(), library.Timestamp(), library.Entropy(), library.IsZero(),
			library.String(), library[:], library.Compare(ulid.ULID{5}),
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("the methods of %s return\n%v, want\n%v", library, got, want)
		}
		textTo, binaryTo := make([]byte, 26), make([]byte, 16)
		if err := errors.Join(id.MarshalTextTo(textTo), id.MarshalBinaryTo(binaryTo)); err != nil {
			t.Error(err)
		}
		if string(textTo) != library.String() || !bytes.Equal(binaryTo, library[:]) {
			t.Errorf("MarshalTextTo and MarshalBinaryTo write %q and %x", textTo, binaryTo)
		}
		for name, set := range map[string]func(id *ULID) error{
			"UnmarshalText":    func(id *ULID) error { return id.UnmarshalText([]byte(library.String())) },
			"UnmarshalBinary":  func(id *ULID) error { return id.UnmarshalBinary(library[:]) },
			"Scan of a string": func(id *ULID) error { return id.Scan(library.String()) },
			"Scan of 26 bytes": func(id *ULID) error { return id.Scan([]byte(library.String())) },
			"Scan of 16 bytes": func(id *ULID) error { return id.Scan(library[:]) },
			"SetTime, SetEntropy": func(id *ULID) error {
				return errors.Join(id.SetTime(library.Time()), id.SetEntropy(library.Entropy()))
			},
		} {
			got := ULID{1, 15: 1}
			if err := set(&got); err != nil || got != id {
				t.Errorf("%s gives %s, %v; want %s", name, got, err, id)
			}
		}
	}
	id := Make()
	if err := id.Scan(nil); err != nil || id != (ULID{}) {
		t.Errorf("Scan of NULL gives %s, %v; want zero", id, err)
	}
}

// What makes and parses IDs is that of the library, too.
func TestFunctions(t *testing.T) {
	at := time.UnixMilli(1469918176385)
	for name, id := range map[string]ULID{
		"New":             ULID(must(New(Timestamp(at), strings.NewReader("0123456789")))),
		"MustNew":         MustNew(Timestamp(at), strings.NewReader("0123456789")),
		"Parse":           must(Parse("01ARYZ6S4160RK4CSM6MV3EE1S")),
		"ParseStrict":     must(ParseStrict("01ARYZ6S4160RK4CSM6MV3EE1S")),
		"MustParse":       MustParse("01ARYZ6S4160RK4CSM6MV3EE1S"),
		"MustParseStrict": MustParseStrict("01ARYZ6S4160RK4CSM6MV3EE1S"),
	} {
		if want := "01ARYZ6S4160RK4CSM6MV3EE1S"; id.String() != want {
			t.Errorf("%s = %s, want %s", name, id, want)
		}
	}
	if first, second := Make(), Make(); first.Compare(second) >= 0 {
		t.Errorf("Make gives %s after %s", second, first)
	}
	if first, second := MustNewDefault(at), MustNew(Timestamp(at), DefaultEntropy()); first.Compare(second) >= 0 {
		t.Errorf("DefaultEntropy gives %s after %s", second, first)
	}
	m := Monotonic(strings.NewReader("0123456789"), 1)
	if first, second := MustNew(1, m), MustNew(1, m); second[15] != first[15]+1 {
		t.Errorf("Monotonic gives %s after %s", second, first)
	}
	if now := Now(); now+1000 < Make().Time() || Time(now).UnixMilli() != int64(now) || MaxTime() != 1<<48-1 {
		t.Errorf("the time is %d", now)
	}
	for text := range constants {
		for name, parse := range map[string]func(string) (ULID, error){"Parse": Parse, "ParseStrict": ParseStrict} {
			if id, err := parse(text); err == nil || id != (ULID{}) {
				t.Errorf("%s(%s) = %s, %v; want an error", name, text, id, err)
			}
		}
		if !panics(func() { MustParseStrict(text) }) {
			t.Errorf("MustParseStrict(%s) does not panic", text)
		}
		if got := MustParse(text).String(); got != constants[text] {
			t.Errorf("MustParse(%s) = %s", text, got)
		}
	}
}

func must(id ULID, err error) ULID {
	if err != nil {
		panic(err)
	}
	return id
}

func panics(f func()) (panicked bool) {
	defer func() { panicked = recover() != nil }()
	f()
	return false
}
