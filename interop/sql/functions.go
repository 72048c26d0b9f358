// Package sql has the functions of docs/sqlite.md. Its tests run the files in sql/, which have the
// statements of that page, docs/postgresql.md and docs/mysql.md.
package sql

import (
	"database/sql/driver"

	"github.com/seed-961d0905/ulid"
	"modernc.org/sqlite"
)

func init() {
	register("ulid_to_text", func(id ulid.ULID) driver.Value { return id.String() })
	register("ulid_to_blob", func(id ulid.ULID) driver.Value { return id.Bytes() })
	register("ulid_to_uuid", func(id ulid.ULID) driver.Value { return id.UUIDString() })
	register("ulid_ms", func(id ulid.ULID) driver.Value { return int64(id.Time()) })
	sqlite.MustRegisterScalarFunction("ulid_make", 0,
		func(*sqlite.FunctionContext, []driver.Value) (driver.Value, error) {
			return ulid.Make().String(), nil
		})
}

// register makes f a function of SQL. It accepts an ID in each of the three formats, and returns
// NULL for NULL.
func register(name string, f func(ulid.ULID) driver.Value) {
	sqlite.MustRegisterDeterministicScalarFunction(name, 1,
		func(_ *sqlite.FunctionContext, args []driver.Value) (driver.Value, error) {
			if args[0] == nil {
				return nil, nil
			}
			var id ulid.ULID
			if err := id.Scan(args[0]); err != nil {
				return nil, err
			}
			return f(id), nil
		})
}
