package start

import (
	"context"
	"testing"

	"github.com/seed-961d0905/ulid"
	"github.com/seed-961d0905/ulid/interop/db"
	"github.com/seed-961d0905/ulid/interop/page"
)

//go:generate go test -run ^TestPage$ . -write

// TestPage puts this code and that of the programs on the pages.
func TestPage(t *testing.T) {
	for _, name := range []string{
		"pgxulid/README.md", db.PostgreSQL.Page, db.MySQL.Page, db.SQLite.Page,
	} {
		text, err := page.Sources(page.Text(t, name), "interop/storage/start/")
		db.Check(t, err)
		page.Check(t, name, text)
	}
}

// TestNewPool stores a plain ULID and finds it in a slice, which needs Register.
func TestNewPool(t *testing.T) {
	ctx := context.Background()
	pool, err := NewPool(ctx, db.PostgreSQL.Own(t, ""))
	db.Check(t, err)
	defer pool.Close()
	want := ulid.Make()
	_, err = pool.Exec(ctx, `CREATE TABLE events (id uuid PRIMARY KEY)`)
	db.Check(t, err)
	_, err = pool.Exec(ctx, `INSERT INTO events (id) VALUES ($1)`, want)
	db.Check(t, err)
	var got ulid.ULID
	err = pool.QueryRow(ctx, `SELECT id FROM events WHERE id = ANY($1)`, []ulid.ULID{want}).Scan(&got)
	if err != nil || got != want {
		t.Errorf("the pool returns %v, %v, want %v", got, err, want)
	}
}
