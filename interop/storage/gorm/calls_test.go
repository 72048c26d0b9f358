package gorm

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"github.com/seed-961d0905/ulid/interop/db"
	"github.com/seed-961d0905/ulid/interop/page"
)

// given are the arguments of a call, by their names in the table of RESULTS.md.
type given struct {
	id    DocID
	ids   []DocID
	p     *DocID
	null  any
	owner UserID
	doc   Doc
	docs  []Doc
	text  string
}

// A call returns what gorm made of it.
type call func(*session, given) *gorm.DB

// finds, deletes and changes are the calls in the table, by their code there.
var finds = map[string]call{
	`db.First(&doc, "id = ?", id)`: func(s *session, g given) *gorm.DB { return s.tx.First(&Doc{}, "id = ?", g.id) },
	`db.First(&doc, text)`:         func(s *session, g given) *gorm.DB { return s.tx.First(&Doc{}, g.text) },
	`db.First(&doc)`:               func(s *session, g given) *gorm.DB { return s.tx.First(&g.doc) },
	`db.First(&doc, p)`:            func(s *session, g given) *gorm.DB { return s.tx.First(&Doc{}, g.p) },
	`db.First(&doc, "id = ?", p)`:  func(s *session, g given) *gorm.DB { return s.tx.First(&Doc{}, "id = ?", g.p) },
	`db.Find(&docs, "owner_id = ?", owner)`: func(s *session, g given) *gorm.DB {
		return s.tx.Find(&[]Doc{}, "owner_id = ?", g.owner)
	},
	`db.Find(&docs, Doc{OwnerID: owner})`: func(s *session, g given) *gorm.DB {
		return s.tx.Find(&[]Doc{}, Doc{OwnerID: g.owner})
	},
	`db.Find(&docs, "id IN ?", ids)`: func(s *session, g given) *gorm.DB { return s.tx.Find(&[]Doc{}, "id IN ?", g.ids) },
	`db.Find(&docs, ids)`:            func(s *session, g given) *gorm.DB { return s.tx.Find(&[]Doc{}, g.ids) },
	`own.Where(p).Find(&docs)`:       func(s *session, g given) *gorm.DB { return s.own().Where(g.p).Find(&[]Doc{}) },
	`own.Not(p).Find(&docs)`:         func(s *session, g given) *gorm.DB { return s.own().Not(g.p).Find(&[]Doc{}) },
}

var deletes = map[string]call{
	`db.Delete(&Doc{}, "id = ?", id)`: func(s *session, g given) *gorm.DB { return s.tx.Delete(&Doc{}, "id = ?", g.id) },
	`db.Delete(&Doc{}, text)`:         func(s *session, g given) *gorm.DB { return s.tx.Delete(&Doc{}, g.text) },
	`db.Delete(&Doc{}, p)`:            func(s *session, g given) *gorm.DB { return s.tx.Delete(&Doc{}, g.p) },
	`own.Delete(&Doc{}, "id = ?", id)`: func(s *session, g given) *gorm.DB {
		return s.own().Delete(&Doc{}, "id = ?", g.id)
	},
	`own.Delete(&Doc{}, "id IN ?", ids)`: func(s *session, g given) *gorm.DB {
		return s.own().Delete(&Doc{}, "id IN ?", g.ids)
	},
	`own.Delete(&Doc{}, "id NOT IN ?", ids)`: func(s *session, g given) *gorm.DB {
		return s.own().Delete(&Doc{}, "id NOT IN ?", g.ids)
	},
	`own.Delete(&Doc{}, ids)`: func(s *session, g given) *gorm.DB { return s.own().Delete(&Doc{}, g.ids) },
	`own.Delete(&Doc{}, nil)`: func(s *session, g given) *gorm.DB { return s.own().Delete(&Doc{}, g.null) },
	`own.Delete(&doc)`:        func(s *session, g given) *gorm.DB { return s.own().Delete(&g.doc) },
	`own.Delete(&docs)`:       func(s *session, g given) *gorm.DB { return s.own().Delete(&g.docs) },
	`own.Select(clause.Associations).Delete(&doc)`: func(s *session, g given) *gorm.DB {
		return s.own().Select(clause.Associations).Delete(&g.doc)
	},
	`own.Not(ids).Delete(&Doc{})`: func(s *session, g given) *gorm.DB { return s.own().Not(g.ids).Delete(&Doc{}) },
	`own.Not(map[string]any{"id": ids}).Delete(&Doc{})`: func(s *session, g given) *gorm.DB {
		return s.own().Not(map[string]any{"id": g.ids}).Delete(&Doc{})
	},
	`own.Not(&doc).Delete(&Doc{})`: func(s *session, g given) *gorm.DB { return s.own().Not(&g.doc).Delete(&Doc{}) },
	`gorm.G[Doc](db).Where("owner_id = ? AND id IN ?", owner, ids).Delete(ctx)`: func(s *session, g given) *gorm.DB {
		return generic(gorm.G[Doc](s.tx).Where("owner_id = ? AND id IN ?", s.ann.ID, g.ids).Delete(s.t.Context()))
	},
	`gorm.G[Doc](db).Where("owner_id = ?", owner).Where(ids).Delete(ctx)`: func(s *session, g given) *gorm.DB {
		return generic(gorm.G[Doc](s.tx).Where("owner_id = ?", s.ann.ID).Where(g.ids).Delete(s.t.Context()))
	},
}

var changes = map[string]call{
	`own.Model(&doc).Update("title", s)`: func(s *session, g given) *gorm.DB {
		return s.own().Model(&g.doc).Update("title", "x")
	},
	`own.Model(&Doc{}).Where("id = ?", id).Update("title", s)`: func(s *session, g given) *gorm.DB {
		return s.own().Model(&Doc{}).Where("id = ?", g.id).Update("title", "x")
	},
	`own.Updates(&doc)`: func(s *session, g given) *gorm.DB { return s.own().Updates(&g.doc) },
}

// damage is how many rows are concerned by a call that does what the last cell of its row says.
var damage = map[string]any{
	"finds any document":         1,
	"finds every document":       3,
	"deletes every document":     3,
	"deletes all of the owner's": 2,
	"changes all of the owner's": 2,
	"panics inside gorm":         panics,
}

// A cell of the table has calls, which concern one row if they are given an ID, and so many if they are given none.
type cell struct {
	calls   []string
	without any
	isRight bool // to write
}

// formsHeading stands above the table.
const formsHeading = "Conditions"

var (
	tableRow = regexp.MustCompile("(?m)^\\| (`.*) \\| (`.*) \\| .* \\| (.*) \\|$")
	span     = regexp.MustCompile("`([^`]+)`")
)

// forms reads the table of RESULTS.md: what to write, instead of what, and what that does.
func forms(t *testing.T) (cells []cell) {
	_, section, _ := strings.Cut(page.Text(t, resultsFile), "\n## "+formsHeading)
	for _, row := range tableRow.FindAllStringSubmatch(section, -1) {
		without, ok := damage[row[3]]
		if !ok {
			t.Errorf("%s: no test shows what %q is", resultsFile, row[3])
		}
		cells = append(cells, cell{spans(row[1]), 0, true}, cell{spans(row[2]), without, false})
	}
	return cells
}

func spans(text string) (codes []string) {
	for _, m := range span.FindAllStringSubmatch(text, -1) {
		codes = append(codes, m[1])
	}
	return codes
}

func allCalls() map[string]call {
	calls := map[string]call{}
	for _, some := range []map[string]call{finds, deletes, changes} {
		maps.Copy(calls, some)
	}
	return calls
}

// TestCalls makes each call in the table of RESULTS.md, once with an ID and once with what the program has without one.
func TestCalls(t *testing.T) {
	calls := allCalls()
	cells := forms(t)
	var onPage []string
	for _, cell := range cells {
		onPage = append(onPage, cell.calls...)
	}
	slices.Sort(onPage)
	if code := slices.Sorted(maps.Keys(calls)); !slices.Equal(onPage, code) {
		t.Fatalf("the table of %s has\n%q\nand the test\n%q", resultsFile, onPage, code)
	}
	db.Each(t, func(t *testing.T, d *db.Database) {
		s := newFixture(t, d)
		for _, cell := range cells {
			for _, code := range cell.calls {
				t.Run(code, func(t *testing.T) { calls[code].test(t, s, cell.without) })
			}
		}
	})
}

func (c call) test(t *testing.T, on *fixture, wantWithout any) {
	s := on.session(t)
	id := s.annsDoc()
	with := given{
		id: id, ids: []DocID{id}, p: &id, null: id, owner: s.bob.ID,
		doc: Doc{Row: s.docs[0].Row, Title: "x"}, docs: []Doc{s.docs[0]}, text: "id = '" + id.String() + "'",
	}
	without := given{ids: []DocID{}, doc: Doc{Title: "x"}, text: "1=1"}
	if got := c.rows(s, with); got != 1 {
		t.Errorf("with an ID: rows %v, want 1; the last error is %v", got, s.failed)
	}
	s.tx.Rollback()
	s = on.session(t)
	if got := c.rows(s, without); got != wantWithout {
		t.Errorf("without an ID: rows %v, want %v; the last error is %v", got, wantWithout, s.failed)
	}
}

func (c call) rows(s *session, g given) any { return orPanics(func() any { return s.rows(c(s, g)) }) }
