package tools

import (
	"reflect"
	"testing"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect/mysqldialect"
	"github.com/uptrace/bun/dialect/pgdialect"
	"github.com/uptrace/bun/dialect/sqlitedialect"
	"github.com/uptrace/bun/schema"

	"github.com/seed-961d0905/ulid"
	"github.com/seed-961d0905/ulid/interop/db"
	"github.com/seed-961d0905/ulid/interop/page"
)

// TestBunColumns stores IDs in the columns that bun makes of the tags on the page.
func TestBunColumns(t *testing.T) {
	const ascii = "char(26) character set ascii collate ascii_bin"
	bunColumn[ulid.AsUUID](t, db.PostgreSQL, "uuid", asUUID)
	bunColumn[UUIDID](t, db.PostgreSQL, "uuid", asUUID)
	bunColumn[UUID](t, db.PostgreSQL, "uuid", asUUID)
	bunColumn[ulid.ULID](t, db.PostgreSQL, "char(26) collate ucs_basic", asText)
	bunColumn[TextID](t, db.PostgreSQL, "char(26) collate ucs_basic", asText)
	bunColumn[PrefixID](t, db.PostgreSQL, "char(32) collate ucs_basic", asPrefix)
	for _, d := range []*db.Database{db.MySQL, db.MariaDB} {
		bunColumn[ulid.ULID](t, d, ascii, asText)
		bunColumn[TextID](t, d, ascii, asText)
		bunColumn[PrefixID](t, d, "char(32) character set ascii collate ascii_bin", asPrefix)
		bunColumn[ulid.AsBinary](t, d, "binary(16)", asBinary)
		bunColumn[BinaryID](t, d, "binary(16)", asBinary)
	}
	bunColumn[ulid.ULID](t, db.SQLite, "char(26)", asText)
	bunColumn[TextID](t, db.SQLite, "char(26)", asText)
	bunColumn[PrefixID](t, db.SQLite, "char(32)", asPrefix)
}

type bunItem[ID any] struct {
	bun.BaseModel `bun:"table:items,alias:i"`

	ID       ID  `bun:"id,pk"`
	ParentID *ID `bun:"parent_id"`
	OwnerID  ID  `bun:"owner_id,nullzero"`
}

func bunColumn[ID interface {
	~[16]byte
	comparable
}](t *testing.T, d *db.Database, column string, as format) {
	t.Run(d.Name+" "+column+" "+reflect.TypeFor[ID]().Name(), func(t *testing.T) {
		if _, isPrefix := any(ID{}).(PrefixID); !isPrefix { // whose length follows from the prefix
			page.Contains(t, toolsPage, "type:"+column)
		}
		conn := d.Open(t, "")
		b := openBun(conn)
		_, err := b.NewCreateTable().Model(bunModel[ID](column)).ModelTableExpr("items").Exec(ctx)
		check(t, err)
		parent := bunItem[ID]{ID: ID(ulid.Make())}
		child := bunItem[ID]{ID: ID(ulid.Make()), ParentID: &parent.ID, OwnerID: parent.ID}
		both := []bunItem[ID]{parent, child}
		_, err = b.NewInsert().Model(&both).Exec(ctx)
		check(t, err)
		wantStored(t, conn, "SELECT id FROM items ORDER BY id", as, parent.ID, child.ID)
		if n := conn.Count("SELECT count(*) FROM items WHERE parent_id IS NULL AND owner_id IS NULL"); n != 1 {
			t.Errorf("%d rows have NULL, want the parent", n)
		}

		var list []bunItem[ID]
		ids := bun.Tuple([]ID{child.ID, parent.ID})
		check(t, b.NewSelect().Model(&list).Where("id IN ?", ids).Order("id").Scan(ctx))
		if !reflect.DeepEqual(list, both) {
			t.Errorf("a list finds %+v, want %+v", list, both)
		}
		found := bunItem[ID]{ID: child.ID}
		check(t, b.NewSelect().Model(&found).WherePK().Scan(ctx))
		if !reflect.DeepEqual(found, child) {
			t.Errorf("found %+v, want %+v", found, child)
		}
		used := bunItem[ID]{ID: parent.ID, OwnerID: child.ID}
		check(t, b.NewSelect().Model(&used).WherePK().Scan(ctx))
		if !reflect.DeepEqual(used, parent) {
			t.Errorf("over an old owner is read %+v, want %+v", used, parent)
		}
	})
}

// bunModel returns a pointer to a bunItem with the type of the column in its tags.
func bunModel[ID any](column string) any {
	tag := func(options string) reflect.StructTag {
		return reflect.StructTag(`bun:"` + options + ",type:" + column + `"`)
	}
	return reflect.New(reflect.StructOf([]reflect.StructField{
		{Name: "ID", Type: reflect.TypeFor[ID](), Tag: tag("id,pk")},
		{Name: "ParentID", Type: reflect.TypeFor[*ID](), Tag: tag("parent_id")},
		{Name: "OwnerID", Type: reflect.TypeFor[ID](), Tag: tag("owner_id")},
	})).Interface()
}

func openBun(conn *db.DB) *bun.DB {
	dialects := map[string]func() schema.Dialect{
		"postgres": func() schema.Dialect { return pgdialect.New() },
		"mysql":    func() schema.Dialect { return mysqldialect.New() },
		"sqlite":   func() schema.Dialect { return sqlitedialect.New() },
	}
	return bun.NewDB(conn.DB.DB, dialects[conn.Family]())
}

// TestBunPages runs the code of the page: the hook generates the ID of one row and of many.
func TestBunPages(t *testing.T) {
	conn := db.PostgreSQL.Open(t, "")
	b := openBun(conn)
	_, err := b.NewCreateTable().Model((*Page)(nil)).Exec(ctx)
	check(t, err)
	one := Page{Title: "one"}
	_, err = b.NewInsert().Model(&one).Exec(ctx)
	check(t, err)
	many := []Page{{Title: "two", ParentID: &one.ID}, {Title: "three"}}
	_, err = b.NewInsert().Model(&many).Exec(ctx)
	check(t, err)
	all := []Page{one, many[0], many[1]}
	found, err := bunPages(ctx, b, []DocID{one.ID, many[0].ID, many[1].ID})
	if err != nil || !reflect.DeepEqual(found, all) {
		t.Errorf("found %+v, %v, want %+v", found, err, all)
	}
	if conn.Count("SELECT count(*) FROM pages WHERE id = ?", DocID{}) != 0 {
		t.Error("a zero ID is stored")
	}
}

// TestBunLists shows what the page says of lists: bun's own are right, and a plain slice is JSON.
func TestBunLists(t *testing.T) {
	page.Fact(t, toolsPage, "bun-plain-slice")
	for _, d := range []*db.Database{db.SQLite, db.MariaDB} {
		t.Run(d.Name, func(t *testing.T) {
			conn := d.Open(t, "")
			b := openBun(conn)
			conn.Run("CREATE TABLE items (id char(26) PRIMARY KEY, parent_id char(26), owner_id char(26))")
			ids := make([]ulid.ULID, 3)
			ulid.Fill(ids)
			for _, id := range ids {
				conn.Run("INSERT INTO items (id) VALUES (?)", id)
			}
			del := func(condition string, list any) {
				_, err := b.NewDelete().Model((*bunItem[ulid.ULID])(nil)).Where(condition, list).Exec(ctx)
				check(t, err)
			}
			del("id NOT IN ?", bun.Tuple(ids))
			del("id NOT IN (?)", bun.List(ids))
			if n := conn.Count("SELECT count(*) FROM items"); n != 3 {
				t.Errorf("NOT IN a list of all leaves %d rows, want 3", n)
			}
			del("id NOT IN (?)", ids)
			if n := conn.Count("SELECT count(*) FROM items"); n != 0 {
				t.Errorf("NOT IN a plain slice leaves %d rows; the page says none", n)
			}
		})
	}
}

// TestBunNullOverOld reads NULL into a pointer that has an ID.
func TestBunNullOverOld(t *testing.T) {
	page.Fact(t, toolsPage, "bun-null-sets-zero-id")
	conn := db.SQLite.Open(t, "")
	b := openBun(conn)
	conn.Run("CREATE TABLE items (id char(26) PRIMARY KEY, parent_id char(26), owner_id char(26))")
	conn.Run("INSERT INTO items (id) VALUES (?)", ulid.Make())
	old := ulid.Make()
	used := bunItem[ulid.ULID]{ParentID: &old}
	check(t, b.NewSelect().Model(&used).Scan(ctx))
	if used.ParentID == nil || !used.ParentID.IsZero() {
		t.Errorf("NULL is read as %v; the page says the zero ID", used.ParentID)
	}
}
