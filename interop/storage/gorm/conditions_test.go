package gorm

import (
	"strings"

	"gorm.io/gorm"

	"github.com/seed-961d0905/ulid"
	"github.com/seed-961d0905/ulid/interop/db"
)

// listClaims are about lists and other conditions that leave more rows than the program wanted, or none.
var listClaims = []claim{
	{
		fact: "no-condition-is-refused",
		name: "Updates",
		run:  func(s *scene) any { return s.rows(s.tx.Updates(&doc{Title: "x"})) },
		want: everywhere(fails),
	},
	{
		fact: "no-condition-is-refused",
		name: "Delete",
		run:  func(s *scene) any { return s.rows(s.tx.Delete(&doc{})) },
		want: everywhere(fails),
	},
	{
		fact: "list-of-zero-ids-is-safe",
		name: "Delete by typed IDs",
		run:  func(s *scene) any { return s.rows(s.own().Delete(&doc{}, []docID{{}})) },
		want: everywhere(0),
	},
	{
		fact: "list-of-zero-ids-is-safe",
		name: "Delete by nil pointers",
		run:  func(s *scene) any { return s.rows(s.own().Delete(&doc{}, []*docID{nil})) },
		want: everywhere(0),
	},
	{
		fact: "list-of-zero-ids-is-safe",
		name: "Delete by ULIDs",
		run:  func(s *scene) any { return s.rows(s.own().Delete(&doc{}, []ulid.ULID{{}})) },
		want: everywhere(0),
	},
	{
		fact: "list-of-zero-ids-is-safe",
		name: "Find by typed IDs",
		run:  func(s *scene) any { return s.rows(s.tx.Find(&docs{}, []docID{{}})) },
		want: everywhere(0),
	},
	{
		fact: "list-of-zero-ids-is-safe",
		name: "Find by nil pointers",
		run:  func(s *scene) any { return s.rows(s.tx.Find(&docs{}, []*docID{nil})) },
		want: everywhere(0),
	},
	{
		fact: "list-of-zero-ids-is-safe",
		name: "Find by ULIDs",
		run:  func(s *scene) any { return s.rows(s.tx.Find(&docs{}, []ulid.ULID{{}})) },
		want: everywhere(0),
	},
	{
		fact: "list-of-zero-documents-deletes-all",
		run:  func(s *scene) any { return s.rows(s.own().Delete(&docs{{}, {}})) },
		want: everywhere(2),
	},
	{
		fact: "not-in-matches-nothing",
		name: "NOT IN with a nil pointer",
		run: func(s *scene) any {
			ed := s.edOwns()
			return s.rows(s.own().Delete(&doc{}, "id NOT IN ?", []*docID{nil, &ed}))
		},
		want: everywhere(0),
	},
	{
		fact: "not-in-matches-nothing",
		name: "Not with a nil pointer",
		run: func(s *scene) any {
			ed := s.edOwns()
			return s.rows(s.own().Not([]*docID{nil, &ed}).Delete(&doc{}))
		},
		want: everywhere(0),
	},
	{
		fact: "not-in-matches-nothing",
		name: "NOT IN with an empty list",
		run:  func(s *scene) any { return s.rows(s.own().Delete(&doc{}, "id NOT IN ?", []docID{})) },
		want: everywhere(0),
	},
	{
		fact: "generics-forget-the-condition",
		name: "the document of Ed is deleted",
		run: func(s *scene) any {
			own := gorm.G[doc](s.own())
			return s.rows(generic(own.Where("id = ?", s.edOwns()).Delete(s.t.Context())))
		},
		want: everywhere(1),
	},
	{
		fact: "generics-forget-the-condition",
		code: `gorm.G[Doc](db).Where("owner_id = ?", owner)`,
		name: "it is not",
		run: func(s *scene) any {
			own := gorm.G[doc](s.tx).Where("owner_id = ?", s.ann.ID)
			return s.rows(generic(own.Where("id = ?", s.edOwns()).Delete(s.t.Context())))
		},
		want: everywhere(0),
	},
	{
		fact: "list-of-structs-deletes-all",
		name: "zero IDs",
		run:  func(s *scene) any { return s.rows(s.own().Delete(&doc{}, []structID{{}})) },
		want: everywhere(2),
	},
	{
		fact: "list-of-structs-deletes-all",
		code: "`docs.ul_id`",
		name: "an ID",
		run: func(s *scene) any {
			err := s.own().Delete(&doc{}, []structID{{ulid.ULID(s.id())}}).Error
			return err != nil && strings.Contains(err.Error(), "ul_id")
		},
		want: everywhere(true),
	},
	{
		fact: "list-of-structs-panics",
		run:  func(s *scene) any { return s.rows(s.own().Delete(&doc{}, []*structID{nil})) },
		want: everywhere(panics),
	},
}

// valueClaims are about what is compared with an ID that is not one, and about NULL.
var valueClaims = []claim{
	{
		fact: "number-equals-nearly-every-id",
		code: `db.First(&doc, 1)`,
		run:  func(s *scene) any { return s.rows(s.tx.First(&doc{}, 1)) },
		want: results{db.SQLite: 0, db.PostgreSQL: fails, db.MariaDB: 1, db.MySQL: 1},
	},
	{
		fact: "number-equals-nearly-every-id",
		code: `db.First(&doc, "id = ?", 1)`,
		run:  func(s *scene) any { return s.rows(s.tx.First(&doc{}, "id = ?", 1)) },
		want: results{db.SQLite: 0, db.PostgreSQL: fails, db.MariaDB: 1, db.MySQL: 1},
	},
	{
		fact: "number-equals-nearly-every-id",
		code: `db.Delete(&Doc{}, 1)`,
		run:  func(s *scene) any { return s.rows(s.tx.Delete(&doc{}, 1)) },
		want: results{db.SQLite: 0, db.PostgreSQL: fails, db.MariaDB: 3, db.MySQL: fails},
	},
	{
		fact: "number-equals-nearly-every-id",
		code: `db.Delete(&Doc{}, 1)`,
		name: "in a session that is not strict",
		run: func(s *scene) any {
			s.must(s.tx.Exec("SET sql_mode = ''"))
			defer s.tx.Exec("SET sql_mode = DEFAULT")
			return s.rows(s.tx.Delete(&doc{}, 1))
		},
		want: results{db.MariaDB: 3, db.MySQL: 3},
	},
	{
		fact: "nil-pointer-matches-null",
		code: `"editor_id = ?"`,
		run:  func(s *scene) any { return s.rows(s.tx.Find(&docs{}, "editor_id = ?", (*userID)(nil))) },
		want: everywhere(0),
	},
	{
		fact: "nil-pointer-matches-null",
		code: `db.Find(&docs, "editor_id", p)`,
		run:  func(s *scene) any { return s.rows(s.tx.Find(&docs{}, "editor_id", (*userID)(nil))) },
		want: everywhere(2),
	},
	{
		fact: "nil-pointer-matches-null",
		name: "a map",
		run: func(s *scene) any {
			return s.rows(s.tx.Find(&docs{}, map[string]any{"editor_id": (*userID)(nil)}))
		},
		want: everywhere(2),
	},
	{
		fact: "used-variable-keeps-its-id",
		code: `db.First(&doc, "id = ?", id)`,
		name: "its ID is a condition",
		run: func(s *scene) any {
			used := s.docs[0]
			return s.rows(s.tx.First(&used, "id = ?", s.edOwns()))
		},
		want: everywhere(0),
	},
	{
		fact: "used-variable-keeps-its-id",
		name: "NULL leaves the old ID",
		run: func(s *scene) any {
			used := s.docs[0]
			s.must(s.tx.Model(&doc{}).Where("id = ?", used.ID).Update("editor_id", nil))
			s.must(s.tx.First(&used))
			return *used.EditorID == s.ed.ID
		},
		want: everywhere(true),
	},
}
