package recipes

import (
	"bytes"
	"context"
	"database/sql"
	"encoding"
	"encoding/json"
	"flag"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"

	"github.com/glebarez/sqlite"
	"github.com/jackc/pgx/v5"
	"github.com/jmoiron/sqlx"
	_ "github.com/lib/pq"
	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect/mysqldialect"
	"github.com/uptrace/bun/dialect/pgdialect"
	"github.com/uptrace/bun/dialect/sqlitedialect"
	bunschema "github.com/uptrace/bun/schema"
	"gorm.io/driver/mysql"
	"gorm.io/driver/postgres"
	"gorm.io/gorm"
	"gorm.io/gorm/logger"

	"github.com/seed-961d0905/ulid"
	"github.com/seed-961d0905/ulid/interop/internal/page"
	"github.com/seed-961d0905/ulid/interop/internal/servers"
	"github.com/seed-961d0905/ulid/interop/recipes/prefixed"
)

// bareID is the first try that goes wrong: it has none of the methods of ULID.
type bareID ulid.ULID

var (
	userID = UserID{ulid.MustParse(text)}
	bare   = bareID(userID.ULID)
)

// onPage fails the test unless the page's table has the rows that the test has shown.
func onPage(t *testing.T, rows ...string) {
	t.Helper()
	for _, row := range rows {
		page.Contains(t, "docs/types.md", "\n"+row+"\n")
	}
}

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

func TestTypedText(t *testing.T) {
	const numbers = "[1 86 61 243 100 129 214 118 76 97 239 185 147 2 189 91]"
	jsonNumbers := strings.ReplaceAll(numbers, " ", ",")
	var log bytes.Buffer
	slog.New(slog.NewTextHandler(&log, nil)).Info("", "id", userID, "bare", bare)
	_, textLog, _ := strings.Cut(log.String(), `msg="" `)
	log.Reset()
	slog.New(slog.NewJSONHandler(&log, nil)).Info("", "id", userID, "bare", bare)
	_, jsonLog, _ := strings.Cut(log.String(), `"msg":"",`)
	for _, c := range []struct{ what, got, want string }{
		{"fmt", fmt.Sprint(userID), text},
		{"fmt of a bare one", fmt.Sprint(bare), numbers},
		{"a map", fmt.Sprint(map[UserID]int{userID: 1}[UserID{ulid.MustParse(text)}]), "1"},
		{"a map of bare ones", fmt.Sprint(map[bareID]int{bare: 1}[bareID(ulid.MustParse(text))]), "1"},
		{"encoding/json", marshal(userID), `"` + text + `"`},
		{"encoding/json of a bare one", marshal(bare), jsonNumbers},
		{"a JSON object", marshal(map[UserID]int{userID: 1}), `{"` + text + `":1}`},
		{"a JSON object of bare ones", marshal(map[bareID]int{bare: 1}), "error"},
		{"omitzero", marshal(struct {
			ID   UserID `json:",omitzero"`
			Bare bareID `json:",omitzero"`
		}{}), "{}"},
		{"log/slog as text", textLog, "id=" + text + ` bare="` + numbers + "\"\n"},
		{"log/slog as JSON", jsonLog, `"id":"` + text + `","bare":` + jsonNumbers + "}\n"},
	} {
		if c.got != c.want {
			t.Errorf("%s gives %s, want %s", c.what, c.got, c.want)
		}
	}
	var fromJSON, fromFlag UserID
	if err := json.Unmarshal([]byte(`"`+text+`"`), &fromJSON); err != nil || fromJSON != userID {
		t.Errorf("json.Unmarshal gives %s, %v", fromJSON, err)
	}
	flags := flag.NewFlagSet("", flag.ContinueOnError)
	flags.TextVar(&fromFlag, "user", UserID{}, "")
	if err := flags.Parse([]string{"-user", text}); err != nil || fromFlag != userID {
		t.Errorf("a flag gives %s, %v", fromFlag, err)
	}
	if _, ok := any(&bareID{}).(encoding.TextUnmarshaler); ok {
		t.Error("flag.TextVar takes a bareID")
	}
	onPage(t,
		"| `==`, map keys | yes | yes |",
		"| fmt | the text | 16 numbers |",
		"| encoding/json | the text | **16 numbers, no error** |",
		"| keys of a JSON object | the text | error |",
		"| `omitzero` | yes | yes |",
		"| log/slog | the text | 16 numbers |",
		"| `flag.TextVar` | yes | does not compile |")
}

// An embedding is a type that embeds a ULID, or one that embeds an AsUUID, as the recipe with a prefix does.
type embedding interface{ UserID | prefixed.UserID }

// table returns the name of a table for IDs of type T. Drivers cache statements, so each type has its table.
func table[T embedding]() string {
	if any(*new(T)) == any(UserID{}) {
		return "typed_text"
	}
	return "typed_uuid"
}

// column returns the type of a column for IDs of type T.
func column[T embedding](db *sqlx.DB) string {
	switch {
	case table[T]() == "typed_text":
		return "char(26)"
	case db.DriverName() == "pgx" || db.DriverName() == "postgres":
		return "uuid"
	}
	return "char(36)"
}

func TestTypedSQL(t *testing.T) {
	test := func(t *testing.T, db *sqlx.DB) {
		testTypedSQL(t, db, NewUserID)
		testTypedSQL(t, db, prefixed.NewUserID)
		run(t, db, "CREATE TEMPORARY TABLE bare (id char(26))")
		if _, err := db.Exec(db.Rebind("INSERT INTO bare VALUES (?)"), bare); err == nil {
			t.Error("a bareID is stored")
		}
		run(t, db, "INSERT INTO bare VALUES (?)", userID)
		var b bareID
		if err := db.QueryRow("SELECT id FROM bare").Scan(&b); err == nil {
			t.Errorf("a bareID is read: %v", b)
		}
	}
	onEach(t, test)
	t.Run("lib/pq", func(t *testing.T) { test(t, sqlx.NewDb(servers.Open(t, "postgres", "ULID_POSTGRES"), "postgres")) })
	onPage(t, "| database/sql: pgx, go-sql-driver/mysql, SQLite | yes, and `*UserID` for NULL | error |")
}

func testTypedSQL[T embedding](t *testing.T, db *sqlx.DB, make func() T) {
	table := table[T]()
	run(t, db, "CREATE TEMPORARY TABLE "+table+" (id "+column[T](db)+", ref "+column[T](db)+")")
	ids := []T{make(), make(), make()}
	for _, i := range []int{2, 0, 1} {
		run(t, db, "INSERT INTO "+table+" VALUES (?, ?)", ids[i], sql.Null[T]{V: ids[0], Valid: i > 0})
	}
	run(t, db, "UPDATE "+table+" SET ref = ? WHERE id = ?", (*T)(nil), ids[1])
	var got []struct {
		ID  T
		Ref *T
	}
	err := db.Select(&got, db.Rebind("SELECT id, ref FROM "+table+" WHERE id >= ? ORDER BY id"), ids[0])
	if err != nil || len(got) != 3 || got[0].ID != ids[0] || got[1].ID != ids[1] || got[2].ID != ids[2] ||
		got[0].Ref != nil || got[1].Ref != nil || got[2].Ref == nil || *got[2].Ref != ids[0] {
		t.Errorf("the rows of %v are %s, %v", ids, marshal(got), err)
	}
	var stored string
	if err := db.Get(&stored, db.Rebind("SELECT id FROM "+table+" WHERE id = ?"), ids[0]); err != nil || strings.Contains(stored, "_") {
		t.Errorf("%v is stored as %s, %v", ids[0], stored, err)
	}
}

// A bareID works here, because pgx takes 16 bytes for a uuid.
func TestTypedPgx(t *testing.T) {
	for _, mode := range []pgx.QueryExecMode{
		pgx.QueryExecModeCacheStatement, pgx.QueryExecModeCacheDescribe, pgx.QueryExecModeDescribeExec,
		pgx.QueryExecModeExec, pgx.QueryExecModeSimpleProtocol,
	} {
		t.Run(mode.String(), func(t *testing.T) { testTypedPgx(t, mode) })
	}
	onPage(t, "| pgx itself, a `uuid` column | `struct{ ulid.AsUUID }` | yes |")
}

func testTypedPgx(t *testing.T, mode pgx.QueryExecMode) {
	ctx := t.Context()
	config, err := pgx.ParseConfig(servers.DSN(t, "ULID_POSTGRES"))
	if err != nil {
		t.Fatal(err)
	}
	config.DefaultQueryExecMode = mode
	conn, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	if _, err := conn.Exec(ctx, "CREATE TEMPORARY TABLE typed (id uuid, ref uuid)"); err != nil {
		t.Fatal(err)
	}
	type row struct {
		ID  prefixed.UserID
		Ref *prefixed.UserID
	}
	a, b := prefixed.NewUserID(), prefixed.NewUserID()
	if _, err := conn.Exec(ctx, "INSERT INTO typed VALUES ($1, $2)", a, (*prefixed.UserID)(nil)); err != nil {
		t.Fatal(err)
	}
	if _, err := conn.CopyFrom(ctx, pgx.Identifier{"typed"}, []string{"id", "ref"}, pgx.CopyFromRows([][]any{{b, &a}})); err != nil {
		t.Fatal(err)
	}
	want := marshal([]row{{a, nil}, {b, &a}})
	rows, err := conn.Query(ctx, "SELECT id, ref FROM typed WHERE id >= $1 ORDER BY id", a)
	if got, err := pgx.CollectRows(rows, pgx.RowToStructByPos[row]); err != nil || marshal(got) != want {
		t.Errorf("the rows are %s, %v, want %s", marshal(got), err, want)
	}
	var ids []prefixed.UserID
	err = conn.QueryRow(ctx, "SELECT array_agg(id ORDER BY id) FROM typed WHERE id = ANY($1)", []prefixed.UserID{a, b}).Scan(&ids)
	asText := mode == pgx.QueryExecModeExec || mode == pgx.QueryExecModeSimpleProtocol
	if !slices.Equal(ids, []prefixed.UserID{a, b}) && !asText || (err != nil) != asText {
		t.Errorf("a slice gave %v, %v", ids, err)
	}
	if asText {
		return
	}
	var out bareID
	if err := conn.QueryRow(ctx, "SELECT $1::uuid", bare).Scan(&out); err != nil || out != bare {
		t.Errorf("a bareID comes back as %v, %v, want %v", out, err, bare)
	}
}

func openGorm(t *testing.T, pool *sqlx.DB) *gorm.DB {
	t.Helper()
	dialect := map[string]gorm.Dialector{
		"sqlite": &sqlite.Dialector{Conn: pool.DB},
		"pgx":    postgres.New(postgres.Config{Conn: pool.DB}),
		"mysql":  mysql.New(mysql.Config{Conn: pool.DB}),
	}[pool.DriverName()]
	db, err := gorm.Open(dialect, &gorm.Config{Logger: logger.Discard})
	if err != nil {
		t.Fatal(err)
	}
	return db
}

type gormUser[T embedding] struct {
	ID     T
	Boss   *T
	Tenant int
}

func (gormUser[T]) TableName() string { return table[T]() }

type gormBare struct {
	ID bareID `gorm:"type:char(26)"`
}

func TestTypedGorm(t *testing.T) {
	onEach(t, func(t *testing.T, pool *sqlx.DB) {
		testTypedGorm(t, pool, NewUserID)
		testTypedGorm(t, pool, prefixed.NewUserID)
		run(t, pool, "CREATE TEMPORARY TABLE gorm_bares (id char(26))")
		if err := openGorm(t, pool).Create(&gormBare{ID: bare}).Error; err == nil {
			t.Error("a bareID is stored")
		}
	})
	onPage(t, "| gorm | yes, `First(&x, id)` too; **several only as `id IN ?`** | error |")
}

func testTypedGorm[T embedding](t *testing.T, pool *sqlx.DB, make func() T) {
	type user = gormUser[T]
	db := openGorm(t, pool)
	run(t, pool, "CREATE TEMPORARY TABLE "+table[T]()+" (id "+column[T](pool)+", boss "+column[T](pool)+", tenant int)")
	boss := make()
	users := []user{{ID: boss, Tenant: 1}, {ID: make(), Boss: &boss, Tenant: 1}, {ID: make(), Tenant: 2}}
	if err := db.Create(users).Error; err != nil {
		t.Fatal(err)
	}
	for _, want := range users {
		for name, condition := range map[string][]any{
			"First(&x, id)":           {want.ID},
			`First(&x, "id = ?", id)`: {"id = ?", want.ID},
			`First(&x, "id IN ?")`:    {"id IN ?", []T{want.ID}},
			"First(&x, &X{ID: id})":   {&user{ID: want.ID}},
		} {
			var got user
			if err := db.First(&got, condition...).Error; err != nil || marshal(got) != marshal(want) {
				t.Errorf("%s found %s, %v, want %s", name, marshal(got), err, marshal(want))
			}
		}
	}

	// A slice is taken for structs of conditions. What a client sends decides what happens.
	var null struct{ IDs []T }
	if err := json.Unmarshal([]byte(`{"ids":[null]}`), &null); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		what                   string
		ids                    []T
		find, not, in, deleted int // rows; -1 is an error
	}{
		{"ids", []T{users[0].ID, users[2].ID}, -1, -1, 2, -1},
		{"a null from a client", null.IDs, 3, 3, 0, 2},
		{"no ids", []T{}, 3, 3, 0, 2},
	} {
		var found []user
		for _, got := range []struct {
			name   string
			result *gorm.DB
			want   int
		}{
			{"Find(&x, ids)", db.Find(&found, c.ids), c.find},
			{"First(&x, ids)", db.First(&user{}, c.ids), min(c.find, 1)},
			{"Where(ids)", db.Where(c.ids).Find(&found), c.find},
			{"Not(ids)", db.Not(c.ids).Find(&found), c.not},
			{"Where(id IN ids)", db.Where("id IN ?", c.ids).Find(&found), c.in},
			{"Delete(&X{}, ids)", db.Delete(&user{}, c.ids), -1},
			{"Delete(&X{}, ids) in a tenant", db.Where("tenant = ?", 1).Delete(&user{}, c.ids), c.deleted},
		} {
			if n := int(got.result.RowsAffected); (got.result.Error != nil) != (got.want < 0) || n != max(got.want, 0) {
				t.Errorf("%s of %s is %d rows, %v, want %d", got.name, c.what, n, got.result.Error, got.want)
			}
		}
		if c.deleted > 0 {
			db.Create(users[:2])
		}
	}
	if got := db.Delete(&user{}, "id IN ?", []T{users[0].ID}); got.Error != nil || got.RowsAffected != 1 {
		t.Errorf("Delete(id IN ids) deleted %d rows, %v", got.RowsAffected, got.Error)
	}
	for name, result := range map[string]*gorm.DB{
		"Delete(&X{}, id)":   db.Delete(&user{}, users[1].ID),
		"Delete(&X{ID: id})": db.Delete(&user{ID: users[2].ID}),
	} {
		if result.Error != nil || result.RowsAffected != 1 {
			t.Errorf("%s deleted %d rows, %v, want 1", name, result.RowsAffected, result.Error)
		}
	}
}

type bunUser[T embedding] struct {
	bun.BaseModel `bun:"table:typed_bun,alias:u"`

	ID   T `bun:",pk"`
	Boss *T
}

type bunBare struct {
	bun.BaseModel `bun:"table:typed_bun,alias:u"`

	ID bareID `bun:",pk"`
}

func TestTypedBun(t *testing.T) {
	onEach(t, func(t *testing.T, pool *sqlx.DB) {
		dialect := map[string]bunschema.Dialect{
			"sqlite": sqlitedialect.New(), "pgx": pgdialect.New(), "mysql": mysqldialect.New(),
		}[pool.DriverName()]
		db := bun.NewDB(pool.DB, dialect)
		testTypedBun(t, pool, db, prefixed.NewUserID)
		run(t, pool, "DROP TABLE typed_bun")
		testTypedBun(t, pool, db, NewUserID)
		_, err := db.NewInsert().Model(&bunBare{ID: bare}).Exec(t.Context())
		if pool.DriverName() == "pgx" {
			if err == nil {
				t.Error("a bareID is stored")
			}
			return
		}
		var n int
		if err := pool.Get(&n, "SELECT COUNT(*) FROM typed_bun WHERE hex(id) = ?", fmt.Sprintf("%X", bare[:])); err != nil || n != 1 {
			t.Errorf("%d rows have the bytes of a bareID, %v, want 1", n, err)
		}
	})
	onPage(t, "| bun | yes | error on PostgreSQL, **elsewhere 16 bytes are stored** |")
}

func testTypedBun[T embedding](t *testing.T, pool *sqlx.DB, db *bun.DB, make func() T) {
	run(t, pool, "CREATE TEMPORARY TABLE typed_bun (id "+column[T](pool)+" PRIMARY KEY, boss "+column[T](pool)+")")
	boss := make()
	users := []bunUser[T]{{ID: boss}, {ID: make(), Boss: &boss}}
	if _, err := db.NewInsert().Model(&users).Exec(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, user := range users {
		for name, where := range map[string]func(*bun.SelectQuery) *bun.SelectQuery{
			"id = ?":  func(q *bun.SelectQuery) *bun.SelectQuery { return q.Where("id = ?", user.ID) },
			"id IN ?": func(q *bun.SelectQuery) *bun.SelectQuery { return q.Where("id IN (?)", bun.List([]T{user.ID})) },
			"WherePK": func(q *bun.SelectQuery) *bun.SelectQuery { return q.WherePK() },
		} {
			got := bunUser[T]{ID: user.ID}
			if err := where(db.NewSelect().Model(&got)).Scan(t.Context()); err != nil || marshal(got) != marshal(user) {
				t.Errorf("%s found %s, %v, want %s", name, marshal(got), err, marshal(user))
			}
		}
	}
}
