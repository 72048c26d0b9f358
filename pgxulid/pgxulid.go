// Package pgxulid stores ULIDs in PostgreSQL's uuid columns through pgx, as fast as pgx stores a [16]byte.
package pgxulid

import (
	"database/sql"
	"database/sql/driver"
	"reflect"
	"sync"

	"github.com/jackc/pgx/v5/pgtype"

	"github.com/seed-961d0905/ulid"
)

// Register lets the connection that has the types m store ULIDs in uuid columns and read them from there. Call it for
// every connection of a pool, in AfterConnect. With database/sql, use stdlib.OptionAfterConnect.
//
// It covers [ulid.ULID], [ulid.AsUUID], [ulid.AsBinary] and each struct that embeds one of them and has no other field.
// It also covers their pointers, [sql.Null], slices, arrays, ranges and composites. pgx handles everything else as
// before: columns of other types, other Go types, and a type whose own Value returns something else than the ULID. So an
// ID that Value encrypts, gives a prefix or makes NULL is stored as Value returns it.
//
// In the modes exec and simple_protocol, pgx does not ask the server for the types of parameters. It sends what Value
// returns. A uuid column then takes AsUUID, structs that embed it, and slices of these; other IDs get an error. Ranges
// and composites cannot be parameters in these modes. Reading and CopyFrom work in every mode.
func Register(m *pgtype.Map) {
	m.RegisterType(&pgtype.Type{Name: "uuid", OID: pgtype.UUIDOID, Codec: codec{}})
	// Last, so that it is asked only where pgx found no way.
	m.TryWrapEncodePlanFuncs = append(m.TryWrapEncodePlanFuncs, wrapSlice(m))
}

// codec takes ULIDs where pgx's own has no plan.
type codec struct{ pgtype.UUIDCodec }

func (c codec) PlanEncode(m *pgtype.Map, oid uint32, format int16, value any) pgtype.EncodePlan {
	plan := c.UUIDCodec.PlanEncode(m, oid, format, value)
	if plan == nil && holdsID(reflect.TypeOf(value)) {
		plan = encodePlan{text: format == pgtype.TextFormatCode}
	}
	return plan
}

func (c codec) PlanScan(m *pgtype.Map, oid uint32, format int16, target any) pgtype.ScanPlan {
	plan := c.UUIDCodec.PlanScan(m, oid, format, target)
	// pgx follows pointers to pointers, and sql.Null calls the Scan of its ID.
	if t := reflect.TypeOf(target); plan == nil && t != nil && t.Kind() == reflect.Pointer && isID(t.Elem()) {
		plan = scanPlan{text: format == pgtype.TextFormatCode}
	}
	return plan
}

// encodePlan writes an ID without asking for its Value, a text that pgx would have to parse.
type encodePlan struct{ text bool }

func (p encodePlan) Encode(value any, buf []byte) ([]byte, error) {
	id := unwrap(reflect.ValueOf(value))
	switch {
	case id == nil:
		return nil, nil // NULL
	case p.text:
		return append(buf, id.UUIDString()...), nil
	}
	return id.AppendBinary(buf)
}

// scanPlan reads an ID without making the text that Scan would have to parse.
type scanPlan struct{ text bool }

func (p scanPlan) Scan(src []byte, target any) error {
	if src == nil {
		return target.(sql.Scanner).Scan(nil)
	}
	if p.text {
		id, err := ulid.ParseUUID(string(src))
		if err != nil {
			return err
		}
		src = id[:]
	}
	return target.(scanner).UnmarshalBinary(src)
}

// slicePlan sends a slice of IDs as a slice of their texts. pgx finds no other plan for it in the modes exec and
// simple_protocol.
type slicePlan struct {
	m    *pgtype.Map
	next pgtype.EncodePlan // of a []*string, in which nil is NULL
}

func wrapSlice(m *pgtype.Map) pgtype.TryWrapEncodePlanFunc {
	return func(value any) (pgtype.WrappedEncodePlanNextSetter, any, bool) {
		t := reflect.TypeOf(value)
		if t == nil || t.Kind() != reflect.Slice || !holdsID(t.Elem()) {
			return nil, nil, false
		}
		return &slicePlan{m: m}, []*string(nil), true
	}
}

func (p *slicePlan) SetNext(next pgtype.EncodePlan) { p.next = next }

func (p *slicePlan) Encode(value any, buf []byte) ([]byte, error) {
	slice := reflect.ValueOf(value)
	texts := make([]*string, slice.Len())
	for i := range texts {
		text, err := p.m.Encode(0, pgtype.TextFormatCode, slice.Index(i).Interface(), []byte{})
		if err != nil {
			return nil, err
		}
		if text != nil {
			s := string(text)
			texts[i] = &s
		}
	}
	return p.next.Encode(texts, buf)
}

// A valuer is an ID that can be read, a scanner one that can be set. UUIDString tells them from other types.
type valuer interface {
	AppendBinary([]byte) ([]byte, error)
	UUIDString() string
	driver.Valuer
}

type scanner interface {
	UnmarshalBinary([]byte) error
	UUIDString() string
	sql.Scanner
}

// unwrap returns the ID in a value whose type passes holdsID, or nil if the value is NULL.
func unwrap(v reflect.Value) valuer {
	switch {
	case v.Kind() == reflect.Pointer:
		if v.IsNil() {
			return nil
		}
		return unwrap(v.Elem())
	case isNull(v.Type()):
		if !v.Field(1).Bool() {
			return nil
		}
		return unwrap(v.Field(0))
	}
	return v.Interface().(valuer)
}

// holdsID reports whether t is an ID, or leads to one by pointers and sql.Null.
func holdsID(t reflect.Type) bool {
	switch {
	case t == nil:
		return false
	case t.Kind() == reflect.Pointer:
		return holdsID(t.Elem())
	case isNull(t):
		return holdsID(t.Field(0).Type)
	}
	return isID(t)
}

// isNull reports whether t is a sql.Null of anything.
func isNull(t reflect.Type) bool {
	return t.PkgPath() == "database/sql" && t.Kind() == reflect.Struct && t.Field(0).Name == "V"
}

// known has what isID found about each type, because pgx plans anew for each query.
var known sync.Map

// isID reports whether t is the 16 bytes of a ULID and nothing else, and is also stored as that ULID by its Value.
func isID(t reflect.Type) bool {
	if is, ok := known.Load(t); ok {
		return is.(bool)
	}
	is := t.Implements(reflect.TypeFor[valuer]()) && reflect.PointerTo(t).Implements(reflect.TypeFor[scanner]()) &&
		t.Size() == 16 && t.Align() == 1 && // so that there is no pointer and no other field
		keepsID(t, ulid.ULID{}) && keepsID(t, ulid.ULID{0: 1, 15: 2})
	known.Store(t, is)
	return is
}

// keepsID reports whether Value returns this ID when a t is set to it, in any form that Scan reads.
func keepsID(t reflect.Type, id ulid.ULID) bool {
	v := reflect.New(t)
	if err := v.Interface().(scanner).UnmarshalBinary(id[:]); err != nil {
		return false
	}
	value, err := v.Elem().Interface().(valuer).Value()
	var got ulid.ULID
	return err == nil && value != nil && got.Scan(value) == nil && got == id
}
