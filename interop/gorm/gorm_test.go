package gorm

import (
	"fmt"
	"reflect"
	"slices"
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
		own := DocID(ulid.Make()) // which BeforeCreate keeps
		child := Doc{Row[DocKind]{own}, "three", &many[0].ID, nil}
		check(t, g.Create(&child).Error)
		var docs []Doc
		check(t, g.Order("id").Find(&docs, "id IN ?", []DocID{own, many[0].ID}).Error)
		if len(docs) != 2 || docs[0].ID != many[0].ID || docs[1].ID != own {
			t.Errorf("found %+v", docs)
		}
		stored := conn.Text("SELECT parent_id FROM docs WHERE parent_id IS NOT NULL")
		if stored != many[0].ID.UUIDString() {
			t.Errorf("the parent is stored as %q, want %s", stored, many[0].ID.UUIDString())
		}
		if conn.Try("INSERT INTO docs (title) VALUES ('four')") == nil {
			t.Error("a row without an ID is stored")
		}
		var found Doc
		check(t, g.Preload("Parent").First(&found, "id = ?", child.ID).Error)
		if found.Parent == nil || found.Parent.ID != many[0].ID {
			t.Errorf("found %+v, want the parent %v", found, many[0].ID)
		}
	})
}

// items is the table of models for google/uuid, each with another tag. IDs of our own take its place.
type (
	untagged[ID any] struct {
		ID       ID
		ParentID *ID           `gorm:"index"`
		Parent   *untagged[ID] // for its constraint
	}
	ofText[ID any] struct {
		ID       ID          `gorm:"type:text"`
		ParentID *ID         `gorm:"type:text;index"`
		Parent   *ofText[ID] // for its constraint
	}
	ofVarchar191[ID any] struct {
		ID       ID                `gorm:"type:varchar(191)"`
		ParentID *ID               `gorm:"type:varchar(191);index"`
		Parent   *ofVarchar191[ID] // for its constraint
	}
	ofVarchar[ID any] struct {
		ID       ID             `gorm:"type:varchar(36)"`
		ParentID *ID            `gorm:"type:varchar(36);index"`
		Parent   *ofVarchar[ID] // for its constraint
	}
	ofChar[ID any] struct {
		ID       ID          `gorm:"type:char(36)"`
		ParentID *ID         `gorm:"type:char(36);index"`
		Parent   *ofChar[ID] // for its constraint
	}
)

func (untagged[ID]) TableName() string     { return "items" }
func (ofText[ID]) TableName() string       { return "items" }
func (ofVarchar191[ID]) TableName() string { return "items" }
func (ofVarchar[ID]) TableName() string    { return "items" }
func (ofChar[ID]) TableName() string       { return "items" }

// TestGormKeepsColumns migrates tables of google/uuid, which have rows, to our types. With the page's tags nothing of
// them changes. A UUIDColumn without one fails, or changes them.
func TestGormKeepsColumns(t *testing.T) {
	page.Contains(t, toolsPage, "tag every ID with the type that its column has, such as `gorm:\"type:char(36)\"`")
	db.Each(t, []*db.Database{db.PostgreSQL, db.MariaDB, db.MySQL}, func(t *testing.T, d *db.Database) {
		if d == db.PostgreSQL {
			keepsColumns(t, d, "", new(ofText[DocID]), new(ofText[ulid.UUID]), new(ofText[ulid.AsUUID]))
			return
		}
		for _, charset := range []string{"utf8mb4", "ascii COLLATE ascii_bin"} {
			keepsColumns(t, d, charset,
				new(ofVarchar191[DocID]), new(ofVarchar191[ulid.UUID]), new(ofVarchar191[ulid.AsUUID]))
		}
	})
}

// keepsColumns migrates each table. The models of retagged are for the one without tags.
func keepsColumns(t *testing.T, d *db.Database, charset string, retagged ...any) {
	t.Helper()
	for _, c := range []struct {
		theirs any
		ours   []any
	}{
		{new(untagged[uuid.UUID]), append(retagged, new(untagged[ulid.UUID]), new(untagged[ulid.AsUUID]))},
		{new(ofVarchar[uuid.UUID]), []any{new(ofVarchar[ulid.UUID]), new(ofVarchar[ulid.AsUUID]), new(ofVarchar[DocID])}},
		{new(ofChar[uuid.UUID]), []any{new(ofChar[ulid.UUID]), new(ofChar[ulid.AsUUID]), new(ofChar[DocID])}},
	} {
		for _, ours := range c.ours {
			if err := migrate(t, d, charset, c.theirs, ours); err != nil {
				t.Errorf("%T in place of %T: %v", ours, c.theirs, err)
			}
		}
		if migrate(t, d, charset, c.theirs, new(untagged[DocID])) == nil {
			t.Errorf("%T without a tag keeps the columns of %T", DocID{}, c.theirs)
		}
	}
}

// TestGormKeepsNullUUID migrates an untagged field, for which gorm has made a bytea with characters in PostgreSQL.
func TestGormKeepsNullUUID(t *testing.T) {
	type theirs struct {
		ID    int
		Owner uuid.NullUUID
	}
	type ours struct {
		ID    int
		Owner *ulid.UUID `gorm:"type:bytea"`
	}
	g := openGorm(t, db.PostgreSQL.Open(t, "")).Table("items").Session(&gorm.Session{})
	want := uuid.New()
	check(t, g.AutoMigrate(&theirs{}))
	check(t, g.Create(&theirs{Owner: uuid.NullUUID{UUID: want, Valid: true}}).Error)
	check(t, g.AutoMigrate(&ours{}))
	var got ours
	check(t, g.First(&got, "owner = ?", ulid.UUID(want)).Error)
	if got.Owner == nil || *got.Owner != ulid.UUID(want) {
		t.Errorf("the owner is %v, want %v", got.Owner, want)
	}
}

// TestGormDefault leaves IDs to the DEFAULT of a key and of another column, with IDs of its own in the same INSERT.
func TestGormDefault(t *testing.T) {
	page.Contains(t, toolsPage, "`gorm:\"default:ulid.make()\"`")
	conn := db.PostgreSQL.Open(t, "")
	conn.Run(page.Text(t, "sql/postgres.sql"))
	testGormDefault[DocID](t, conn)
	testGormDefault[ulid.UUID](t, conn)
	testGormDefault[ulid.AsUUID](t, conn)
}

func testGormDefault[ID DocID | ulid.UUID | ulid.AsUUID](t *testing.T, conn *db.DB) {
	type item struct {
		ID    ID `gorm:"default:ulid.make()"`
		Other ID `gorm:"default:ulid.make()"`
	}
	conn.Run(`DROP TABLE IF EXISTS items`)
	conn.Run(`CREATE TABLE items (id uuid PRIMARY KEY DEFAULT ulid.make(), other uuid DEFAULT ulid.make())`)
	g, own := openGorm(t, conn).Table("items").Session(&gorm.Session{}), ID(ulid.Make())
	made := []item{{ID: own}, {Other: own}}
	check(t, g.Create(&made).Error)
	var stored []item
	check(t, g.Order("ctid").Find(&stored).Error)
	areNew := made[0].Other != ID{} && made[1].ID != ID{} && made[0].Other != made[1].ID
	areRead := areNew && made[0].ID == own && made[1].Other == own
	if !areRead || !slices.Equal(stored, made) {
		t.Errorf("the IDs are %v, and stored %v; want new ones beside %v", made, stored, own)
	}
}

// migrate returns an error if gorm changes the table of one model for another, or finds another parent.
func migrate(t *testing.T, d *db.Database, charset string, theirs, ours any) error {
	t.Helper()
	conn := d.Open(t, "")
	declared := `SELECT format_type(atttypid, atttypmod) FROM pg_attribute
		WHERE attrelid = 'items'::regclass AND attnum > 0
		UNION ALL SELECT pg_get_constraintdef(oid) FROM pg_constraint WHERE conrelid = 'items'::regclass`
	if d != db.PostgreSQL {
		conn.Run("ALTER DATABASE " + conn.Text("SELECT DATABASE()") + " CHARACTER SET " + charset)
		declared = "SHOW CREATE TABLE items"
	}
	g := openGorm(t, conn)
	check(t, g.AutoMigrate(theirs))
	parent := uuid.New()
	conn.Run("INSERT INTO items VALUES (?, NULL), (?, ?)", parent, uuid.New(), parent)
	before := fmt.Sprintf("%s", conn.Rows(declared))
	if err := g.AutoMigrate(ours); err != nil {
		return err
	}
	if after := fmt.Sprintf("%s", conn.Rows(declared)); after != before {
		return fmt.Errorf("%s becomes %s", before, after)
	}
	err := g.Preload("Parent").First(ours, "parent_id IS NOT NULL").Error
	found := reflect.ValueOf(ours).Elem().FieldByName("Parent")
	if err == nil && uuid.UUID(found.Elem().FieldByName("ID").Bytes()) != parent {
		err = fmt.Errorf("found the parent %v, want %v", found, parent)
	}
	return err
}
