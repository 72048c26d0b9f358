// Package pgxulid stores ULIDs in PostgreSQL's uuid columns through pgx, about as fast as pgx
// stores a [16]byte. Call Register for each connection of a pool:
//
//	config, err := pgxpool.ParseConfig(url)
//	if err != nil {
//		return nil, err
//	}
//	config.AfterConnect = func(ctx context.Context, conn *pgx.Conn) error {
//		pgxulid.Register(conn.TypeMap())
//		return nil
//	}
//	return pgxpool.NewWithConfig(ctx, config)
package pgxulid

import (
	"database/sql"
	"database/sql/driver"
	"reflect"

	"github.com/jackc/pgx/v5/pgtype"

	"github.com/seed-961d0905/ulid"
)

// Register lets the connection that has the types m store ULIDs in uuid columns and read them from
// there. Call it for every connection of a pool, in AfterConnect. With database/sql, use
// stdlib.OptionAfterConnect.
//
// It covers [ulid.ULID], [ulid.AsUUID], [ulid.AsBinary] and every type that has their methods
// Value, Scan and UUIDString, such as a typed.ID or a struct that embeds one of them. It also
// covers their pointers, [sql.Null], slices, arrays, ranges and composites. pgx handles columns of
// other types and other Go types as before.
//
// A type with a Value and a Scan of its own is stored and read by them. Its Value may return the
// string of a ULID or UUID, 16 bytes, or nil for NULL; any other result is left to pgx. Its Scan
// gets a string in UUID format, or nil for NULL. If it also has methods for pgx, such as
// UUIDValue, pgx calls those instead.
//
// In the modes exec and simple_protocol, pgx does not know the column of a parameter, so Register
// changes nothing for parameters there. pgx sends what Value returns: a uuid column takes AsUUID
// and typed IDs with a UUIDColumn, and rejects other IDs. Slices of IDs are errors in these modes.
// Pass a []string of what UUIDString returns, and write $1::uuid[]. Reading and CopyFrom work in
// every mode.
//
// A []byte may hold 16 bytes or the string of a ULID or UUID, and is otherwise an error. Without
// Register, pgx stores the first 16 bytes of any []byte, such as a string that a queue brought. In
// exec and simple_protocol, pgx sends a []byte parameter as bytea, which a uuid column rejects.
//
// Register adds to what m has for uuid: call it after other packages have registered theirs. A
// second call does nothing, so you may also call it before each use of a connection, in
// PrepareConn.
//
// A domain over uuid takes a ULID in CopyFrom, but rejects it as a parameter until you pass pgx's
// LoadType to RegisterType, after Register. Writing $1::uuid helps too.
func Register(m *pgtype.Map) {
	known, _ := m.TypeForOID(pgtype.UUIDOID) // every Map has it
	if _, ok := known.Codec.(codec); ok {
		return
	}
	m.RegisterType(&pgtype.Type{Name: known.Name, OID: known.OID, Codec: codec{known.Codec}})
}

// codec takes ULIDs where the one that it wraps has no plan.
type codec struct{ pgtype.Codec }

func (c codec) PlanEncode(m *pgtype.Map, oid uint32, format int16, value any) pgtype.EncodePlan {
	if _, ok := value.([]byte); ok {
		return bytesPlan{format}
	}
	plan := c.Codec.PlanEncode(m, oid, format, value)
	// A **ULID is no Valuer: leave it to pgx, which dereferences it and asks again.
	if v, ok := value.(driver.Valuer); ok && plan == nil && holdsID(reflect.TypeOf(v)) {
		plan = encodePlan{m, oid, format}
	}
	return plan
}

func (c codec) PlanScan(m *pgtype.Map, oid uint32, format int16, target any) pgtype.ScanPlan {
	plan := c.Codec.PlanScan(m, oid, format, target)
	// A *sql.Null is no scanner: leave it to pgx, which calls its Scan, and that calls the ID's.
	if _, ok := target.(scanner); ok && plan == nil {
		plan = scanPlan{format}
	}
	return plan
}

// encodePlan writes the ID in a value whose type passes holdsID.
type encodePlan struct {
	m      *pgtype.Map
	oid    uint32
	format int16
}

func (p encodePlan) Encode(value any, buf []byte) ([]byte, error) {
	var id ulid.ULID
	switch v := value.(type) {
	case ulid.ULID:
		id = v
	case ulid.AsUUID:
		id = ulid.ULID(v)
	case ulid.AsBinary:
		id = ulid.ULID(v)
	default: // Only Value knows what a type stores.
		if r := reflect.ValueOf(value); r.Kind() == reflect.Pointer && r.IsNil() {
			return nil, nil // NULL
		}
		result, err := v.(driver.Valuer).Value()
		if err != nil || result == nil {
			return nil, err
		}
		if id.Scan(result) != nil {
			other := valued{result}
			return p.m.PlanEncode(p.oid, p.format, other).Encode(other, buf)
		}
	}
	return appendID(buf, id, p.format), nil
}

// bytesPlan writes a []byte of 16 bytes, or of an ID's string, of which pgx would write the first 16 characters.
type bytesPlan struct{ format int16 }

func (p bytesPlan) Encode(value any, buf []byte) ([]byte, error) {
	var id ulid.ULID
	if err := id.Scan(value); err != nil {
		return nil, err
	}
	return appendID(buf, id, p.format), nil
}

func appendID(buf []byte, id ulid.ULID, format int16) []byte {
	if format == pgtype.TextFormatCode {
		return append(buf, id.UUIDString()...)
	}
	return append(buf, id[:]...)
}

// valued returns a Value again, to pgx.
type valued struct{ result driver.Value }

func (v valued) Value() (driver.Value, error) { return v.result, nil }

// scanPlan reads an ID. It gives a type's own Scan what pgx would.
type scanPlan struct{ format int16 }

func (p scanPlan) Scan(src []byte, target any) (err error) {
	if src == nil {
		return target.(scanner).Scan(nil)
	}
	var id ulid.ULID
	if p.format == pgtype.TextFormatCode {
		id, err = ulid.ParseUUID(string(src))
	} else {
		err = id.UnmarshalBinary(src)
	}
	if err != nil {
		return err
	}
	switch target := target.(type) {
	case *ulid.ULID:
		*target = id
	case *ulid.AsUUID:
		*target = ulid.AsUUID(id)
	case *ulid.AsBinary:
		*target = ulid.AsBinary(id)
	default:
		return target.(scanner).Scan(id.UUIDString())
	}
	return nil
}

// A valuer is an ID that can be stored, a scanner one that can be read. UUIDString tells them from
// other types.
type valuer interface {
	UUIDString() string
	driver.Valuer
}

type scanner interface {
	UUIDString() string
	sql.Scanner
}

// holdsID reports whether t is an ID, or leads to one by pointers and sql.Null.
func holdsID(t reflect.Type) bool {
	switch {
	case t.Kind() == reflect.Pointer:
		return holdsID(t.Elem())
	case t.PkgPath() == "database/sql" && t.Kind() == reflect.Struct && t.Field(0).Name == "V": // sql.Null
		return holdsID(t.Field(0).Type)
	}
	return t.Implements(reflect.TypeFor[valuer]())
}
