package recipes

import (
	"slices"
	"strings"

	"github.com/seed-961d0905/ulid"
)

// page: ReadPage

// A Cursor is a place in a list that sorts by ID, such as the start of the next page.
type Cursor struct {
	ID   ulid.ULID
	Down bool // the page has the rows below ID; otherwise the row with ID, and those above it
}

// The ends of every list.
var (
	Oldest = Cursor{}
	Newest = Cursor{ulid.MustParse("7ZZZZZZZZZZZZZZZZZZZZZZZZZ"), true}
)

// String returns the ID, after a hyphen if the cursor leads down.
func (c Cursor) String() string {
	if c.Down {
		return "-" + c.ID.String()
	}
	return c.ID.String()
}

// ParseCursor parses what String returns. For the empty string it returns start, which is
// Oldest or Newest.
func ParseCursor(s string, start Cursor) (Cursor, error) {
	if s == "" {
		return start, nil
	}
	s, down := strings.CutPrefix(s, "-")
	id, err := ulid.Parse(s)
	if err != nil {
		return Cursor{}, err
	}
	return Cursor{id, down}, nil
}

type Page[Row any] struct {
	Items []Row  `json:"items"`           // in the order of their IDs
	Older string `json:"older,omitempty"` // the cursor of the page before; "" if there is none
	Newer string `json:"newer,omitempty"`
}

// ReadPage returns the page at a cursor. A limit above 100 means 100, and one below 1 means 50.
// The function id returns the ID of a row, and query the n rows next to a cursor, nearest first.
func ReadPage[Row any](
	c Cursor, limit int, id func(Row) ulid.ULID, query func(c Cursor, n int) ([]Row, error),
) (Page[Row], error) {
	limit = min(limit, 100)
	if limit < 1 {
		limit = 50
	}
	rows, err := query(c, limit+1) // one more, which shows whether the list goes on
	if err != nil {
		return Page[Row]{}, err
	}
	more := len(rows) > limit
	// In JSON a page without rows is [] and not null.
	items := append([]Row{}, rows[:min(limit, len(rows))]...)
	hasOlder, hasNewer := c != Oldest, more
	if c.Down {
		hasOlder, hasNewer = more, c != Newest
		slices.Reverse(items)
	}
	first, end := c.ID, c.ID // of an empty page, which leads back
	if len(items) > 0 {
		first = id(items[0])
		end, _ = id(items[len(items)-1]).Next()
	}
	page := Page[Row]{Items: items}
	if hasOlder {
		page.Older = Cursor{first, true}.String()
	}
	if hasNewer {
		page.Newer = Cursor{end, false}.String()
	}
	return page, nil
}
