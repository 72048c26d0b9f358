package tools

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/glebarez/sqlite"
	"github.com/google/uuid"
	"gorm.io/driver/mysql"
	"gorm.io/driver/postgres"
	"gorm.io/gorm"
	"gorm.io/gorm/logger"

	"github.com/seed-961d0905/ulid"
	"github.com/seed-961d0905/ulid/interop/db"
	"github.com/seed-961d0905/ulid/interop/page"
	"github.com/seed-961d0905/ulid/typed"
)

const toolsPage = "docs/tools.md"

var check = db.Check

func openGorm(t *testing.T, conn *db.DB) *gorm.DB {
	t.Helper()
	dialectors := map[string]gorm.Dialector{
		"sqlite":   sqlite.Dialector{Conn: conn.DB.DB},
		"postgres": postgres.New(postgres.Config{Conn: conn.DB.DB}),
		"mysql":    mysql.New(mysql.Config{Conn: conn.DB.DB}),
	}
	g, err := gorm.Open(dialectors[conn.Family], &gorm.Config{Logger: logger.Discard})
	check(t, err)
	return g
}

// TestGormDocs runs the code of the page. Programs for PostgreSQL are often tested with SQLite.
func TestGormDocs(t *testing.T) {
	db.Each(t, []*db.Database{db.PostgreSQL, db.SQLite}, func(t *testing.T, d *db.Database) {
		conn := d.Open(t, "")
		g := openGorm(t, conn)
		check(t, g.AutoMigrate(&Doc{}))
		many := []Doc{{Title: "one"}, {Title: "two"}}
		check(t, g.Create(&many).Error)
		child := Doc{Title: "three", ParentID: &many[0].ID}
		check(t, g.Create(&child).Error)
		var docs []Doc
		check(t, g.Order("id").Find(&docs, "id IN ?", []DocID{child.ID, many[0].ID}).Error)
		if len(docs) != 2 || docs[0].ID != many[0].ID || docs[1].ID != child.ID {
			t.Errorf("found %+v", docs)
		}
		wantStored(t, conn, "SELECT parent_id FROM docs WHERE parent_id IS NOT NULL", asUUID, many[0].ID)
		var found Doc
		check(t, g.Preload("Parent").First(&found, "id = ?", child.ID).Error)
		if found.Parent == nil || found.Parent.ID != many[0].ID {
			t.Errorf("found %+v, want the parent %v", found, many[0].ID)
		}
	})
}

// A gormItem has IDs without a tag for their type, which GormDataType names.
type gormItem[K typed.Kind] struct {
	Row[K]
	ParentID *typed.ID[K]
	N        int
}

// TestGormKinds compares the columns that AutoMigrate makes with the table of the page, and stores IDs in them.
func TestGormKinds(t *testing.T) {
	page.Contains(t, toolsPage, "`"+typed.ID[UUIDKind]{}.GormDataType()+"` for a `UUIDColumn`")
	page.Contains(t, toolsPage, "`"+typed.ID[TextKind]{}.GormDataType()+"` for a `TextColumn`")
	gormKind[PrefixKind](t, db.PostgreSQL, "character(32)", asPrefix)
	gormKind[PrefixKind](t, db.MySQL, "char(32)", asPrefix)
	gormKind[PrefixKind](t, db.MariaDB, "char(32)", asPrefix)
	gormKind[PrefixKind](t, db.SQLite, "char(32)", asPrefix)
	gormKind[TextKind](t, db.PostgreSQL, "character(26)", asText)
	gormKind[TextKind](t, db.MySQL, "char(26)", asText)
	gormKind[TextKind](t, db.MariaDB, "char(26)", asText)
	gormKind[TextKind](t, db.SQLite, "char(26)", asText)
	gormKind[UUIDKind](t, db.PostgreSQL, "uuid", asUUID)
	gormKind[UUIDKind](t, db.SQLite, "uuid", asUUID)
	gormKind[BinaryKind](t, db.PostgreSQL, "bytea", asBinary)
	gormKind[BinaryKind](t, db.SQLite, "blob", asBinary)
}

func gormKind[K typed.Kind](t *testing.T, d *db.Database, column string, as format) {
	t.Run(d.Name+" "+column, func(t *testing.T) {
		conn := d.Open(t, "")
		g := openGorm(t, conn).Table("items").Session(&gorm.Session{})
		check(t, g.AutoMigrate(&gormItem[K]{}))
		for _, name := range []string{"id", "parent_id"} {
			if got := columnType(t, g, name); got != column {
				t.Errorf("the column %s is %s, want %s", name, got, column)
			}
		}
		parent := gormItem[K]{N: 1}
		check(t, g.Create(&parent).Error)
		child := gormItem[K]{N: 2, ParentID: &parent.ID}
		check(t, g.Create(&child).Error)
		wantStored(t, conn, "SELECT id FROM items ORDER BY n", as, parent.ID, child.ID)
		wantStored(t, conn, "SELECT parent_id FROM items WHERE parent_id IS NOT NULL", as, parent.ID)

		var found []gormItem[K]
		check(t, g.Order("id").Find(&found, "id IN ?", []typed.ID[K]{child.ID, parent.ID}).Error)
		if want := []gormItem[K]{parent, child}; !reflect.DeepEqual(found, want) {
			t.Errorf("found %+v, want %+v", found, want)
		}
		for _, other := range []any{
			&gormItem[PrefixKind]{}, &gormItem[TextKind]{}, &gormItem[UUIDKind]{}, &gormItem[BinaryKind]{},
		} {
			if reflect.TypeOf(other) == reflect.TypeFor[*gormItem[K]]() {
				continue
			}
			if err := g.Take(other).Error; err == nil || !strings.Contains(err.Error(), "ID: this is ") {
				t.Errorf("a %T is taken with the error %v, want one that names its column", other, err)
			}
		}
	})
}

func columnType(t *testing.T, g *gorm.DB, name string) string {
	t.Helper()
	types, err := g.Migrator().ColumnTypes("items")
	check(t, err)
	for _, c := range types {
		if c.Name() == name {
			full, _ := c.ColumnType()
			return strings.ToLower(full)
		}
	}
	t.Fatalf("no column %s", name)
	return ""
}

// A charItem has IDs of 36 characters, as programs with google/uuid declare them.
type charItem[ID any] struct {
	ID       ID            `gorm:"type:char(36)"`
	ParentID *ID           `gorm:"type:char(36);index"`
	Parent   *charItem[ID] // for its constraint
}

func (charItem[ID]) TableName() string { return "items" }

// TestGormKeepsColumns migrates a table of google/uuid, which has rows, to our types. Nothing of it changes.
func TestGormKeepsColumns(t *testing.T) {
	const tag = "`gorm:\"type:char(36)\"`"
	page.Contains(t, toolsPage, tag)
	page.Contains(t, "docs/uuid.md", tag)
	db.Each(t, []*db.Database{db.MariaDB, db.MySQL}, func(t *testing.T, d *db.Database) {
		keepsColumns[ulid.AsUUID](t, d, "utf8mb4")
		keepsColumns[ulid.AsUUID](t, d, "ascii COLLATE ascii_bin")
		keepsColumns[ulid.UUID](t, d, "utf8mb4")
		keepsColumns[ulid.UUID](t, d, "ascii COLLATE ascii_bin")
		keepsColumns[UUIDID](t, d, "utf8mb4")
		keepsColumns[UUIDID](t, d, "ascii COLLATE ascii_bin")
	})
}

func keepsColumns[ID ~[16]byte](t *testing.T, d *db.Database, charset string) {
	t.Helper()
	conn := d.Open(t, "")
	conn.Run("ALTER DATABASE " + conn.Text("SELECT DATABASE()") + " CHARACTER SET " + charset)
	g := openGorm(t, conn)
	check(t, g.AutoMigrate(&charItem[uuid.UUID]{}))
	parent := charItem[uuid.UUID]{ID: uuid.New()}
	check(t, g.Create(&parent).Error)
	child := charItem[uuid.UUID]{ID: uuid.New(), ParentID: &parent.ID}
	check(t, g.Create(&child).Error)
	declared := func() string { return fmt.Sprintf("%s", conn.Rows("SHOW CREATE TABLE items")) }
	before := declared()

	check(t, g.AutoMigrate(&charItem[ID]{}))
	if after := declared(); after != before {
		t.Errorf("a %T changes\n%s\nto\n%s", ID{}, before, after)
	}
	var found charItem[ID]
	check(t, g.Preload("Parent").First(&found, "id = ?", ID(child.ID)).Error)
	if found.Parent == nil || found.Parent.ID != ID(parent.ID) {
		t.Errorf("a %T finds %v, want the parent %v", ID{}, found, parent.ID)
	}
}

// Typed IDs for each column.
type (
	PrefixID = typed.ID[PrefixKind]
	TextID   = typed.ID[TextKind]
	UUIDID   = typed.ID[UUIDKind]
	BinaryID = typed.ID[BinaryKind]

	PrefixKind struct{ typed.PrefixColumn }
	TextKind   struct{ typed.TextColumn }
	UUIDKind   struct{ typed.UUIDColumn }
	BinaryKind struct{ typed.BinaryColumn }
)

func (PrefixKind) Prefix() string { return "order" }
func (TextKind) Prefix() string   { return "text" }
func (UUIDKind) Prefix() string   { return "user" }
func (BinaryKind) Prefix() string { return "" }

// A format returns what a column holds for an ID.
type format func(ulid.ULID) string

var (
	asPrefix format = func(id ulid.ULID) string { return PrefixID(id).String() }
	asText   format = ulid.ULID.String
	asUUID   format = ulid.ULID.UUIDString
	asBinary format = func(id ulid.ULID) string { return string(id[:]) }
)

// wantStored compares the IDs that a query returns with those of a format.
func wantStored[ID ~[16]byte](t *testing.T, conn *db.DB, query string, as format, ids ...ID) {
	t.Helper()
	var want, got []string
	for _, id := range ids {
		want = append(want, as(ulid.ULID(id)))
	}
	for _, row := range conn.Rows(query) {
		switch value := row[0].(type) {
		case []byte:
			got = append(got, string(value))
		default:
			got = append(got, fmt.Sprint(value))
		}
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("%s has %q, want %q", query, got, want)
	}
}
