package pgxulid_test

import (
	"bytes"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgtype"

	"github.com/seed-961d0905/ulid"
	"github.com/seed-961d0905/ulid/pgxulid"
)

// These tests need no server. Those in interop/pgx have one.

type (
	bareID   struct{ ulid.ULID }
	uuidID   struct{ ulid.AsUUID }
	binaryID struct{ ulid.AsBinary }
	userID   [16]byte // has the methods of a typed ID
	otherID  [16]byte // is the UUID of another package
)

func (id userID) UUIDString() string           { return ulid.ULID(id).UUIDString() }
func (id userID) Value() (driver.Value, error) { return id.UUIDString(), nil }
func (id *userID) Scan(src any) error          { return (*ulid.AsUUID)(id).Scan(src) }

func (id otherID) String() string               { return ulid.ULID(id).UUIDString() }
func (id otherID) Value() (driver.Value, error) { return id.String(), nil }
func (id *otherID) Scan(src any) error          { return (*ulid.AsUUID)(id).Scan(src) }

// These have methods that the promoted ones do not speak for.
type (
	ownID struct { // stores what value returns
		ulid.AsUUID
		value func() (driver.Value, error)
	}
	checkedID struct{ ulid.AsUUID } // cannot be read
	pgxID     struct{ ulid.AsUUID } // has methods for pgx, which store NULL and read nothing
	likeNull  struct {              // has the first field of sql.Null
		V ulid.ULID
		driver.Valuer
	}
)

func (id ownID) Value() (driver.Value, error) { return id.value() }

func stores(value any, err error) ownID {
	return ownID{value: func() (driver.Value, error) { return value, err }}
}

func (*checkedID) Scan(any) error { return errors.New("a checkedID cannot be read") }

func (id pgxID) UUIDValue() (pgtype.UUID, error) { return pgtype.UUID{}, nil }
func (id *pgxID) ScanUUID(pgtype.UUID) error     { return nil }

// TestUntouched compares what pgx makes of a value with and without Register, for all that Register must leave alone.
func TestUntouched(t *testing.T) {
	id := ulid.MustParse("01ARYZ6S41TSV4RRFFQ69G5FAV")
	registered, plain := pgtype.NewMap(), pgtype.NewMap()
	pgxulid.Register(registered)
	if uuid, _ := plain.TypeForOID(pgtype.UUIDOID); uuid.Codec != (pgtype.UUIDCodec{}) {
		t.Fatalf("another Map, although Maps share their types, has the codec %T", uuid.Codec)
	}
	compare := func(value any, oids ...uint32) {
		for _, oid := range oids {
			for _, format := range formats {
				want, wantErr := plain.Encode(oid, format, value, []byte{})
				got, err := registered.Encode(oid, format, value, []byte{})
				if !bytes.Equal(got, want) || (got == nil) != (want == nil) || fmt.Sprint(err) != fmt.Sprint(wantErr) {
					t.Fatalf("%T as OID %d, format %d: %q, %v, want %q, %v", value, oid, format, got, err, want, wantErr)
				}
			}
		}
	}
	others := []uint32{pgtype.TextOID, pgtype.VarcharOID, pgtype.BPCharOID, pgtype.ByteaOID,
		pgtype.TextArrayOID, pgtype.ByteaArrayOID, pgtype.Int4OID, 0}
	other := stores(ulid.Make().UUIDString(), nil)
	for _, value := range []any{
		[16]byte(id), id.String(), id.UUIDString(), nil, []any{nil}, 7,
		pgtype.UUID{Bytes: id, Valid: true}, pgtype.UUID{},
		otherID(id), new(otherID), []otherID{{}}, sql.Null[otherID]{Valid: true},
		sql.Null[string]{V: id.String(), Valid: true}, []sql.IsolationLevel{0}, likeNull{id, id}, pgxID{ulid.AsUUID(id)},
		other, stores(nil, nil), stores(nil, errors.New("no value")), stores(id.UUIDString(), errors.New("no value")),
		sql.Null[ownID]{V: other, Valid: true}, sql.Null[ownID]{V: stores(nil, nil), Valid: true}, sql.Null[ownID]{},
		ulid.AsUUID(id), userID(id), sql.Null[ulid.AsUUID]{}, (*ulid.AsUUID)(nil), []ulid.AsUUID{ulid.AsUUID(id)},
		ulid.UUID(id), sql.Null[ulid.UUID]{}, (*ulid.UUID)(nil), []ulid.UUID{ulid.UUID(id)},
		&sql.Null[ulid.UUID]{V: ulid.UUID(id), Valid: true}, &sql.Null[ulid.UUID]{}, (*sql.Null[ulid.UUID])(nil),
	} {
		compare(value, append(others, pgtype.UUIDOID, pgtype.UUIDArrayOID)...)
	}
	for _, value := range []any{
		id, &id, ulid.AsBinary(id), bareID{id}, sql.Null[ulid.ULID]{V: id, Valid: true}, []ulid.ULID{id},
		stores(id.Bytes(), nil), id.Bytes(), []byte(id.String()),
	} {
		compare(value, others...)
	}
}

var formats = []int16{pgtype.TextFormatCode, pgtype.BinaryFormatCode}

// TestNoUUID encodes IDs whose Value is no UUID, in every form that leads to one.
func TestNoUUID(t *testing.T) {
	id := ulid.MustParse("01ARYZ6S41TSV4RRFFQ69G5FAV")
	pointer, binary, null := &id, ulid.AsBinary(id), (*ulid.ULID)(nil)
	text := stores("user_01aryz6s41tsv4rrffq69g5fav", nil)
	// The types that read a UUID, as an error of the library names them.
	ofScan := fmt.Sprint(new(ulid.ULID).Scan(id.UUIDString()))
	readers := regexp.MustCompile("a UUID string, which (.*) read$").FindStringSubmatch(ofScan)
	for _, tt := range []struct {
		value any
		want  string // the type that the error names
	}{
		{id, "ulid.ULID"},
		{pointer, "*ulid.ULID"},
		{&pointer, "*ulid.ULID"},
		{sql.Null[ulid.ULID]{V: id, Valid: true}, "sql.Null[github.com/seed-961d0905/ulid.ULID]"},
		{&sql.Null[ulid.ULID]{V: id, Valid: true}, "*sql.Null[github.com/seed-961d0905/ulid.ULID]"},
		{bareID{id}, "pgxulid_test.bareID"},
		{binary, "ulid.AsBinary"},
		{&binary, "*ulid.AsBinary"},
		{sql.Null[ulid.AsBinary]{V: binary, Valid: true}, "sql.Null[github.com/seed-961d0905/ulid.AsBinary]"},
		{&sql.Null[ulid.AsBinary]{V: binary, Valid: true}, "*sql.Null[github.com/seed-961d0905/ulid.AsBinary]"},
		{binaryID{binary}, "pgxulid_test.binaryID"},
		{stores(id.Bytes(), nil), "pgxulid_test.ownID"},
		{text, "pgxulid_test.ownID"},
		{&text, "*pgxulid_test.ownID"},
		{stores("", nil), "pgxulid_test.ownID"},
		{stores(int64(7), nil), "pgxulid_test.ownID"},
	} {
		want := "pgxulid: " + tt.want + " is not stored as a UUID; uuid columns are for " + readers[1]
		list := reflect.MakeSlice(reflect.SliceOf(reflect.TypeOf(tt.value)), 1, 1)
		list.Index(0).Set(reflect.ValueOf(tt.value))
		for _, format := range formats {
			checkNoUUID(t, pgtype.UUIDOID, format, tt.value, want)
			checkNoUUID(t, pgtype.UUIDArrayOID, format, list.Interface(), want)
		}
	}
	for _, value := range []any{
		null, &null, new(*ulid.AsUUID), sql.Null[ulid.ULID]{}, sql.Null[ulid.AsBinary]{}, (*ulid.UUID)(nil),
		&sql.Null[ulid.ULID]{}, (*sql.Null[ulid.AsBinary])(nil),
	} {
		for _, format := range formats {
			m := pgtype.NewMap()
			pgxulid.Register(m)
			if got, err := m.Encode(pgtype.UUIDOID, format, value, []byte{}); got != nil || err != nil {
				t.Errorf("%T of nil in format %d: %q, %v, want NULL", value, format, got, err)
			}
		}
	}
}

func checkNoUUID(t *testing.T, oid uint32, format int16, value any, want string) {
	t.Helper()
	m := pgtype.NewMap()
	pgxulid.Register(m)
	got, err := m.Encode(oid, format, value, []byte{})
	if err == nil || got != nil || !strings.HasSuffix(err.Error(), want) {
		t.Fatalf("%T as OID %d in format %d: %q, %v, want an error that ends with %q", value, oid, format, got, err, want)
	}
}

// TestRoundTrip writes IDs behind what is in the buffer, as in a composite, and reads them again.
func TestRoundTrip(t *testing.T) {
	for _, id := range []ulid.ULID{ulid.Make(), {}} {
		roundTrip(t, id, ulid.AsUUID(id))
		roundTrip(t, id, ulid.UUID(id))
		roundTrip(t, id, userID(id))
		roundTrip(t, id, uuidID{ulid.AsUUID(id)})
		roundTrip(t, id, sql.Null[ulid.AsUUID]{V: ulid.AsUUID(id), Valid: true})
	}
}

func roundTrip[T comparable](t *testing.T, id ulid.ULID, value T) {
	t.Helper()
	m := pgtype.NewMap()
	pgxulid.Register(m)
	for format, want := range map[int16]string{
		pgtype.TextFormatCode:   id.UUIDString(),
		pgtype.BinaryFormatCode: string(id.Bytes()),
	} {
		pointer := &value
		for _, src := range []any{value, pointer, &pointer} {
			const before = "what comes before"
			buf, err := m.Encode(pgtype.UUIDOID, format, src, []byte(before))
			if err != nil || string(buf) != before+want {
				t.Errorf("%T in format %d: %q, %v, want %q", src, format, buf, err, before+want)
			}
		}
		var got T
		var gotPointer *T
		err := errors.Join(
			m.Scan(pgtype.UUIDOID, format, []byte(want), &got),
			m.Scan(pgtype.UUIDOID, format, []byte(want), &gotPointer),
		)
		if err != nil || got != value || *gotPointer != value {
			t.Errorf("%T from %q: %v, %v, %v, want %v", value, want, got, gotPointer, err, value)
		}
	}
}

// TestNull reads NULL over an old ID, which an ID keeps: it is an error.
func TestNull(t *testing.T) {
	testNull[ulid.AsUUID](t)
	testNull[ulid.UUID](t)
	testNull[userID](t)
}

func testNull[T ~[16]byte](t *testing.T) {
	registered := pgtype.NewMap()
	pgxulid.Register(registered)
	for _, m := range []*pgtype.Map{registered, pgtype.NewMap()} {
		for _, format := range formats {
			id := T(ulid.Make())
			pointer, null, list := &id, sql.Null[T]{V: id, Valid: true}, []*T{&id}
			array, err := m.Encode(pgtype.UUIDArrayOID, format, []*T{nil}, nil)
			err = errors.Join(err,
				m.Scan(pgtype.UUIDArrayOID, format, array, &list),
				m.Scan(pgtype.UUIDOID, format, nil, &pointer),
				m.Scan(pgtype.UUIDOID, format, nil, &null))
			if err != nil || pointer != nil || null.Valid || list[0] != nil {
				t.Errorf("NULL in format %d is read as %v, %v and %v, %v", format, pointer, null, list, err)
			}
			old := id
			err = m.Scan(pgtype.UUIDOID, format, nil, &id)
			isNamed := strings.HasSuffix(fmt.Sprint(err), "NULL, which a pointer or a sql.Null reads")
			if id != old || !isNamed || errors.Is(err, ulid.ErrSyntax) {
				t.Errorf("NULL in format %d is read as %T %[2]v, %v, want the old and an error", format, id, err)
			}
		}
	}
}

// TestAllocs writes and reads an AsUUID or a UUID without an allocation, as pgx does a [16]byte. By itself it makes
// strings.
func TestAllocs(t *testing.T) {
	id := ulid.Make()
	testAllocs(t, id, ulid.AsUUID(id), new(ulid.AsUUID))
	testAllocs(t, id, ulid.UUID(id), new(ulid.UUID))
}

func testAllocs(t *testing.T, id ulid.ULID, value, target any) {
	t.Helper()
	m := pgtype.NewMap()
	pgxulid.Register(m)
	src, buf := id.Bytes(), make([]byte, 0, 16)
	format := m.FormatCodeForOID(pgtype.UUIDOID) // in which pgx passes a parameter
	encode := m.PlanEncode(pgtype.UUIDOID, format, value)
	scan := m.PlanScan(pgtype.UUIDOID, format, target)
	n := testing.AllocsPerRun(100, func() {
		_, err := encode.Encode(value, buf)
		if err := errors.Join(err, scan.Scan(src, target)); err != nil {
			t.Error(err)
		}
	})
	if n != 0 {
		t.Errorf("%v allocations with a %T, want 0", n, value)
	}
}

// TestBytes writes each of the three formats in a []byte, and rejects others, of which pgx writes 16 bytes.
func TestBytes(t *testing.T) {
	type raw []byte
	m := pgtype.NewMap()
	pgxulid.Register(m)
	id := ulid.Make()
	for format, want := range map[int16]string{
		pgtype.TextFormatCode:   id.UUIDString(),
		pgtype.BinaryFormatCode: string(id.Bytes()),
	} {
		for _, value := range []any{
			id.Bytes(), []byte(id.String()), []byte(id.UUIDString()), raw(id.String()),
			[]byte(strings.ToLower(id.String())), []byte(strings.ToUpper(id.UUIDString())),
		} {
			buf, err := m.Encode(pgtype.UUIDOID, format, value, []byte("before "))
			if err != nil || string(buf) != "before "+want {
				t.Errorf("%T %q in format %d: %q, %v, want %q", value, value, format, buf, err, want)
			}
		}
		bad := [][]byte{
			[]byte("O" + id.String()[1:]),
			[]byte("g" + id.UUIDString()[1:]), []byte("ninechars_" + id.String()), // 36 characters, and no UUID
		}
		for n := range 65 {
			if n != 16 && n != 26 && n != 36 {
				bad = append(bad, bytes.Repeat([]byte("0"), n))
			}
		}
		for _, value := range bad {
			if buf, err := m.Encode(pgtype.UUIDOID, format, value, nil); err == nil {
				t.Errorf("%q in format %d: %q, want an error", value, format, buf)
			}
		}
		for _, null := range []any{[]byte(nil), raw(nil), sql.Null[[]byte]{Valid: true}} {
			if buf, err := m.Encode(pgtype.UUIDOID, format, null, []byte{}); buf != nil || err != nil {
				t.Errorf("%T of nil in format %d: %q, %v, want NULL", null, format, buf, err)
			}
		}
	}
	list := [][]byte{[]byte(id.String()), nil}
	if got, err := m.Encode(pgtype.UUIDArrayOID, pgtype.TextFormatCode, list, []byte{}); err != nil ||
		string(got) != "{"+id.UUIDString()+",NULL}" {
		t.Errorf("a list of []byte: %q, %v, want {%s,NULL}", got, err, id.UUIDString())
	}
}

// TestDomain writes and reads IDs of a domain over uuid, to which LoadType gives the codec of uuid. One that was loaded
// before Register keeps the codec of pgx, and so its mistake.
func TestDomain(t *testing.T) {
	m := pgtype.NewMap()
	load := func(name string, oid uint32) { // as LoadType does
		base, _ := m.TypeForOID(pgtype.UUIDOID)
		m.RegisterType(&pgtype.Type{Name: name, OID: oid, Codec: base.Codec})
	}
	const before, after = 90_001, 90_002
	load("before", before)
	pgxulid.Register(m)
	load("after", after)
	id := ulid.Make()
	for _, value := range []any{id.Bytes(), []byte(id.String()), []byte(id.UUIDString()), ulid.AsUUID(id)} {
		got, err := m.Encode(after, pgtype.BinaryFormatCode, value, nil)
		if err != nil || !bytes.Equal(got, id[:]) {
			t.Errorf("%T %[1]q: %x, %v, want %x", value, got, err, id[:])
		}
	}
	var got ulid.AsUUID
	if err := m.Scan(after, pgtype.BinaryFormatCode, id[:], &got); err != nil || got != ulid.AsUUID(id) {
		t.Errorf("Scan: %v, %v, want %v", got, err, id)
	}
	if _, err := m.Encode(after, pgtype.BinaryFormatCode, id, nil); err == nil {
		t.Error("a ULID is no error")
	}
	for _, text := range []string{id.String(), id.UUIDString()} {
		wrong, err := m.Encode(before, pgtype.BinaryFormatCode, []byte(text), nil)
		if err != nil || string(wrong) != text[:16] {
			t.Errorf("loaded before Register: %q, %v; if pgx stores no other ID now, the README is false", wrong, err)
		}
	}
}

// TestRegisterTwice registers once more, as a program does that calls Register before each use of a connection.
func TestRegisterTwice(t *testing.T) {
	m := pgtype.NewMap()
	pgxulid.Register(m)
	once, _ := m.TypeForOID(pgtype.UUIDOID)
	pgxulid.Register(m)
	if twice, _ := m.TypeForOID(pgtype.UUIDOID); twice != once {
		t.Errorf("the second call made the codec %#v, want that of the first, %#v", twice.Codec, once.Codec)
	}
}

// TestOwnScan reads with and without Register what Register must leave alone: types that refuse a UUID or have methods
// for pgx, and the value that another package's codec makes of one.
func TestOwnScan(t *testing.T) {
	registered, plain, id := pgtype.NewMap(), pgtype.NewMap(), ulid.Make()
	for _, m := range []*pgtype.Map{registered, plain} {
		m.RegisterType(&pgtype.Type{Name: "uuid", OID: pgtype.UUIDOID, Codec: otherCodec{}})
	}
	pgxulid.Register(registered)
	for _, target := range []reflect.Type{
		reflect.TypeFor[ulid.ULID](), reflect.TypeFor[*ulid.ULID](), reflect.TypeFor[ulid.AsBinary](),
		reflect.TypeFor[bareID](), reflect.TypeFor[checkedID](), reflect.TypeFor[*checkedID](),
		reflect.TypeFor[pgxID](), reflect.TypeFor[any](),
	} {
		for format, src := range map[int16][]byte{
			pgtype.TextFormatCode: []byte(id.UUIDString()), pgtype.BinaryFormatCode: id.Bytes(),
		} {
			got, want := reflect.New(target), reflect.New(target)
			err := registered.Scan(pgtype.UUIDOID, format, src, got.Interface())
			wantErr := plain.Scan(pgtype.UUIDOID, format, src, want.Interface())
			if !reflect.DeepEqual(got.Interface(), want.Interface()) || fmt.Sprint(err) != fmt.Sprint(wantErr) {
				t.Errorf("%v in format %d: %v, %v, want %v, %v", target, format, got.Elem(), err, want.Elem(), wantErr)
			}
		}
	}
}

// otherCodec makes UUIDs of another package, as such packages do for pgx.
type otherCodec struct{ pgtype.UUIDCodec }

func (otherCodec) DecodeValue(*pgtype.Map, uint32, int16, []byte) (any, error) {
	return otherID{1}, nil
}

// TestBadValue scans what a server should not send. The destination stays as it was.
func TestBadValue(t *testing.T) {
	m := pgtype.NewMap()
	pgxulid.Register(m)
	for format, bad := range map[int16][]string{
		pgtype.BinaryFormatCode: {
			"", "0123456789abcde", "0123456789abcdefg", "01563df3-6481-d676-4c61-efb99302bd5b",
		},
		pgtype.TextFormatCode: {
			"", "0123456789abcdef", "01ARYZ6S41TSV4RRFFQ69G5FAV", "01563df3-6481-d676-4c61-efb99302bd5g",
		},
	} {
		for _, src := range bad {
			id := ulid.AsUUID(ulid.Make())
			for _, got := range []any{
				&id, (*ulid.UUID)(&id), (*userID)(&id), &sql.Null[ulid.AsUUID]{V: id}, &uuidID{id},
			} {
				want := fmt.Sprintf("%#v", got)
				err := m.Scan(pgtype.UUIDOID, format, []byte(src), got)
				isOfParser := format == pgtype.TextFormatCode && errors.Is(err, ulid.ErrSyntax)
				if err == nil || isOfParser || fmt.Sprintf("%#v", got) != want {
					t.Errorf("%q in format %d: %#v, %v, want an error and %s", src, format, got, err, want)
				}
			}
		}
	}
}
