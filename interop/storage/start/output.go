package start

import (
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/seed-961d0905/ulid"
	"github.com/seed-961d0905/ulid/interop/db"
)

// Output runs the main function of a program, and returns what it prints.
func Output(t *testing.T, main func()) string {
	t.Helper()
	r, w, err := os.Pipe()
	db.Check(t, err)
	defer r.Close()
	stdout := os.Stdout
	os.Stdout = w
	defer func() { os.Stdout = stdout }()
	printed := make(chan string)
	go func() {
		all, _ := io.ReadAll(r)
		printed <- string(all)
	}()
	main()
	w.Close()
	return <-printed
}

// Signup runs a program on an empty database. It must print the row that it selects by its ID, and the same row as the
// only one of its day.
func Signup(t *testing.T, main func()) {
	t.Helper()
	got := Output(t, main)
	text, _, _ := strings.Cut(got, " ")
	id, err := ulid.Parse(text)
	if want := fmt.Sprintf("%v signup\n%[1]v signup\n", id); err != nil || got != want {
		t.Errorf("the program prints\n%s\nwant\n%s%v", got, want, err)
	}
}
