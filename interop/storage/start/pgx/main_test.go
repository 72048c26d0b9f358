package main

import (
	"regexp"
	"testing"

	"github.com/seed-961d0905/ulid/interop/db"
	"github.com/seed-961d0905/ulid/interop/storage/start"
)

func TestProgram(t *testing.T) {
	want := regexp.MustCompile(`^[0-9A-Z]{26} event 0\n[0-9A-Z]{26} event 999\n1000 events\n$`)
	for _, mode := range []string{"", "default_query_exec_mode=exec", "default_query_exec_mode=simple_protocol"} {
		t.Setenv("DATABASE_URL", db.PostgreSQL.Own(t, mode))
		if got := start.Output(t, main); !want.MatchString(got) {
			t.Errorf("with %q the program prints\n%s\nwant\n%v", mode, got, want)
		}
	}
}
