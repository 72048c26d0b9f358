package main

import (
	"testing"

	"github.com/seed-961d0905/ulid/interop/storage/start"
)

func TestProgram(t *testing.T) {
	t.Chdir(t.TempDir())
	start.Signup(t, main)
}
