//go:build go1.27

package uuid

import (
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
	"github.com/seed-961d0905/ulid/interop/page"
)

// TestStandard has a type that reads no part of a UUID, so the version, the variant and the time are those of its text.
func TestStandard(t *testing.T) {
	peer[uuid.UUID]{
		parse:    uuid.Parse,
		string:   uuid.UUID.String,
		newV7:    func() (uuid.UUID, error) { return uuid.NewV7(), nil },
		version:  versionInText,
		version7: "7 RFC 9562",
		ms: func(u uuid.UUID) (uint64, error) {
			s := u.String()
			return strconv.ParseUint(s[:8]+s[9:13], 16, 64)
		},
	}.test(t)
}

// TestWayOutToStandard makes the calls of the table on the page too.
func TestWayOutToStandard(t *testing.T) {
	testWayOut(t, func() (uuid.UUID, error) { return uuid.NewV7(), nil })

	id := ulid.Make()
	u, err := uuid.Parse(id.UUIDString())
	if u != uuid.UUID(id) || err != nil || u.String() != id.UUIDString() {
		t.Errorf("Go's uuid reads %s as %s, %v", id.UUIDString(), u, err)
	}
}

func versionInText(u uuid.UUID) string {
	s := u.String()
	variant := "another variant"
	if strings.Contains("89ab", s[19:20]) {
		variant = "RFC 9562"
	}
	return s[14:15] + " " + variant
}

// TestTools does with Go's UUID and with AsUUID what a program does with IDs, by each tool. AsUUID must work in all of
// them. Go's UUID may be rejected, but only one call is known to go wrong without an error.
func TestTools(t *testing.T) {
	page.Fact(t, "docs/uuid.md", "gorm-in-mariadb-deletes-other-rows")
	wrong := map[string]bool{}
	tryBoth(t, wrong, db.PostgreSQL, "pgx")
	tryBoth(t, wrong, db.PostgreSQL, "lib/pq")
	tryBoth(t, wrong, db.MariaDB, "go-sql-driver/mysql")
	want := map[string]bool{"gorm, go-sql-driver/mysql, uuid.UUID: Delete(&x, id)": true}
	if !maps.Equal(wrong, want) {
		t.Errorf("without an error go wrong\n%v\nwant\n%v", wrong, want)
	}
}

func tryBoth(t *testing.T, wrong map[string]bool, d *db.Database, driver string) {
	tryTools(newTrial[uuid.UUID](t, wrong, d, driver))
	tryTools(newTrial[ulid.AsUUID](t, wrong, d, driver))
}

func tryTools[U ~[16]byte](tr trial[U]) {
	tr.try(tr.sqlx())
	if tr.driver == "lib/pq" {
		return // gorm and bun use pgx
	}
	tr.try(tr.gorm())
	tr.try(tr.bun())
	if tr.to.Database == db.PostgreSQL {
		tr.try(tr.pgx())
	}
}

// The IDs of the rows: a program stores a and b, and looks for them where c is too.
const (
	a = "01a20459-0000-7000-8000-00000000000a"
	b = "01a20459-0000-7000-8000-00000000000b"
	c = "01a20459-0000-7000-8000-00000000000c"
)

func parse[U ~[16]byte](s string) U { return U(ulid.MustParseUUID(s)) }

// A row has an ID and one that may be NULL.
type row[U any] struct {
	bun.BaseModel `bun:"table:t,alias:t" db:"-" gorm:"-"`

	ID  U  `bun:"id,pk" db:"id"`
	Ref *U `bun:"ref" db:"ref"`
}

func (row[U]) TableName() string { return "t" }

// A tool inserts rows, and reads those of a condition, in which ? is an argument.
type tool[U ~[16]byte] struct {
	name   string
	insert func(row[U]) error
	read   func(rows *[]row[U], where string, args ...any) error
	more   map[string]operation[U] // what is tried besides inserting and reading, by name
}

// An operation reads the rows of a and b.
type operation[U ~[16]byte] func(rows *[]row[U]) error

// A trial tries tools with IDs of one type, by one driver.
type trial[U ~[16]byte] struct {
	t      *testing.T
	wrong  map[string]bool // what went wrong without an error
	driver string
	to     *db.DB
	ids    []U
	want   []row[U]
}

func newTrial[U ~[16]byte](t *testing.T, wrong map[string]bool, d *db.Database, name string) trial[U] {
	ids := []U{parse[U](a), parse[U](b)}
	at := slices.IndexFunc(d.Drivers, func(driver db.Driver) bool { return driver.Name == name })
	to := d.OpenWith(t, d.Drivers[at])
	column := "uuid"
	if d == db.MariaDB {
		column = "char(36)"
	}
	to.Run("CREATE TABLE t (id " + column + " PRIMARY KEY, ref " + column + ")")
	want := []row[U]{{ID: ids[0]}, {ID: ids[1], Ref: &ids[0]}}
	return trial[U]{t: t, wrong: wrong, driver: name, to: to, ids: ids, want: want}
}

// try does each operation of a tool where all three rows are.
func (tr trial[U]) try(tl tool[U]) {
	operations := maps.Clone(tl.more)
	operations["Scan"] = func(rows *[]row[U]) error { return tl.read(rows, "id <> '"+c+"'") }
	operations["argument"] = func(rows *[]row[U]) error {
		tr.to.Run("DELETE FROM t")
		return errors.Join(tl.insert(tr.want[0]), tl.insert(tr.want[1]), tl.read(rows, "1 = 1"))
	}
	for _, name := range slices.Sorted(maps.Keys(operations)) {
		tr.to.Run("DELETE FROM t")
		tr.to.Run("INSERT INTO t VALUES ('" + a + "', NULL), ('" + b + "', '" + a + "'), ('" + c + "', NULL)")
		call := fmt.Sprintf("%s, %s, %T: %s", tl.name, tr.driver, tr.ids[0], name)
		var got []row[U]
		err := operations[name](&got)
		if _, isOurs := any(tr.ids[0]).(ulid.AsUUID); err != nil && isOurs {
			tr.t.Errorf("%s: %v", call, err)
		}
		if err == nil && !reflect.DeepEqual(got, tr.want) {
			tr.wrong[call] = true
		}
	}
}

func (tr trial[U]) sqlx() tool[U] {
	tl := tool[U]{
		name:   "database/sql and sqlx",
		insert: func(r row[U]) error { return tr.to.Try("INSERT INTO t VALUES (?, ?)", r.ID, r.Ref) },
		read: func(rows *[]row[U], where string, args ...any) error {
			return tr.to.Select(rows, tr.to.Rebind("SELECT * FROM t WHERE "+where), args...)
		},
		more: map[string]operation[U]{},
	}
	if tr.to.Database == db.PostgreSQL {
		tl.more["slice"] = func(rows *[]row[U]) error { return tl.read(rows, "id = ANY(?)", tr.ids) }
		tl.more["slice in pq.Array"] = func(rows *[]row[U]) error {
			return tl.read(rows, "id = ANY(?)", pq.Array(tr.ids))
		}
	}
	return tl
}

func (tr trial[U]) gorm() tool[U] {
	var dialector gorm.Dialector = postgres.New(postgres.Config{Conn: tr.to.DB.DB})
	if tr.to.Database == db.MariaDB {
		dialector = mysql.New(mysql.Config{Conn: tr.to.DB.DB})
	}
	g, err := gorm.Open(dialector, &gorm.Config{Logger: logger.Discard})
	db.Check(tr.t, err)
	return tool[U]{
		name:   "gorm",
		insert: func(r row[U]) error { return g.Create(&r).Error },
		read: func(rows *[]row[U], where string, args ...any) error {
			return g.Where(where, args...).Find(rows).Error
		},
		more: map[string]operation[U]{
			"IN": func(rows *[]row[U]) error { return g.Find(rows, "id IN ?", tr.ids).Error },
			"Delete(&x, id)": func(rows *[]row[U]) error {
				return errors.Join(g.Delete(&row[U]{}, parse[U](c)).Error, g.Find(rows).Error)
			},
			"a field without a tag": func(rows *[]row[U]) error {
				return errors.Join(
					g.Table("made").AutoMigrate(&row[U]{}),
					g.Table("made").Create(tr.want).Error,
					g.Table("made").Find(rows).Error,
				)
			},
		},
	}
}

func (tr trial[U]) bun() tool[U] {
	var dialect schema.Dialect = pgdialect.New()
	if tr.to.Database == db.MariaDB {
		dialect = mysqldialect.New()
	}
	ctx, conn := tr.t.Context(), bun.NewDB(tr.to.DB.DB, dialect)
	return tool[U]{
		name: "bun",
		insert: func(r row[U]) error {
			_, err := conn.NewInsert().Model(&r).Exec(ctx)
			return err
		},
		read: func(rows *[]row[U], where string, args ...any) error {
			return conn.NewSelect().Model(rows).Where(where, args...).Scan(ctx)
		},
		more: map[string]operation[U]{
			"IN": func(rows *[]row[U]) error {
				return conn.NewSelect().Model(rows).Where("id IN ?", bun.Tuple(tr.ids)).Scan(ctx)
			},
		},
	}
}

func (tr trial[U]) pgx() tool[U] {
	ctx := tr.t.Context()
	conn, err := pgx.Connect(ctx, tr.to.DSN)
	db.Check(tr.t, err)
	tr.t.Cleanup(func() { conn.Close(context.Background()) })
	read := func(rows *[]row[U], where string, args ...any) error {
		result, err := conn.Query(ctx, "SELECT * FROM t WHERE "+strings.Replace(where, "?", "$1", 1), args...)
		if err != nil {
			return err
		}
		*rows, err = pgx.CollectRows(result, pgx.RowToStructByName[row[U]])
		return err
	}
	return tool[U]{
		name: "without database/sql",
		insert: func(r row[U]) error {
			_, err := conn.Exec(ctx, "INSERT INTO t VALUES ($1, $2)", r.ID, r.Ref)
			return err
		},
		read: read,
		more: map[string]operation[U]{
			"slice": func(rows *[]row[U]) error { return read(rows, "id = ANY(?)", tr.ids) },
		},
	}
}
