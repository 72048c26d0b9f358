package main

import (
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/seed-961d0905/ulid/interop/page"
)

// The README shows this program and its output, of which an ID and a time differ each time.
func TestREADME(t *testing.T) {
	_, program, _ := strings.Cut(page.Text(t, "interop/quickstart/main.go"), "\n")
	if got := page.Code(t, "README.md", "interop/quickstart"); got != program {
		t.Errorf("README.md has the program\n%swant\n%s", got, program)
	}

	out, err := exec.Command("go", "run", ".").CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	shown := page.Code(t, "README.md", "output")
	for name, output := range map[string]string{"the program": string(out), "README.md": shown} {
		const want = `^[0-9A-Z]{26} coffee \d{4}-\d\d-\d\d \d\d:\d\d:\d\d\nulid: invalid character 'U' at offset 25\n$`
		if !regexp.MustCompile(want).MatchString(output) {
			t.Errorf("%s prints\n%swant\n%s", name, output, want)
		}
	}
}
