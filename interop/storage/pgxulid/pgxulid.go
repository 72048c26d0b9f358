// Package pgxulid is a recipe of docs/storage.md: it lets pgx store a plain [ulid.ULID] in uuid columns,
// where it otherwise needs a [ulid.AsUUID]. It is here to be copied into a program, not to be imported.
// The tests beside it show what it does.
package pgxulid

import (
	"database/sql"

	"github.com/jackc/pgx/v5/pgtype"

	"github.com/seed-961d0905/ulid"
)

// Register lets [ulid.ULID], *ulid.ULID, [sql.Null] of it and slices of them go into columns
// and parameters of the types uuid and uuid[], in CopyFrom too. Text and bytea columns are
// as they were, and reading needs no help. With a pool, call it for every connection:
//
//	config.AfterConnect = func(ctx context.Context, conn *pgx.Conn) error {
//		pgxulid.Register(conn.TypeMap())
//		return nil
//	}
//
// It works in the modes in which pgx asks the server for the types of the parameters, and
// thus knows a uuid from a text: the default one, cache_describe and describe_exec. In the
// modes exec and simple_protocol a ULID remains text, and a uuid column refuses it, except in
// CopyFrom, which always asks. What Register adds there is that slices can be parameters at
// all, as in id = ANY($1). Through database/sql it does nothing, because there the ULID is
// text before pgx sees it.
func Register(m *pgtype.Map) {
	uuid := &pgtype.Type{Name: "uuid", OID: pgtype.UUIDOID, Codec: codec{}}
	m.RegisterType(uuid)
	m.RegisterType(&pgtype.Type{
		Name: "_uuid", OID: pgtype.UUIDArrayOID, Codec: &pgtype.ArrayCodec{ElementType: uuid},
	})
	// Where pgx does not ask, it takes the type of a slice from here.
	m.RegisterDefaultPgType([]ulid.ULID(nil), "_text")
	m.RegisterDefaultPgType([]ulid.AsBinary(nil), "_bytea")
	m.RegisterDefaultPgType([]ulid.AsUUID(nil), "_uuid")
}

// codec is pgx's own for uuid and takes ULIDs too.
type codec struct{ pgtype.UUIDCodec }

func (c codec) PlanEncode(m *pgtype.Map, oid uint32, format int16, value any) pgtype.EncodePlan {
	if _, ok := asUUID(value); !ok {
		return c.UUIDCodec.PlanEncode(m, oid, format, value)
	}
	return plan{c.UUIDCodec.PlanEncode(m, oid, format, pgtype.UUID{})}
}

// plan hands a ULID to pgx's own plan as a UUID.
type plan struct{ pgtype.EncodePlan }

func (p plan) Encode(value any, buf []byte) ([]byte, error) {
	uuid, _ := asUUID(value)
	return p.EncodePlan.Encode(uuid, buf)
}

func asUUID(value any) (uuid pgtype.UUID, ok bool) {
	switch v := value.(type) {
	case ulid.ULID:
		return pgtype.UUID{Bytes: v, Valid: true}, true
	case *ulid.ULID: // never nil: pgx knows that nil is NULL
		return pgtype.UUID{Bytes: *v, Valid: true}, true
	case sql.Null[ulid.ULID]:
		return pgtype.UUID{Bytes: v.V, Valid: v.Valid}, true
	}
	return pgtype.UUID{}, false
}
