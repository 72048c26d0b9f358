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
		fact: "map-keeps-what-is-empty",
		name: "a zero ID in a map",
		run:  func(s *session) any { return s.rows(s.own().Delete(&Doc{}, map[string]any{"id": DocID{}})) },
		want: everywhere(0),
	},
	{
		fact: "map-keeps-what-is-empty",
		name: "an empty list in a map",
		run:  func(s *session) any { return s.rows(s.own().Delete(&Doc{}, map[string]any{"id": []DocID{}})) },
		want: everywhere(0),
	},
	{
		fact: "map-keeps-what-is-empty",
		name: "a zero ID alone",
		code: "`own.Delete(&Doc{}, id)`",
		run:  func(s *session) any { return s.rows(s.own().Delete(&Doc{}, DocID{})) },
		want: everywhere(0),
	},
	{
		fact: "digits-match-every-row",
		run:  func(s *session) any { return s.rows(s.tx.Find(&[]Doc{}, strings.Repeat("1", 26))) },
		want: results{db.SQLite: 3, db.PostgreSQL: fails, db.MariaDB: 3, db.MySQL: 3},
	},
	{
		fact: "no-condition-is-refused",
		name: "Updates",
		run:  func(s *session) any { return s.rows(s.tx.Updates(&Doc{Title: "x"})) },
		want: everywhere(fails),
	},
	{
		fact: "no-condition-is-refused",
		name: "Delete",
		run:  func(s *session) any { return s.rows(s.tx.Delete(&Doc{})) },
		want: everywhere(fails),
	},
	{
		fact: "list-of-zero-ids-is-safe",
		name: "Delete by typed IDs",
		run:  func(s *session) any { return s.rows(s.own().Delete(&Doc{}, []DocID{{}})) },
		want: everywhere(0),
	},
	{
		fact: "list-of-zero-ids-is-safe",
		name: "Delete by nil pointers",
		run:  func(s *session) any { return s.rows(s.own().Delete(&Doc{}, []*DocID{nil})) },
		want: everywhere(0),
	},
	{
		fact: "list-of-zero-ids-is-safe",
		name: "Delete by ULIDs",
		run:  func(s *session) any { return s.rows(s.own().Delete(&Doc{}, []ulid.ULID{{}})) },
		want: everywhere(0),
	},
	{
		fact: "list-of-zero-ids-is-safe",
		name: "Find by typed IDs",
		run:  func(s *session) any { return s.rows(s.tx.Find(&[]Doc{}, []DocID{{}})) },
		want: everywhere(0),
	},
	{
		fact: "list-of-zero-ids-is-safe",
		name: "Find by nil pointers",
		run:  func(s *session) any { return s.rows(s.tx.Find(&[]Doc{}, []*DocID{nil})) },
		want: everywhere(0),
	},
	{
		fact: "list-of-zero-ids-is-safe",
		name: "Find by ULIDs",
		run:  func(s *session) any { return s.rows(s.tx.Find(&[]Doc{}, []ulid.ULID{{}})) },
		want: everywhere(0),
	},
	{
		fact: "list-of-zero-documents-deletes-all",
		run:  func(s *session) any { return s.rows(s.own().Delete(&[]Doc{{}, {}})) },
		want: everywhere(2),
	},
	{
		fact: "not-in-matches-nothing",
		name: "NOT IN with a nil pointer",
		run: func(s *session) any {
			bob := s.bobsDoc()
			return s.rows(s.own().Delete(&Doc{}, "id NOT IN ?", []*DocID{nil, &bob}))
		},
		want: everywhere(0),
	},
	{
		fact: "not-in-matches-nothing",
		name: "Not with a nil pointer",
		run: func(s *session) any {
			bob := s.bobsDoc()
			return s.rows(s.own().Not([]*DocID{nil, &bob}).Delete(&Doc{}))
		},
		want: everywhere(0),
	},
	{
		fact: "not-in-matches-nothing",
		name: "NOT IN with an empty list",
		run:  func(s *session) any { return s.rows(s.own().Delete(&Doc{}, "id NOT IN ?", []DocID{})) },
		want: everywhere(0),
	},
	{
		fact: "variable-keeps-conditions",
		run: func(s *session) any {
			own := s.own()
			s.rows(own.Find(&[]Doc{}, "id = ?", s.docs[0].ID))
			return s.rows(own.Find(&[]Doc{}, "id = ?", s.docs[2].ID))
		},
		want: everywhere(0),
	},
	{
		fact: "generics-forget-the-condition",
		name: "the document of Bob is deleted",
		run: func(s *session) any {
			own := gorm.G[Doc](s.own())
			return s.rows(generic(own.Where("id = ?", s.bobsDoc()).Delete(s.t.Context())))
		},
		want: everywhere(1),
	},
	{
		fact: "generics-forget-the-condition",
		code: `gorm.G[Doc](db).Where("owner_id = ?", owner)`,
		name: "it is not",
		run: func(s *session) any {
			own := gorm.G[Doc](s.tx).Where("owner_id = ?", s.ann.ID)
			return s.rows(generic(own.Where("id = ?", s.bobsDoc()).Delete(s.t.Context())))
		},
		want: everywhere(0),
	},
	{
		fact: "list-of-structs-deletes-all",
		name: "zero IDs",
		run:  func(s *session) any { return s.rows(s.own().Delete(&Doc{}, []structID{{}})) },
		want: everywhere(2),
	},
	{
		fact: "list-of-structs-deletes-all",
		code: "`docs.ul_id`",
		name: "an ID",
		run: func(s *session) any {
			err := s.own().Delete(&Doc{}, []structID{{ulid.ULID(s.annsDoc())}}).Error
			return err != nil && strings.Contains(err.Error(), "ul_id")
		},
		want: everywhere(true),
	},
	{
		fact: "list-of-structs-panics",
		run:  func(s *session) any { return s.rows(s.own().Delete(&Doc{}, []*structID{nil})) },
		want: everywhere(panics),
	},
}

// valueClaims are about what is compared with an ID that is not one, and about NULL.
var valueClaims = []claim{
	{
		fact: "number-equals-nearly-every-id",
		code: `db.First(&doc, 1)`,
		run:  func(s *session) any { return s.rows(s.tx.First(&Doc{}, 1)) },
		want: results{db.SQLite: 0, db.PostgreSQL: fails, db.MariaDB: 1, db.MySQL: 1},
	},
	{
		fact: "number-equals-nearly-every-id",
		code: `db.First(&doc, "id = ?", 1)`,
		run:  func(s *session) any { return s.rows(s.tx.First(&Doc{}, "id = ?", 1)) },
		want: results{db.SQLite: 0, db.PostgreSQL: fails, db.MariaDB: 1, db.MySQL: 1},
	},
	{
		fact: "number-equals-nearly-every-id",
		code: `db.Delete(&Doc{}, 1)`,
		run:  func(s *session) any { return s.rows(s.tx.Delete(&Doc{}, 1)) },
		want: results{db.SQLite: 0, db.PostgreSQL: fails, db.MariaDB: 3, db.MySQL: fails},
	},
	{
		fact: "number-equals-nearly-every-id",
		code: `db.Delete(&Doc{}, 1)`,
		name: "in a session that is not strict",
		run: func(s *session) any {
			s.must(s.tx.Exec("SET sql_mode = ''"))
			defer s.tx.Exec("SET sql_mode = DEFAULT")
			return s.rows(s.tx.Delete(&Doc{}, 1))
		},
		want: results{db.MariaDB: 3, db.MySQL: 3},
	},
	{
		fact: "nil-pointer-matches-null",
		code: `"editor_id = ?"`,
		run:  func(s *session) any { return s.rows(s.tx.Find(&[]Doc{}, "editor_id = ?", (*UserID)(nil))) },
		want: everywhere(0),
	},
	{
		fact: "nil-pointer-matches-null",
		code: `db.Find(&docs, "editor_id", p)`,
		run:  func(s *session) any { return s.rows(s.tx.Find(&[]Doc{}, "editor_id", (*UserID)(nil))) },
		want: everywhere(2),
	},
	{
		fact: "nil-pointer-matches-null",
		name: "a map",
		run: func(s *session) any {
			return s.rows(s.tx.Find(&[]Doc{}, map[string]any{"editor_id": (*UserID)(nil)}))
		},
		want: everywhere(2),
	},
	{
		fact: "used-variable-keeps-its-id",
		code: `db.First(&doc, "id = ?", id)`,
		name: "its ID is a condition",
		run: func(s *session) any {
			used := s.docs[0]
			return s.rows(s.tx.First(&used, "id = ?", s.bobsDoc()))
		},
		want: everywhere(0),
	},
	{
		fact: "used-variable-keeps-its-id",
		name: "NULL leaves the old ID",
		run: func(s *session) any {
			used := s.docs[0]
			s.must(s.tx.Model(&Doc{}).Where("id = ?", used.ID).Update("editor_id", nil))
			s.must(s.tx.First(&used))
			return *used.EditorID == s.bob.ID
		},
		want: everywhere(true),
	},
}
