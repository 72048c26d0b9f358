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

// Register lets a connection store [ulid.AsUUID], [ulid.UUID] and typed IDs with a UUIDColumn in uuid
// columns, and read them from there, without the strings that pgx makes of them. m is the connection's type
// map. Register covers pointers to the IDs, a [database/sql.Null], slices, arrays, ranges, composites,
// and any type with the methods UUIDString and Value whose Value is a UUID.
//
// An ID whose Value is something else, such as a [ulid.ULID], is an error before anything is sent.
// So is a []byte that is neither 16 bytes nor the string of a ULID or UUID, of which pgx would store
// the first 16. pgx handles other types and columns as before. In the modes exec and
// simple_protocol, parameters are as without Register, and slices of IDs are errors.
//
// Call Register in AfterConnect, after other packages have registered their types. With database/sql,
// call it in stdlib.OptionAfterConnect. A second call does nothing.
//
// If you load a domain over uuid, as with LoadType, call Register first. A domain that was loaded before
// stays as it was: pgx stores the first 16 bytes of a []byte in it.
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
	// A **ulid.AsUUID is not a Valuer: leave it to pgx, which dereferences it and asks again.
	if _, ok := value.(driver.Valuer); ok && plan == nil && holdsID(reflect.TypeOf(value)) {
		plan = idPlan{format}
	}
	return plan
}

func (c codec) PlanScan(m *pgtype.Map, oid uint32, format int16, target any) pgtype.ScanPlan {
	switch target.(type) {
	case *ulid.AsUUID, *ulid.UUID:
		return scanPlan{format}
	}
	// For a type without a plan pgx calls Scan with the string of the UUID.
	return c.Codec.PlanScan(m, oid, format, target)
}

// idPlan writes the ID in a value whose type passes holdsID.
type idPlan struct{ format int16 }

func (p idPlan) Encode(value any, buf []byte) ([]byte, error) {
	switch id := value.(type) {
	case ulid.AsUUID:
		return appendID(buf, ulid.ULID(id), p.format), nil
	case ulid.UUID:
		return appendID(buf, ulid.ULID(id), p.format), nil
	}
	// Only Value knows what another type stores.
	if r := reflect.ValueOf(value); r.Kind() == reflect.Pointer && r.IsNil() {
		return nil, nil // NULL
	}
	stored, err := value.(driver.Valuer).Value()
	if err != nil || stored == nil {
		return nil, err
	}
	var id ulid.UUID
	if id.Scan(stored) != nil {
		return nil, fmt.Errorf("pgxulid: %T is not stored as a UUID; uuid columns are for AsUUID, UUID and UUIDColumn", value)
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
		err = (*ulid.UUID)(&id).UnmarshalText(data)
	default:
		err = fmt.Errorf("pgxulid: length %d, want 16, 26 or 36", len(data))
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

// scanPlan reads an AsUUID or a UUID.
type scanPlan struct{ format int16 }

func (p scanPlan) Scan(src []byte, target any) error {
	var id *ulid.UUID
	switch target := target.(type) {
	case *ulid.AsUUID:
		id = (*ulid.UUID)(target)
	case *ulid.UUID:
		id = target
	}
	switch {
	case src == nil: // NULL
		return id.Scan(nil)
	case p.format == pgtype.TextFormatCode:
		return id.Scan(src)
	default:
		return id.UnmarshalBinary(src)
	}
}

// holdsID reports whether t is a type of IDs, a sql.Null of one, or a pointer to either. A type is one of IDs
// if it has the method UUIDString, as those of the packages ulid and typed do: a uuid.UUID of another
// package stays with pgx.
func holdsID(t reflect.Type) bool {
	null := t
	if t.Kind() == reflect.Pointer {
		null = t.Elem()
	}
	if null.PkgPath() == "database/sql" && null.Kind() == reflect.Struct && null.Field(0).Name == "V" { // sql.Null
		return holdsID(null.Field(0).Type)
	}
	return t.Implements(reflect.TypeFor[interface {
		driver.Valuer
		UUIDString() string
	}]())
}
