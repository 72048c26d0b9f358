package tools

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/glebarez/sqlite"
	"gorm.io/driver/mysql"
	"gorm.io/driver/postgres"
	"gorm.io/gorm"
	"gorm.io/gorm/logger"

	"github.com/seed-961d0905/ulid"
	"github.com/seed-961d0905/ulid/interop/db"
	"github.com/seed-961d0905/ulid/interop/page"
	"github.com/seed-961d0905/ulid/typed"
)

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
	for _, d := range []*db.Database{db.PostgreSQL, db.SQLite} {
		t.Run(d.Name, func(t *testing.T) {
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
}

// A gormItem has IDs without a tag for their type, which GormDataType names.
type gormItem[K typed.Kind] struct {
	Row[K]
	ParentID *typed.ID[K]
	N        int
}

// TestGormKinds compares the columns that AutoMigrate makes with the table of the page, and stores IDs in them.
func TestGormKinds(t *testing.T) {
	page.Fact(t, toolsPage, "kinds-need-no-tag")
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
			if reflect.TypeOf(other) != reflect.TypeFor[*gormItem[K]]() {
				wantUnreadable(t, g.Take(other))
			}
		}
		wantRows(t, 1, g.Model(&gormItem[K]{}).Where("id = ?", child.ID).Update("parent_id", nil))
		wantRows(t, 2, g.Find(&found, "parent_id IS NULL"))
		// gorm would take a list of structs for models, and delete every row of the other condition.
		wantRows(t, 0, g.Where("n > 0").Delete(&gormItem[K]{}, []typed.ID[K]{{}, {}}))
		check(t, g.AutoMigrate(&gormItem[K]{})) // changes nothing
		wantStored(t, conn, "SELECT id FROM items ORDER BY n", as, parent.ID, child.ID)
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

func wantRows(t *testing.T, want int64, result *gorm.DB) {
	t.Helper()
	if result.Error != nil || result.RowsAffected != want {
		t.Errorf("%d rows, %v; want %d", result.RowsAffected, result.Error, want)
	}
}

// Fields of an ID without a kind have a tag for each database. The page has the same tags.
type (
	postgresItem struct {
		ID       ulid.AsUUID  `gorm:"type:uuid"`
		ParentID *ulid.AsUUID `gorm:"type:uuid"`
	}
	mysqlItem struct {
		ID       ulid.ULID  `gorm:"type:char(26) character set ascii collate ascii_bin"`
		ParentID *ulid.ULID `gorm:"type:char(26) character set ascii collate ascii_bin"`
	}
	sqliteItem struct {
		ID       ulid.ULID  `gorm:"type:char(26);not null"`
		ParentID *ulid.ULID `gorm:"type:char(26)"`
	}
	jsonItem struct {
		ID       UUID  `gorm:"type:uuid"`
		ParentID *UUID `gorm:"type:uuid"`
	}
)

// TestGormTags stores IDs without a kind.
func TestGormTags(t *testing.T) {
	gormTags[postgresItem, ulid.AsUUID](t, db.PostgreSQL, asUUID)
	gormTags[jsonItem, UUID](t, db.PostgreSQL, asUUID)
	gormTags[mysqlItem, ulid.ULID](t, db.MySQL, asText)
	gormTags[mysqlItem, ulid.ULID](t, db.MariaDB, asText)
	gormTags[sqliteItem, ulid.ULID](t, db.SQLite, asText)
}

func gormTags[Item any, ID ~[16]byte](t *testing.T, d *db.Database, as format) {
	t.Run(d.Name, func(t *testing.T) {
		tag, _ := reflect.TypeFor[Item]().Field(0).Tag.Lookup("gorm")
		page.Contains(t, toolsPage, `gorm:"`+tag+`"`)
		conn := d.Open(t, "")
		g := openGorm(t, conn).Table("items").Session(&gorm.Session{})
		check(t, g.AutoMigrate(new(Item)))
		parent, child := ID(ulid.Make()), ID(ulid.Make())
		for _, id := range []ID{parent, child} {
			item := reflect.New(reflect.TypeFor[Item]())
			item.Elem().Field(0).Set(reflect.ValueOf(id))
			if id == child {
				item.Elem().Field(1).Set(reflect.ValueOf(&parent))
			}
			check(t, g.Create(item.Interface()).Error)
		}
		wantStored(t, conn, "SELECT id FROM items ORDER BY id", as, parent, child)
		wantStored(t, conn, "SELECT parent_id FROM items WHERE parent_id IS NOT NULL", as, parent)
		wantRows(t, 2, g.Find(&[]Item{}, "id IN ?", []ID{parent, child}))
		wantRows(t, 0, g.Where("id = ?", parent).Delete(new(Item), []ID{{}, {}}))
		wantRows(t, 1, g.Delete(new(Item), "id = ?", child))
	})
}

// TestGormBytes deletes by an ID of bytes without SQL. gorm takes the bytes for 16 numbers, WHERE id IN (1,86,61,…).
// Beside numbers MariaDB and MySQL take the bytes of other IDs for 0. MySQL refuses unless the session is not strict.
func TestGormBytes(t *testing.T) {
	page.Fact(t, toolsPage, "bytes-match-every-row")
	type item struct {
		ID ulid.AsBinary `gorm:"size:16"`
	}
	for _, d := range []*db.Database{db.MariaDB, db.MySQL} {
		t.Run(d.Name, func(t *testing.T) {
			g := openGorm(t, d.Open(t, "sql_mode=''"))
			id := ulid.AsBinary(ulid.MustParse("01ARYZ6S41TSV4RR0000000000")) // some of its bytes are zero
			check(t, g.AutoMigrate(&item{}))
			check(t, g.Create([]item{{id}, {ulid.AsBinary(ulid.Make())}, {ulid.AsBinary(ulid.Make())}}).Error)
			wantRows(t, 3, g.Delete(&item{}, id))
		})
	}
}

// A gormEvent has IDs in columns of 16 bytes, until a program gives its fields another type.
type gormEvent[ID any] struct {
	ID  ID `gorm:"size:16"`
	Ref ID `gorm:"size:16"`
	N   int
}

// TestGormBytesBecomeText gives fields over columns of bytes the type ulid.ULID. Reading is an error, and writing is not.
func TestGormBytesBecomeText(t *testing.T) {
	page.Fact(t, toolsPage, "other-type-over-bytes")
	type (
		binary = gormEvent[ulid.AsBinary]
		text   = gormEvent[ulid.ULID]
	)
	// No byte of the ID is 0. Those of Ref are no UTF-8.
	row := binary{
		ID:  ulid.AsBinary(ulid.MustParse("01ARYZ6S41TSV4RRFFQ69G5FAV")),
		Ref: ulid.AsBinary([]byte("\x01" + strings.Repeat("\xff", 15))),
	}
	for _, c := range []struct {
		name       string
		database   *db.Database
		parameters string
		refuses    bool // Save and AutoMigrate
		cuts       bool // AutoMigrate, in Ref
	}{
		{name: "SQLite", database: db.SQLite},
		{name: "PostgreSQL", database: db.PostgreSQL, cuts: true},
		{name: "MariaDB", database: db.MariaDB, refuses: true},
		{name: "MariaDB, not strict", database: db.MariaDB, parameters: "sql_mode=''", cuts: true},
		{name: "MySQL", database: db.MySQL, refuses: true},
		{name: "MySQL, not strict", database: db.MySQL, parameters: "sql_mode=''", cuts: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			conn := c.database.Open(t, c.parameters)
			g := openGorm(t, conn).Table("events").Session(&gorm.Session{})
			if c.database.IsMySQL() {
				g = g.Set("gorm:table_options", "CHARSET=utf8mb4").Session(&gorm.Session{})
			}
			check(t, g.AutoMigrate(&binary{}))
			bytes := row
			check(t, g.Create(&bytes).Error)

			wantUnreadable(t, g.Take(&text{}))
			wantRows(t, 0, g.Model(&text{ID: ulid.ULID(row.ID)}).Updates(map[string]any{"n": 1}))
			wantRows(t, 1, g.Model(&bytes).Updates(map[string]any{"n": 1}))

			err := g.AutoMigrate(&text{})
			if c.refuses != (err != nil) {
				t.Errorf("AutoMigrate gives %v", err)
			}
			// PostgreSQL does not run a statement again whose types have changed, so this is another one.
			var ref []byte
			check(t, conn.QueryRow("SELECT ref FROM events /* after AutoMigrate */").Scan(&ref))
			if cut := string(ref) != string(row.Ref[:]); cut != c.cuts {
				t.Errorf("AutoMigrate cuts Ref: %v, want %v", cut, c.cuts)
			}

			err = g.Omit("Ref").Save(&text{ID: ulid.ULID(row.ID)}).Error
			if c.refuses != (err != nil) {
				t.Errorf("Save gives %v", err)
			}
			if n := conn.Count("SELECT count(*) FROM events"); n != 2 && !c.refuses {
				t.Errorf("Save leaves %d rows, want 2", n)
			}
		})
	}
}

// wantUnreadable fails the test unless a query finds a row of another format.
func wantUnreadable(t *testing.T, result *gorm.DB) {
	t.Helper()
	if !errors.Is(result.Error, ulid.ErrDataSize) {
		t.Errorf("a row of another format is read with %v, want an error", result.Error)
	}
}

// TestGormTextBecomesTyped gives the field of a ulid.ULID in SQLite the type of a kind. AutoMigrate keeps the 26
// characters. A TextColumn finds them. A UUIDColumn cannot read them and finds none, but they are all NOT IN.
func TestGormTextBecomesTyped(t *testing.T) {
	conn := db.SQLite.Open(t, "")
	g := openGorm(t, conn).Table("items").Session(&gorm.Session{})
	check(t, g.AutoMigrate(&sqliteItem{}))
	plain := ulid.Make()
	check(t, g.Create([]sqliteItem{{ID: plain}, {ID: ulid.Make()}, {ID: ulid.Make()}}).Error)

	type text = gormItem[TextKind]
	check(t, g.AutoMigrate(&text{}))
	wantRows(t, 1, g.First(&text{}, "id = ?", TextID(plain)))
	wantRows(t, 1, g.Save(&text{Row: Row[TextKind]{ID: TextID(plain)}, N: 1}))
	wantRows(t, 3, g.Find(&[]text{}))

	type uuid = gormItem[UUIDKind]
	check(t, g.AutoMigrate(&uuid{}))
	wantUnreadable(t, g.Find(&[]uuid{}))
	wantRows(t, 0, g.Find(&[]uuid{}, "id = ?", UUIDID(plain)))
	check(t, g.Save(&uuid{Row: Row[UUIDKind]{ID: UUIDID(plain)}, N: 2}).Error)
	if n := conn.Count("SELECT count(*) FROM items"); n != 4 {
		t.Errorf("Save leaves %d rows, want 4 in place of 3", n)
	}
	wantRows(t, 3, g.Delete(&uuid{}, "id NOT IN ?", []UUIDID{UUIDID(plain)}))
}
