package main

import (
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

func TestRun(t *testing.T) {
	// Twice on the same file: the second run must not trip over the rows of the first.
	path := filepath.Join(t.TempDir(), "rows.db")
	for range 2 {
		var out strings.Builder
		if err := run(&out, []string{path}); err != nil {
			t.Fatal(err)
		}
		for _, line := range []string{
			`1000 rows from 8 goroutines, ulid.Make, one commit for each row +\d+ ms`,
			`10000 rows at once, ulid.Fill, one commit for all +\d+ ms`,
			`1  [0-9A-Z]{26}  \d\d:\d\d:\d\d\.\d{3}  goroutine \d, row 1`,
			`11000  [0-9A-Z]{26}  \d\d:\d\d:\d\d\.\d{3}  batch, row 10000`,
			`from [0-9:.]{12} to [0-9:.]{12}   1000 rows`,
			`from [0-9:.]{12} to [0-9:.]{12}  10000 rows`,
			`text +[0-9A-Z]{26} +batch, row 4501`,
			`text in lower case +[0-9a-z]{26} +batch, row 4501`,
			`UUID notation +[0-9a-f-]{36}  batch, row 4501`,
			`[0-9A-Z]{25}U  ulid: invalid character 'U' at offset 25`,
		} {
			if !regexp.MustCompile(`(?m)^ +` + line + `$`).MatchString(out.String()) {
				t.Errorf("no line matches %s in\n%s", line, &out)
			}
		}
	}

	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var rows int
	err = db.QueryRow(`SELECT count(*) FROM event WHERE typeof(id) = 'text' AND length(id) = 26`).Scan(&rows)
	if err != nil || rows != 2*(singleRows+batchRows) {
		t.Errorf("%d rows have a text of 26 characters as their key (error %v), want %d", rows, err, 2*(singleRows+batchRows))
	}
}

func TestRunFails(t *testing.T) {
	noDatabase := filepath.Join(t.TempDir(), "notes.txt")
	if err := os.WriteFile(noDatabase, []byte("This was a note, not a database.\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		args []string
		want string
	}{
		{[]string{filepath.Join(t.TempDir(), "missing", "rows.db")}, "unable to open database file"},
		{[]string{noDatabase}, "file is not a database"},
		{[]string{"a.db", "b.db"}, "usage: quickstart [file.db]"},
		{[]string{"-h"}, "usage: quickstart [file.db]"},
	} {
		err := run(new(strings.Builder), test.args)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("run(%q) = %v, want an error with %q", test.args, err, test.want)
		}
	}

	// The temporary folder goes even then.
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	if err := run(fullDisk{}, nil); !errors.Is(err, errFull) {
		t.Errorf("run on a full disk = %v, want %v", err, errFull)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, error %v", left, err)
	}
}

var errFull = errors.New("no space left")

type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, errFull }
