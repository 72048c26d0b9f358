package main

import (
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

// TestOutput compares what the program prints with the comments beside its lines, whose IDs have another time.
func TestOutput(t *testing.T) {
	out, err := exec.Command("go", "run", ".").CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	source, err := os.ReadFile("main.go")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(out), "\n")
	comments := regexp.MustCompile(`fmt\.Println\(.*\) +// (.*)`).FindAllStringSubmatch(string(source), -1)
	if len(lines) != len(comments)+1 || len(comments) == 0 {
		t.Fatalf("%d comments, and the program prints\n%s", len(comments), out)
	}
	for i, comment := range comments {
		if got, want := form(lines[i]), form(comment[1]); got != want {
			t.Errorf("the program prints\n\t%s\nwant\n\t%s", lines[i], comment[1])
		}
	}
	if parsed := comments[1][1]; lines[1] != parsed {
		t.Errorf("the program parses %s, want %s", lines[1], parsed)
	}
}

// form returns a line with the same characters for every ID of its format and every time, and for the zeros of a bound.
func form(line string) string {
	line = regexp.MustCompile(`\b01[0-9A-Z]{8}0{16}\b`).ReplaceAllString(line, "BOUND")
	line = regexp.MustCompile(`\b01[0-9A-Z]{24}\b`).ReplaceAllString(line, "ID")
	return regexp.MustCompile(`\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d+)?`).ReplaceAllString(line, "TIME")
}
