package main

import (
	"testing"

	"github.com/seed-961d0905/ulid/interop/db"
	"github.com/seed-961d0905/ulid/interop/storage/start"
)

func TestProgram(t *testing.T) {
	for _, d := range []*db.Database{db.MySQL, db.MariaDB} {
		t.Run(d.Name, func(t *testing.T) {
			t.Setenv("MYSQL_DSN", d.Own(t, ""))
			start.Signup(t, main)
		})
	}
}
