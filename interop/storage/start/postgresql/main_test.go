package main

import (
	"testing"

	"github.com/seed-961d0905/ulid/interop/db"
	"github.com/seed-961d0905/ulid/interop/storage/start"
)

func TestProgram(t *testing.T) {
	t.Setenv("DATABASE_URL", db.PostgreSQL.Own(t, ""))
	start.Signup(t, main)
}
