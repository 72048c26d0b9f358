package sql

import (
	"context"
	"database/sql"
	"errors"
	"flag"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/go-sql-driver/mysql"

	"github.com/seed-961d0905/ulid"
	"github.com/seed-961d0905/ulid/interop/db"
	"github.com/seed-961d0905/ulid/interop/page"
	"github.com/seed-961d0905/ulid/interop/storage"
)

const convertPage = "docs/convert.md"

var schemas = flag.Int("schemas", 12, "how many generated schemas are changed in each database, each in all ways")

// convertBlock returns the block of the page for a family of databases.
func convertBlock(t *testing.T, conn *db.DB, part string) string {
	t.Helper()
	return page.Code(t, convertPage, conn.Family+": "+part)
}

// --- what the page's tables have

// A change is a row of a table on the page: the formats, and what stands in the statements.
type change struct {
	from, to string
	code     []string
	convert  func(*sql.DB, [][2]string) error // in place of code, for SQLite
}

// changes returns those of the page, one for each format in the first column.
func changes(t *testing.T, family string) (list []change) {
	t.Helper()
	_, table, ok := strings.Cut(page.Text(t, convertPage), "\n<!-- "+family+": changes -->\n")
	if !ok {
		t.Fatalf("%s has no table of the changes in %s", convertPage, family)
	}
	table, _, _ = strings.Cut(table, "\n\n")
	unquote := strings.NewReplacer("`", "", `\|`, "|")
	for _, line := range strings.Split(table, "\n")[2:] {
		cells := strings.Split(strings.TrimSuffix(strings.TrimPrefix(line, "| "), "|"), " |")
		for i := range cells {
			cells[i] = unquote.Replace(strings.TrimSpace(cells[i]))
		}
		for from := range strings.SplitSeq(cells[0], ", ") {
			list = append(list, change{from: from, to: cells[1], code: cells[2:]})
		}
	}
	return list
}

// findChange returns the first change of a list from one format to another.
func findChange(t *testing.T, list []change, from, to string) change {
	t.Helper()
	at := slices.IndexFunc(list, func(c change) bool { return c.from == from && c.to == to })
	if at < 0 {
		t.Fatalf("there is no change from %s to %s", from, to)
	}
	return list[at]
}

// scrambles are changes of the test, to columns that hold two formats.
var scrambles = map[string][]change{
	"postgres": {
		{from: "bytea", to: "bytes and strings", code: []string{
			`bytea USING CASE get_byte(id, 15) % 2 WHEN 0 THEN convert_to(ulid_to_text(id), 'UTF8') ELSE id END`,
		}},
		{from: "26 characters", to: "26 or 36 characters", code: []string{
			`text COLLATE "C" USING CASE get_byte(uuid_send(ulid_to_uuid(id)), 15) % 2
				WHEN 0 THEN ulid_to_uuid(id)::text ELSE id END`,
		}},
	},
	"mysql": {
		{from: "bytes", to: "bytes and strings", code: []string{
			"VARBINARY(26)", "ulid_to_text(id)", "OCTET_LENGTH(id) = 16 AND ORD(RIGHT(id, 1)) % 2 = 0", "VARBINARY(26)",
		}},
	},
}

// even returns the form that has the IDs with an even last byte in one form, and the others in another.
func even(f, other form) form {
	return func(id ulid.ULID) string {
		if id[15]%2 == 0 {
			return f(id)
		}
		return other(id)
	}
}

func asLower(id ulid.ULID) string { return strings.ToLower(id.String()) }
func asUser(id ulid.ULID) string  { return "user_" + asLower(id) }
func asTeam(id ulid.ULID) string  { return "team_" + asLower(id) }

const asciiText31 = "CHAR(31) CHARACTER SET ascii COLLATE ascii_bin"

// formats are those that TestChanges goes through, one after the other. The first change is from strings of which many
// are in lower case.
var formats = map[string][]format{
	"postgres": {
		{name: "26 characters", sql: `text COLLATE "C"`, form: asText},
		{name: "user_…", sql: `text COLLATE "C"`, form: asUser},
		{name: "26 characters", sql: `text COLLATE "C"`, form: asText},
		{name: "bytea", sql: "bytea", form: asBytes},
		{name: "uuid", sql: "uuid", form: asUUID},
		{name: "26 characters", sql: `text COLLATE "C"`, form: asText},
		{name: "uuid", sql: "uuid", form: asUUID},
		{name: "bytea", sql: "bytea", form: asBytes},
		{name: "bytes and strings", sql: "bytea", form: even(asText, asBytes)},
		{name: "bytea", sql: "bytea", form: asBytes},
		{name: "26 characters", sql: `text COLLATE "C"`, form: asText},
		{name: "26 or 36 characters", sql: `text COLLATE "C"`, form: even(asUUID, asText)},
		{name: "uuid", sql: "uuid", form: asUUID},
		{name: "26 characters", sql: `text COLLATE "C"`, form: asText},
		{name: "user_…", sql: `text COLLATE "C"`, form: asUser},
		{name: "team_…", sql: `text COLLATE "C"`, form: asTeam},
	},
	"mysql": {
		{name: "26 characters", form: asText},
		{name: "user_…", sql: asciiText31, form: asUser},
		{name: "26 characters", sql: asciiText, form: asText},
		{name: "bytes", sql: "BINARY(16)", form: asBytes},
		{name: "bytes and strings", sql: "VARBINARY(26)", form: even(asText, asBytes)},
		{name: "bytes", sql: "VARBINARY(26)", form: asBytes},
		{name: "26 characters", sql: asciiText, form: asText},
		{name: "user_…", sql: asciiText31, form: asUser},
		{name: "team_…", sql: asciiText31, form: asTeam},
	},
	"sqlite": {
		{name: "26 characters", form: asText},
		{name: "bytes", form: asBytes},
		{name: "36 characters", form: asUUID},
		{name: "26 characters", form: asText},
		{name: "36 characters", form: asUUID},
		{name: "bytes", form: asBytes},
		{name: "two formats", form: even(asText, asBytes)},
		{name: "bytes", form: asBytes},
		{name: "26 characters", form: asText},
		{name: "user_…", form: asUser},
		{name: "26 characters", form: asText},
	},
}

// findFormat returns the first format of a name.
func findFormat(family, name string) format {
	if name == "lower case" {
		return format{name: name, form: asLower}
	}
	list := formats[family]
	return list[slices.IndexFunc(list, func(f format) bool { return f.name == name })]
}

// as converts an ID to another type.
func as[New, Old ~[16]byte](id Old) (New, error) { return New(id), nil }

// convertTo is a change in SQLite.
func convertTo[Old, New any](from, to string, new func(Old) (New, error)) change {
	return change{from: from, to: to, convert: func(db *sql.DB, columns [][2]string) error {
		return convert(context.Background(), db, columns, new)
	}}
}

// sqliteChanges are all from one format to another.
var sqliteChanges = []change{
	convertTo("lower case", "26 characters", as[ulid.ULID, ulid.ULID]),
	convertTo("26 characters", "bytes", as[ulid.AsBinary, ulid.ULID]),
	convertTo("26 characters", "36 characters", as[ulid.AsUUID, ulid.ULID]),
	convertTo("36 characters", "26 characters", as[ulid.ULID, ulid.AsUUID]),
	convertTo("36 characters", "bytes", as[ulid.AsBinary, ulid.AsUUID]),
	convertTo("bytes", "26 characters", as[ulid.ULID, ulid.AsBinary]),
	convertTo("bytes", "36 characters", as[ulid.AsUUID, ulid.AsBinary]),
	convertTo("bytes", "two formats", func(id ulid.AsBinary) (any, error) {
		if id[15]%2 == 0 {
			return id.String(), nil
		}
		return id, nil
	}),
	convertTo("two formats", "bytes", as[ulid.AsBinary, storage.AnyID]),
	convertTo("26 characters", "user_…", func(id ulid.ULID) (string, error) { return asUser(id), nil }),
	convertTo("user_…", "26 characters", func(s string) (ulid.ULID, error) {
		id, isUser := strings.CutPrefix(s, "user_")
		if !isUser {
			return ulid.ULID{}, fmt.Errorf("%q has another prefix", s)
		}
		return ulid.Parse(id)
	}),
}

// --- the writer of the statements

var idName = regexp.MustCompile(`\bid\b`)

// fill writes the names of a table and its column in place of events and id.
func fill(code string, column [2]string) string {
	return idName.ReplaceAllLiteralString(strings.ReplaceAll(code, "events", column[0]), column[1])
}

// write returns the statements of the page that make a change of a schema.
func write(t *testing.T, conn *db.DB, s schema, c change) []string {
	t.Helper()
	if conn.IsMySQL() {
		creates := createTables(conn, s)
		return frame(t, conn, s, slices.Concat(
			modify(s, creates, c.code[0]),
			updates(s, creates, c.code[1], c.code[2]),
			modify(s, creates, c.code[3]),
		))
	}
	var list []string
	for _, column := range s.columns {
		list = append(list, fill("ALTER TABLE events ALTER id TYPE "+c.code[0]+";", column))
	}
	return frame(t, conn, s, list)
}

// writeRepair returns the statements of the page that repair a schema.
func writeRepair(t *testing.T, conn *db.DB, s schema) []string {
	t.Helper()
	return frame(t, conn, s, repairs(t, conn, s), "repairs READ")
}

// repairs returns those that change the columns.
func repairs(t *testing.T, conn *db.DB, s schema) (list []string) {
	t.Helper()
	line, _, _ := strings.Cut(convertBlock(t, conn, "repair"), ";\n")
	var creates map[string]string
	if conn.IsMySQL() {
		creates = createTables(conn, s)
	}
	for _, column := range s.columns {
		list = append(list, fill(line, column)+keep(creates[column[0]])+";")
	}
	return list
}

// frame returns statements between those that drop the foreign keys and add the same ones again.
func frame(t *testing.T, conn *db.DB, s schema, statements []string, lock ...string) []string {
	t.Helper()
	if conn.IsMySQL() {
		drop, add := mysqlKeys(t, conn, s)
		for i, table := range s.tables {
			lock = slices.Insert(lock, i, table+" WRITE")
		}
		begin := []string{"SET SESSION sql_mode = 'STRICT_ALL_TABLES';", "LOCK TABLES " + strings.Join(lock, ", ") + ";"}
		return slices.Concat(begin, drop, statements, add, []string{"UNLOCK TABLES;"})
	}
	var drop, add []string
	query := convertBlock(t, conn, "keys")
	for _, row := range conn.Rows(strings.Replace(query, "{events}", "{"+strings.Join(s.tables, ",")+"}", 1)) {
		drop = append(drop, cell(row[0]))
		add = append(add, cell(row[1]))
	}
	return slices.Concat([]string{"BEGIN;"}, drop, statements, add, []string{"COMMIT;"})
}

// createTables returns the statement of each table.
func createTables(conn *db.DB, s schema) map[string]string {
	creates := map[string]string{}
	for _, table := range s.tables {
		creates[table] = cell(conn.Rows("SHOW CREATE TABLE " + table)[0][1])
	}
	return creates
}

// mysqlKeys returns the statements that drop the foreign keys and add them again.
func mysqlKeys(t *testing.T, conn *db.DB, s schema) (drop, add []string) {
	t.Helper()
	creates := createTables(conn, s)
	query := convertBlock(t, conn, "uses")
	for _, row := range conn.Rows(strings.Replace(query, "'events'", "'"+strings.Join(s.tables, "', '")+"'", 1)) {
		table, name := cell(row[1]), cell(row[2])
		if cell(row[0]) != "foreign key" {
			continue
		}
		line := regexp.MustCompile("(?m)^  (CONSTRAINT `" + name + "` .*?),?$").FindStringSubmatch(creates[table])
		drop = append(drop, fmt.Sprintf("ALTER TABLE %s DROP FOREIGN KEY `%s`;", table, name))
		add = append(add, fmt.Sprintf("ALTER TABLE %s ADD %s;", table, line[1]))
	}
	return drop, add
}

// modify returns the statements that give the columns of IDs another type, and keep the rest of their lines.
func modify(s schema, creates map[string]string, sql string) (list []string) {
	if sql == "" {
		return nil
	}
	for _, table := range s.tables {
		var parts []string
		for _, line := range strings.Split(creates[table], "\n") {
			m := mysqlColumn.FindStringSubmatch(line)
			if m != nil && slices.Contains(s.columns, [2]string{table, m[1]}) {
				rest := strings.TrimSuffix(line[len(m[0]):], ",")
				parts = append(parts, "MODIFY `"+m[1]+"` "+sql+rest)
			}
		}
		list = append(list, "ALTER TABLE "+table+" "+strings.Join(parts, ", ")+";")
	}
	return list
}

// updates returns the statements that change the IDs.
func updates(s schema, creates map[string]string, set, where string) (list []string) {
	for _, column := range s.columns {
		list = append(list, fill("UPDATE events SET id = "+set+keep(creates[column[0]])+" WHERE "+where+";", column))
	}
	return list
}

var onUpdate = regexp.MustCompile("(?m)^  `(\\w+)` .* ON UPDATE ")

// keep returns what an UPDATE sets, so that a column with ON UPDATE does not change.
func keep(create string) string {
	if m := onUpdate.FindStringSubmatch(create); m != nil {
		return fmt.Sprintf(", %s = %[1]s", m[1])
	}
	return ""
}

// --- running them

// try runs statements in a session of their own, which then ends. It returns the first error.
func try(t *testing.T, conn *db.DB, statements ...string) error {
	t.Helper()
	pool := db.Connect(t, conn.Drivers[0].Driver, conn.DSN)
	defer pool.Close()
	session, err := pool.Conn(t.Context()) // for pgx, a pool would end the session of a BEGIN
	db.Check(t, err)
	defer session.Close()
	for _, statement := range statements {
		if _, err := session.ExecContext(t.Context(), statement); err != nil {
			return fmt.Errorf("%w in\n%s", err, statement)
		}
	}
	return nil
}

// killAfterEach ends the session after each statement, and goes on with the next one in another session.
func killAfterEach(t *testing.T, conn *db.DB, statements ...string) error {
	t.Helper()
	begin := slices.Clip(statements[:2])
	for _, statement := range statements[2:] {
		if err := try(t, conn, append(begin, statement)...); err != nil {
			return err
		}
	}
	return nil
}

// repeat runs statements of which some have run already. That a foreign key is dropped already is no error.
func repeat(t *testing.T, conn *db.DB, statements ...string) error {
	t.Helper()
	begin := slices.Clip(statements[:2])
	for _, statement := range statements[2:] {
		err := try(t, conn, append(begin, statement)...)
		if err != nil && !(mysqlError(err) == 1091 && strings.Contains(statement, " DROP FOREIGN KEY ")) {
			return err
		}
	}
	return nil
}

// mysqlError returns the number of an error of MySQL or MariaDB.
func mysqlError(err error) uint16 {
	var e *mysql.MySQLError
	if !errors.As(err, &e) {
		return 0
	}
	return e.Number
}

// fixture is a schema in a database, and what it holds.
type fixture struct {
	*db.DB
	t *testing.T
	schema
	format format   // in which the columns of IDs are now
	holds  []string // what look returns, whatever the format
}

func newFixture(t *testing.T, conn *db.DB, s schema, f format) *fixture {
	t.Helper()
	for _, statement := range s.statements {
		conn.Run(statement)
	}
	return &fixture{conn, t, s, f, look(t, conn, s, f)}
}

// want fails the test unless all rows and the catalog are as they were, and the IDs in this format.
func (x *fixture) want(f format, after string) {
	x.t.Helper()
	if d := difference(x.holds, look(x.t, x.DB, x.schema, f)); d != "" {
		x.t.Fatalf("after %s the schema has changed:%s", after, d)
	}
	x.format = f
}

// run runs the statements of a change. One of three is killed: in MySQL and MariaDB after each statement, and then goes
// on, in PostgreSQL before the COMMIT. In MySQL and MariaDB one of six is killed once, and then repeats all.
func (x *fixture) run(statements []string, n int) {
	x.t.Helper()
	switch {
	case n%3 == 0 && x.IsMySQL():
		db.Check(x.t, killAfterEach(x.t, x.DB, statements...))
	case n%3 == 0:
		before := look(x.t, x.DB, x.schema, raw)
		db.Check(x.t, try(x.t, x.DB, statements[:len(statements)-1]...))
		if d := difference(before, look(x.t, x.DB, x.schema, raw)); d != "" {
			x.t.Fatalf("after a kill before the COMMIT the schema has changed:%s", d)
		}
		db.Check(x.t, try(x.t, x.DB, statements...))
	case n%6 == 1 && x.IsMySQL():
		last := 3 + n/6%(len(statements)-3) // from the first DROP to the one before UNLOCK
		db.Check(x.t, try(x.t, x.DB, statements[:last]...))
		db.Check(x.t, repeat(x.t, x.DB, statements...))
	default:
		db.Check(x.t, try(x.t, x.DB, statements...))
	}
}

// TestChanges changes generated schemas from each format to each that the page has. All rows and all that the catalog
// says stay the same.
func TestChanges(t *testing.T) {
	for _, d := range all {
		t.Run(d.Dialect, func(t *testing.T) {
			t.Parallel()
			list := sqliteChanges
			if d.Family != "sqlite" {
				list = append(changes(t, d.Family), scrambles[d.Family]...)
			}
			done := map[string]bool{}
			for seed := range uint64(*schemas) {
				t.Run(fmt.Sprint(seed), func(t *testing.T) {
					changeAll(t, d, seed, list, done)
				})
			}
			for _, c := range list {
				if !done[c.from+" to "+c.to] {
					t.Errorf("nothing was changed from %s to %s", c.from, c.to)
				}
			}
		})
	}
}

// changeAll changes the schema of a seed from each format to the next, by the changes of a list.
func changeAll(t *testing.T, d *db.Database, seed uint64, list []change, done map[string]bool) {
	s := generate(d.Family, seed, false)
	x := newFixture(t, openWithFunctions(t, d), s, format{name: "lower case"})
	to := formats[d.Family]
	if s.ignoreCase && d.Family == "mysql" { // it needs no upper case
		x.format.name, to = to[0].name, to[1:]
	}
	for n, f := range to {
		c := findChange(t, list, x.format.name, f.name)
		if d.Family == "sqlite" {
			db.Check(t, c.convert(db.Connect(t, "sqlite", x.DSN), s.columns))
		} else {
			x.run(write(t, x.DB, s, c), 7*n+int(seed)) // another one in each schema
		}
		x.want(f, "the change from "+c.from+" to "+c.to)
		done[c.from+" to "+c.to] = true
	}
}

// TestGenerate finds what the first dozen of schemas lack.
func TestGenerate(t *testing.T) {
	for _, family := range []string{"postgres", "mysql", "sqlite"} {
		statements := ""
		for seed := range uint64(12) {
			statements += strings.Join(generate(family, seed, false).statements, "\n")
		}
		for _, words := range []string{
			"PRIMARY KEY (tenant, id)", "PRIMARY KEY (event_id, n)", "UNIQUE (event_id, n)", "TABLE third", "TABLE fourth",
			"ON DELETE CASCADE", "ON DELETE SET NULL", "ON UPDATE CASCADE", "ON UPDATE SET NULL",
			"(parent_id) REFERENCES events", "(tenant, event_id) REFERENCES events", "(id, n) REFERENCES items",
		} {
			if !strings.Contains(statements, words) {
				t.Errorf("no schema of %s has %s", family, words)
			}
		}
	}
}

// TestRepairs repairs generated schemas of strings that people typed, or that oklog/ulid reads.
func TestRepairs(t *testing.T) {
	for _, d := range all {
		t.Run(d.Dialect, func(t *testing.T) {
			t.Parallel()
			for seed := range uint64(*schemas) {
				t.Run(fmt.Sprint(seed), func(t *testing.T) {
					read := ulid.ParseLenient
					if seed%2 == 1 {
						read = readOklog
					}
					x := newFixture(t, openWithFunctions(t, d), generate(d.Family, seed, true), format{read: read})
					if d.Family == "sqlite" {
						db.Check(t, convert(t.Context(), db.Connect(t, "sqlite", x.DSN), x.columns, read))
					} else {
						collect(x, read)
						x.run(writeRepair(t, x.DB, x.schema), int(seed))
						x.Run(`DROP TABLE repairs`)
					}
					x.want(format{}, "the repair")
				})
			}
		})
	}
}

// collect fills the table repairs.
func collect(x *fixture, read func(string) (ulid.ULID, error)) {
	x.t.Helper()
	statement := page.Code(x.t, convertPage, "repairs")
	if x.IsMySQL() {
		statement = strings.Replace(statement, "id !~", notRegexp, 1)
	}
	x.Run(statement)
	db.Check(x.t, repair(x.t.Context(), x.DB.DB.DB, x.Rebind(`UPDATE repairs SET good = ? WHERE bad = ?`), read))
}

// openWithFunctions is open, with the functions.
func openWithFunctions(t *testing.T, d *db.Database) *db.DB {
	t.Helper()
	conn := open(t, d)
	if d.Family != "sqlite" {
		conn.Script("sql/" + d.Family + ".sql")
	}
	return conn
}
