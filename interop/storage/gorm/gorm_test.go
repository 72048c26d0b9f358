package gorm

//go:generate go test -run ^TestPage$ . -write

import (
	"errors"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/glebarez/sqlite"
	"gorm.io/driver/mysql"
	"gorm.io/driver/postgres"
	"gorm.io/gorm"
	"gorm.io/gorm/logger"
	"gorm.io/gorm/schema"

	"github.com/seed-961d0905/ulid"
	"github.com/seed-961d0905/ulid/interop/db"
	"github.com/seed-961d0905/ulid/interop/page"
	"github.com/seed-961d0905/ulid/interop/storage"
)

const gormPage = "docs/gorm.md"

// Person is the model of a table with IDs in columns of any type.
type Person[K storage.ID] struct {
	ID        K
	ManagerID *K
	Manager   *Person[K] `gorm:"constraint:-"`
}

func (Person[K]) TableName() string { return "people" }

func (u *Person[K]) BeforeCreate(*gorm.DB) error {
	if ulid.ULID(u.ID).IsZero() {
		u.ID = K(ulid.MakeUUIDv7()) // because MariaDB's uuid refuses others
	}
	return nil
}

// TestTypes does with each type of ID, on the column that the page or a kind gives it, what a program does with gorm.
func TestTypes(t *testing.T) {
	db.Each(t, func(t *testing.T, d *db.Database) {
		tryTyped(t, d)
		for _, c := range d.Columns {
			if c.Tag != "" {
				tryPlain(t, d, c)
			}
		}
	})
}

func tryTyped(t *testing.T, d *db.Database) {
	var uuidTag, binaryTag string
	if d == db.MySQL {
		uuidTag = "type:char(36)"
	}
	if d.IsMySQL() {
		binaryTag = "size:16"
	}
	idType[storage.TextID]{goType: "typed.ID", kind: "TextColumn"}.test(t, d)
	idType[storage.UUIDID]{goType: "typed.ID", kind: "UUIDColumn", tag: uuidTag}.test(t, d)
	idType[storage.BinaryID]{goType: "typed.ID", kind: "BinaryColumn", tag: binaryTag, isBinary: true}.test(t, d)
}

func tryPlain(t *testing.T, d *db.Database, c db.Column) {
	tag := "type:" + c.Tag
	switch c.GoType {
	case "ULID":
		idType[ulid.ULID]{goType: "ulid.ULID", tag: tag}.test(t, d)
	case "AsUUID":
		idType[ulid.AsUUID]{goType: "ulid.AsUUID", tag: tag}.test(t, d)
	case "AsBinary":
		if !d.IsMySQL() {
			tag = "size:16"
		}
		idType[ulid.AsBinary]{goType: "ulid.AsBinary", tag: tag, isBinary: true}.test(t, d)
	}
}

// open leads gorm to a database. SQLite is opened as the page does it.
func open(t *testing.T, conn *db.DB) *gorm.DB {
	t.Helper()
	var dialector gorm.Dialector
	switch conn.Family {
	case "sqlite":
		page.Contains(t, gormPage, `sqlite.Open(filepath.Join(t.TempDir(), "test.db") + "?_pragma=foreign_keys(1)")`)
		dialector = sqlite.Open(filepath.Join(t.TempDir(), "test.db") + "?_pragma=foreign_keys(1)")
	case "postgres":
		dialector = postgres.New(postgres.Config{Conn: conn.DB.DB})
	case "mysql":
		dialector = mysql.New(mysql.Config{Conn: conn.DB.DB})
	}
	g, err := gorm.Open(dialector, &gorm.Config{Logger: logger.Discard})
	db.Check(t, err)
	return g
}

// An idType is a type of ID, with the tag that the fields of it need in a database.
type idType[K storage.ID] struct {
	goType   string
	kind     string // of a typed ID
	tag      string
	isBinary bool // its Value is bytes
}

// migrate makes the table of Person. It does so twice, as a program does that starts again.
func (typ idType[K]) migrate(g *gorm.DB) error {
	statement := &gorm.Statement{DB: g}
	err := statement.Parse(&Person[K]{})
	for _, name := range []string{"ID", "ManagerID"} {
		if column, ok := strings.CutPrefix(typ.tag, "type:"); ok {
			statement.Schema.LookUpField(name).DataType = schema.DataType(column)
		} else if typ.tag == "size:16" {
			statement.Schema.LookUpField(name).Size = 16
		}
	}
	return errors.Join(err, g.AutoMigrate(&Person[K]{}), g.AutoMigrate(&Person[K]{}))
}

// test does with the type what a program does with IDs.
func (typ idType[K]) test(t *testing.T, d *db.Database) {
	t.Run(typ.goType+typ.kind, func(t *testing.T) {
		conn := d.Open(t, "")
		g := open(t, conn)
		db.Check(t, typ.migrate(g))
		if strings.Contains(typ.tag, "collate") {
			storage.WantCollation(t, conn, "people", "id", "manager_id")
		}
		if typ.kind == "" {
			typ.checkTag(t, d)
		} else {
			typ.checkKind(t, d)
		}
		s := createStaff[K](t, g)
		s.find()
		s.readNull()
		s.deleteClerk()
		if typ.isBinary {
			s.passBytesAlone()
		} else {
			s.findAndDelete()
		}
	})
}

// structTag returns the tag as the page has it.
func (typ idType[K]) structTag() string { return "`gorm:\"" + typ.tag + "\"`" }

// checkKind compares the tag with the page, which says which kinds need none. A tag must be needed.
func (typ idType[K]) checkKind(t *testing.T, d *db.Database) {
	if typ.kind == "TextColumn" || typ.kind == "UUIDColumn" && !d.IsMySQL() {
		fact(t, "kinds-need-no-tag")
		if typ.tag != "" {
			t.Errorf("a %s needs a tag in %s", typ.kind, d.Name)
		}
	}
	if typ.tag == "" {
		return
	}
	untagged := open(t, d.Open(t, ""))
	if (idType[K]{}).migrate(untagged) == nil {
		t.Errorf("a %s needs no tag", typ.kind)
	}
}

// checkTag finds the tag in the page's row of the database, if the row has the type.
func (typ idType[K]) checkTag(t *testing.T, d *db.Database) {
	ofDatabase := regexp.MustCompile(`(?m)^\| (\w+, )?` + d.Name + `\b.* \| .* \| .gorm:.* \|$`)
	row := ofDatabase.FindString(page.Text(t, gormPage))
	cells := strings.Split(row, " | ")
	if len(cells) != 3 {
		t.Fatalf("%s has no tag for %s", gormPage, d.Name)
	}
	if cells[1] == "`"+typ.goType+"`" && strings.TrimSuffix(cells[2], " |") != typ.structTag() {
		t.Errorf("%s lacks %s for %s of %s", gormPage, typ.structTag(), typ.goType, d.Name)
	}
}

// A staff is the rows of a table of Person: a boss, and two users whose manager the boss is.
type staff[K storage.ID] struct {
	*gorm.DB
	t                  *testing.T
	boss, clerk, other Person[K]
	from               time.Time // after the boss and before the others were made
}

func createStaff[K storage.ID](t *testing.T, g *gorm.DB) *staff[K] {
	s := &staff[K]{DB: g, t: t}
	s.boss.ID = K(ulid.MustParseUUID("12345678-1234-7123-8123-123456789012")) // digits, and not a number
	s.rows(1, g.Create(&s.boss))
	s.from = time.Now()
	batch := []Person[K]{{ManagerID: &s.boss.ID}, {ManagerID: &s.boss.ID}}
	fact(t, "plain-ids-need-a-hook")
	s.rows(2, g.Create(&batch))
	s.clerk, s.other = batch[0], batch[1]
	if ulid.ULID(s.clerk.ID).IsZero() || s.clerk.ID == s.other.ID {
		t.Fatalf("BeforeCreate made %v and %v", s.clerk.ID, s.other.ID)
	}
	return s
}

// rows ends the test unless a statement went well and concerned so many rows.
func (s *staff[K]) rows(want int64, result *gorm.DB) {
	s.t.Helper()
	failed := result.Error != nil && !errors.Is(result.Error, gorm.ErrRecordNotFound)
	if failed || result.RowsAffected != want {
		statement := result.Statement.SQL.String()
		s.t.Fatalf("%s: %d rows, %v; want %d", statement, result.RowsAffected, result.Error, want)
	}
}

// find looks for rows by an ID, by several, and by their time.
func (s *staff[K]) find() {
	var read Person[K]
	s.rows(1, s.Preload("Manager").First(&read, "id = ?", s.clerk.ID))
	want := Person[K]{ID: s.clerk.ID, ManagerID: &s.boss.ID, Manager: &s.boss}
	if !reflect.DeepEqual(read, want) {
		s.t.Errorf("%+v was read as %+v", want, read)
	}
	var all []Person[K]
	s.rows(2, s.Where("id IN ?", []K{s.clerk.ID, s.boss.ID}).Find(&all))
	from, to := K(ulid.FirstAt(s.from)), K(ulid.FirstAt(s.from.Add(time.Hour)))
	s.rows(2, s.Find(&all, "id >= ? AND id < ?", from, to))
}

// readNull makes the manager of the clerk NULL.
func (s *staff[K]) readNull() {
	s.rows(1, s.Model(&Person[K]{ID: s.clerk.ID}).Update("ManagerID", nil))
	fresh := Person[K]{ID: s.clerk.ID}
	s.rows(1, s.First(&fresh))
	if fresh.ManagerID != nil {
		s.t.Errorf("NULL was read as %v", fresh.ManagerID)
	}
}

func (s *staff[K]) deleteClerk() {
	s.rows(1, s.Delete(&Person[K]{}, "id = ?", s.clerk.ID))
	s.rows(0, s.First(&Person[K]{ID: s.clerk.ID}))
}

// findAndDelete hands IDs to gorm without a condition in SQL.
func (s *staff[K]) findAndDelete() {
	var all []Person[K]
	s.rows(1, s.First(&Person[K]{}, s.other.ID))
	s.rows(2, s.Find(&all, []K{s.other.ID, s.boss.ID}))
	s.rows(1, s.Delete(&Person[K]{}, s.other.ID))
	s.rows(1, s.Find(&all)) // the boss is still there
}

// passBytesAlone shows why the page forbids bytes. gorm spreads an ID of 16 bytes that stands alone into 16 numbers,
// WHERE id IN (1,86,61,…). They match nothing, or in MariaDB and MySQL every row if one of them is 0, because bytes that
// are no number count as 0. MySQL refuses to delete by them, unless the session is not strict.
func (s *staff[K]) passBytesAlone() {
	fact(s.t, "bytes-match-every-row")
	ordinary := ulid.MustParse("01ARYZ6S41TSV4RRFFQ69G5FAV")
	withZeros := ulid.MustParse("01ARYZ6S41TSV4RR0000000000")
	s.rows(2, s.Create([]Person[K]{{ID: K(ordinary)}, {ID: K(withZeros)}}))
	if found := s.Find(&[]Person[K]{}, K(ordinary)); found.Error == nil {
		s.rows(0, found)
	}
	if s.Name() == "mysql" {
		db.Check(s.t, s.Exec("SET sql_mode = ''").Error)
		s.rows(4, s.Delete(&Person[K]{}, K(withZeros)))
	}
}
