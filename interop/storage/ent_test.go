package storage

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jmoiron/sqlx"

	"github.com/seed-961d0905/ulid/interop/db"
	"github.com/seed-961d0905/ulid/interop/page"
)

// TestEnt copies the module testdata/ent to a temporary folder, generates ent's code there, and runs the
// program that tries it on each database. ent's 4,500 lines and modules stay out of this module.
func TestEnt(t *testing.T) {
	dir := t.TempDir()
	check(t, os.CopyFS(dir, os.DirFS("testdata/ent")))
	run := func(t *testing.T, name string, args ...string) {
		t.Helper()
		command := exec.CommandContext(t.Context(), name, args...)
		command.Dir = dir
		command.Env = append(os.Environ(), "GOWORK=off")
		if out, err := command.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", command, err, out)
		}
	}
	root, err := filepath.Abs(page.Root())
	check(t, err)
	program := filepath.Join(dir, "program.exe") // Windows runs no other
	run(t, "go", "mod", "edit", "-replace", "github.com/seed-961d0905/ulid="+root)
	build := func(t *testing.T) {
		t.Helper()
		run(t, "go", "run", "generate.go")
		run(t, "go", "build", "-o", program, ".")
	}
	build(t)

	schema := page.Text(t, "interop/storage/testdata/ent/schema/user.go")
	const field = "field.String(\"id\").GoType(ulid.ULID{}).MaxLen(26).DefaultFunc(ulid.Make)"
	const postgresType = "map[string]string{dialect.Postgres: \"text collate ucs_basic\"}"
	if !strings.Contains(schema, field+".SchemaType(types)") || !strings.Contains(schema, "types := "+postgresType) {
		t.Errorf("the schema has no %s with the SchemaType %s", field, postgresType)
	}
	OnPage(t, "postgres", "ent", "`.SchemaType("+postgresType+")`")
	for _, d := range []struct{ dialect, ents, driver, server, field string }{
		{"sqlite", "sqlite3", "sqlite", "", "`" + field + "`"},
		{"postgres", "postgres", "postgres", "ULID_POSTGRES", "`" + field + ".SchemaType(" + postgresType + ")`"},
		{"mysql", "mysql", "mysql", "ULID_MYSQL", "`" + field + "`, which gives `utf8mb4_bin`"},
		{"mariadb", "mysql", "mysql", "ULID_MARIADB", "`" + field + "`, which gives `utf8mb4_bin`"},
	} {
		t.Run(d.dialect, func(t *testing.T) {
			dsn := db.Own(t, d.server, "")
			OnPage(t, d.dialect, "ent", "`"+field+"`")
			run(t, program, d.ents, d.driver, dsn)
			db := sqlx.NewDb(db.Connect(t, d.driver, dsn), d.driver)
			WantCollation(t, db, d.dialect, "users", "id", "manager_id", "owner_id")
			Row{
				Field: d.field, Create: "yes, with `DefaultFunc`", Find: "`Get(ctx, id)`, `IDIn`", Delete: "`DeleteOneID(id)`",
				Relation: "edges, with `WithManager`", Null: "`Optional().Nillable()`, or `Optional()` for the zero ID",
			}.Record(t, "ent", d.dialect, "ulid.ULID")
		})
	}

	// The same program with a key of type uuid.
	t.Run("postgres uuid", func(t *testing.T) {
		const key = "field.UUID(\"id\", ulid.AsUUID{}).Default(newID)"
		replace(t, filepath.Join(dir, "schema", "user.go"),
			field, key, ".SchemaType(types)", "", "\t\"entgo.io/ent/dialect\"\n", "", "\ttypes := "+postgresType+"\n", "",
			"field.String(\"manager_id\").GoType(ulid.ULID{}).MaxLen(26)", "field.UUID(\"manager_id\", ulid.AsUUID{})",
			"field.String(\"owner_id\").GoType(ulid.ULID{}).MaxLen(26)", "field.UUID(\"owner_id\", ulid.AsUUID{})",
			"// User has", "func newID() ulid.AsUUID { return ulid.AsUUID(ulid.Make()) }\n\n// User has")
		replace(t, filepath.Join(dir, "main.go"), "DeleteOneID(ulid.Make())", "DeleteOneID(ulid.AsUUID(ulid.Make()))")
		build(t)
		OnPage(t, "postgres", "ent", "`"+key+"`")
		run(t, program, "postgres", "postgres", db.Own(t, "ULID_POSTGRES", ""))
	})
}

// replace writes a file with each old text replaced by the new one that follows it. The file must have all of them.
func replace(t *testing.T, name string, oldNew ...string) {
	t.Helper()
	text, err := os.ReadFile(name)
	check(t, err)
	for i := 0; i < len(oldNew); i += 2 {
		if !strings.Contains(string(text), oldNew[i]) {
			t.Fatalf("%s has no %s", name, oldNew[i])
		}
	}
	check(t, os.WriteFile(name, []byte(strings.NewReplacer(oldNew...).Replace(string(text))), 0o644))
}
