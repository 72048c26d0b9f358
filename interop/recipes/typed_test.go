package recipes

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"log/slog"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect/mysqldialect"
	"github.com/uptrace/bun/dialect/pgdialect"
	"github.com/uptrace/bun/dialect/sqlitedialect"
	bunschema "github.com/uptrace/bun/schema"
	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/seed-961d0905/ulid"
	"github.com/seed-961d0905/ulid/interop/db"
	"github.com/seed-961d0905/ulid/interop/page"
	"github.com/seed-961d0905/ulid/interop/recipes/prefixed"
)

// bareID is the first try that goes wrong: it has none of the methods of ULID.
type bareID ulid.ULID

var (
	userID = UserID{ulid.MustParse(text)}
	bare   = bareID(userID.ULID)
)

func TestTyped(t *testing.T) {
	a, err := ParseUserID(text)
	if err != nil || a != userID {
		t.Errorf("ParseUserID(%q) = %s, %v", text, a, err)
	}
	if id, err := ParseUserID("user"); err != ulid.ErrDataSize || !id.IsZero() {
		t.Errorf(`ParseUserID("user") = %s, %v, want %v`, id, err, ulid.ErrDataSize)
	}
	if b := NewUserID(); a.Compare(b.ULID) != -1 {
		t.Errorf("%s does not come after %s", b, a)
	}
	page.Contains(t, "docs/types.md", "`a.Compare(b.ULID)`")
}

func marshal(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return "error"
	}
	return string(b)
}

// Each row of the page's table.
func TestTypedText(t *testing.T) {
	const numbers = "[1 86 61 243 100 129 214 118 76 97 239 185 147 2 189 91]"
	const binary = `{"$binary":{"base64":"AVY982SB1nZMYe+5kwK9Ww==","subType":"00"}}`
	db := db.SQLite.Open(t, "")
	for row, c := range map[string]struct {
		show        func(any) any
		typed, bare any
	}{
		"| fmt | the text | 16 numbers |": {func(v any) any { return fmt.Sprint(v) }, text, numbers},
		"| log/slog | the text | 16 numbers |": {func(v any) any {
			var log strings.Builder
			slog.New(slog.NewTextHandler(&log, nil)).Info("", "id", v)
			_, value, _ := strings.Cut(log.String(), " id=")
			return strings.Trim(value, "\"\n")
		}, text, numbers},
		"| encoding/json | the text | **16 numbers, no error** |": {func(v any) any {
			return marshal(v)
		}, `"` + text + `"`, strings.ReplaceAll(numbers, " ", ",")},
		"| keys of a JSON object | the text | error |": {func(v any) any {
			if id, ok := v.(UserID); ok {
				return marshal(map[UserID]int{id: 1})
			}
			return marshal(map[bareID]int{bare: 1})
		}, `{"` + text + `":1}`, "error"},
		"| bson | **a document of one field** | 16 bytes |": {func(v any) any {
			b, _ := bson.MarshalExtJSON(map[string]any{"id": v}, false, false)
			return string(b)
		}, `{"id":{"ulid":` + binary + `}}`, `{"id":` + binary + `}`},
		"| database/sql | yes | error |": {func(v any) any {
			_, err := db.Exec("SELECT ?", v)
			return err == nil
		}, true, false},
	} {
		if typed, bare := c.show(userID), c.show(bare); typed != c.typed || bare != c.bare {
			t.Errorf("%s gives %v and %v, want %v and %v", row, typed, bare, c.typed, c.bare)
		}
		page.Contains(t, "docs/types.md", "\n"+row+"\n")
	}
}

// An embedding is a type that embeds a ULID, or one that embeds an AsUUID, as the recipe with a prefix does.
type embedding interface{ UserID | prefixed.UserID }

type typedUser[T embedding] struct {
	bun.BaseModel `bun:"table:typed,alias:u" db:"-" json:"-"`

	ID   T `bun:",pk"`
	Boss *T
}

func TestTypedSQL(t *testing.T) {
	db.Each(t, func(t *testing.T, d *db.Database) {
		plain, prefixes := d.Open(t, ""), d.Open(t, "")
		testTypedBun(t, plain, testTypedSQL(t, plain, "char(26)", NewUserID))
		column := map[string]string{"pgx": "uuid", "mysql": "char(36)", "sqlite": "text"}[prefixes.DriverName()]
		testTypedBun(t, prefixes, testTypedSQL(t, prefixes, column, prefixed.NewUserID))
	})
	testTypedSQL(t, db.PostgreSQL.OpenWith(t, db.Driver{Driver: "postgres"}), "uuid", prefixed.NewUserID)
}

// testTypedSQL stores two users, and returns them when the table is empty again.
func testTypedSQL[T embedding](t *testing.T, db *db.DB, column string, make func() T) []typedUser[T] {
	db.Run("CREATE TABLE typed (id " + column + ", boss " + column + ")")
	boss := make()
	want := []typedUser[T]{{ID: boss}, {ID: make(), Boss: &boss}}
	for _, u := range slices.Backward(want) {
		db.Run("INSERT INTO typed VALUES (?, ?)", u.ID, sql.Null[T]{V: boss, Valid: u.Boss != nil})
	}
	db.Run("UPDATE typed SET boss = ? WHERE id = ?", (*T)(nil), boss)
	var got []typedUser[T]
	err := db.Select(&got, db.Rebind("SELECT id, boss FROM typed WHERE id >= ? ORDER BY id"), boss)
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("the rows are %s, %v, want %s", marshal(got), err, marshal(want))
	}
	var stored string
	if err := db.Get(&stored, db.Rebind("SELECT id FROM typed WHERE id = ?"), boss); err != nil || strings.Contains(stored, "_") {
		t.Errorf("%v is stored as %s, %v", boss, stored, err)
	}
	db.Run("DELETE FROM typed")
	return want
}

func testTypedBun[T embedding](t *testing.T, pool *db.DB, users []typedUser[T]) {
	dialect := map[string]bunschema.Dialect{
		"sqlite": sqlitedialect.New(), "pgx": pgdialect.New(), "mysql": mysqldialect.New(),
	}[pool.DriverName()]
	db := bun.NewDB(pool.DB.DB, dialect)
	if _, err := db.NewInsert().Model(&users).Exec(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, want := range users {
		for name, where := range map[string]func(*bun.SelectQuery) *bun.SelectQuery{
			"id = ?":  func(q *bun.SelectQuery) *bun.SelectQuery { return q.Where("id = ?", want.ID) },
			"id IN ?": func(q *bun.SelectQuery) *bun.SelectQuery { return q.Where("id IN (?)", bun.List([]T{want.ID})) },
			"WherePK": func(q *bun.SelectQuery) *bun.SelectQuery { return q.WherePK() },
		} {
			got := typedUser[T]{ID: want.ID}
			if err := where(db.NewSelect().Model(&got)).Scan(t.Context()); err != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("%s found %s, %v, want %s", name, marshal(got), err, marshal(want))
			}
		}
	}
}
