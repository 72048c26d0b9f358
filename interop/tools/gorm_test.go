package tools

import (
	"fmt"
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
		child := Doc{Title: "three", ParentID: &many[0].ID}
		check(t, g.Create(&child).Error)
		var docs []Doc
		check(t, g.Order("id").Find(&docs, "id IN ?", []DocID{child.ID, many[0].ID}).Error)
		if len(docs) != 2 || docs[0].ID != many[0].ID || docs[1].ID != child.ID {
			t.Errorf("found %+v", docs)
		}
		stored := conn.Text("SELECT parent_id FROM docs WHERE parent_id IS NOT NULL")
		if stored != many[0].ID.UUIDString() {
			t.Errorf("the parent is stored as %q, want %s", stored, many[0].ID.UUIDString())
		}
		var found Doc
		check(t, g.Preload("Parent").First(&found, "id = ?", child.ID).Error)
		if found.Parent == nil || found.Parent.ID != many[0].ID {
			t.Errorf("found %+v, want the parent %v", found, many[0].ID)
		}
	})
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
	db.Each(t, []*db.Database{db.MariaDB, db.MySQL}, func(t *testing.T, d *db.Database) {
		keepsColumns[ulid.AsUUID](t, d, "utf8mb4")
		keepsColumns[ulid.AsUUID](t, d, "ascii COLLATE ascii_bin")
		keepsColumns[ulid.UUID](t, d, "utf8mb4")
		keepsColumns[ulid.UUID](t, d, "ascii COLLATE ascii_bin")
		keepsColumns[DocID](t, d, "utf8mb4")
		keepsColumns[DocID](t, d, "ascii COLLATE ascii_bin")
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
