package storage

import (
	"bytes"
	"crypto/rand"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/seed-961d0905/ulid"
	"github.com/seed-961d0905/ulid/interop/db"
	"github.com/seed-961d0905/ulid/interop/page"
)

// TestRecommendedColumns finds the columns that docs/storage.md recommends in the README, and on the page of the
// database.
func TestRecommendedColumns(t *testing.T) {
	recommended := page.Text(t, "docs/storage.md")
	for _, d := range db.All {
		cells := regexp.MustCompile(`(?m)^\| \[(.*)\]\(` + filepath.Base(d.Page) + `\) (\| [^|]* \| [^|]* \|).*$`)
		row := cells.FindStringSubmatch(recommended)
		if row == nil {
			t.Fatalf("docs/storage.md has no column for %s", d.Name)
		}
		page.Contains(t, "README.md", "\n| ["+row[1]+"]("+d.Page+") "+row[2])
		page.Contains(t, d.Page, "\n"+row[2])
	}
}

// A documented column is a row of the first table of a database's page.
type documented struct{ definition, sqlType, goType string }

// documentedRow matches, for example,  | `id TEXT PRIMARY KEY NOT NULL` | `ulid.ULID` | by default |
var documentedRow = regexp.MustCompile(
	"(?m)^\\| `(id (.+?)(?: PRIMARY KEY.*?)?)` \\| `(?:ulid\\.)?(.+?)` \\| [^|]* \\|$")

func documentedColumns(t *testing.T, d *db.Database) (columns []documented) {
	for _, m := range documentedRow.FindAllStringSubmatch(page.Text(t, d.Page), -1) {
		columns = append(columns, documented{definition: m[1], sqlType: m[2], goType: m[3]})
	}
	return columns
}

// TestColumnsOnPages reads the first table of each database's page. It makes each column, inserts IDs as the Go type,
// and asks for those of one day, as docs/queries.md does. The key cannot be NULL.
func TestColumnsOnPages(t *testing.T) {
	query := strings.TrimSuffix(page.Code(t, "docs/queries.md", "range"), "\n")
	query = strings.NewReplacer("$1", "?", "$2", "?").Replace(query)
	from, to, within, outside := oneDay()
	const insert = "INSERT INTO events (id) VALUES (?)"
	db.Each(t, func(t *testing.T, d *db.Database) {
		onPage := documentedColumns(t, d)
		for _, c := range d.Columns {
			hasType := func(doc documented) bool { return doc.goType == c.GoType }
			if !slices.ContainsFunc(onPage, hasType) {
				t.Errorf("%s has no column for %s", d.Page, c.GoType)
			}
		}
		for _, doc := range onPage {
			isIt := func(c db.Column) bool { return doc.sqlType == c.SQL && doc.goType == c.GoType }
			if !slices.ContainsFunc(d.Columns, isIt) {
				t.Fatalf("%s is not the documented type of %s", doc.goType, doc.sqlType)
			}
			value := plain[doc.goType].value
			events := d.Open(t, "")
			events.Run("CREATE TABLE events (" + doc.definition + ")")
			for _, id := range slices.Backward(slices.Concat(within, outside)) {
				events.Run(insert, value(id))
			}
			var got []ulid.ULID
			err := events.Select(&got, events.Rebind(query), value(ulid.FirstAt(from)), value(ulid.FirstAt(to)))
			if err != nil || !slices.Equal(got, within) {
				t.Errorf("%s: found %s, %v; want %s", doc.definition, got, err, within)
			}
			if events.Try(insert, nil) == nil {
				t.Errorf("%s: the key may be NULL", doc.definition)
			}
		}
	})
}

// TestMongoDB asks no server. A ULID in a BSON filter is a binary, as it is in the documents, and binaries
// of one length compare by their bytes.
func TestMongoDB(t *testing.T) {
	const code = `bson.M{"_id": bson.M{"$gte": ulid.FirstAt(from), "$lt": ulid.FirstAt(to)}}`
	page.Contains(t, "docs/other-databases.md", "`"+code+"`")
	page.Contains(t, "docs/other-databases.md", "`bson:\"_id\"`")
	from, to, within, outside := oneDay()
	filter, err := bson.Marshal(bson.M{"_id": bson.M{"$gte": ulid.FirstAt(from), "$lt": ulid.FirstAt(to)}})
	check(t, err)
	_, first := bson.Raw(filter).Lookup("_id", "$gte").Binary()
	_, last := bson.Raw(filter).Lookup("_id", "$lt").Binary()
	for i, id := range slices.Concat(within, outside) {
		document, err := bson.Marshal(struct {
			ID ulid.ULID `bson:"_id"`
		}{id})
		check(t, err)
		_, data := bson.Raw(document).Lookup("_id").Binary()
		found := bytes.Compare(data, first) >= 0 && bytes.Compare(data, last) < 0
		if want := i < len(within); found != want {
			t.Errorf("%s found: %t, want %t", id, found, want)
		}
	}
}

// oneDay returns the beginning and the end of a day, IDs of it in their order, and IDs of other times:
// the neighbours of the day, and some that are years away.
func oneDay() (from, to time.Time, within, outside []ulid.ULID) {
	from = time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC)
	to = from.AddDate(0, 0, 1)
	const ms = time.Millisecond
	for _, t := range []time.Time{from, from.Add(ms), from.Add(12 * time.Hour), to.Add(-ms)} {
		within = append(within, ulid.FirstAt(t), ulid.MustNew(ulid.Timestamp(t), rand.Reader), ulid.LastAt(t))
	}
	for _, t := range []time.Time{
		{}, from.AddDate(-9, 0, 0), from.AddDate(0, 0, -1), from.Add(-ms),
		to, to.Add(ms), to.AddDate(0, 0, 1), to.AddDate(9, 0, 0), ulid.Time(ulid.MaxTime()),
	} {
		outside = append(outside, ulid.FirstAt(t), ulid.LastAt(t))
	}
	return from, to, within, slices.Compact(outside)
}
