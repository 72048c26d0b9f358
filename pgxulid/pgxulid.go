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
	"database/sql/driver"
	"fmt"
	"reflect"

	"github.com/jackc/pgx/v5/pgtype"

	"github.com/seed-961d0905/ulid"
)

// Register lets the connection that has the types m store IDs in uuid columns and read them from
// there, without the strings that pgx makes of them. Call it for every connection of a pool, in
// AfterConnect. With database/sql, use stdlib.OptionAfterConnect.
//
// It covers [ulid.AsUUID] and every type that has its methods Value and UUIDString and whose Value is
// a UUID: typed IDs with a UUIDColumn, and structs that embed one of them. It also covers their
// pointers, [sql.Null], slices, arrays, ranges and composites. An ID whose Value is anything else,
// such as a [ulid.ULID], is an error before anything is sent, because its Scan would not read the
// column. pgx handles columns of other types and other Go types as before.
//
// In the modes exec and simple_protocol, pgx does not know the column of a parameter, so Register
// changes nothing for parameters there. pgx sends what Value returns: a uuid column takes the same
// types, and rejects other IDs. Slices of IDs are errors in these modes. Pass a []string of what
// UUIDString returns, and write $1::uuid[]. Reading and CopyFrom work in every mode.
//
// A []byte may hold 16 bytes or the string of a ULID or UUID, and is otherwise an error. Without
// Register, pgx stores the first 16 bytes of any []byte, such as a string that a queue brought. In
// exec and simple_protocol, pgx sends a []byte parameter as bytea, which a uuid column rejects.
//
// Register adds to what m has for uuid: call it after other packages have registered theirs. A
// second call does nothing, so you may also call it before each use of a connection, in
// PrepareConn.
func Register(m *pgtype.Map) {
	known, _ := m.TypeForOID(pgtype.UUIDOID) // every Map has it
	if _, ok := known.Codec.(codec); ok {
		return
	}
	m.RegisterType(&pgtype.Type{Name: known.Name, OID: known.OID, Codec: codec{known.Codec}})
}

// codec takes IDs and bytes where the one that it wraps has no plan.
type codec struct{ pgtype.Codec }

func (c codec) PlanEncode(m *pgtype.Map, oid uint32, format int16, value any) pgtype.EncodePlan {
	if _, ok := value.([]byte); ok {
		return bytesPlan{format}
	}
	plan := c.Codec.PlanEncode(m, oid, format, value)
	// A **ulid.AsUUID is no Valuer: leave it to pgx, which dereferences it and asks again.
	if _, ok := value.(driver.Valuer); ok && plan == nil && holdsID(reflect.TypeOf(value)) {
		plan = idPlan{format}
	}
	return plan
}

func (c codec) PlanScan(m *pgtype.Map, oid uint32, format int16, target any) pgtype.ScanPlan {
	plan := c.Codec.PlanScan(m, oid, format, target)
	// pgx calls the Scan of other types with a UUID.
	if _, ok := target.(*ulid.AsUUID); ok && plan == nil {
		plan = scanPlan{format}
	}
	return plan
}

// idPlan writes the ID in a value whose type passes holdsID.
type idPlan struct{ format int16 }

func (p idPlan) Encode(value any, buf []byte) ([]byte, error) {
	id, ok := value.(ulid.AsUUID)
	if !ok { // Only Value knows what a type stores.
		if r := reflect.ValueOf(value); r.Kind() == reflect.Pointer && r.IsNil() {
			return nil, nil // NULL
		}
		stored, err := value.(driver.Valuer).Value()
		if err != nil || stored == nil {
			return nil, err
		}
		if id.Scan(stored) != nil {
			return nil, fmt.Errorf("pgxulid: %T is not stored as a UUID; uuid columns are for AsUUID or UUIDColumn", value)
		}
	}
	return appendID(buf, ulid.ULID(id), p.format), nil
}

// bytesPlan writes the ID in a []byte, of which pgx would write the first 16 bytes, whatever they are.
type bytesPlan struct{ format int16 }

func (p bytesPlan) Encode(value any, buf []byte) ([]byte, error) {
	var id ulid.ULID
	var err error
	switch data := value.([]byte); len(data) {
	case len(id):
		err = id.UnmarshalBinary(data)
	case ulid.EncodedSize:
		err = id.UnmarshalText(data)
	case 36:
		id, err = ulid.ParseUUID(string(data))
	default:
		err = fmt.Errorf("%w: %d bytes, want 16, or 26 or 36 characters", ulid.ErrDataSize, len(data))
	}
	if err != nil {
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

// scanPlan reads an AsUUID.
type scanPlan struct{ format int16 }

func (p scanPlan) Scan(src []byte, target any) error {
	id := target.(*ulid.AsUUID)
	switch {
	case src == nil:
		*id = ulid.AsUUID{}
		return nil
	case p.format == pgtype.TextFormatCode:
		return id.Scan(src)
	default:
		return id.UnmarshalBinary(src)
	}
}

// holdsID reports whether t is a type of IDs, or leads to one by pointers and sql.Null. UUIDString
// tells IDs from other types.
func holdsID(t reflect.Type) bool {
	switch {
	case t.Kind() == reflect.Pointer:
		return holdsID(t.Elem())
	case t.PkgPath() == "database/sql" && t.Kind() == reflect.Struct && t.Field(0).Name == "V": // sql.Null
		return holdsID(t.Field(0).Type)
	}
	return t.Implements(reflect.TypeFor[interface {
		driver.Valuer
		UUIDString() string
	}]())
}
