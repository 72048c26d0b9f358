package migrating

import (
	"strings"
	"testing"

	oklog "github.com/oklog/ulid/v2"

	"github.com/seed-961d0905/ulid"
	"github.com/seed-961d0905/ulid/interop/page"
)

// TestRefusedTexts lists the texts of a column that oklog/ulid reads and Scan refuses, and mends them.
func TestRefusedTexts(t *testing.T) {
	page.Fact(t, "docs/migrating-columns.md", "scan-rejects-what-oklog-reads")
	guideSpan(t, `MustParse\(text\)\.String\(\)`)
	each(t, withMySQL(sqlite, postgres, mariadb), func(t *testing.T, d guideDB) {
		textType := "CHAR(26)"
		if d.IsMySQL() {
			textType += " CHARACTER SET utf8mb4"
		}
		d.Run("CREATE TABLE events (n INT PRIMARY KEY, id " + textType + ")")
		texts := textsOf26(d.Family)
		var args []any
		for n, text := range texts {
			args = append(args, n, text)
		}
		d.Run("INSERT INTO events (n, id) VALUES (?, ?)"+strings.Repeat(", (?, ?)", len(texts)-1), args...)
		listed := d.refusedTexts(t)
		if len(listed) == 0 || len(listed) == len(texts) {
			t.Fatalf("%d of %d texts are listed", len(listed), len(texts))
		}
		for _, row := range d.Rows("SELECT n, id FROM events") {
			d.wantListed(t, row[1], listed[text(row[1])])
			d.mendText(t, row[0], text(row[1]))
		}
		for left := range d.refusedTexts(t) {
			if new(oklog.ULID).Scan(left) == nil {
				t.Errorf("%q is listed after it was mended", left)
			}
		}
	})
}

// textsOf26 returns a ULID in either case with each byte at several positions, as far as a database
// takes it, and other texts.
func textsOf26(family string) (texts []string) {
	for _, base := range []string{"01ARYZ6S41TSV4RRFFQ69G5FAV", "7zzzzzzzzzzzzzzzzzzzzzzzzz"} {
		for _, i := range []int{0, 1, 13, 25} {
			for c := range 128 {
				if c == 0 && family == "postgres" {
					continue
				}
				texts = append(texts, base[:i]+string(rune(c))+base[i+1:])
			}
		}
		texts = append(texts, base[:24]+"\u00e9", base[:25], base[:23]+"\u212a")
	}
	return append(texts, "2026-enterprise-plan-eu-01", "0000000000XX000COMPACTHEAD", strings.Repeat("\u00e9", 13))
}

// refusedTexts returns what the guide's query lists.
func (d guideDB) refusedTexts(t *testing.T) map[string]bool {
	t.Helper()
	listed := map[string]bool{}
	for _, row := range d.Rows(d.guideBlock(t, "rejected")) {
		listed[text(row[0])] = true
	}
	return listed
}

// wantListed fails the test unless each cell is listed that oklog/ulid reads and Scan refuses, and none
// that Scan reads.
func (d guideDB) wantListed(t *testing.T, cell any, isListed bool) {
	t.Helper()
	theirs := new(oklog.ULID).Scan(cell)
	ours := new(ulid.ULID).Scan(cell)
	if ours == nil && isListed {
		t.Errorf("%q is listed, and Scan reads it", cell)
	}
	if ours != nil && theirs == nil && !isListed {
		t.Errorf("%q is not listed, and Scan says %v", cell, ours)
	}
}

// mendText replaces a text that only oklog/ulid reads, as the guide says.
func (d guideDB) mendText(t *testing.T, n any, text string) {
	t.Helper()
	old, err := oklog.Parse(text)
	if err != nil || new(ulid.ULID).Scan(text) == nil {
		return
	}
	d.Run("UPDATE events SET id = ? WHERE n = ?", oklog.MustParse(text).String(), n)
	var got ulid.ULID
	check(t, d.row("SELECT id FROM events WHERE n = ?", n).Scan(&got))
	if got != ulid.ULID(old) {
		t.Errorf("%q becomes %v, want %v", text, got, old)
	}
}
