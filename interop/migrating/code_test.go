package migrating

import (
	"bytes"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math/rand"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	oklog "github.com/oklog/ulid/v2"
	"github.com/rs/xid"
	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/seed-961d0905/ulid"
)

// --- what grep finds

// sample is code in which the lines that a command must find end with its name, and no others do.
const sample = `package sample

import (
	"errors"

	"github.com/seed-961d0905/ulid"
)

var (
	head   = ulid.MustParse("0000000000XX000COMPACTHEAD") // constants
	series = ulid.MustParse("0000000000xxselectedseries") // constants
	good   = ulid.MustParse("01ARYZ6S41TSV4RRFFQ69G5FAV")
	short  = ulid.MustParse("unknown") // constants
	upper  = ulid.MustParse("UNKNOWN") // constants
)

const text = "01ARYZ6S41TSV4RRFFQ69G5FAU" // constants

const other = "01ARYZ6S41TSV4RRFFQ69G5FAV"

type UserID struct {
	ulid.ULID // embedded
}

type OrderID struct{ ulid.ULID } // embedded

type Row struct {
	*ulid.ULID ` + "`json:\"id\"`" + `
	Previous ulid.ULID
}

func f(err error) bool {
	switch err { // else
	case ulid.ErrDataSize:
		return true
	}
	if err == ulid.ErrInvalidCharacters || errors.Is(err, ulid.ErrOverflow) { // else
		return true
	}
	return err != nil
}

var source = ulid.Monotonic(nil, 0) // else

func at() ulid.ULID { return ulid.MustNewDefault(ulid.Time(0)) } // else
`

// calls is code in which the second command of step 3 must find the lines that end with its name.
const calls = `package sample

func f() {
	db.Where("id = ?", id).First(&event) // grep
	db.QueryRowContext(ctx, "SELECT n FROM events WHERE id = $1", id) // grep
	batch.Queue("DELETE FROM events WHERE id < $1", id) // grep
	conn.CopyFrom(ctx, table, columns, rows) // grep
	query.
		Where("id IN (?)", ids) // grep
	fmt.Println(id)
	wherever(id)
}
`

func TestGrepCalls(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "calls.go"), calls)
	_, second, _ := strings.Cut(block(t, "sh: grep"), "\n")
	found := must[string](t)(command(dir, nil, "bash", "-c", second))
	for i, line := range strings.Split(calls, "\n") {
		if got := strings.Contains(found, fmt.Sprintf("calls.go:%d:", i+1)); got != strings.HasSuffix(line, "// grep") {
			t.Errorf("the command finds this line: %t: %s", got, line)
		}
	}
}

// The tag of Row stands where the comment would.
func TestGrep(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "sample.go"), sample)
	write(t, filepath.Join(dir, "sample.txt"), sample)
	for _, name := range []string{"constants", "embedded", "else"} {
		found := must[string](t)(shell(t, dir, "sh: "+name))
		for i, line := range strings.Split(sample, "\n") {
			want := strings.HasSuffix(line, "// "+name) || name == "embedded" && strings.HasPrefix(line, "\t*ulid.ULID `")
			if got := strings.Contains(found, fmt.Sprintf("sample.go:%d:", i+1)); got != want {
				t.Errorf("%s finds this line: %t, want %t: %s", name, got, want, line)
			}
		}
		if strings.Contains(found, "sample.txt") {
			t.Errorf("%s looks into other files", name)
		}
	}
}

// --- constants and what is refused

func TestConstants(t *testing.T) {
	output := block(t, "constants: output")
	var args []string
	for line := range strings.Lines(output) {
		text, canonical, _ := strings.Cut(strings.TrimSpace(line), " ")
		args = append(args, text)
		if _, err := ulid.Parse(text); err == nil {
			t.Errorf("%s is taken", text)
		}
		if id := ulid.MustParse(canonical); id != ulid.ULID(oklog.MustParse(text)) {
			t.Errorf("%s is %v, oklog makes %v of it", text, id, oklog.MustParse(text))
		}
		if !strings.Contains(read(t, page), `ulid.MustParse("`+canonical+`")`) && len(args) == 1 {
			t.Errorf("the page lacks %s", canonical)
		}
		lenient, err := ulid.ParseLenient(text)
		if err == nil && lenient == ulid.MustParse(canonical) {
			t.Errorf("ParseLenient reads %s as oklog does", text)
		}
	}
	program := regexp.MustCompile("`(go run .*/constants) TEXT`").FindStringSubmatch(read(t, page))
	if len(program) == 0 {
		t.Fatal("docs/migrating.md has no go run of the constants")
	}
	if got := must[string](t)(command("../..", nil, "bash", "-c", program[1]+" "+strings.Join(args, " "))); got != output {
		t.Errorf("the program prints\n%s", got)
	}
}

// TestGarbage shows what oklog takes and this library refuses, by each way of reading.
func TestGarbage(t *testing.T) {
	source := rand.New(rand.NewSource(1))
	texts := []string{"0!!!!!!!!!!!!!!!!!!!!!!!!!", "0000000000XX000COMPACTHEAD"}
	for range 1000 {
		text := []byte(oklog.Make().String())
		text[1+source.Intn(25)] = "!ILOUilou-_ \x00\xff"[source.Intn(13)]
		texts = append(texts, string(text))
	}
	for _, text := range texts {
		quoted, _ := json.Marshal(text)
		var theirs, id oklog.ULID
		if _, err := oklog.Parse(text); err != nil || theirs.Scan(text) != nil || theirs.UnmarshalText([]byte(text)) != nil {
			t.Errorf("oklog refuses %q", text)
		}
		if !strings.Contains(text, "\xff") && json.Unmarshal(quoted, &id) != nil {
			t.Errorf("oklog refuses %s", quoted)
		}
		var ours ulid.ULID
		_, err := ulid.Parse(text)
		for _, err := range []error{err, ours.Scan(text), ours.UnmarshalText([]byte(text)), json.Unmarshal(quoted, &ours)} {
			if err == nil || !ours.IsZero() {
				t.Errorf("%q is taken", text)
			}
		}
	}
}

// --- what else differs

// embedding is a type such as programs have.
type embedding struct{ ulid.ULID }

// embeddingBinary is the type afterwards.
type embeddingBinary struct{ ulid.AsBinary }

func TestEmbedded(t *testing.T) {
	id := ulid.Make()
	if value, err := (embedding{id}).Value(); err != nil || value != id.String() {
		t.Errorf("Value is %v, %v", value, err)
	}
	if value, err := (embeddingBinary{ulid.AsBinary(id)}).Value(); err != nil || !reflect.DeepEqual(value, id[:]) {
		t.Errorf("with AsBinary, Value is %v, %v", value, err)
	}
	for _, id := range []any{embedding{}, embeddingBinary{}} {
		if _, ok := id.(interface{ AppendText([]byte) ([]byte, error) }); !ok {
			t.Errorf("%T has no AppendText", id)
		}
	}
}

func TestErrors(t *testing.T) {
	_, theirs := oklog.ParseStrict("01ARYZ6S41TSV4RRFFQ69G5FAU")
	_, ours := ulid.Parse("01ARYZ6S41TSV4RRFFQ69G5FAU")
	if theirs != oklog.ErrInvalidCharacters || ours == ulid.ErrInvalidCharacters || !errors.Is(ours, ulid.ErrInvalidCharacters) {
		t.Errorf("a wrong character: %v, %v", theirs, ours)
	}
	var a oklog.ULID
	var b ulid.ULID
	if theirs, ours := a.Scan(1), b.Scan(1); theirs != oklog.ErrScanValue || ours == ulid.ErrScanValue || !errors.Is(ours, ulid.ErrScanValue) {
		t.Errorf("Scan: %v, %v", theirs, ours)
	}
	// Scan of NULL.
	a, b = oklog.Make(), ulid.Make()
	if a.Scan(nil) != nil || b.Scan(nil) != nil || a.IsZero() || !b.IsZero() {
		t.Errorf("Scan of NULL leaves %v, %v", a, b)
	}
}

func TestGolden(t *testing.T) {
	const ms = 1469918176385
	for _, inc := range []uint64{0, 1, 1000} {
		a, b := oklog.Monotonic(rand.New(rand.NewSource(1)), inc), ulid.Monotonic(rand.New(rand.NewSource(1)), inc)
		if theirs, ours := oklog.MustNew(ms, a), ulid.MustNew(ms, b); ours != ulid.ULID(theirs) {
			t.Errorf("inc %d: first %v, %v", inc, theirs, ours)
		}
		if theirs, ours := oklog.MustNew(ms, a), ulid.MustNew(ms, b); (ours == ulid.ULID(theirs)) != (inc == 1) {
			t.Errorf("inc %d: second %v, %v", inc, theirs, ours)
		}
	}
	x, y := rand.New(rand.NewSource(1)), rand.New(rand.NewSource(1))
	for range 100 {
		if theirs, ours := oklog.MustNew(ms, x), ulid.MustNew(ms, y); ours != ulid.ULID(theirs) {
			t.Errorf("New: %v, %v", theirs, ours)
		}
	}
}

func TestOverflow(t *testing.T) {
	full := bytes.Repeat([]byte{0xff}, 10)
	a, b := oklog.Monotonic(bytes.NewReader(full), 1), ulid.Monotonic(bytes.NewReader(full), 1)
	oklog.MustNew(1, a)
	ulid.MustNew(1, b)
	for i := range 3 {
		_, theirs := oklog.New(1, a)
		_, ours := ulid.New(1, b)
		if (theirs == oklog.ErrMonotonicOverflow) != (i == 0) || ours != ulid.ErrMonotonicOverflow {
			t.Errorf("call %d: %v, %v", i, theirs, ours)
		}
	}
}

// TestTwoSources shows that Make and MustNewDefault have no common order.
func TestTwoSources(t *testing.T) {
	disorder := 0
	for range 10000 {
		a := ulid.Make()
		b := ulid.MustNewDefault(a.Timestamp()) //lint:ignore SA1019 the test is of it
		c := ulid.Make()
		if a.Compare(b) >= 0 || b.Compare(c) >= 0 {
			disorder++
		}
	}
	if disorder == 0 {
		t.Error("they are in order, and the page says that they are not")
	}
}

// TestFix shows what go fix leaves, and that staticcheck reports it.
func TestFix(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "go.mod"), "module a.example/app\n\ngo 1.25\n\nrequire "+ulidPath+" v1.0.0\n\nreplace "+ulidPath+" => "+root(t)+"\n")
	write(t, filepath.Join(dir, "a.go"), `package app

import "github.com/seed-961d0905/ulid"

func parse(s string) (ulid.ULID, error) { return ulid.ParseStrict(s) }

var parser = ulid.ParseStrict
`)
	out, err := shell(t, dir, "sh: fix")
	if err == nil || strings.Count(out, "SA1019") != 1 || !strings.Contains(out, "ulid.ParseStrict is deprecated") {
		t.Errorf("staticcheck: %v\n%s", err, out)
	}
	got := read(t, filepath.Join(dir, "a.go"))
	if !strings.Contains(got, "return ulid.Parse(s)") || !strings.Contains(got, "parser = ulid.ParseStrict\n") {
		t.Errorf("go fix leaves\n%s", got)
	}
}

// TestDeprecated shows that the page lists the names that linters report.
func TestDeprecated(t *testing.T) {
	var names []string
	for _, file := range must[[]string](t)(filepath.Glob("../../*.go")) {
		for _, m := range regexp.MustCompile(`(?m)^// Deprecated: .*\n(?://.*\n)*(?:func (?:\(.*?\) )?|type )(\w+)`).FindAllStringSubmatch(read(t, file), -1) {
			names = append(names, m[1])
		}
	}
	_, list, _ := strings.Cut(read(t, page), "The names are")
	list, _, _ = strings.Cut(list, "\n\n")
	var listed []string
	for _, m := range regexp.MustCompile("`(\\w+)`").FindAllStringSubmatch(list, -1) {
		listed = append(listed, m[1])
	}
	slices.Sort(names)
	slices.Sort(listed)
	if !slices.Equal(names, listed) {
		t.Errorf("deprecated are %v, the page lists %v", names, listed)
	}
}

// --- from other libraries

// TestUUIDTable compiles what stands in the table of the page, with u, id and s.
func TestUUIDTable(t *testing.T) {
	_, table, _ := strings.Cut(read(t, page), "| google/uuid | here |\n|---|---|\n")
	table, _, _ = strings.Cut(table, "\n\n")
	var body strings.Builder
	n := 0
	for _, m := range regexp.MustCompile("`([^`]*[(){=].*?|uuid\\.Nil)`").FindAllStringSubmatch(table, -1) {
		expression := m[1]
		if strings.HasPrefix(expression, "urn:") {
			continue
		}
		n++
		fmt.Fprintf(&body, "\tuse(%s)\n", expression)
	}
	if n < 14 {
		t.Fatalf("%d expressions", n)
	}
	dir := filepath.Join(t.TempDir(), "table")
	for _, file := range []string{"go.mod", "go.sum"} {
		write(t, filepath.Join(dir, file), read(t, "../"+file))
	}
	must[string](t)(command(dir, nil, "go", "mod", "edit", "-module=a.example/table", "-replace="+ulidPath+"="+root(t)))
	write(t, filepath.Join(dir, "main.go"), `package main

import (
	"database/sql"

	"github.com/google/uuid"
	"github.com/seed-961d0905/ulid"
)

func use(...any) {}

var _ sql.Null[int]

func main() {
	u := uuid.New()
	id, s := ulid.Make(), u.String()
`+body.String()+"}\n")
	must[string](t)(command(dir, nil, "go", "run", "."))
}

// TestUUIDColumn reads and finds rows that google/uuid wrote into a uuid column, and adds to them.
func TestUUIDColumn(t *testing.T) {
	for _, driver := range []string{"pgx", "postgres"} {
		t.Run(driver, func(t *testing.T) {
			d := open(t, "postgres", driver, "")
			exec1(t, d.db, "CREATE TABLE users (id uuid PRIMARY KEY, boss uuid)")
			written := []uuid.UUID{uuid.New(), uuid.Must(uuid.NewV7()), uuid.Nil}
			for _, u := range written {
				exec1(t, d.db, "INSERT INTO users VALUES ($1, $2)", u, uuid.NullUUID{})
			}
			for _, u := range written {
				var id ulid.AsUUID
				var boss sql.Null[ulid.AsUUID]
				err := d.db.QueryRow("SELECT id, boss FROM users WHERE id = $1", ulid.AsUUID(u)).Scan(&id, &boss)
				if err != nil || uuid.UUID(id) != u || id.UUIDString() != u.String() || boss.Valid || id.IsZero() != (u == uuid.Nil) {
					t.Errorf("%v is read as %v, %v, %v", u, id, boss, err)
				}
				if parsed, err := ulid.ParseUUID(u.String()); err != nil || parsed != ulid.ULID(u) {
					t.Errorf("%v is parsed as %v, %v", u, parsed, err)
				}
				for _, statement := range []string{"SELECT count(*) FROM users WHERE id = $1", "DELETE FROM users WHERE id = $1", "INSERT INTO users (id) VALUES ($1)"} {
					if _, err := d.db.Exec(statement, ulid.ULID(u)); err == nil {
						t.Errorf("%s takes a text", statement)
					}
				}
			}
			for _, id := range []ulid.ULID{ulid.Make(), ulid.MakeUUIDv7()} {
				exec1(t, d.db, "INSERT INTO users VALUES ($1, $2)", ulid.AsUUID(id), ulid.AsUUID(id))
				var u uuid.UUID
				var boss uuid.NullUUID
				if err := d.db.QueryRow("SELECT id, boss FROM users WHERE id = $1", uuid.UUID(id)).Scan(&u, &boss); err != nil || ulid.ULID(u) != id || boss.UUID != u {
					t.Errorf("google/uuid reads %v, %v, %v", u, boss, err)
				}
			}
		})
	}
	v7 := uuid.Must(uuid.NewV7())
	if age := time.Since(ulid.ULID(v7).Timestamp()); age < -time.Second || age > time.Minute {
		t.Errorf("a UUIDv7 is %v old", age)
	}
	if v := uuid.UUID(ulid.MakeUUIDv7()).Version(); v != 7 {
		t.Errorf("MakeUUIDv7 is of version %d", v)
	}
	u := uuid.New()
	for _, s := range []string{"urn:uuid:" + u.String(), "{" + u.String() + "}", strings.ReplaceAll(u.String(), "-", "")} {
		if _, err := uuid.Parse(s); err != nil {
			t.Errorf("google/uuid refuses %s", s)
		}
		if _, err := ulid.ParseUUID(s); err == nil {
			t.Errorf("ParseUUID takes %s", s)
		}
	}
	id := ulid.AsUUID(u)
	if text, err := json.Marshal(id); err != nil || len(text) != 28 {
		t.Errorf("JSON is %s, %v", text, err)
	}
	var logged bytes.Buffer
	slog.New(slog.NewTextHandler(&logged, nil)).Info("", "id", id)
	if text, err := json.Marshal(map[ulid.AsUUID]int{id: 1}); err != nil || string(text) != fmt.Sprintf(`{"%s":1}`, ulid.ULID(u)) ||
		!strings.HasSuffix(logged.String(), " id="+ulid.ULID(u).String()+"\n") || fmt.Sprint(id) != ulid.ULID(u).String() {
		t.Errorf("%v: %s, %s, %v", id, text, &logged, err)
	}
	if err := json.Unmarshal([]byte(`"`+u.String()+`"`), &id); err == nil {
		t.Error("JSON takes UUID notation")
	}
}

// TestUUIDOtherColumns finds rows that google/uuid wrote as text or as bytes.
func TestUUIDOtherColumns(t *testing.T) {
	for name, driver := range map[string]string{"sqlite": "sqlite", "mariadb": "mysql"} {
		d := open(t, name, driver, "")
		exec1(t, d.db, "CREATE TABLE users (a CHAR(36), b TEXT, c BINARY(16))")
		u := uuid.New()
		exec1(t, d.db, "INSERT INTO users VALUES (?, ?, ?)", u, u, u[:])
		var a, b ulid.AsUUID
		var c ulid.AsBinary
		err := d.db.QueryRow("SELECT a, b, c FROM users WHERE a = ? AND b = ? AND c = ?", ulid.AsUUID(u), ulid.AsUUID(u), ulid.AsBinary(u)).Scan(&a, &b, &c)
		if err != nil || uuid.UUID(a) != u || b != a || uuid.UUID(c) != u {
			t.Errorf("%s: %v is read as %v, %v, %v, %v", name, u, a, b, c, err)
		}
	}
}

// TestOldIDs shows that the functions of the page lose nothing, and keep the order and the second.
func TestOldIDs(t *testing.T) {
	source := rand.New(rand.NewSource(1))
	convert := map[string]func([12]byte) (ulid.ULID, time.Time){
		"ObjectID": func(b [12]byte) (ulid.ULID, time.Time) {
			return fromObjectID(b), bson.ObjectID(b).Timestamp()
		},
		"xid": func(b [12]byte) (ulid.ULID, time.Time) {
			id := ulid.FirstAt(xid.ID(b).Time())
			copy(id[6:], b[4:])
			return id, xid.ID(b).Time()
		},
	}
	for name, f := range convert {
		var old [12]byte
		var before ulid.ULID
		var beforeOld [12]byte
		for i := range 10000 {
			source.Read(old[:])
			switch {
			case i < 2:
				old = [12]byte(bytes.Repeat([]byte{byte(-i)}, 12)) // the least and the greatest
			case i%2 == 1: // alike in the first bytes
				copy(old[:], beforeOld[:source.Intn(12)])
			}
			id, at := f(old)
			if !id.Timestamp().Equal(at) || ulid.FirstAt(at).Compare(id) > 0 || ulid.LastAt(at).Compare(id) < 0 {
				t.Fatalf("the %s %x of %v becomes %v of %v", name, old, at, id, id.Timestamp())
			}
			if i > 0 && id.Compare(before) != bytes.Compare(old[:], beforeOld[:]) {
				t.Fatalf("%s: %x, %x become %v, %v", name, beforeOld, old, before, id)
			}
			before, beforeOld = id, old
		}
	}
	o, x := bson.NewObjectID(), xid.New()
	if len(o.Hex()) != 24 || len(x.String()) != 20 || len(o) != 12 || len(x) != 12 {
		t.Errorf("%s, %s", o.Hex(), x)
	}
	for _, text := range []string{o.Hex(), x.String()} {
		if _, err := ulid.Parse(text); err == nil {
			t.Errorf("%s is a ULID", text)
		}
	}
	for _, at := range []time.Time{o.Timestamp(), x.Time()} {
		if id := ulid.Make(); id.Compare(ulid.FirstAt(at)) < 0 {
			t.Errorf("%v is before %v", id, at)
		}
	}
}
