package typed_test

import (
	"bytes"
	"encoding"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"
	"testing"

	glebarez "github.com/glebarez/sqlite"
	_ "github.com/go-sql-driver/mysql"
	"github.com/jackc/pgx/v5"
	_ "github.com/jackc/pgx/v5/stdlib"
	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect/mysqldialect"
	"github.com/uptrace/bun/dialect/pgdialect"
	"github.com/uptrace/bun/dialect/sqlitedialect"
	"github.com/uptrace/bun/schema"
	"gorm.io/driver/mysql"
	"gorm.io/driver/postgres"
	"gorm.io/gorm"
	"gorm.io/gorm/logger"

	"github.com/seed-961d0905/ulid"
	"github.com/seed-961d0905/ulid/interop/internal/page"
	"github.com/seed-961d0905/ulid/interop/recipes/typed"
	"github.com/seed-961d0905/ulid/interop/recipes/typed/sqlc"
	"github.com/seed-961d0905/ulid/interop/internal/servers"
)

// bareID is the first try that goes wrong: it has none of the methods of ULID.
type bareID ulid.ULID

const text = "01ARYZ6S41TSV4RRFFQ69G5FAV"

var (
	id      = typed.UserID{ULID: ulid.MustParse(text)}
	bare    = bareID(id.ULID)
	numbers = "1 86 61 243 100 129 214 118 76 97 239 185 147 2 189 91"
)

// row states a row of the page's table, once the test has shown it.
func row(t *testing.T, with, embedded, bare string) {
	t.Helper()
	if !t.Failed() {
		page.Contains(t, "docs/recipes.md", "\n| "+with+" | "+embedded+" | "+bare+" |\n")
	}
}

func want(t *testing.T, what, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("%s gave %s; want %s", what, got, want)
	}
}

func TestParse(t *testing.T) {
	if got, err := typed.ParseUserID(text); got != id || err != nil {
		t.Errorf("%s, %v", got, err)
	}
	if got, err := typed.ParseUserID("user"); !got.IsZero() || err != ulid.ErrDataSize {
		t.Errorf("%s, %v", got, err)
	}
	if typed.NewUserID().IsZero() {
		t.Error("a new ID is zero")
	}
}

func TestFmt(t *testing.T) {
	want(t, "Sprint", fmt.Sprint(id), text)
	want(t, "Sprint", fmt.Sprint(bare), "["+numbers+"]")
	row(t, "fmt", "the text", "16 numbers")
}

func TestMapKey(t *testing.T) {
	if m := map[typed.UserID]int{id: 1}; m[typed.UserID{ULID: ulid.MustParse(text)}] != 1 {
		t.Error("not found")
	}
	if m := map[bareID]int{bare: 1}; m[bareID(ulid.MustParse(text))] != 1 {
		t.Error("not found")
	}
	row(t, "`==`, map keys", "yes", "yes")
}

func TestCompare(t *testing.T) {
	a, b := typed.NewUserID(), typed.NewUserID()
	if a.Compare(b.ULID) != -1 {
		t.Errorf("%s, then %s", a, b)
	}
	page.Contains(t, "docs/recipes.md", "`a.Compare(b.ULID)`")
}

func marshal(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return "error"
	}
	return string(b)
}

func TestJSON(t *testing.T) {
	want(t, "Marshal", marshal(id), `"`+text+`"`)
	want(t, "Marshal", marshal(bare), "["+strings.ReplaceAll(numbers, " ", ",")+"]")
	var got typed.UserID
	if err := json.Unmarshal([]byte(`"`+text+`"`), &got); got != id || err != nil {
		t.Errorf("%s, %v", got, err)
	}
	row(t, "encoding/json", "the text", "**16 numbers, no error**")

	want(t, "Marshal", marshal(map[typed.UserID]int{id: 1}), `{"`+text+`":1}`)
	want(t, "Marshal", marshal(map[bareID]int{bare: 1}), "error")
	row(t, "keys of a JSON object", "the text", "error")

	type document struct {
		ID   typed.UserID `json:",omitzero"`
		Bare bareID       `json:",omitzero"`
	}
	want(t, "Marshal", marshal(document{}), "{}")
	row(t, "`omitzero`", "yes", "yes")
}

func TestSlog(t *testing.T) {
	for _, handler := range []func(io.Writer, *slog.HandlerOptions) slog.Handler{
		func(w io.Writer, o *slog.HandlerOptions) slog.Handler { return slog.NewTextHandler(w, o) },
		func(w io.Writer, o *slog.HandlerOptions) slog.Handler { return slog.NewJSONHandler(w, o) },
	} {
		var log bytes.Buffer
		slog.New(handler(&log, nil)).Info("", "id", id, "bare", bare)
		line := log.String()
		if !strings.Contains(line, text) || !strings.Contains(strings.ReplaceAll(line, ",", " "), "["+numbers+"]") {
			t.Error(line)
		}
	}
	row(t, "log/slog", "the text", "16 numbers")
}

func TestFlag(t *testing.T) {
	var got typed.UserID
	flags := flag.NewFlagSet("", flag.ContinueOnError)
	flags.TextVar(&got, "user", typed.UserID{}, "")
	if err := flags.Parse([]string{"-user", text}); got != id || err != nil {
		t.Errorf("%s, %v", got, err)
	}
	if _, ok := any(&bareID{}).(encoding.TextUnmarshaler); ok {
		t.Error("flag.TextVar takes a bareID")
	}
	row(t, "`flag.TextVar`", "yes", "does not compile")
}

func TestSQL(t *testing.T) {
	for _, d := range []struct{ driver, server, column, insert, query string }{
		{"sqlite", "", "TEXT", "INSERT INTO typed VALUES (?, ?)", "SELECT id, ref FROM typed WHERE id = ?"},
		{"pgx", "ULID_POSTGRES", "text", "INSERT INTO typed VALUES ($1, $2)", "SELECT id, ref FROM typed WHERE id = $1"},
		{"mysql", "ULID_MARIADB", "CHAR(26)", "INSERT INTO typed VALUES (?, ?)", "SELECT id, ref FROM typed WHERE id = ?"},
	} {
		t.Run(d.driver, func(t *testing.T) {
			db := servers.Open(t, d.driver, d.server)
			if _, err := db.Exec("CREATE TEMPORARY TABLE typed (id " + d.column + ", ref " + d.column + ")"); err != nil {
				t.Fatal(err)
			}
			for _, args := range [][]any{{id, (*typed.UserID)(nil)}, {typed.NewUserID(), &id}} {
				if _, err := db.Exec(d.insert, args...); err != nil {
					t.Fatal(err)
				}
			}
			var got typed.UserID
			ref := &id
			if err := db.QueryRow(d.query, id).Scan(&got, &ref); got != id || ref != nil || err != nil {
				t.Errorf("%s, %v, %v", got, ref, err)
			}
			if _, err := db.Exec(d.insert, bare, nil); err == nil {
				t.Error("a bareID was stored")
			}
			var b bareID
			if err := db.QueryRow(d.query, id).Scan(&b, &ref); err == nil {
				t.Errorf("%v was read", b)
			}
		})
	}
	row(t, "database/sql: pgx, go-sql-driver/mysql, SQLite", "yes, and `*UserID` for NULL", "error")
}

// An ID for PostgreSQL's type uuid embeds AsUUID.
type uuidID struct{ ulid.AsUUID }

func TestPgx(t *testing.T) {
	conn, err := pgx.Connect(t.Context(), servers.DSN(t, "ULID_POSTGRES"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	if _, err := conn.Exec(t.Context(), "CREATE TEMPORARY TABLE typed (id uuid)"); err != nil {
		t.Fatal(err)
	}
	in := uuidID{ulid.AsUUID(id.ULID)}
	for _, id := range []uuidID{in, {}} {
		if _, err := conn.Exec(t.Context(), "INSERT INTO typed VALUES ($1)", id); err != nil {
			t.Fatal(err)
		}
	}
	var out uuidID
	if err := conn.QueryRow(t.Context(), "SELECT id FROM typed WHERE id = $1", in).Scan(&out); out != in || err != nil {
		t.Errorf("%s, %v", out, err)
	}
	// 16 bytes are what pgx takes a uuid to be, so that here a bareID works.
	var b bareID
	if err := conn.QueryRow(t.Context(), "SELECT id FROM typed WHERE id = $1", bare).Scan(&b); b != bare || err != nil {
		t.Errorf("%v, %v", b, err)
	}
	row(t, "pgx itself, a `uuid` column", "`struct{ ulid.AsUUID }`", "yes")
}

type gormUser struct {
	ID   typed.UserID  `gorm:"type:char(26)"`
	Boss *typed.UserID `gorm:"type:char(26)"`
}

type gormBare struct {
	ID bareID `gorm:"type:char(26)"`
}

func TestGorm(t *testing.T) {
	for _, d := range []struct {
		name, server string
		open         func(string) gorm.Dialector
	}{
		{"sqlite", "", glebarez.Open}, {"postgres", "ULID_POSTGRES", postgres.Open}, {"mysql", "ULID_MARIADB", mysql.Open},
	} {
		t.Run(d.name, func(t *testing.T) {
			dsn := ":memory:"
			if d.server != "" {
				dsn = servers.DSN(t, d.server)
			}
			db, err := gorm.Open(d.open(dsn), &gorm.Config{Logger: logger.Discard})
			if err != nil {
				t.Fatal(err)
			}
			pool, err := db.DB()
			if err != nil {
				t.Fatal(err)
			}
			pool.SetMaxOpenConns(1)
			defer pool.Close()
			if err := db.Migrator().DropTable(&gormUser{}, &gormBare{}); err != nil {
				t.Fatal(err)
			}
			if err := db.AutoMigrate(&gormUser{}, &gormBare{}); err != nil {
				t.Fatal(err)
			}
			defer db.Migrator().DropTable(&gormUser{}, &gormBare{})

			other := typed.NewUserID()
			if err := db.Create([]gormUser{{ID: id}, {ID: other, Boss: &id}}).Error; err != nil {
				t.Fatal(err)
			}
			for _, want := range []gormUser{{ID: id}, {ID: other, Boss: &id}} {
				for name, find := range map[string]func(*gormUser) *gorm.DB{
					`First(&x, id)`:           func(x *gormUser) *gorm.DB { return db.First(x, want.ID) },
					`First(&x, "id = ?", id)`: func(x *gormUser) *gorm.DB { return db.First(x, "id = ?", want.ID) },
					`Where(&X{ID: id})`:       func(x *gormUser) *gorm.DB { return db.Where(&gormUser{ID: want.ID}).First(x) },
					`id IN ?`: func(x *gormUser) *gorm.DB {
						return db.First(x, "id IN ?", []typed.UserID{want.ID})
					},
				} {
					var got gormUser
					if err := find(&got).Error; err != nil || marshal(got) != marshal(want) {
						t.Errorf("%s found %s, %v; want %s", name, marshal(got), err, marshal(want))
					}
				}
			}
			if result := db.Delete(&gormUser{}, other); result.RowsAffected != 1 || result.Error != nil {
				t.Errorf("Delete(&X{}, id): %d rows, %v", result.RowsAffected, result.Error)
			}
			if result := db.Delete(&gormUser{ID: id}); result.RowsAffected != 1 || result.Error != nil {
				t.Errorf("Delete(&X{ID: id}): %d rows, %v", result.RowsAffected, result.Error)
			}
			if err := db.Create(&gormBare{ID: bare}).Error; err == nil {
				t.Error("a bareID was stored")
			}
		})
	}
	row(t, "gorm", "yes, `First(&x, id)` too", "error")
}

type bunUser struct {
	bun.BaseModel `bun:"table:typed_bun"`

	ID   typed.UserID  `bun:"id,pk,type:char(26)"`
	Boss *typed.UserID `bun:"boss,type:char(26)"`
}

type bunBare struct {
	bun.BaseModel `bun:"table:typed_bun"`

	ID   bareID `bun:"id,pk,type:char(26)"`
	Boss *bareID
}

func TestBun(t *testing.T) {
	for _, d := range []struct {
		driver, server string
		dialect        schema.Dialect
	}{
		{"sqlite", "", sqlitedialect.New()}, {"pgx", "ULID_POSTGRES", pgdialect.New()}, {"mysql", "ULID_MARIADB", mysqldialect.New()},
	} {
		t.Run(d.driver, func(t *testing.T) {
			ctx := t.Context()
			db := bun.NewDB(servers.Open(t, d.driver, d.server), d.dialect)
			if _, err := db.ExecContext(ctx, "CREATE TEMPORARY TABLE typed_bun (id char(26) PRIMARY KEY, boss char(26))"); err != nil {
				t.Fatal(err)
			}
			other := typed.NewUserID()
			users := []bunUser{{ID: id}, {ID: other, Boss: &id}}
			if _, err := db.NewInsert().Model(&users).Exec(ctx); err != nil {
				t.Fatal(err)
			}
			for _, want := range users {
				for name, where := range map[string]func(*bun.SelectQuery) *bun.SelectQuery{
					"id = ?": func(q *bun.SelectQuery) *bun.SelectQuery { return q.Where("id = ?", want.ID) },
					"id IN ?": func(q *bun.SelectQuery) *bun.SelectQuery {
						return q.Where("id IN (?)", bun.List([]typed.UserID{want.ID}))
					},
				} {
					var got bunUser
					if err := where(db.NewSelect().Model(&got)).Scan(ctx); err != nil || marshal(got) != marshal(want) {
						t.Errorf("%s found %s, %v; want %s", name, marshal(got), err, marshal(want))
					}
				}
				got := bunUser{ID: want.ID}
				if err := db.NewSelect().Model(&got).WherePK().Scan(ctx); err != nil || marshal(got) != marshal(want) {
					t.Errorf("WherePK found %s, %v; want %s", marshal(got), err, marshal(want))
				}
			}
			if _, err := db.NewInsert().Model(&bunBare{ID: bare}).Exec(ctx); err == nil {
				t.Error("a bareID was stored")
			}
			if d.driver != "sqlite" {
				return
			}
			// The error came from reading the row back: SQLite has stored the bytes.
			var n int
			err := db.QueryRowContext(ctx, "SELECT COUNT(*) FROM typed_bun WHERE hex(id) = ?", fmt.Sprintf("%X", bare[:])).Scan(&n)
			if n != 1 || err != nil {
				t.Errorf("%d rows have the bytes, %v", n, err)
			}
		})
	}
	row(t, "bun", "yes", "error, **but SQLite has stored 16 bytes**")
}

func TestSqlc(t *testing.T) {
	db := servers.Open(t, "sqlite", "")
	schema, err := sqlc.Schema.ReadFile("schema.sql")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.Exec(string(schema)); err != nil {
		t.Fatal(err)
	}
	q := sqlc.New(db)
	var orders []sqlc.Order
	for range 3 {
		order := sqlc.Order{ID: typed.OrderID{ULID: ulid.Make()}, UserID: id}
		orders = append(orders, order)
		for _, user := range []typed.UserID{id, typed.NewUserID()} {
			if err := q.CreateOrder(t.Context(), sqlc.CreateOrderParams{ID: order.ID, UserID: user}); err != nil {
				t.Fatal(err)
			}
			order.ID = typed.OrderID{ULID: ulid.Make()}
		}
	}
	if got, err := q.ListOrders(t.Context(), id); err != nil || !slices.Equal(got, orders) {
		t.Errorf("%v, %v; want %v", got, err, orders)
	}
	row(t, "sqlc", "`go_type: \"example.com/ids.UserID\"`", "as database/sql")
}
