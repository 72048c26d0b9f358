package main

import (
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/seed-961d0905/ulid/interop/page"
)

func TestProgram(t *testing.T) {
	out, err := exec.Command("go", "run", ".").CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	want := regexp.MustCompile(`^([0-9A-Z]{26}) \d{4}-\d\d-\d\d \d\d:\d\d:\d\d
01M83ETBPDFX9HTT17BZESQDPD
ulid: bad data size when unmarshaling
([0-9A-Z]{26}) coffee
$`)
	if found := want.FindSubmatch(out); found == nil || string(found[1]) != string(found[2]) {
		t.Errorf("the program prints\n%swant the same ID twice in\n%s", out, want)
	}
}

// TestREADME finds each line of the README's Go in the program.
func TestREADME(t *testing.T) {
	program := map[string]bool{}
	for line := range strings.Lines(page.Text(t, "interop/quickstart/main.go")) {
		program[strings.TrimSpace(line)] = true
	}
	blocks := regexp.MustCompile("(?s)\n```go\n(.*?)```\n").FindAllStringSubmatch(page.Text(t, "README.md"), -1)
	if len(blocks) != 2 {
		t.Errorf("README.md has %d blocks of Go, want 2", len(blocks))
	}
	for _, block := range blocks {
		for line := range strings.Lines(block[1]) {
			line = strings.TrimSpace(line)
			if !program[line] {
				t.Errorf("main.go lacks the README's line\n%s", line)
			}
		}
	}
}
