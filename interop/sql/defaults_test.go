package sql

import (
	"testing"

	"github.com/seed-961d0905/ulid"
	"github.com/seed-961d0905/ulid/interop/db"
)

// defaults is what a database says of the IDs that it makes.
type defaults struct {
	clock    string // a query for the milliseconds since 1970
	sameTime bool   // all IDs of one statement are of the time at which it began
	uuidv7   bool   // all IDs are UUIDs of version 7
	thousand string // a query that calls ulid_make 1,000 times
}

// TestDefault has the DEFAULT of each table make IDs.
func TestDefault(t *testing.T) {
	onEach(t, databases, func(t *testing.T, d *database) {
		conn := d.openWith(t, defaultMode, nil)
		for i, table := range d.tables {
			if d != mysqlDB { // which has no RETURNING
				query := d.perTable(t, "insert")[i]
				d.wantMade(t, conn, table.name, func() {
					for range 1000 {
						conn.Rows(query)
					}
				})
			}
			ids := d.wantMade(t, conn, table.name, func() {
				insert(t, conn, table.name, "note", make([]string, 1000)) // one statement
			})
			if d.defaults.sameTime {
				wantSameTime(t, ids)
			}
		}
	})
}

// TestMake has the function make IDs.
func TestMake(t *testing.T) {
	onEach(t, servers, func(t *testing.T, d *database) {
		conn := d.open(t, defaultMode)
		first := conn.Count(d.defaults.clock)
		ids := idsOf(t, conn.Rows(d.defaults.thousand))
		wantBetween(t, ids, first, conn.Count(d.defaults.clock))
		wantRandom(t, ids, d.defaults.uuidv7)
		if d.defaults.sameTime {
			wantSameTime(t, ids)
		}
	})
}

// wantMade fails the test unless inserts add 1,000 IDs to the table, which the database made when
// its clock says so. It returns them.
func (d *database) wantMade(t *testing.T, conn *db.DB, table string, inserts func()) []ulid.ULID {
	t.Helper()
	conn.Run(`DELETE FROM ` + table)
	first := conn.Count(d.defaults.clock)
	inserts()
	last := conn.Count(d.defaults.clock)
	ids := idsOf(t, conn.Rows(`SELECT id FROM `+table))
	wantRandom(t, ids, d.defaults.uuidv7)
	wantBetween(t, ids, first, last)
	return ids
}
