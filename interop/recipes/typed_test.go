package recipes

import (
	"bytes"
	"encoding"
	"encoding/json"
	"flag"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/glebarez/sqlite"
	"github.com/jackc/pgx/v5"
	"github.com/jmoiron/sqlx"
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

func TestTypedSQL(t *testing.T) {
	onEach(t, func(t *testing.T, db *sqlx.DB) {
		run(t, db, "CREATE TEMPORARY TABLE typed (id char(26), ref char(26))")
		insert := "INSERT INTO typed VALUES (?, ?)"
		run(t, db, insert, userID, (*UserID)(nil))
		run(t, db, insert, NewUserID(), &userID)
		query := db.Rebind("SELECT id, ref FROM typed WHERE id = ?")
		var got UserID
		ref := &userID
		if err := db.QueryRow(query, userID).Scan(&got, &ref); err != nil || got != userID || ref != nil {
			t.Errorf("the row is %s, %v, %v, want %s, nil", got, ref, err, userID)
		}
		if _, err := db.Exec(db.Rebind(insert), bare, nil); err == nil {
			t.Error("a bareID is stored")
		}
		var b bareID
		if err := db.QueryRow(query, userID).Scan(&b, &ref); err == nil {
			t.Errorf("a bareID is read: %v", b)
		}
	})
	onPage(t, "| database/sql: pgx, go-sql-driver/mysql, SQLite | yes, and `*UserID` for NULL | error |")
}

// An ID for PostgreSQL's type uuid embeds AsUUID. A bareID works here, because pgx takes 16 bytes for a uuid.
func TestTypedPgx(t *testing.T) {
	type uuidID struct{ ulid.AsUUID }
	conn, err := pgx.Connect(t.Context(), servers.DSN(t, "ULID_POSTGRES"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	in := uuidID{ulid.AsUUID(userID.ULID)}
	var out uuidID
	if err := conn.QueryRow(t.Context(), "SELECT $1::uuid", in).Scan(&out); err != nil || out != in {
		t.Errorf("AsUUID in a struct comes back as %s, %v, want %s", out, err, in)
	}
	var b bareID
	if err := conn.QueryRow(t.Context(), "SELECT $1::uuid", bare).Scan(&b); err != nil || b != bare {
		t.Errorf("a bareID comes back as %v, %v, want %v", b, err, bare)
	}
	onPage(t, "| pgx itself, a `uuid` column | `struct{ ulid.AsUUID }` | yes |")
}

type gormUser struct {
	ID   UserID  `gorm:"type:char(26)"`
	Boss *UserID `gorm:"type:char(26)"`
}

type gormBare struct {
	ID bareID `gorm:"type:char(26)"`
}

func TestTypedGorm(t *testing.T) {
	onEach(t, func(t *testing.T, pool *sqlx.DB) {
		dialect := map[string]gorm.Dialector{
			"sqlite": &sqlite.Dialector{Conn: pool.DB},
			"pgx":    postgres.New(postgres.Config{Conn: pool.DB}),
			"mysql":  mysql.New(mysql.Config{Conn: pool.DB}),
		}[pool.DriverName()]
		db, err := gorm.Open(dialect, &gorm.Config{Logger: logger.Discard})
		if err != nil {
			t.Fatal(err)
		}
		run(t, pool, "CREATE TEMPORARY TABLE gorm_users (id char(26), boss char(26))")
		run(t, pool, "CREATE TEMPORARY TABLE gorm_bares (id char(26))")
		users := []gormUser{{ID: userID}, {ID: NewUserID(), Boss: &userID}}
		if err := db.Create(users).Error; err != nil {
			t.Fatal(err)
		}
		for _, user := range users {
			for name, condition := range map[string][]any{
				"First(&x, id)":           {user.ID},
				`First(&x, "id = ?", id)`: {"id = ?", user.ID},
				`First(&x, "id IN ?")`:    {"id IN ?", []UserID{user.ID}},
				"First(&x, &X{ID: id})":   {&gormUser{ID: user.ID}},
			} {
				var got gormUser
				if err := db.First(&got, condition...).Error; err != nil || marshal(got) != marshal(user) {
					t.Errorf("%s found %s, %v, want %s", name, marshal(got), err, marshal(user))
				}
			}
		}
		var found []gormUser
		if err := db.Find(&found, []UserID{userID}).Error; err == nil && len(found) != 1 {
			t.Errorf("Find(&x, ids) found %d users without an error", len(found))
		}
		for name, result := range map[string]*gorm.DB{
			"Delete(&X{}, id)":   db.Delete(&gormUser{}, users[1].ID),
			"Delete(&X{ID: id})": db.Delete(&gormUser{ID: userID}),
		} {
			if result.Error != nil || result.RowsAffected != 1 {
				t.Errorf("%s deleted %d rows, %v, want 1", name, result.RowsAffected, result.Error)
			}
		}
		if err := db.Create(&gormBare{ID: bare}).Error; err == nil {
			t.Error("a bareID is stored")
		}
	})
	onPage(t, "| gorm | yes, `First(&x, id)` too; several only as `id IN ?` | error |")
}

type bunUser struct {
	bun.BaseModel `bun:"table:typed_bun"`

	ID   UserID  `bun:"id,pk,type:char(26)"`
	Boss *UserID `bun:"boss,type:char(26)"`
}

type bunBare struct {
	bun.BaseModel `bun:"table:typed_bun"`

	ID bareID `bun:"id,pk,type:char(26)"`
}

func TestTypedBun(t *testing.T) {
	onEach(t, func(t *testing.T, pool *sqlx.DB) {
		dialect := map[string]bunschema.Dialect{
			"sqlite": sqlitedialect.New(), "pgx": pgdialect.New(), "mysql": mysqldialect.New(),
		}[pool.DriverName()]
		db := bun.NewDB(pool.DB, dialect)
		run(t, pool, "CREATE TEMPORARY TABLE typed_bun (id char(26) PRIMARY KEY, boss char(26))")
		users := []bunUser{{ID: userID}, {ID: NewUserID(), Boss: &userID}}
		if _, err := db.NewInsert().Model(&users).Exec(t.Context()); err != nil {
			t.Fatal(err)
		}
		for _, user := range users {
			for name, where := range map[string]func(*bun.SelectQuery) *bun.SelectQuery{
				"id = ?":  func(q *bun.SelectQuery) *bun.SelectQuery { return q.Where("id = ?", user.ID) },
				"id IN ?": func(q *bun.SelectQuery) *bun.SelectQuery { return q.Where("id IN (?)", bun.List([]UserID{user.ID})) },
				"WherePK": func(q *bun.SelectQuery) *bun.SelectQuery { return q.WherePK() },
			} {
				got := bunUser{ID: user.ID}
				if err := where(db.NewSelect().Model(&got)).Scan(t.Context()); err != nil || marshal(got) != marshal(user) {
					t.Errorf("%s found %s, %v, want %s", name, marshal(got), err, marshal(user))
				}
			}
		}
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
