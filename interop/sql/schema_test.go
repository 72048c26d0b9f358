package sql

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/seed-961d0905/ulid"
	"github.com/seed-961d0905/ulid/interop/db"
)

// A schema is a table of events, tables that refer to it however indirectly, and rows of them.
type schema struct {
	tables     []string
	columns    [][2]string // of IDs, each with its table
	statements []string    // which create the tables and the rows
	ignoreCase bool        // = of a column of IDs does
}

// idTypes are columns of 26 characters. The name of one that ignores case has "nocase", or no "bin".
var idTypes = map[string][]string{
	"postgres": {`text COLLATE "C"`, "text", "char(26)", "varchar(26)", "text COLLATE nocase"},
	"mysql": {
		"CHAR(26) CHARACTER SET ascii COLLATE ascii_bin", "VARCHAR(26) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin",
		"CHAR(26)", "VARCHAR(26)", "CHAR(26) CHARACTER SET utf8mb4",
	},
	"sqlite": {"TEXT", "TEXT COLLATE NOCASE"},
}

// A generator draws what a schema has.
type generator struct {
	*rand.Rand
	schema
	family, idType string
	isTyped        bool // the strings have O and L for the digits 0 and 1 at their ends
}

// generate returns the schema of a seed.
func generate(family string, seed uint64, isTyped bool) schema {
	g := &generator{Rand: rand.New(rand.NewPCG(seed, 0)), family: family, isTyped: isTyped}
	types := idTypes[family]
	if isTyped && family == "postgres" {
		types = types[:4] // a pattern does not match text that ignores case
	}
	g.idType = types[int(seed)%len(types)]
	switch family {
	case "mysql":
		g.ignoreCase = !strings.Contains(g.idType, "bin")
	default:
		g.ignoreCase = strings.Contains(strings.ToLower(g.idType), "nocase")
	}
	if family == "postgres" {
		g.add(`CREATE COLLATION nocase (provider = icu, locale = 'und-u-ks-level2', deterministic = false)`)
	}
	hasTenant, hasParent := g.one(3), g.one(3)
	g.createEvents(hasTenant, hasParent)
	isNull := g.one(2)
	isKey := g.createItems(hasTenant, isNull)
	hasThird, hasFourth := g.one(4), g.one(3)
	if hasThird {
		g.createThird()
	}
	if hasFourth {
		g.createFourth(isKey)
	}
	ids := g.randomIDs(24)
	g.insertEvents(ids, hasParent)
	g.insertItems(ids, isNull)
	if hasThird {
		g.insertThird(ids)
	}
	if hasFourth && isKey {
		g.add(`INSERT INTO fourth SELECT event_id, n FROM items`)
	} else if hasFourth {
		g.add(`INSERT INTO fourth SELECT id, 1 FROM events`)
	}
	return g.schema
}

func (g *generator) add(statement string) { g.statements = append(g.statements, statement) }

// one is true once in n times.
func (g *generator) one(n int) bool { return g.IntN(n) == 0 }

func (g *generator) pick(list ...string) string { return list[g.IntN(len(list))] }

// create adds a table, of which these columns hold IDs.
func (g *generator) create(table string, ids []string, lines ...string) {
	lines = slices.DeleteFunc(lines, func(line string) bool { return line == "" })
	g.add("CREATE TABLE " + table + " (" + strings.Join(lines, ", ") + ")")
	g.tables = append(g.tables, table)
	for _, id := range ids {
		g.columns = append(g.columns, [2]string{table, id})
	}
}

func (g *generator) createEvents(hasTenant, hasParent bool) {
	ids := []string{"id"}
	comment, parent, parentKey, updated := "", "", "", ""
	if g.family == "mysql" && g.one(3) {
		comment = " COMMENT 'the ID, isn''t it'"
	}
	if g.family == "mysql" && g.one(2) {
		updated = "updated TIMESTAMP NOT NULL DEFAULT '2026-01-01 00:00:00' ON UPDATE CURRENT_TIMESTAMP"
	}
	if hasParent {
		ids = append(ids, "parent_id")
		parent = "parent_id " + g.idType
		parentKey = "CONSTRAINT events_parent FOREIGN KEY (parent_id) REFERENCES events (id)" +
			g.pick("", " ON DELETE CASCADE")
	}
	keys := "PRIMARY KEY (id)"
	if hasTenant {
		keys = "PRIMARY KEY (tenant, id), UNIQUE (id)"
	}
	g.create("events", ids, "tenant INT NOT NULL", "id "+g.idType+" NOT NULL"+comment, "note VARCHAR(50)",
		updated, parent, keys, parentKey)
}

// createItems reports whether another table can refer to an event and a number.
func (g *generator) createItems(hasTenant, isNull bool) (isKey bool) {
	null, keys := " NOT NULL", []string{"", "UNIQUE (event_id, n)", "PRIMARY KEY (event_id, n)"}
	if isNull {
		null, keys = "", keys[:2]
	}
	key := g.pick(keys...)
	reference := "CONSTRAINT items_event FOREIGN KEY (event_id) REFERENCES events (id)" + g.actions(isNull)
	if hasTenant && g.one(2) {
		reference = "CONSTRAINT items_event FOREIGN KEY (tenant, event_id) REFERENCES events (tenant, id)"
		if g.family == "postgres" && !isNull {
			reference += g.pick("", " MATCH FULL")
		}
		reference += g.actions(false)
	}
	if g.family == "postgres" {
		reference += g.pick("", " DEFERRABLE INITIALLY DEFERRED")
	}
	g.create("items", []string{"event_id"}, "tenant INT", "event_id "+g.idType+null, "n INT NOT NULL", key, reference)
	return key != "" && !isNull // MariaDB does not let a column that is NOT NULL refer to one that is not
}

// createThird creates a table that refers to events twice.
func (g *generator) createThird() {
	g.create("third", []string{"a", "b"}, "a "+g.idType, "b "+g.idType,
		"CONSTRAINT third_a FOREIGN KEY (a) REFERENCES events (id)"+g.actions(true),
		"CONSTRAINT third_b FOREIGN KEY (b) REFERENCES events (id)")
}

// createFourth creates a table that refers to items if it can, and to events otherwise.
func (g *generator) createFourth(toItems bool) {
	reference := "FOREIGN KEY (id) REFERENCES events (id)"
	if toItems {
		reference = "FOREIGN KEY (id, n) REFERENCES items (event_id, n)"
	}
	g.create("fourth", []string{"id"}, "id "+g.idType+" NOT NULL", "n INT NOT NULL", "PRIMARY KEY (id, n)",
		"CONSTRAINT fourth_id "+reference+g.actions(false))
	if g.family == "postgres" {
		g.statements[len(g.statements)-1] += " PARTITION BY LIST (n)"
		g.add("CREATE TABLE fourth_part PARTITION OF fourth DEFAULT")
	}
}

// actions returns those of a foreign key.
func (g *generator) actions(isNull bool) string {
	list := []string{"", " ON DELETE CASCADE", " ON UPDATE CASCADE", " ON DELETE CASCADE ON UPDATE CASCADE"}
	if isNull {
		list = append(list, " ON DELETE SET NULL", " ON UPDATE SET NULL", " ON DELETE SET NULL ON UPDATE CASCADE")
	}
	return g.pick(list...)
}

// randomIDs returns IDs among which are the zero ID, the largest, and those that end in what databases pad with or cut.
func (g *generator) randomIDs(n int) []ulid.ULID {
	ids := []ulid.ULID{{}, largest}
	for len(ids) < n {
		var id ulid.ULID
		for i := range id {
			id[i] = byte(g.IntN(256))
		}
		ends := []byte{id[15], 0, ' ', 255}
		id[15] = ends[g.IntN(len(ends))]
		if g.one(2) {
			id[14] = id[15]
		}
		ids = append(ids, id)
	}
	return ids
}

// quote returns the ID as a literal. An ID with an even last byte is in lower case. Where = ignores case, so is every
// second reference.
func (g *generator) quote(id ulid.ULID, isReference bool) string {
	isLower := id[15]%2 == 0
	if g.ignoreCase && isReference {
		isLower = g.one(2)
	}
	text := id.String()
	if g.isTyped {
		text = text[:16] + strings.NewReplacer("0", "O", "1", "L").Replace(text[16:])
	}
	if isLower {
		text = strings.ToLower(text)
	}
	return "'" + text + "'"
}

// reference returns one of the IDs as a literal, or NULL.
func (g *generator) reference(ids []ulid.ULID, isNull bool) string {
	if isNull && g.one(3) {
		return "NULL"
	}
	return g.quote(ids[g.IntN(len(ids))], true)
}

func (g *generator) insertEvents(ids []ulid.ULID, hasParent bool) {
	columns := "tenant, id, note"
	if hasParent {
		columns += ", parent_id"
	}
	var values []string
	for i, id := range ids {
		value := fmt.Sprintf("1, %s, 'n%d'", g.quote(id, false), i)
		switch {
		case hasParent && i == 0:
			value += ", " + g.quote(id, false) // itself, in the same case, or SQLite rejects it
		case hasParent:
			value += ", " + g.reference(ids[:i], true)
		}
		values = append(values, "("+value+")")
	}
	g.add("INSERT INTO events (" + columns + ") VALUES " + strings.Join(values, ", "))
}

func (g *generator) insertItems(ids []ulid.ULID, isNull bool) {
	var values []string
	for i := range ids {
		values = append(values, fmt.Sprintf("(1, %s, %d)", g.reference(ids, isNull), i))
	}
	g.add("INSERT INTO items VALUES " + strings.Join(values, ", "))
}

func (g *generator) insertThird(ids []ulid.ULID) {
	var values []string
	for range ids {
		values = append(values, fmt.Sprintf("(%s, %s)", g.reference(ids, true), g.reference(ids, true)))
	}
	g.add("INSERT INTO third VALUES " + strings.Join(values, ", "))
}

// --- what a schema holds

// A format is what a column of IDs holds: its type, and what an ID becomes in it.
type format struct {
	name string                          // in the tables of the page
	sql  string                          // "" for any
	form form                            // nil for any
	read func(string) (ulid.ULID, error) // nil for readID
}

// raw is the format in which everything is shown as it stands.
var raw = format{sql: "none", form: func(ulid.ULID) string { return "none" }}

// look returns all that is in a schema, line by line: the rows, with IDs as strings, and what the catalog says of the
// tables. It is the same whatever the format, if all columns of IDs have this one.
func look(t *testing.T, conn *db.DB, s schema, f format) []string {
	t.Helper()
	list := catalog(t, conn, s, f)
	for _, table := range s.tables {
		rows, err := conn.Queryx("SELECT * FROM " + table)
		db.Check(t, err)
		for rows.Next() {
			row := map[string]any{}
			db.Check(t, rows.MapScan(row))
			for name, value := range row {
				if slices.Contains(s.columns, [2]string{table, name}) {
					row[name] = showID(conn, value, f)
				} else {
					row[name] = cell(value)
				}
			}
			list = append(list, fmt.Sprintf("%s %q", table, row))
		}
		db.Check(t, rows.Err())
	}
	slices.Sort(list)
	return list
}

// showID returns the 26 characters of the ID in a cell, and the cell itself if it is not in the form.
func showID(conn *db.DB, value any, f format) string {
	text := cell(value)
	_, isBytes := value.([]byte)
	if value == nil || conn.Family == "sqlite" && isBytes != (len(text) == 16) {
		return fmt.Sprintf("%T %s", value, text)
	}
	read := readID
	if f.read != nil {
		read = f.read
	}
	id, err := read(text)
	if err != nil || f.form != nil && f.form(id) != text {
		return "bad " + text
	}
	return id.String()
}

// readID reads every format.
func readID(s string) (id ulid.ULID, err error) {
	switch len(s) {
	case 16:
		return ulid.ULID([]byte(s)), nil
	case 36:
		return ulid.ParseUUID(s)
	}
	return ulid.Parse(s[strings.Index(s, "_")+1:])
}

var mysqlColumn = regexp.MustCompile("(?m)^  `(\\w+)` (\\w+\\(\\d+\\)(?: CHARACTER SET \\w+)?(?: COLLATE \\w+)?)")

// catalog returns what the database says of the tables. The type of a column of IDs is "ID" if it is that of the
// format.
func catalog(t *testing.T, conn *db.DB, s schema, f format) (list []string) {
	t.Helper()
	showType := func(table, column, sql string) string {
		table = strings.TrimSuffix(table, "_part")
		if !slices.Contains(s.columns, [2]string{table, column}) || f.sql != "" && !strings.EqualFold(sql, f.sql) {
			return sql
		}
		return "ID"
	}
	switch conn.Family {
	case "sqlite":
		return lines(conn, `SELECT sql FROM sqlite_schema`)
	case "mysql":
		for _, table := range s.tables {
			create := cell(conn.Rows("SHOW CREATE TABLE " + table)[0][1])
			list = append(list, mysqlColumn.ReplaceAllStringFunc(create, func(line string) string {
				m := mysqlColumn.FindStringSubmatch(line)
				return "  `" + m[1] + "` " + showType(table, m[1], m[2])
			}))
		}
		return list
	}
	for _, row := range conn.Rows(`SELECT attrelid::regclass::text, attname, format_type(atttypid, atttypmod) ||
			coalesce((SELECT ' COLLATE ' || quote_ident(collname) FROM pg_collation
				WHERE pg_collation.oid = attcollation AND collname <> 'default'), ''),
			attnotnull || ' ' || attnum || ' ' || coalesce(pg_get_expr(adbin, adrelid), '')
		FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid
			LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
		WHERE relnamespace = current_schema()::regnamespace
			AND relkind IN ('r', 'p') AND attnum > 0 AND relname <> 'repairs'`) {
		table, column, sql := cell(row[0]), cell(row[1]), cell(row[2])
		list = append(list, strings.Join([]string{table, column, showType(table, column, sql), cell(row[3])}, " "))
	}
	return append(list, lines(conn, `SELECT conrelid::regclass || ' ' || conname || ' ' || pg_get_constraintdef(oid)
			|| ' ' || convalidated
		FROM pg_constraint WHERE connamespace = current_schema()::regnamespace
		UNION ALL SELECT indexdef FROM pg_indexes WHERE schemaname = current_schema()`)...)
}

// difference returns the first lines that two lists do not have in common.
func difference(before, after []string) string {
	after = slices.Clone(after)
	var out []string
	for _, line := range before {
		if i := slices.Index(after, line); i >= 0 {
			after = slices.Delete(after, i, i+1)
		} else {
			out = append(out, "\n- "+line)
		}
	}
	for _, line := range after {
		out = append(out, "\n+ "+line)
	}
	return strings.Join(out[:min(len(out), 10)], "")
}
