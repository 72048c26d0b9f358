//go:build go1.27

package uuids

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"uuid"

	"github.com/jackc/pgx/v5"
	"github.com/lib/pq"
	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect/mysqldialect"
	"github.com/uptrace/bun/dialect/pgdialect"
	"github.com/uptrace/bun/schema"
	"gorm.io/driver/mysql"
	"gorm.io/driver/postgres"
	"gorm.io/gorm"
	"gorm.io/gorm/logger"

	"github.com/seed-961d0905/ulid"
	"github.com/seed-961d0905/ulid/interop/db"
	"github.com/seed-961d0905/ulid/interop/golden"
)

// TestStandard has a type that reads no part of a UUID, so the version, the variant and the time are those of its text.
func TestStandard(t *testing.T) {
	peer[uuid.UUID]{
		uuid.Parse, uuid.UUID.String, func() (uuid.UUID, error) { return uuid.NewV7(), nil },
		func(u uuid.UUID) string {
			variant := map[byte]string{'8': "RFC 9562", '9': "RFC 9562", 'a': "RFC 9562", 'b': "RFC 9562"}
			return u.String()[14:15] + " " + variant[u.String()[19]]
		},
		"7 RFC 9562",
		func(u uuid.UUID) (uint64, error) {
			s := u.String()
			return strconv.ParseUint(s[:8]+s[9:13], 16, 64)
		},
	}.test(t)
}

// TestTools does with Go's UUID and with AsUUID what a program does with IDs, by each tool.
func TestTools(t *testing.T) {
	table := golden.New(t, "Go's UUID and AsUUID", db.PostgreSQL.Open(t, "").Version(), db.MariaDB.Open(t, "").Version(),
		golden.Module("gorm.io/gorm"), golden.Module("github.com/uptrace/bun"), golden.Module("github.com/jmoiron/sqlx"),
		golden.Module("github.com/jackc/pgx/v5"), golden.Module("github.com/lib/pq"), golden.Module("github.com/go-sql-driver/mysql"))
	for _, driver := range []db.Driver{db.PostgreSQL.Drivers[0], db.PostgreSQL.Drivers[3], db.MariaDB.Drivers[0]} {
		tryTools[uuid.UUID](t, table, driver)
		tryTools[ulid.AsUUID](t, table, driver)
	}
}

// A row has an ID and one that may be NULL.
type row[U any] struct {
	bun.BaseModel `bun:"table:t,alias:t" db:"-" gorm:"-"`

	ID  U  `bun:"id,pk" db:"id"`
	Ref *U `bun:"ref" db:"ref"`
}

func (row[U]) TableName() string { return "t" }

func tryTools[U ~[16]byte](t *testing.T, table *golden.Table, driver db.Driver) {
	const a, b, c = "01a20459-0000-7000-8000-00000000000a", "01a20459-0000-7000-8000-00000000000b", "01a20459-0000-7000-8000-00000000000c"
	ids := []U{U(ulid.MustParseUUID(a)), U(ulid.MustParseUUID(b))}
	want := []row[U]{{ID: ids[0]}, {ID: ids[1], Ref: &ids[0]}}
	d, column := db.PostgreSQL, "uuid"
	if driver.Driver == "mysql" {
		d, column = db.MariaDB, "char(36)"
	}
	to, ctx := d.OpenWith(t, driver), context.Background()
	to.Run("CREATE TABLE t (id " + column + " PRIMARY KEY, ref " + column + ")")

	type reader func(rows *[]row[U], where string, args ...any) error
	type operations map[string]func(rows *[]row[U]) error // which read the rows a and b, and not c
	by := func(read reader, where string, ids any) func(*[]row[U]) error {
		return func(rows *[]row[U]) error { return read(rows, where, ids) }
	}
	try := func(tool string, insert func(*row[U]) error, read reader, all operations) {
		all["Scan"] = func(rows *[]row[U]) error { return read(rows, "id <> '"+c+"'") }
		all["argument"] = func(rows *[]row[U]) error {
			to.Run("DELETE FROM t")
			return errors.Join(insert(&want[0]), insert(&want[1]), read(rows, "1 = 1"))
		}
		var failed []string
		for _, name := range slices.Sorted(maps.Keys(all)) {
			to.Run("DELETE FROM t")
			to.Run("INSERT INTO t VALUES ('" + a + "', NULL), ('" + b + "', '" + a + "'), ('" + c + "', NULL)")
			var got []row[U]
			if err := all[name](&got); err != nil {
				failed = append(failed, name)
			} else if !reflect.DeepEqual(got, want) {
				failed = append(failed, "SILENT: "+name)
			}
		}
		table.Cell(tool+", "+driver.Name, fmt.Sprintf("`%T`", ids[0]), cmp.Or(strings.Join(failed, "; "), golden.Works))
	}

	read := func(rows *[]row[U], where string, args ...any) error {
		return to.Select(rows, to.Rebind("SELECT * FROM t WHERE "+where), args...)
	}
	arrays := operations{"slice": by(read, "id = ANY(?)", ids), "slice in pq.Array": by(read, "id = ANY(?)", pq.Array(ids))}
	gormDialect, bunDialect := postgres.New(postgres.Config{Conn: to.DB.DB}), schema.Dialect(pgdialect.New())
	if d == db.MariaDB {
		arrays, gormDialect, bunDialect = operations{}, mysql.New(mysql.Config{Conn: to.DB.DB}), mysqldialect.New()
	}
	try("database/sql and sqlx", func(r *row[U]) error { return to.Try("INSERT INTO t VALUES (?, ?)", r.ID, r.Ref) }, read, arrays)
	if driver.Driver == "postgres" {
		return // gorm and bun use pgx
	}

	g, err := gorm.Open(gormDialect, &gorm.Config{Logger: logger.Discard})
	db.Check(t, err)
	read = func(rows *[]row[U], where string, args ...any) error {
		return g.Find(rows, append([]any{where}, args...)...).Error
	}
	made := func() *gorm.DB { return g.Table("made") }
	try("gorm", func(r *row[U]) error { return g.Create(r).Error }, read, operations{
		"IN": by(read, "id IN ?", ids),
		"Delete(&x, id)": func(rows *[]row[U]) error {
			return errors.Join(g.Delete(&row[U]{}, U(ulid.MustParseUUID(c))).Error, g.Find(rows).Error)
		},
		"a field without a tag": func(rows *[]row[U]) error {
			return errors.Join(made().AutoMigrate(&row[U]{}), made().Create(want).Error, made().Find(rows).Error)
		},
	})

	bunDB := bun.NewDB(to.DB.DB, bunDialect)
	read = func(rows *[]row[U], where string, args ...any) error {
		return bunDB.NewSelect().Model(rows).Where(where, args...).Scan(ctx)
	}
	insert := func(r *row[U]) error { _, err := bunDB.NewInsert().Model(r).Exec(ctx); return err }
	try("bun", insert, read, operations{"IN": by(read, "id IN ?", bun.Tuple(ids))})
	if d == db.MariaDB {
		return
	}

	conn, err := pgx.Connect(ctx, to.DSN)
	db.Check(t, err)
	defer conn.Close(ctx)
	read = func(rows *[]row[U], where string, args ...any) error {
		result, _ := conn.Query(ctx, "SELECT * FROM t WHERE "+strings.Replace(where, "?", "$1", 1), args...)
		*rows, err = pgx.CollectRows(result, pgx.RowToStructByName[row[U]])
		return err
	}
	insert = func(r *row[U]) error {
		_, err := conn.Exec(ctx, "INSERT INTO t VALUES ($1, $2)", r.ID, r.Ref)
		return err
	}
	try("without database/sql", insert, read, operations{"slice": by(read, "id = ANY(?)", ids)})
}
