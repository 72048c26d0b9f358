package typed

import (
	"bytes"
	"crypto/rand"
	"database/sql/driver"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/seed-961d0905/ulid"
)

// Kinds of each column, with and without a prefix.
type (
	plain     struct{ TextColumn }
	uuid      struct{ UUIDColumn }
	workspace struct{ PrefixColumn } // whose strings are as long as a UUID
	raw       struct{ BinaryColumn }
	user      struct{ UUIDColumn }
	order     struct{ TextColumn }
	doc       struct{ BinaryColumn }
	nine      struct{ TextColumn } // whose strings are as long as a UUID
	member    struct{ PrefixColumn }
	vector    struct{ PrefixColumn }
	vector2   struct{ UUIDColumn }
)

func (plain) Prefix() string     { return "" }
func (uuid) Prefix() string      { return "" }
func (raw) Prefix() string       { return "" }
func (user) Prefix() string      { return "user" }
func (order) Prefix() string     { return "order" }
func (doc) Prefix() string       { return "doc" }
func (nine) Prefix() string      { return "ninechars" }
func (member) Prefix() string    { return "member" }
func (workspace) Prefix() string { return "workspace" }
func (vector) Prefix() string    { return "prefix" }
func (vector2) Prefix() string   { return "pre_fix" }

const (
	text      = "01h455vb4pex5vsknk084sn02q"
	upperText = "01H455VB4PEX5VSKNK084SN02Q"
	hex       = "01890a5d-ac96-774b-bcce-b302099a8057"
	zeros     = "00000000000000000000000000"
)

var known = ulid.ULID(ulid.MustParseUUID(hex))

// TestValid has the valid cases of version 0.3 of the TypeID specification, spec/valid.yml.
func TestValid(t *testing.T) {
	for text, want := range map[string]string{
		zeros:                                "00000000-0000-0000-0000-000000000000",
		"00000000000000000000000001":         "00000000-0000-0000-0000-000000000001",
		"0000000000000000000000000a":         "00000000-0000-0000-0000-00000000000a",
		"0000000000000000000000000g":         "00000000-0000-0000-0000-000000000010",
		"00000000000000000000000010":         "00000000-0000-0000-0000-000000000020",
		"7zzzzzzzzzzzzzzzzzzzzzzzzz":         "ffffffff-ffff-ffff-ffff-ffffffffffff",
		"prefix_0123456789abcdefghjkmnpqrs":  "0110c853-1d09-52d8-d73e-1194e95b5f19",
		"prefix_" + text:                     hex,
		"pre_fix_00000000000000000000000000": "00000000-0000-0000-0000-000000000000",
	} {
		var got, back string
		var err error
		switch {
		case strings.HasPrefix(text, "prefix_"):
			got, back, err = roundTrip[vector](text)
		case strings.HasPrefix(text, "pre_fix_"):
			got, back, err = roundTrip[vector2](text)
		default: // without a prefix the text is the one of a ULID, in upper case
			got, back, err = roundTrip[plain](text)
			back = strings.ToLower(back)
		}
		if err != nil || got != want || back != text {
			t.Errorf("%s is read as %s, %v, and written as %s, want %s", text, got, err, back, want)
		}
	}
}

func roundTrip[K Kind](text string) (uuid, back string, err error) {
	id, err := Parse[K](text)
	return id.UUIDString(), id.String(), err
}

// TestInvalid has the invalid cases of the specification, spec/invalid.yml, and more, with their errors.
func TestInvalid(t *testing.T) {
	long := strings.Repeat("abcdefghijklmnopqrstuvwxyz", 3)[:64] + "_" + zeros
	for text, want := range map[string]struct {
		message string
		err     error
	}{
		"PREFIX_" + zeros:                    {`wrong prefix, want "prefix"`, ulid.ErrSyntax},
		"12345_" + zeros:                     {"length 32, want 33", ulid.ErrSyntax},
		"pre.fix_" + zeros:                   {"length 34, want 33", ulid.ErrSyntax},
		"préfix_" + zeros:                    {"length 34, want 33", ulid.ErrSyntax},
		"  prefix_" + zeros:                  {"length 35, want 33", ulid.ErrSyntax},
		long:                                 {"length 91, want 33", ulid.ErrSyntax},
		"_" + zeros:                          {"length 27, want 33", ulid.ErrSyntax},
		"_":                                  {"length 1, want 33", ulid.ErrSyntax},
		"prefix_1234567890123456789012345":   {"length 32, want 33", ulid.ErrSyntax},
		"prefix_123456789012345678901234567": {"length 34, want 33", ulid.ErrSyntax},
		"prefix_1234567890123456789012345 ":  {"invalid character ' ' at offset 32", ulid.ErrSyntax},
		"prefix_0123456789ABCDEFGHJKMNPQRS": {
			"invalid character 'A' at offset 17, want lower case", ulid.ErrSyntax,
		},
		"prefix_123456789-123456789-123456":   {"invalid character '-' at offset 16", ulid.ErrSyntax},
		"prefix_ooooooiiiiiiuuuuuuulllllll":   {"invalid character 'o' at offset 7", ulid.ErrSyntax},
		"prefix_i23456789ol23456789oi23456":   {"invalid character 'i' at offset 7", ulid.ErrSyntax},
		"prefix_123456789-0123456789-0123456": {"length 35, want 33", ulid.ErrSyntax},
		"prefix_8zzzzzzzzzzzzzzzzzzzzzzzzz": {
			"greater than 7ZZZZZZZZZZZZZZZZZZZZZZZZZ, the largest ULID", ulid.ErrOverflow,
		},
		"_prefix_" + zeros: {"length 34, want 33", ulid.ErrSyntax},
		"prefix__" + zeros: {"length 34, want 33", ulid.ErrSyntax},
		"prefix_":          {"length 7, want 33", ulid.ErrSyntax},
		"":                 {"length 0, want 33", ulid.ErrSyntax},

		"garbage":        {"length 7, want 33", ulid.ErrSyntax},
		hex:              {"length 36, want 33", ulid.ErrSyntax},
		zeros:            {`prefix none, want "prefix"`, ulid.ErrSyntax},
		"order_" + zeros: {`prefix "order", want "prefix"`, ulid.ErrSyntax},
		ID[longest]{}.String(): {
			fmt.Sprintf(`prefix %q, want "prefix"`, longest{}.Prefix()), ulid.ErrSyntax,
		},
		"prefix-" + zeros:                   {`wrong prefix, want "prefix"`, ulid.ErrSyntax},
		"prefix_prefix_" + zeros:            {`prefix "prefix_prefix", want "prefix"`, ulid.ErrSyntax},
		"prefix_01h455vb4pex5_vsknk084sn02": {"invalid character '_' at offset 20", ulid.ErrSyntax},
		"prefix_" + zeros[1:] + "Z": {
			"invalid character 'Z' at offset 32, want lower case", ulid.ErrSyntax,
		},
		"prefix_" + zeros[1:] + "I":    {"invalid character 'I' at offset 32", ulid.ErrSyntax},
		"prefix_" + zeros[1:] + "L":    {"invalid character 'L' at offset 32", ulid.ErrSyntax},
		"prefix_" + zeros[1:] + "O":    {"invalid character 'O' at offset 32", ulid.ErrSyntax},
		"prefix_" + zeros[1:] + "U":    {"invalid character 'U' at offset 32", ulid.ErrSyntax},
		"prefix_" + zeros[1:] + "@":    {"invalid character '@' at offset 32", ulid.ErrSyntax}, // not in lower case either
		"prefix_" + zeros[1:] + "\x00": {`invalid character '\x00' at offset 32`, ulid.ErrSyntax},
		"prefix_" + zeros[1:] + "\x80": {`invalid character '\x80' at offset 32`, ulid.ErrSyntax},
		"prefix_!" + zeros[2:] + "Z":   {"invalid character '!' at offset 7", ulid.ErrSyntax},
		"prefix_8" + zeros[2:] + "Z": {
			"invalid character 'Z' at offset 32, want lower case", ulid.ErrSyntax,
		},
		"prefix_Z" + zeros[2:] + "!": {
			"invalid character 'Z' at offset 7, want lower case", ulid.ErrSyntax,
		},
		"orders_" + upperText: {`wrong prefix, want "prefix"`, ulid.ErrSyntax},
		"prefix\x00" + zeros:  {`wrong prefix, want "prefix"`, ulid.ErrSyntax},
	} {
		checkInvalid[vector](t, text, "prefix ID: "+want.message, want.err)
	}
	for text, want := range map[string]struct {
		message string
		err     error
	}{
		"":                  {"length 0, want 26", ulid.ErrSyntax},
		"plain_" + zeros:    {`prefix "plain", want none`, ulid.ErrSyntax},
		zeros[1:] + "U":     {"invalid character 'U' at offset 25", ulid.ErrSyntax},
		"8" + zeros[1:]:     {"greater than 7ZZZZZZZZZZZZZZZZZZZZZZZZZ, the largest ULID", ulid.ErrOverflow},
		"plain_" + text[6:]: {"invalid character 'l' at offset 1", ulid.ErrSyntax},
	} {
		checkInvalid[plain](t, text, "plain ID: "+want.message, want.err)
	}
}

func checkInvalid[K Kind](t *testing.T, text, want string, wantErr error) {
	t.Helper()
	got, err := Parse[K](text)
	if err == nil || err.Error() != want || !errors.Is(err, wantErr) || !got.IsZero() {
		t.Fatalf("Parse(%q) = %v, %v, want %v", text, got, err, want)
	}
	if !errors.Is(err, ulid.ErrSyntax) || errors.Is(err, ulid.ErrOverflow) != (wantErr == ulid.ErrOverflow) {
		t.Errorf("the error of Parse(%q) is an ErrSyntax: %t, an ErrOverflow: %t", text,
			errors.Is(err, ulid.ErrSyntax), errors.Is(err, ulid.ErrOverflow))
	}
	var wrong ulid.InvalidCharacterError
	isCharacter := strings.Contains(want, "invalid character")
	if errors.As(err, &wrong) != isCharacter || isCharacter && text[wrong.Offset] != wrong.Char {
		t.Errorf("the error of Parse(%q) is %#v", text, wrong)
	}
	id := ID[K](known)
	if err := id.UnmarshalText([]byte(text)); err == nil || err.Error() != want || id.ULID() != known {
		t.Errorf("UnmarshalText(%q) = %v and leaves %v, want %v", text, err, id, want)
	}
	func() {
		defer func() {
			err, _ := recover().(error)
			quoted := fmt.Sprintf("%s in MustParse(%q)", want, text)
			if fmt.Sprint(err) != quoted || !errors.Is(err, wantErr) {
				t.Errorf("MustParse(%q) panics with %v, want %s", text, err, quoted)
			}
		}()
		MustParse[K](text)
	}()
	var kind K
	if !kind.needsPrefix() || text == hex || text == zeros {
		return // testScans has the messages of other columns
	}
	for _, src := range []any{text, []byte(text)} {
		if err := id.Scan(src); err == nil || err.Error() != want || errors.Is(err, wantErr) || id.ULID() != known {
			t.Errorf("Scan(%q) = %v and leaves %v, want %v, which wraps nothing", src, err, id, want)
		}
	}
}

// TestCase shows that a letter is read in lower case only, at each place.
func TestCase(t *testing.T) {
	for i := range text {
		bad := "prefix_" + text[:i] + "Z" + text[i+1:]
		want := fmt.Sprintf("prefix ID: invalid character 'Z' at offset %d, want lower case", len("prefix_")+i)
		checkInvalid[vector](t, bad, want, ulid.ErrSyntax)
	}
}

// A kindTest is what the IDs of a kind are in each form.
type kindTest struct {
	name  string // in errors
	text  string // of known
	value any    // of known in SQL
	gorm  string
}

// TestKinds has kinds of every column, with a prefix and without.
func TestKinds(t *testing.T) {
	testKind[member](t, kindTest{name: "member", text: "member_" + text, value: "member_" + text, gorm: "char(33)"})
	testKind[order](t, kindTest{name: "order", text: "order_" + text, value: upperText, gorm: "char(26)"})
	testKind[nine](t, kindTest{name: "ninechars", text: "ninechars_" + text, value: upperText, gorm: "char(26)"})
	testKind[plain](t, kindTest{name: "plain", text: upperText, value: upperText, gorm: "char(26)"})
	testKind[user](t, kindTest{name: "user", text: "user_" + text, value: hex, gorm: "uuid"})
	testKind[uuid](t, kindTest{name: "uuid", text: upperText, value: hex, gorm: "uuid"})
	testKind[doc](t, kindTest{name: "doc", text: "doc_" + text, value: known[:], gorm: "bytes"})
	testKind[raw](t, kindTest{name: "raw", text: upperText, value: known[:], gorm: "bytes"})
}

func testKind[K Kind](t *testing.T, want kindTest) {
	t.Run(want.name, func(t *testing.T) {
		testForms[K](t, want.text, want.value, want.gorm)
		testScans[K](t, want.name)
		testMethods[K](t)
		testLongInput[K](t)
		// What database/sql calls: a string or slice, and the interface that holds it.
		if n := testing.AllocsPerRun(100, func() { value, _ = ID[K](known).Value() }); n != 2 {
			t.Errorf("Value allocates %v times, want 2", n)
		}
	})
}

// columnsOfKind returns the columns that Kind accepts.
func columnsOfKind(t *testing.T) []string {
	kind := check(t, "package typed").Scope().Lookup("Kind").Type().Underlying().(*types.Interface)
	var columns []string
	for embedded := range kind.EmbeddedTypes() {
		union, isUnion := embedded.(*types.Union)
		if !isUnion {
			continue
		}
		for term := range union.Terms() {
			columns = append(columns, term.Type().(*types.Struct).Field(0).Name())
		}
	}
	return columns
}

// check returns the package of typed.go and more code.
func check(t *testing.T, more string) *types.Package {
	t.Helper()
	files := token.NewFileSet()
	code, err := parser.ParseFile(files, "typed.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	extra, err := parser.ParseFile(files, "more.go", more, 0)
	if err != nil {
		t.Fatal(err)
	}
	config := types.Config{Error: func(error) {}} // it finds no imports, and Kind needs none
	pkg, _ := config.Check("typed", files, []*ast.File{code, extra}, nil)
	return pkg
}

func TestLongestPrefix(t *testing.T) {
	testForms[longest](t, longest{}.Prefix()+"_"+text, longest{}.Prefix()+"_"+text, "char(90)")
}

// testForms compares the text, the bytes and the value of SQL of one kind.
func testForms[K Kind](t *testing.T, text string, value any, gorm string) {
	t.Helper()
	id := ID[K](known)
	appended, err := id.AppendText([]byte("X"))
	if id.String() != text || string(appended) != "X"+text || err != nil || fmt.Sprint(id) != text {
		t.Errorf("the text is %s, %s, %v, want %s", id, appended, err, text)
	}
	if got, err := id.Value(); err != nil || fmt.Sprintf("%T %[1]v", got) != fmt.Sprintf("%T %[1]v", value) {
		t.Errorf("Value = %v, %v, want %v", got, err, value)
	}
	typer, _ := any(id).(interface{ GormDataType() string }) // gorm asks a value too
	if typer == nil || typer.GormDataType() != gorm {
		t.Errorf("GormDataType of %T is not %s", id, gorm)
	}
	if id.ULID() != known {
		t.Errorf("%v is not %v", id, known)
	}
	back := id
	zero, _ := ID[K]{}.Value()
	if err := back.Scan(zero); err != nil || !back.IsZero() {
		t.Errorf("Scan of the zero ID's %v = %v, and sets %v", zero, err, back)
	}
	if MustParse[K](text) != id {
		t.Errorf("%s is read as %v", text, MustParse[K](text))
	}
	if got, err := (ID[K]{}).Value(); err != nil || fmt.Sprintf("%T", got) != fmt.Sprintf("%T", value) {
		t.Errorf("Value of the zero ID = %v, %v, want a %T", got, err, value)
	}
	if data, err := id.MarshalText(); string(data) != text || err != nil {
		t.Errorf("MarshalText = %q, %v, want %s", data, err, text)
	}
	data, err := id.MarshalBinary()
	ID[K]{}.MarshalBinary() // must not change what the first call returned
	if string(data) != text || err != nil {
		t.Errorf("MarshalBinary = %q, %v, want %s", data, err, text)
	}
	if err := back.UnmarshalBinary(data); err != nil || back != id {
		t.Errorf("UnmarshalBinary = %v, and sets %v, want %v", err, back, id)
	}
	if err := back.UnmarshalBinary(known[:]); !errors.Is(err, ulid.ErrSyntax) || back != id {
		t.Errorf("UnmarshalBinary of 16 bytes = %v, and sets %v; want %v, unchanged", err, back, ulid.ErrSyntax)
	}
	err = new(ID[order]).UnmarshalBinary(data)
	if isOrder := strings.HasPrefix(text, "order_"); (err == nil) != isOrder {
		t.Errorf("%s is read as an order: %v", text, err)
	}
}

// testScans reads the format of each column. The error for the format of another one names that column, whatever the
// lengths are, and the error for anything else says what came and what the column holds.
func testScans[K Kind](t *testing.T, name string) {
	const (
		isText   = "this is a ULID string, which ULID and TextColumn read"
		isUUID   = "this is a UUID string, which AsUUID, UUID and UUIDColumn read"
		isBinary = "this is 16 bytes, which AsBinary and BinaryColumn read"
		isPrefix = "this is a string with a prefix, which PrefixColumn reads"
		noBytes  = "cannot scan an ID from a string, want a []byte of 16"
		noType   = "cannot scan an ID from a value of type "
	)
	sixtyThree := strings.Repeat("z", 63)
	length := func(n, ofPrefix int) [4]string {
		return [4]string{
			fmt.Sprintf("length %d, want %d", n, ofPrefix), fmt.Sprintf("length %d, want 26", n),
			fmt.Sprintf("length %d, want 36", n), fmt.Sprintf("length %d, want 16", n),
		}
	}
	columns := []string{"PrefixColumn", "TextColumn", "UUIDColumn", "BinaryColumn"}
	if accepted := columnsOfKind(t); !slices.Equal(accepted, columns) {
		t.Fatalf("Kind has the columns %q, and this test %q", accepted, columns)
	}
	all := func(message string) [4]string { return [4]string{message, message, message, message} }
	for _, tt := range []struct {
		src  any
		want [4]string // of the columns: the error, or "" if it reads src
	}{
		{"member_" + text, [4]string{"", isPrefix, isPrefix, isPrefix}},
		{"m_" + text, [4]string{`prefix "m", want "member"`, isPrefix, isPrefix, isPrefix}},
		{"order_" + text, [4]string{`prefix "order", want "member"`, isPrefix, isPrefix, isPrefix}},
		{"ninechars_" + text, [4]string{`prefix "ninechars", want "member"`, isPrefix, isPrefix, isPrefix}}, // as a UUID
		{sixtyThree + "_" + text, [4]string{`prefix "` + sixtyThree + `", want "member"`, isPrefix, isPrefix, isPrefix}},
		{upperText, [4]string{isText, "", isText, isText}},
		{text, [4]string{isText, "", isText, isText}},
		{hex, [4]string{isUUID, isUUID, "", isUUID}},
		{strings.ToUpper(hex), [4]string{isUUID, isUUID, "", isUUID}},
		{known[:], [4]string{isBinary, isBinary, isBinary, ""}},

		{nil, all("this is NULL, which a pointer or a sql.Null reads")},
		{int64(1), all(noType + "int64")},
		{time.Time{}, all(noType + "time.Time")},
		{[16]byte(known), all(noType + "[16]uint8")},
		{"", length(0, 33)},                      // not NULL
		{"member_" + text[:25], length(32, 33)},  // cut by a column
		{"member_" + text + " ", length(34, 33)}, // padded by a longer CHAR
		{"member_" + upperText, [4]string{
			"invalid character 'H' at offset 9, want lower case",
			"length 33, want 26", "length 33, want 36", "length 33, want 16",
		}},
	} {
		test := func(src any, want [4]string) {
			testScan[K](t, src, name+" ID: ", want[slices.Index(columns, reflect.TypeFor[K]().Field(0).Name)])
		}
		text, isString := tt.src.(string)
		if !isString {
			test(tt.src, tt.want)
			continue
		}
		test([]byte(text), tt.want)
		if strings.HasPrefix(tt.want[3], "length") {
			tt.want[3] = noBytes
		}
		test(text, tt.want)
		if t.Failed() {
			return // the others would say the same
		}
	}
}

// testScan scans src over the ID of the row before. With a message, that is the error, which leaves the old ID. It
// wraps none of the errors of Parse, because a broken row is not the client's fault.
func testScan[K Kind](t *testing.T, src any, name, message string) {
	t.Helper()
	old := ID[K](ulid.MustParse("7ZZZZZZZZZZZZZZZZZZZZZZZZZ"))
	id := old
	err := id.Scan(src)
	if message == "" {
		if err != nil || id != ID[K](known) {
			t.Errorf("%sScan(%s) = %v, and it is %v, want %v", name, show(src), err, id, known)
		}
		return
	}
	if err == nil || err.Error() != name+message || id != old {
		t.Errorf("%sScan(%s) = %v, and it is %v, want %s", name, show(src), err, id, message)
	}
	for _, sentinel := range []error{ulid.ErrSyntax, ulid.ErrOverflow} {
		if errors.Is(err, sentinel) {
			t.Errorf("%sScan(%s) = %v, which wraps %q, as an error of Parse does", name, show(src), err, sentinel)
		}
	}
}

// show returns what a driver gives, for a message.
func show(src any) string {
	switch src.(type) {
	case nil:
		return "NULL"
	case string, []byte:
		return fmt.Sprintf("%T %.60[1]q", src)
	}
	return fmt.Sprintf("%T %[1]v", src)
}

// A kind whose strings are as long as a UUID has the same errors.
func TestScanLengthOfUUID(t *testing.T) {
	testScan[workspace](t, hex, "workspace ID: ", "this is a UUID string, which AsUUID, UUID and UUIDColumn read")
	testScan[workspace](t, text, "workspace ID: ", "this is a ULID string, which ULID and TextColumn read")
	testScan[workspace](t, known[:], "workspace ID: ", "this is 16 bytes, which AsBinary and BinaryColumn read")
}

// A []byte of 16 is bytes, even those of 1970 or of a UUID of version 4, unless it is the text of an ID that a column
// has cut. A BinaryColumn cannot tell.
func TestScanSixteen(t *testing.T) {
	const isBinary = "this is 16 bytes, which AsBinary and BinaryColumn read"
	for data, want := range map[string]string{
		string(make([]byte, 16)): isBinary,
		"\x9f\x3c\x2a\x2f\xb4\xd8\x4e\x2f\xa1\xb2\xc3\xd4\xe5\xf6\xa7\xb8": isBinary, // without a control character
		"aaaaaaaaaaaaaaa\x7f": isBinary,
		"member_01h45    ":    "length 16, want ", // padded
		"member_" + text[:9]:  "length 16, want ",
		text[:16]:             "length 16, want ",
		hex[:16]:              "length 16, want ",
		"________________":    "length 16, want ",
		"~~~~~~~~~~~~~~~~":    "length 16, want ",
	} {
		size := func(n string) string {
			if want == isBinary {
				return want
			}
			return want + n
		}
		testScan[member](t, []byte(data), "member ID: ", size("33"))
		testScan[order](t, []byte(data), "order ID: ", size("26"))
		testScan[user](t, []byte(data), "user ID: ", size("36"))
		var id ID[doc]
		if err := id.Scan([]byte(data)); err != nil || id.ULID() != ulid.ULID([]byte(data)) {
			t.Errorf("Scan(%q) = %v, %v", data, id, err)
		}
		// No driver gives bytes as a string.
		testScan[member](t, data, "member ID: ", "length 16, want 33")
		testScan[doc](t, data, "doc ID: ", "cannot scan an ID from a string, want a []byte of 16")
	}
}

// TestHasTheMethodsOfULID shows that an ID has every method of a ULID that reads, and no other.
func TestHasTheMethodsOfULID(t *testing.T) {
	all, id := reflect.TypeFor[*ulid.ULID](), reflect.TypeFor[*ID[user]]()
	for i := range all.NumMethod() {
		name := all.Method(i).Name
		_, has := id.MethodByName(name)
		if _, left := leftOut[name]; has == left {
			t.Errorf("either ID or leftOut must have ULID's method %s: add it, or name it in leftOut", name)
		}
		_, wants := reflect.TypeFor[ulid.ULID]().MethodByName(name)
		if _, byValue := reflect.TypeFor[ID[user]]().MethodByName(name); has && byValue != wants {
			t.Errorf("an ID that is no variable has the method %s: %t, want %t", name, byValue, wants)
		}
	}
	for i := range id.NumMethod() { // a MarshalJSON, GobEncode, LogValue … would write another text than String
		name := id.Method(i).Name
		if _, has := all.MethodByName(name); !has && name != "ULID" && name != "GormDataType" {
			t.Errorf("ID has the method %s, which ULID lacks", name)
		}
	}
}

// leftOut names the methods of ULID that ID does not have.
var leftOut = map[string]string{
	"AppendBinary": noKind,
	"Bytes":        noKind,
	"Next":         "of a bound for a query, where FirstAt and LastAt do; otherwise of id.ULID()",
}

const noKind = "16 bytes do not show the kind"

// ofTheKind has the methods that have the kind's text or value, which testForms, TestGoString and testScans have.
var ofTheKind = []string{
	"String", "GoString", "AppendText", "MarshalText", "MarshalBinary", "UnmarshalText", "UnmarshalBinary",
	"Value", "Scan",
}

// testMethods shows that the methods whose result is not the kind's return what the ULID's do.
func testMethods[K Kind](t *testing.T) {
	ids := []ulid.ULID{
		{},
		{15: 1}, // the time alone is zero
		known,   // a UUIDv7
		ulid.MustParse("01ARYZ6S41TSV4RRFFQ69G5FAV"),
		ulid.MustParse("7ZZZZZZZZZZZZZZZZZZZZZZZZY"), // the time alone is the largest
		ulid.MustParse("7ZZZZZZZZZZZZZZZZZZZZZZZZZ"),
	}
	for _, id := range ids {
		for _, other := range ids {
			checkMethods[K](t, id, other)
		}
	}
}

// checkMethods calls the methods of id, and those of the same ID of a kind.
func checkMethods[K Kind](t *testing.T, id, other ulid.ULID) {
	t.Helper()
	as := ID[K](id)
	want, got := reflect.ValueOf(id), reflect.ValueOf(as)
	for i := range want.NumMethod() {
		name := want.Type().Method(i).Name
		method := got.MethodByName(name)
		if !method.IsValid() || slices.Contains(ofTheKind, name) { // TestHasTheMethodsOfULID knows which it lacks
			continue
		}
		var args, wantArgs []reflect.Value
		if name == "Compare" {
			args, wantArgs = []reflect.Value{reflect.ValueOf(ID[K](other))}, []reflect.Value{reflect.ValueOf(other)}
		}
		if want.Method(i).Type().NumIn() != len(args) {
			t.Fatalf("add the arguments of the method %s to checkMethods", name)
		}
		results, wantResults := method.Call(args), want.Method(i).Call(wantArgs)
		for i := range wantResults {
			if got, want := results[i].Interface(), wantResults[i].Interface(); !reflect.DeepEqual(got, want) {
				t.Fatalf("%T(%s).%s = %v, want %v", as, id, name, got, want)
			}
		}
	}
}

// TestGoString shows that %#v is Go code.
func TestGoString(t *testing.T) {
	got := fmt.Sprintf("%#v", []any{ID[user](known), ID[plain](known)})
	const want = `[]interface {}{typed.MustParse[typed.user]("user_01h455vb4pex5vsknk084sn02q"), ` +
		`typed.MustParse[typed.plain]("01H455VB4PEX5VSKNK084SN02Q")}`
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// TestMake shows that IDs of all kinds are of now and in one order, and that those of ulid.Fill are too.
func TestMake(t *testing.T) {
	before := time.Now().Truncate(time.Millisecond)
	var ids []ulid.ULID
	for n := range 1000 {
		users, docs := make([]ID[user], n%10), make([]ID[doc], n%10)
		ids = append(ids, Make[user]().ULID(), Make[doc]().ULID(), Make[plain]().ULID())
		ulid.Fill(users)
		ulid.Fill(docs)
		for _, id := range users {
			ids = append(ids, id.ULID())
		}
		for _, id := range docs {
			ids = append(ids, id.ULID())
		}
	}
	for i := range ids[1:] {
		if ids[i].Compare(ids[i+1]) != -1 {
			t.Fatalf("%v comes after %v", ids[i+1], ids[i])
		}
	}
	first, last := ID[user](ids[0]).Time(), ids[len(ids)-1].Time()
	if first.Before(before) || last.After(time.Now().Add(time.Second)) {
		t.Errorf("they are of %v to %v, want of %v and a second at most", first, last, before)
	}
	at := known.Time()
	if FirstAt[user](at).ULID() != ulid.FirstAt(at) || LastAt[user](at).ULID() != ulid.LastAt(at) {
		t.Errorf("the ends of the millisecond are %v and %v", FirstAt[user](at), LastAt[user](at))
	}
}

// Kinds whose prefix the specification refuses, and one at its limit.
type (
	upper      struct{ TextColumn }
	underscore struct{ PrefixColumn }
	tooLong    struct{ UUIDColumn }
	longest    struct{ PrefixColumn }
	empty      struct{ PrefixColumn }
)

func (empty) Prefix() string      { return "" }
func (upper) Prefix() string      { return "User" }
func (underscore) Prefix() string { return "user_" }
func (tooLong) Prefix() string    { return strings.Repeat("a", 64) }
func (longest) Prefix() string {
	return "abcdefghi__lmnopqrst_vwxyzabcdefghi_klmnopqrst_vwxyzabcdefghijk"
}

// TestPrefix shows that a prefix which the specification refuses is found by whatever is called first.
func TestPrefix(t *testing.T) {
	testPrefix[upper](t, "\"User\" of typed.upper")
	testPrefix[underscore](t, "\"user_\" of typed.underscore")
	testPrefix[tooLong](t, "of typed.tooLong")
	testPrefix[empty](t, "\"\" of typed.empty")
	for _, bad := range []string{"_a", "a_", "a-b", "a1", "1", "a1b", "ä", "a b", "a{b", "A", "aB", "_"} {
		if isPrefix(bad) {
			t.Errorf("%q is accepted", bad)
		}
	}
	if id := Make[longest](); MustParse[longest](id.String()) != id {
		t.Errorf("%v does not come back", id)
	}
}

func testPrefix[K Kind](t *testing.T, want string) {
	for name, call := range map[string]func(){
		"Make":   func() { Make[K]() },
		"Parse":  func() { Parse[K](zeros) },
		"String": func() { _ = ID[K]{}.String() },
		"Scan":   func() { _ = new(ID[K]).Scan("a_b").Error() },

		"MarshalText":  func() { ID[K]{}.MarshalText() },
		"Value":        func() { ID[K]{}.Value() },
		"GormDataType": func() { ID[K]{}.GormDataType() },
	} {
		func() {
			defer func() {
				if got := fmt.Sprint(recover()); !strings.Contains(got, want) {
					t.Errorf("%s panics with %s, want %s", name, got, want)
				}
			}()
			call()
		}()
	}
}

// TestNoKind shows which types the compiler refuses as a kind: those whose zero value has no column, such as pointers,
// and those without a prefix of their own, whichever column they embed.
func TestNoKind(t *testing.T) {
	for _, column := range columnsOfKind(t) {
		t.Run(column, func(t *testing.T) { testNoKind(t, column) })
	}
}

func testNoKind(t *testing.T, column string) {
	const source = `package typed
		type good struct{ COLUMN }
		func (good) Prefix() string { return "good" }
		type pointer = *good
		type from good // inherits no method
		type bare struct{ COLUMN }
		type unnamed = struct{ COLUMN }
		type misspelt struct{ COLUMN }
		func (misspelt) Prefx() string { return "misspelt" }
		type byPointer struct{ COLUMN }
		func (*byPointer) Prefix() string { return "pointer" }
		type withField struct{ COLUMN; n int }
		func (withField) Prefix() string { return "field" }
		type twoColumns struct{ COLUMN; second }
		func (twoColumns) Prefix() string { return "two" }
		type second struct{}`
	pkg := check(t, strings.ReplaceAll(source, "COLUMN", column))
	kind := pkg.Scope().Lookup("Kind").Type().Underlying().(*types.Interface)
	for name, want := range map[string]bool{
		"good": true, "pointer": false, "from": false, "bare": false, "unnamed": false, "misspelt": false,
		"byPointer": false, "withField": false, "twoColumns": false,
	} {
		if got := types.Satisfies(pkg.Scope().Lookup(name).Type(), kind); got != want {
			t.Errorf("%s is a kind: %t, want %t", name, got, want)
		}
	}
}

// testLongInput shows that what is too long to be an ID is neither copied nor searched.
func testLongInput[K Kind](t *testing.T) {
	long := bytes.Repeat([]byte("a"), 1<<25)
	s := string(long)
	var id ID[K]
	value, _ := id.Value()
	wantText := fmt.Sprintf("%s: length %d, want %d", nameOf[K](), len(s), len(id.String()))
	wantStored := fmt.Sprintf("%s: length %d, want %d", nameOf[K](), len(s), reflect.ValueOf(value).Len())
	for name, read := range map[string]func() error{
		"Parse": func() error {
			_, err := Parse[K](s)
			return err
		},
		"UnmarshalText": func() error { return id.UnmarshalText(long) },
		"Scan":          func() error { return id.Scan(long) },
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		err := read()
		runtime.ReadMemStats(&after)
		want := wantText
		if name == "Scan" {
			want = wantStored
		}
		if err == nil || err.Error() != want {
			t.Errorf("%T: %s returns %v, want %s", id, name, err, want)
		}
		if size := after.TotalAlloc - before.TotalAlloc; size > 1<<20 {
			t.Errorf("%T: %s allocates %d bytes", id, name, size)
		}
	}
}

func TestAllocs(t *testing.T) {
	id, b, ids := Make[longest](), make([]byte, 0, 100), make([]ID[longest], 100)
	g := new(ulid.Generator)
	s := id.String()
	text := []byte(s)
	var srcString, srcBytes any = s, text
	system := testing.AllocsPerRun(100, func() { // 0 but under the race detector
		var p [8]byte
		rand.Read(p[:])
	})
	for name, tt := range map[string]struct {
		want float64
		call func()
	}{
		"Make":          {system, func() { Make[longest]() }},
		"Fill":          {system, func() { ulid.Fill(ids) }},
		"FillFrom":      {system, func() { ulid.FillFrom(g, ids) }},
		"AppendText":    {0, func() { id.AppendText(b) }},
		"Parse":         {0, func() { Parse[longest](s) }},
		"UnmarshalText": {0, func() { id.UnmarshalText(text) }},
		"Scan string":   {0, func() { id.Scan(srcString) }},
		"Scan []byte":   {0, func() { id.Scan(srcBytes) }},
		"Compare":       {0, func() { id.Compare(id) }},
		"String":        {1, func() { _ = id.String() }},
		"MarshalText":   {1, func() { id.MarshalText() }},
		// Its text is not made: two errors, one in the other, and the other prefix.
		"another kind": {3, func() { Parse[user]("order_01h455vb4pex5vsknk084sn02q") }},
	} {
		if n := testing.AllocsPerRun(100, tt.call); n != tt.want {
			t.Errorf("%s allocates %v times, want %v", name, n, tt.want)
		}
	}
}

var value driver.Value // so that it is on the heap

// FuzzParse compares Parse with the obvious way.
func FuzzParse(f *testing.F) {
	for _, s := range []string{
		"", "user_" + text, "user_" + zeros, "user__" + text, "ninechars_" + text,
		text, upperText, hex,
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		fuzzParse[plain](t, s)
		fuzzParse[user](t, s)
		fuzzParse[nine](t, s)
	})
}

func fuzzParse[K Kind](t *testing.T, s string) {
	var want ulid.ULID
	var kind K
	err := errors.New("no prefix")
	rest := s
	ok := kind.Prefix() == ""
	if !ok {
		rest, ok = strings.CutPrefix(s, kind.Prefix()+"_")
		ok = ok && rest == strings.ToLower(rest)
	}
	if ok {
		want, err = ulid.Parse(rest)
	}
	got, gotErr := Parse[K](s)
	if got.ULID() != want || (gotErr == nil) != (err == nil) {
		t.Errorf("Parse(%q) = %v, %v, want %v, %v", s, got, gotErr, want, err)
	}
}
