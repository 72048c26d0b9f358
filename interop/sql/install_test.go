package sql

import (
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/go-sql-driver/mysql"
	"github.com/jmoiron/sqlx"

	"github.com/seed-961d0905/ulid"
	"github.com/seed-961d0905/ulid/interop/db"
	"github.com/seed-961d0905/ulid/interop/page"
)

// functionNames are those that mysql.sql installs.
var functionNames = []string{
	"ulid_first_at", "ulid_make", "ulid_make_at", "ulid_time", "ulid_to_bin", "ulid_to_text",
}

// routines returns what the catalog has of the functions in a database.
func routines(conn *db.DB) []string {
	return lines(conn, `SELECT routine_name, dtd_identifier, routine_definition, is_deterministic, sql_data_access,
		security_type, sql_mode FROM information_schema.routines WHERE routine_schema = database() ORDER BY routine_name`)
}

// names returns the names of the functions in a database.
func names(conn *db.DB) []string {
	return lines(conn, `SELECT routine_name FROM information_schema.routines
		WHERE routine_schema = database() ORDER BY routine_name`)
}

// removeAll drops all functions of a database.
func removeAll(conn *db.DB) {
	for _, name := range names(conn) {
		conn.Run(`DROP FUNCTION ` + name)
	}
}

// withRole returns a connection of another role, which has some privileges in the database, and perhaps one everywhere.
func withRole(t *testing.T, conn *db.DB, privileges, everywhere string) *db.DB {
	t.Helper()
	name := strings.ToLower("ulid_" + ulid.Make().String())
	conn.Run(`CREATE USER ` + name)
	t.Cleanup(func() { conn.Run(`DROP USER IF EXISTS ` + name) })
	conn.Run(`GRANT ` + privileges + ` ON ` + conn.Text(`SELECT database()`) + `.* TO ` + name)
	conn.Run(`GRANT ` + everywhere + ` ON *.* TO ` + name)
	config, err := mysql.ParseDSN(conn.DSN)
	db.Check(t, err)
	config.User = name
	role := *conn
	role.DSN = config.FormatDSN()
	role.DB = sqlx.NewDb(db.Connect(t, "mysql", role.DSN), "mysql")
	return &role
}

// user returns the name of a role as GRANT takes it.
func user(conn *db.DB) string { return conn.Text(`SELECT SUBSTRING_INDEX(current_user(), '@', 1)`) }

// TestPsql runs what stands at the head of postgres.sql: the command that installs the functions, the one that replaces
// them under a DEFAULT, and the statement that removes them.
func TestPsql(t *testing.T) {
	conn := open(t, db.PostgreSQL)
	db.Check(t, client(t, conn, "postgres.sql"))
	conn.Run(`CREATE TABLE events (id uuid DEFAULT ulid_make())`)
	code := page.Text(t, "sql/postgres.sql")
	db.Check(t, shell(t, conn, "postgres.sql", regexp.MustCompile(`(?m)^--   (sed .*)$`).FindStringSubmatch(code)[1]))
	conn.Run(`INSERT INTO events DEFAULT VALUES`)

	const properties = `SELECT provolatile::text, proisstrict OR pronargs = 0, proparallel::text, prosecdef, count(*)
		FROM pg_proc WHERE pronamespace = current_schema()::regnamespace GROUP BY 1, 2, 3, 4`
	// IMMUTABLE or VOLATILE, STRICT, PARALLEL SAFE and not SECURITY DEFINER
	wantLines(t, conn, properties, []string{"i true s false 4", "v true s false 2"})
	conn.Run(`DROP TABLE events`)
	drop := regexp.MustCompile(`(?m)^--   DROP FUNCTION ulid_to_uuid\(text\)[^;]*;`).FindString(code)
	conn.Run(strings.ReplaceAll(drop, "--", ""))
	wantLines(t, conn, properties, nil)
}

// TestInstallRights has roles install the functions where there are none, and where there are others of the same
// names. Either all are there afterwards, or nothing has changed. With MySQL's defaults, a role that has all privileges
// in its database may drop functions, but not create them (error 1419).
func TestInstallRights(t *testing.T) {
	roles := []struct {
		privileges string
		everywhere string
		may        bool
	}{
		{"ALL", "USAGE", false}, // unless there is no binary log, or it trusts who creates functions
		{"ALTER ROUTINE", "SUPER", false},
		{"CREATE ROUTINE", "SUPER", false},
		{"ALTER ROUTINE, CREATE ROUTINE", "SUPER", true},
	}
	db.SkipWithout(t, mysqls...)
	db.LookPath(t, db.MySQL.Client)
	onEach(t, mysqls, func(t *testing.T, conn *db.DB) {
		installed := routines(conn)
		if !slices.Equal(names(conn), functionNames) {
			t.Errorf("the functions are %q, want %q", names(conn), functionNames)
		}
		wantLines(t, conn, `SELECT is_deterministic, sql_data_access, security_type, COUNT(*) FROM information_schema.routines
			WHERE routine_schema = DATABASE() GROUP BY 1, 2, 3`, []string{"YES NO SQL INVOKER 4", "NO NO SQL INVOKER 2"})
		needsSuper := conn.Count(`SELECT @@log_bin AND NOT @@log_bin_trust_function_creators`) == 1
		for _, r := range roles {
			role := withRole(t, conn, r.privileges, r.everywhere)
			may := r.may || r.privileges == "ALL" && !needsSuper
			for _, old := range [][]string{nil, functionNames} {
				removeAll(conn)
				for _, name := range old {
					conn.Run(`CREATE DEFINER = ` + user(role) + ` FUNCTION ` + name + `() RETURNS INT DETERMINISTIC NO SQL RETURN 1`)
				}
				want := routines(conn)
				if may {
					want = installed
				}
				err := client(t, role, "mysql.sql")
				if (err == nil) != may {
					t.Errorf("%s: with %d functions the error is %v", r.privileges, len(old), err)
				}
				if got := routines(conn); !slices.Equal(got, want) {
					t.Errorf("%s: of %d functions it makes\n%q, want\n%q", r.privileges, len(old), got, want)
				}
			}
		}
	})
}

// TestInstallInterrupted looks at the functions after each statement of the file, where a run may be interrupted. All
// but one are there. If something is missing or too much, another run repairs it.
func TestInstallInterrupted(t *testing.T) {
	onEach(t, mysqls, func(t *testing.T, conn *db.DB) {
		installed := routines(conn)
		session := db.Connect(t, "mysql", conn.DSN)
		for _, statement := range db.Statements(page.Text(t, "sql/mysql.sql")) {
			run := func() {
				_, err := session.Exec(statement)
				db.Check(t, err)
			}
			run()
			if slices.Equal(routines(conn), installed) {
				continue
			}
			there := slices.DeleteFunc(names(conn), func(name string) bool { return name == "ulid_probe" })
			if len(there) < len(functionNames)-1 {
				t.Errorf("after %q there are only %q", statement, there)
			}
			install(conn)
			if got := routines(conn); !slices.Equal(got, installed) {
				t.Fatalf("after %q another run makes\n%q, want\n%q", statement, got, installed)
			}
			run()
		}
	})
}

// TestOneExec runs mysql.sql as a migration tool does, after the command of the page has taken DELIMITER out.
func TestOneExec(t *testing.T) {
	const command = `sed -e '/^DELIMITER/d' -e 's|//$|;|' sql/mysql.sql`
	page.Contains(t, readme, "\n"+command+"\n")
	db.SkipWithout(t, mysqls...)
	cmd := exec.Command(db.LookPath(t, "sh"), "-c", command)
	cmd.Dir = page.Root()
	file, err := cmd.Output()
	db.Check(t, err)
	db.Each(t, mysqls, func(t *testing.T, d *db.Database) {
		conn := open(t, d) // with multiStatements=true
		conn.Run(string(file))
		if got := names(conn); !slices.Equal(got, functionNames) {
			t.Errorf("the functions are %q, want %q", got, functionNames)
		}
	})
}

// TestInstallerIsGone calls the functions after the account that installed them was dropped.
func TestInstallerIsGone(t *testing.T) {
	onEach(t, mysqls, func(t *testing.T, conn *db.DB) {
		removeAll(conn)
		installer := withRole(t, conn, "CREATE ROUTINE, ALTER ROUTINE", "SUPER")
		install(installer)
		conn.Run(`DROP USER ` + user(installer))
		conn.Run(`CREATE TABLE ids (id ` + asciiText + `)`)
		conn.Run(`INSERT INTO ids VALUES (?)`, known)
		wantCalls(t, conn, family[conn.Family].calls, "ids", 1)
		conn.Run(`SELECT ulid_make()`)
	})
}

// TestExecute calls functions as a role that may not do everything.
func TestExecute(t *testing.T) {
	onEach(t, mysqls, func(t *testing.T, conn *db.DB) {
		database := conn.Text(`SELECT database()`)
		wantDenied := func(role *db.DB, denied bool) {
			t.Helper()
			if denied {
				wantError(t, role, "1370", `SELECT ulid_make()`)
			} else {
				role.Run(`SELECT ulid_make()`)
			}
		}

		ofDatabase := withRole(t, conn, "EXECUTE", "USAGE")
		wantDenied(ofDatabase, false)
		inserting := withRole(t, conn, "INSERT", "USAGE")
		wantDenied(inserting, true)
		ofEach := withRole(t, conn, "SELECT", "USAGE")
		conn.Run(`GRANT EXECUTE ON FUNCTION ` + database + `.ulid_make TO ` + user(ofEach))
		wantDenied(ofEach, true) // to call what ulid_make calls
		for _, name := range functionNames {
			conn.Run(`GRANT EXECUTE ON FUNCTION ` + database + `.` + name + ` TO ` + user(ofEach))
		}
		wantDenied(ofEach, false)

		install(conn)
		wantDenied(ofDatabase, false)
		wantDenied(ofEach, true)

		conn.Run(`CREATE TABLE events (id ` + asciiText + ` PRIMARY KEY, note TEXT)`)
		conn.Run(block(t, conn, "trigger"))
		inserting.Run(`INSERT INTO events (note) VALUES ('by the rights of who created the trigger')`)
	})
}
