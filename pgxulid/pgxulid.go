// Package pgxulid stores ULIDs in PostgreSQL's uuid columns through pgx, as fast as pgx stores a [16]byte.
package pgxulid

import (
	"database/sql"
	"database/sql/driver"
	"encoding/hex"
	"fmt"
	"reflect"
	"sync"

	"github.com/jackc/pgx/v5/pgtype"

	"github.com/seed-961d0905/ulid"
)

// Register teaches m, the types of one connection, to store ULIDs as uuid and to read them from there. Call it for every
// connection of a pool, in AfterConnect.
//
// It covers [ulid.ULID], [ulid.AsUUID], [ulid.AsBinary] and every type that embeds one of them and nothing else, such as
// struct{ ulid.ULID }. Pointers to them, [sql.Null] of them, slices, arrays, ranges and composites follow. A type whose
// own Value returns anything but the ULID, such as a text with a prefix, an encrypted one, or nil for the zero ULID, is
// left to pgx, as are all other types and columns.
//
// pgx must know that a parameter is a uuid. In the modes exec and simple_protocol it does not ask the server, and sends
// what Value returns. There a uuid column takes [ulid.AsUUID] and types that embed it, and refuses the others with an
// error, except in CopyFrom, which asks in every mode. Slices, as in id = ANY($1), follow the same rule. Ranges and
// composites cannot be parameters in these modes.
func Register(m *pgtype.Map) {
	m.RegisterType(&pgtype.Type{Name: "uuid", OID: pgtype.UUIDOID, Codec: codec{}})
	// Last, so that it is asked only where pgx found no way.
	m.TryWrapEncodePlanFuncs = append(m.TryWrapEncodePlanFuncs, wrapSlice)
}

// codec is pgx's own for uuid and takes ULIDs too.
type codec struct{ pgtype.UUIDCodec }

func (c codec) PlanEncode(m *pgtype.Map, oid uint32, format int16, value any) pgtype.EncodePlan {
	if !holdsID(reflect.TypeOf(value)) {
		return c.UUIDCodec.PlanEncode(m, oid, format, value)
	}
	return encodePlan{text: format == pgtype.TextFormatCode}
}

func (c codec) PlanScan(m *pgtype.Map, oid uint32, format int16, target any) pgtype.ScanPlan {
	// Pointers to pointers and sql.Null reach an ID by way of pgx or Scan.
	if t := reflect.TypeOf(target); t.Kind() != reflect.Pointer || !isID(t.Elem()) {
		return c.UUIDCodec.PlanScan(m, oid, format, target)
	}
	return scanPlan{text: format == pgtype.TextFormatCode}
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

// wrapSlice makes a slice of IDs the text of an array where pgx knows no type for it, as it does not in the modes exec
// and simple_protocol.
func wrapSlice(value any) (pgtype.WrappedEncodePlanNextSetter, any, bool) {
	t := reflect.TypeOf(value)
	if t == nil || t.Kind() != reflect.Slice || !holdsID(t.Elem()) {
		return nil, nil, false
	}
	return &slicePlan{}, []*string(nil), true
}

// slicePlan has the plan of a []*string, in which nil is NULL.
type slicePlan struct{ next pgtype.EncodePlan }

func (p *slicePlan) SetNext(next pgtype.EncodePlan) { p.next = next }

func (p *slicePlan) Encode(value any, buf []byte) ([]byte, error) {
	slice := reflect.ValueOf(value)
	texts := make([]*string, slice.Len())
	for i := range texts {
		id := unwrap(slice.Index(i))
		if id == nil {
			continue
		}
		v, err := id.Value()
		if err != nil {
			return nil, err
		}
		if b, ok := v.([]byte); ok {
			v = `\x` + hex.EncodeToString(b)
		}
		text := fmt.Sprint(v)
		texts[i] = &text
	}
	return p.next.Encode(texts, buf)
}

// valuer is what a ULID is read by, and scanner what it is set by. UUIDString tells it from other types of 16 bytes.
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

// known has what isID found about each type, because pgx plans anew for every query.
var known sync.Map

// isID reports whether t is the 16 bytes of a ULID, and its Value has no other meaning.
func isID(t reflect.Type) bool {
	if known, ok := known.Load(t); ok {
		return known.(bool)
	}
	is := t.Implements(reflect.TypeFor[valuer]()) && reflect.PointerTo(t).Implements(reflect.TypeFor[scanner]()) &&
		t.Size() == 16 && t.Align() == 1 && // neither a pointer nor a field beside the bytes
		keepsValue(t, ulid.ULID{}) && keepsValue(t, ulid.ULID{0: 1, 15: 2})
	known.Store(t, is)
	return is
}

// keepsValue reports whether Value returns this ID for a t that is set to it.
func keepsValue(t reflect.Type, id ulid.ULID) bool {
	v := reflect.New(t)
	if err := v.Interface().(scanner).UnmarshalBinary(id[:]); err != nil {
		return false
	}
	value, err := v.Elem().Interface().(valuer).Value()
	var got ulid.ULID
	return err == nil && value != nil && got.Scan(value) == nil && got == id
}
