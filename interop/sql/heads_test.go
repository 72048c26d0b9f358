package sql

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/seed-961d0905/ulid"
	"github.com/seed-961d0905/ulid/interop/db"
	"github.com/seed-961d0905/ulid/interop/page"
)

// installed is what TestHeads asks a database after it ran the first file.
type installed struct {
	query string // runs only if the file is installed
	bytes string // a type for columns that have texts and bytes
	text  string // a type for columns of text that can be converted
}

// TestHeads runs the commands that stand at the head of the files, on tables with IDs in two forms,
// which are mended.
func TestHeads(t *testing.T) {
	onEach(t, databases, func(t *testing.T, d *database) {
		conn := d.Open(t, d.parameters)
		conn.Run(`CREATE TABLE events (id ` + d.installed.bytes + ` PRIMARY KEY)`)
		conn.Run(`CREATE TABLE items (event_id ` + d.installed.bytes + `,
			FOREIGN KEY (event_id) REFERENCES events (id))`)
		shell := newShell(t, conn)
		shell.run(t, d.Family+".sql")
		conn.Rows(d.installed.query)
		wantMended(t, d, conn, shell)
		if d.installed.text != "" {
			wantHeadConverts(t, d, conn, shell)
		}
	})
}

// wantMended runs the head of the file that mends columns, on an ID as bytes and another as text.
func wantMended(t *testing.T, d *database, conn *db.DB, shell shell) {
	t.Helper()
	conn.Run(`INSERT INTO events VALUES (?), (?)`, ulid.AsBinary(known), ulid.Make())
	conn.Run(`INSERT INTO items SELECT id FROM events`)
	shell.run(t, "mend_"+d.Family+".sql")
	n := conn.Count(`SELECT count(*) FROM events JOIN items ON event_id = id WHERE length(id) = 16`)
	if n != 2 {
		t.Errorf("%d IDs are mended, want 2", n)
	}
}

// wantHeadConverts runs the head of the file that converts columns.
func wantHeadConverts(t *testing.T, d *database, conn *db.DB, shell shell) {
	t.Helper()
	conn.Run(`CREATE TABLE events_text (id ` + d.installed.text + ` PRIMARY KEY)`)
	conn.Run(d.items)
	conn.Run(`INSERT INTO events_text VALUES (?)`, known)
	conn.Run(`INSERT INTO items_text SELECT id, 1 FROM events_text`)
	shell.run(t, "convert_"+d.Family+".sql")
	const found = `SELECT count(*) FROM events_text JOIN items_text ON event_id = id WHERE id = ?`
	n := conn.Count(found, d.converts.columns[0].after.value(known))
	if n != 1 {
		t.Errorf("%d IDs are converted, want 1", n)
	}
}

// A shell runs commands in a copy of sql/, with the database's own client.
type shell struct {
	dir    string
	env    []string
	client string
}

func newShell(t *testing.T, conn *db.DB) shell {
	t.Helper()
	dir := t.TempDir()
	check(t, os.CopyFS(dir, os.DirFS(filepath.Join(page.Root(), "sql"))))
	return shell{dir, append(os.Environ(), conn.ClientEnv()...), conn.Client}
}

var headCommand = regexp.MustCompile(`(?m)^--   (\S.*\n)`)

// run runs the commands at the head of a file in sql/, which must succeed.
func (s shell) run(t *testing.T, file string) {
	t.Helper()
	var commands string
	for _, line := range headCommand.FindAllStringSubmatch(page.Text(t, "sql/"+file), -1) {
		commands += strings.NewReplacer("mysql ", s.client+" ", "DATABASE", `"$DATABASE"`).Replace(line[1])
	}
	if commands == "" {
		t.Fatalf("no commands at the head of %s", file)
	}
	cmd := exec.Command("bash", "-euo", "pipefail", "-c", commands)
	cmd.Dir = s.dir
	cmd.Env = s.env
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("the commands of %s: %v\n%s", file, err, out)
	}
}
