package migrating

import (
	"database/sql"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"
	oklog "github.com/oklog/ulid/v2"

	"github.com/seed-961d0905/ulid"
)

// fill writes n events with an item each, as a program with oklog/ulid does.
func fill(t *testing.T, db *sql.DB, driver string, n int) (ids []ulid.ULID) {
	t.Helper()
	for range n {
		id := oklog.Make()
		exec1(t, db, placeholders(driver, "INSERT INTO events (id) VALUES (?)"), id)
		exec1(t, db, placeholders(driver, "INSERT INTO items (event_id, n) VALUES (?, 1)"), id)
		ids = append(ids, ulid.ULID(id))
	}
	return ids
}

func count(t *testing.T, db *sql.DB, query string, args ...any) int {
	t.Helper()
	var n int
	if err := db.QueryRow(query, args...).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

// wantAll fails the test unless each ID is found in both tables by its bytes.
func wantAll(t *testing.T, db *sql.DB, driver string, ids []ulid.ULID) {
	t.Helper()
	for _, id := range ids {
		if n := count(t, db, placeholders(driver, "SELECT COUNT(*) FROM events JOIN items ON id = event_id WHERE id = ?"), ulid.AsBinary(id)); n != 1 {
			t.Errorf("%v is found %d times", id, n)
		}
	}
}

// connections are the ways to each database. A statement that writes a text is no error in the unguarded ones.
var connections = []struct {
	database, driver, parameters, bytesType string
	guarded                                 bool
}{
	{"sqlite", "sqlite", "", "BLOB", false},
	{"postgres", "pgx", "", "bytea", false},
	{"postgres", "pgx", "&default_query_exec_mode=exec", "bytea", false},
	{"postgres", "pgx", "&default_query_exec_mode=simple_protocol", "bytea", false},
	{"postgres", "postgres", "", "bytea", false}, // lib/pq
	{"mariadb", "mysql", "", "BINARY(16)", true},
	{"mariadb", "mysql", "&interpolateParams=true", "BINARY(16)", true},
	{"mariadb", "mysql", "&sql_mode=''", "BINARY(16)", false},
	{"mariadb", "mysql", "", "VARBINARY(255)", false},
}

// TestLoud shows that a statement that writes a text is no error before the statements of the page, and is one after them,
// while those that write bytes go on, and that none of them makes a read an error.
func TestLoud(t *testing.T) {
	for _, c := range connections {
		t.Run(c.database+" "+c.driver+c.parameters+" "+c.bytesType, func(t *testing.T) {
			d := open(t, c.database, c.driver, c.parameters)
			d.tables(t, c.bytesType)
			ids := fill(t, d.db, c.driver, 5)
			if got := d.forms(t); got != "16 bytes 5" {
				t.Errorf("the forms are %s", got)
			}
			columns := map[string]string{
				"sqlite":   "events id BLOB, events note VARCHAR(100), items event_id BLOB, items n INT",
				"postgres": "events id, items event_id",
				"mariadb":  "events id " + strings.ToLower(c.bytesType) + ", items event_id " + strings.ToLower(c.bytesType),
			}
			if got := d.query(t, block(t, d.name+": columns")); got != columns[d.name] {
				t.Errorf("the columns are %s", got)
			}

			insert := placeholders(c.driver, "INSERT INTO events (id) VALUES (?)")
			update := placeholders(c.driver, "UPDATE events SET id = ? WHERE id = ?")
			find := placeholders(c.driver, "SELECT COUNT(*) FROM events WHERE id = ?")
			lost := func() {
				t.Helper()
				if n := count(t, d.db, find, ids[0]); n != 0 {
					t.Errorf("a text finds %d rows", n)
				}
			}
			lost()
			if _, err := d.db.Exec(insert, ulid.Make()); (err != nil) != c.guarded {
				t.Fatalf("a text is written with %v", err)
			}
			if !c.guarded {
				form := "text 1"
				if c.bytesType == "BINARY(16)" {
					form = "text, cut to 16 characters 1"
				}
				if got := d.forms(t); got != "16 bytes 5, "+form {
					t.Errorf("the forms are %s", got)
				}
				if err := d.run(t, "loud"); err == nil && d.name != "sqlite" { // a trigger does not look at old rows
					t.Error("a mixed column passes")
				}
				exec1(t, d.db, map[bool]string{true: "DELETE FROM events WHERE octet_length(id) = 26", false: "DELETE FROM events WHERE length(id) = 26 OR id >= X'30'"}[d.name == "postgres"])
				if d.name == "postgres" {
					exec1(t, d.db, "ALTER TABLE events DROP CONSTRAINT IF EXISTS events_id_16; ALTER TABLE items DROP CONSTRAINT IF EXISTS items_event_id_16")
				}
			}
			if d.name != "sqlite" || c.guarded {
				d.mustRun(t, "loud")
			}

			new := ulid.ULID(oklog.Make())
			exec1(t, d.db, insert, oklog.ULID(new)) // without an item, so that no foreign key refuses an update
			for what, args := range map[string][]any{insert: {ulid.Make()}, update: {ulid.Make(), ulid.AsBinary(new)}} {
				if _, err := d.db.Exec(what, args...); err == nil {
					t.Errorf("a text is written by %s", what)
				}
			}
			// The foreign key would refuse it too.
			refusal := map[string]string{"sqlite": "items.event_id is not 16 bytes", "postgres": "items_event_id_16", "mariadb": "items_event_id_16"}[d.name]
			if c.guarded {
				refusal = "too long"
			}
			for what, args := range map[string][]any{
				"INSERT INTO items (event_id, n) VALUES (?, 2)":    {ids[0]},
				"UPDATE items SET event_id = ? WHERE event_id = ?": {ids[0], ulid.AsBinary(ids[0])},
			} {
				if _, err := d.db.Exec(placeholders(c.driver, what), args...); err == nil || !strings.Contains(err.Error(), refusal) {
					t.Errorf("%s: %v", what, err)
				}
			}
			lost()
			exec1(t, d.db, update, ulid.AsBinary(ulid.Make()), oklog.ULID(new))
			fill(t, d.db, c.driver, 1)
			wantAll(t, d.db, c.driver, ids)
			if got := d.forms(t); got != "16 bytes 7" {
				t.Errorf("the forms are %s", got)
			}
		})
	}
}

// TestOperators shows which conditions on a column of bytes match no row, and which every row, if the argument is a text. The
// time of the argument makes no difference, nor do the statements of step 1.
func TestOperators(t *testing.T) {
	const none, every = 0, 5
	for _, c := range connections {
		t.Run(c.database+" "+c.driver+c.parameters+" "+c.bytesType, func(t *testing.T) {
			d := open(t, c.database, c.driver, c.parameters)
			d.tables(t, c.bytesType)
			fill(t, d.db, c.driver, 5)
			d.mustRun(t, "loud")
			want := map[string]int{"= ?": none, "IN (?)": none, "<> ?": every, "NOT IN (?)": every}
			// In SQLite every text is less than any bytes. Elsewhere its first byte counts, which is a digit's.
			less, greater := every, none
			if d.name == "sqlite" {
				less, greater = none, every
			}
			want["< ?"], want["<= ?"], want["> ?"], want[">= ?"] = less, less, greater, greater
			past, future := ulid.FirstAt(time.Now().Add(-time.Hour)), ulid.LastAt(time.Now().Add(time.Hour))
			for condition, n := range want {
				for _, id := range []ulid.ULID{past, future} {
					if got := count(t, d.db, placeholders(c.driver, "SELECT COUNT(*) FROM events WHERE id "+condition), id); got != n {
						t.Errorf("id %s matches %d rows of 5, want %d", condition, got, n)
					}
				}
			}
			// No row is as old as past, or as new as future.
			condition, id := "event_id < ?", past
			if d.name == "sqlite" {
				condition, id = "event_id > ?", future
			}
			remove := placeholders(c.driver, "DELETE FROM items WHERE "+condition)
			exec1(t, d.db, remove, ulid.AsBinary(id))
			if got := count(t, d.db, "SELECT COUNT(*) FROM items"); got != 5 {
				t.Errorf("%s with AsBinary leaves %d items of 5", remove, got)
			}
			exec1(t, d.db, remove, id)
			if got := count(t, d.db, "SELECT COUNT(*) FROM items"); got != 0 {
				t.Errorf("%s with a plain ULID leaves %d items", remove, got)
			}
		})
	}
}

// TestStrict shows what the page says of sessions of MariaDB.
func TestStrict(t *testing.T) {
	for parameters, want := range map[string]string{"": "1", "&sql_mode=''": "0"} {
		d := open(t, "mariadb", "mysql", parameters)
		query, _, _ := strings.Cut(block(t, "mariadb: loud"), ";")
		if got := d.query(t, query); got != want {
			t.Errorf("with %q the session's strict is %s, want %s", parameters, got, want)
		}
	}
}

// TestStrictTable shows that a STRICT table of SQLite refuses a text where it has a BLOB.
func TestStrictTable(t *testing.T) {
	d := open(t, "sqlite", "sqlite", "")
	exec1(t, d.db, "CREATE TABLE events (id BLOB PRIMARY KEY NOT NULL) STRICT")
	exec1(t, d.db, "INSERT INTO events VALUES (?)", oklog.Make())
	if _, err := d.db.Exec("INSERT INTO events VALUES (?)", ulid.Make()); err == nil {
		t.Error("a text is written")
	}
}

// TestUUIDIsLouder converts the columns to uuid after the CHECK. A missed argument is then an error, and the old program cannot
// read its rows.
func TestUUIDIsLouder(t *testing.T) {
	for _, driver := range []string{"pgx", "postgres"} {
		t.Run(driver, func(t *testing.T) {
			d := open(t, "postgres", driver, "")
			d.functions(t)
			exec1(t, d.db, "CREATE TABLE events (id bytea PRIMARY KEY); CREATE TABLE items (event_id bytea)")
			exec1(t, d.db, "INSERT INTO events VALUES ($1)", oklog.Make())
			d.mustRun(t, "loud")
			const convert = "ALTER TABLE events ALTER id TYPE uuid USING ulid_to_uuid(id)"
			if _, err := d.db.Exec(convert); err == nil {
				t.Error("it is converted in spite of the CHECK")
			}
			exec1(t, d.db, "ALTER TABLE events DROP CONSTRAINT events_id_16")
			exec1(t, d.db, convert)
			for _, operator := range []string{"=", "<", ">", "<>"} {
				var n int
				if err := d.db.QueryRow("SELECT count(*) FROM events WHERE id "+operator+" $1", ulid.Make()).Scan(&n); err == nil {
					t.Errorf("id %s a text matches %d rows", operator, n)
				}
			}
			var id ulid.AsUUID
			if err := d.db.QueryRow("SELECT id FROM events").Scan(&id); err != nil {
				t.Error(err)
			}
			var old oklog.ULID
			if err := d.db.QueryRow("SELECT id FROM events").Scan(&old); err == nil {
				t.Errorf("oklog/ulid reads %v", old)
			}
		})
	}
}

// TestNull shows what becomes of a NULL in a field that is no pointer, and in one that is.
func TestNull(t *testing.T) {
	for _, c := range connections {
		d := open(t, c.database, c.driver, c.parameters)
		exec1(t, d.db, "CREATE TABLE items (a "+c.bytesType+", b "+c.bytesType+")")
		exec1(t, d.db, "INSERT INTO items VALUES (NULL, NULL)")
		var a ulid.AsBinary
		b := new(ulid.AsBinary)
		if err := d.db.QueryRow("SELECT a, b FROM items").Scan(&a, &b); err != nil || !a.IsZero() || b != nil {
			t.Errorf("%s: NULL is read as %v, %v, %v", c.database, a, b, err)
		}
		exec1(t, d.db, placeholders(c.driver, "UPDATE items SET a = ?, b = ?"), a, b)
		var bytes []byte
		var isNull bool
		if err := d.db.QueryRow("SELECT a, b IS NULL FROM items").Scan(&bytes, &isNull); err != nil || string(bytes) != string(make([]byte, 16)) || !isNull {
			t.Errorf("%s: written back, they are %x, NULL is %t, %v", c.database, bytes, isNull, err)
		}
		if got := strings.ReplaceAll(block(t, d.name+": forms"), "events", "(SELECT b AS id FROM items) AS e"); d.query(t, got) != "" {
			t.Errorf("%s: the form of NULL is %s", c.database, d.query(t, got))
		}
	}
}

// TestNullable shows the trigger of a column that may be NULL.
func TestNullable(t *testing.T) {
	d := open(t, "sqlite", "sqlite", "")
	exec1(t, d.db, "CREATE TABLE events (id BLOB); CREATE TABLE items (event_id BLOB)")
	const condition = "typeof(NEW.event_id) <> 'blob' OR length(NEW.event_id) <> 16"
	triggers := block(t, "sqlite: loud")
	if !strings.Contains(triggers, condition) {
		t.Fatalf("the triggers do not have %s", condition)
	}
	exec1(t, d.db, strings.ReplaceAll(triggers, condition, "NEW.event_id IS NOT NULL AND ("+condition+")"))
	exec1(t, d.db, "INSERT INTO items VALUES (?), (NULL)", ulid.AsBinary(ulid.Make()))
	if _, err := d.db.Exec("INSERT INTO items VALUES (?)", ulid.Make()); err == nil {
		t.Error("a text is written")
	}
	if _, err := d.db.Exec("INSERT INTO events VALUES (NULL)"); err == nil {
		t.Error("a NULL is written where the trigger is that of the page")
	}
}

// TestAddCheck shows that SQLite from 3.53 on adds the CHECK, unless the column is mixed.
func TestAddCheck(t *testing.T) {
	d := open(t, "sqlite", "sqlite", "")
	d.tables(t, "BLOB")
	ids := fill(t, d.db, "sqlite", 5)
	text := ulid.Make()
	exec1(t, d.db, "INSERT INTO events (id) VALUES (?)", text)
	statement := regexp.MustCompile("`(ALTER TABLE .*)`").FindStringSubmatch(read(t, page))
	if len(statement) == 0 {
		t.Fatal("docs/migrating.md has no ALTER TABLE for SQLite")
	}
	if _, err := d.db.Exec(statement[1]); err == nil {
		t.Error("a mixed column passes")
	}
	exec1(t, d.db, "DELETE FROM events WHERE id = ?", text)
	exec1(t, d.db, statement[1])
	wantAll(t, d.db, "sqlite", ids)
	if _, err := d.db.Exec("INSERT INTO events (id) VALUES (?)", text); err == nil || !strings.Contains(err.Error(), "CHECK") {
		t.Errorf("a text is written with %v", err)
	}
}

// TestMend mends columns that oklog/ulid and this library wrote in turns.
func TestMend(t *testing.T) {
	for _, c := range connections {
		if c.bytesType == "BINARY(16)" || c.parameters != "" || c.driver == "postgres" {
			continue
		}
		t.Run(c.database, func(t *testing.T) {
			d := open(t, c.database, c.driver, "")
			d.functions(t)
			d.tables(t, c.bytesType)
			ids := fill(t, d.db, c.driver, 5)
			for range 5 {
				id := ulid.Make()
				exec1(t, d.db, placeholders(c.driver, "INSERT INTO events (id) VALUES (?)"), id)
				exec1(t, d.db, placeholders(c.driver, "INSERT INTO items (event_id, n) VALUES (?, 1)"), id)
				ids = append(ids, id)
			}
			if got := d.forms(t); got != "16 bytes 5, text 5" {
				t.Fatalf("the forms are %s", got)
			}

			// An ID in both forms.
			exec1(t, d.db, placeholders(c.driver, "INSERT INTO events (id) VALUES (?)"), ids[0])
			// mend runs the statements on one connection, until one fails.
			mend := func() error {
				connection := must[*sql.Conn](t)(d.db.Conn(t.Context()))
				defer connection.Close()
				for _, statement := range statements(read(t, "mend_"+d.name+".sql")) {
					if _, err := connection.ExecContext(t.Context(), statement); err != nil {
						connection.ExecContext(t.Context(), "ROLLBACK")
						return err
					}
				}
				return nil
			}
			if err := mend(); err == nil {
				t.Error("an ID in both forms passes")
			}
			if d.name == "mariadb" {
				exec1(t, d.db, "SET foreign_key_checks = 1")
			}
			if got := d.forms(t); got != "16 bytes 5, text 6" {
				t.Fatalf("after an error the forms are %s", got)
			}
			exec1(t, d.db, placeholders(c.driver, "DELETE FROM events WHERE id = ?"), ids[0])

			// A text that is no ULID, in the table that comes last: nothing has changed after the error. SQLite leaves it.
			if d.name == "mariadb" {
				exec1(t, d.db, "SET foreign_key_checks = 0; INSERT INTO items (event_id) VALUES ('01ARYZ6S41TSV4RRFFQ69G5FAU')")
				if err := mend(); err == nil {
					t.Error("a text that is no ULID passes")
				}
				if got := d.forms(t); got != "16 bytes 5, text 5" {
					t.Fatalf("after an error the forms are %s", got)
				}
				exec1(t, d.db, "DELETE FROM items WHERE event_id LIKE '%U'; SET foreign_key_checks = 1")
			}
			if d.name == "sqlite" {
				exec1(t, d.db, "INSERT INTO events (id) VALUES ('01ARYZ6S41TSV4RRFFQ69G5FAU')")
				defer func() {
					if n := count(t, d.db, "SELECT count(*) FROM events WHERE id = '01ARYZ6S41TSV4RRFFQ69G5FAU'"); n != 1 {
						t.Error("the text that is no ULID is gone")
					}
				}()
			}

			if err := mend(); err != nil {
				t.Fatal(err)
			}
			want := "16 bytes 10"
			if d.name == "sqlite" {
				want += ", text 1"
			}
			if got := d.forms(t); got != want {
				t.Errorf("the forms are %s", got)
			}
			wantAll(t, d.db, c.driver, ids)
			d.mustRun(t, "loud")
			if _, err := d.db.Exec(placeholders(c.driver, "INSERT INTO items (event_id, n) VALUES (?, 1)"), ulid.AsBinary(ulid.Make())); err == nil {
				t.Error("an item refers to no event")
			}
		})
	}
}

// statements returns those of a script, each with the comments before it.
func statements(script string) []string {
	return strings.SplitAfter(strings.TrimSpace(script), ";\n")
}

// mixed makes tables with IDs in both forms, one of which stands in both.
func mixed(t *testing.T, name string) (database, string) {
	t.Helper()
	driver := map[string]string{"sqlite": "sqlite", "postgres": "pgx", "mariadb": "mysql"}[name]
	d := open(t, name, driver, "")
	d.functions(t)
	d.tables(t, map[string]string{"sqlite": "BLOB", "postgres": "bytea", "mariadb": "VARBINARY(255)"}[name])
	id := fill(t, d.db, driver, 5)[0]
	exec1(t, d.db, placeholders(driver, "INSERT INTO events (id) VALUES (?)"), id)
	exec1(t, d.db, placeholders(driver, "INSERT INTO items (event_id, n) VALUES (?, 2)"), id)
	return d, placeholders(driver, "SELECT COUNT(*) FROM items WHERE event_id = '"+id.String()+"'")
}

// TestMendClients runs the statements in the databases' own clients, as the page says, with an ID in both forms. The client
// ends with an error, and nothing has changed. In SQLite before 3.41 the error is that of unhex.
func TestMendClients(t *testing.T) {
	for name, client := range map[string]string{
		"sqlite": "sqlite3 -bail", "postgres": "psql -v ON_ERROR_STOP=1", "mariadb": "mariadb",
	} {
		t.Run(name, func(t *testing.T) {
			if !strings.Contains(read(t, page), "`"+client+"`") {
				t.Errorf("docs/migrating.md lacks %s", client)
			}
			words := strings.Fields(client)
			if _, err := exec.LookPath(words[0]); err != nil {
				if os.Getenv("ULID_REQUIRE_SERVERS") != "" {
					t.Fatal(err)
				}
				t.Skipf("install %s, or run interop/servers.sh start: %v", words[0], err)
			}
			d, texts := mixed(t, name)
			var env []string
			switch name {
			case "sqlite":
				words = append(words, d.dsn)
			case "postgres":
				address, path, _ := strings.Cut(d.dsn, "&search_path=")
				words = append(words, address)
				env = []string{"PGOPTIONS=-csearch_path=" + path}
			case "mariadb":
				config := must[*mysql.Config](t)(mysql.ParseDSN(d.dsn))
				host, port, _ := strings.Cut(config.Addr, ":")
				words = append(words, "--protocol=tcp", "-h", host, "-P", port, "-u", config.User, config.DBName)
				env = []string{"MYSQL_PWD=" + config.Passwd}
			}
			script := must[string](t)(filepath.Abs("mend_" + name + ".sql"))
			run := func(input string) (string, error) {
				return command(".", env, "bash", append([]string{"-c", `"${@:2}" <"$1"`, "bash", input}, words...)...)
			}
			if out, err := run(script); err == nil {
				t.Errorf("%s ends without an error: %s", client, out)
			}
			if got := d.forms(t); got != "16 bytes 5, text 1" || count(t, d.db, texts) != 1 {
				t.Errorf("after an error the forms are %s, and %d texts in items", got, count(t, d.db, texts))
			}
			if name == "postgres" {
				describe := filepath.Join(t.TempDir(), "describe")
				write(t, describe, `\d items`)
				exec1(t, d.db, "ALTER TABLE items DROP CONSTRAINT items_event_id_fkey, ADD CONSTRAINT items_event_id_fkey FOREIGN KEY (event_id) REFERENCES events ON DELETE CASCADE")
				if out, err := run(describe); err != nil || !strings.Contains(out, "ON DELETE CASCADE") {
					t.Errorf("%s: %v", out, err)
				}
			}
		})
	}
}

// TestMendGoesOn runs the statements past the error, as a client does that ignores it. Nothing has changed in PostgreSQL and
// SQLite. MariaDB commits what succeeded, which the page therefore runs in a client that stops.
func TestMendGoesOn(t *testing.T) {
	for _, name := range []string{"sqlite", "postgres", "mariadb"} {
		t.Run(name, func(t *testing.T) {
			d, texts := mixed(t, name)
			connection := must[*sql.Conn](t)(d.db.Conn(t.Context()))
			failed := 0
			for _, statement := range statements(read(t, "mend_"+name+".sql")) {
				if _, err := connection.ExecContext(t.Context(), statement); err != nil {
					failed++
				}
			}
			if err := connection.Close(); err != nil {
				t.Fatal(err)
			}
			want := map[string]int{"sqlite": 1, "postgres": 1, "mariadb": 0}[name]
			if got := d.forms(t); got != "16 bytes 5, text 1" || count(t, d.db, texts) != want || failed == 0 {
				t.Errorf("after %d errors the forms are %s, and %d texts in items", failed, got, count(t, d.db, texts))
			}
		})
	}
}
