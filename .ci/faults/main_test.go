package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	got, err := parse("$ go test .\na.go: x → y\nb/b.go: 1\\n: 2 → \n\n$ go vet\na.go: x → z\n")
	if err != nil {
		t.Fatal(err)
	}
	want := []fault{
		{line: "a.go: x → y", file: "a.go", old: "x", new: "y", command: "go test ."},
		{line: `b/b.go: 1\n: 2 → `, file: "b/b.go", old: "1\n: 2", new: "", command: "go test ."},
		{line: "a.go: x → z", file: "a.go", old: "x", new: "z", command: "go vet"},
	}
	if len(got) != len(want) {
		t.Fatalf("got %d faults, want %d", len(got), len(want))
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("got %+v, want %+v", got[i], want[i])
		}
	}
	for _, bad := range []string{
		"a.go: x → y\n", // below no command
		"$ go test .\na.go: x\n",
		"$ go test .\na.go:  → y\n",
		"$ go test .\nwords\n",
	} {
		if _, err := parse(bad); err == nil {
			t.Errorf("%q is read", bad)
		}
	}
}

// TestPlantAll has commands that write what go test would.
func TestPlantAll(t *testing.T) {
	t.Chdir(t.TempDir())
	t.Setenv("GOWORK", "off")
	write(t, "go.mod", "module a.example\n\ngo 1.25\n")
	write(t, "a.go", "package a\n\nvar a, b = 7, 7\n")
	write(t, "a.txt", "one two two\n")
	if _, err := bash(t.Context(), ".", "git init --quiet"); err != nil {
		t.Fatal(err)
	}
	const (
		finds = `grep one a.txt || { printf 'FAIL\ta.example\t0.1s\n'; exit 1; }`
		hangs = `grep one a.txt || { printf 'panic: test timed out after 1s\nFAIL\ta.example\t1.1s\n'; exit 1; }`
	)
	for _, tt := range []struct {
		file, old, new string
		command        string
		want           outcome
	}{
		{"a.txt", "one", "1", finds, found},
		{"a.txt", "one", "one or 1", finds, lives},
		{"a.txt", "one", "1", hangs, timedOut},
		{"a.txt", "one", "1", "grep one a.txt", unclear},
		{"a.txt", "one", "1", "printf 'FAIL\ta.example\t0.1s\n'; exit 1", unclear},
		{"a.txt", "two", "2", finds, stale},
		{"a.txt", "three", "3", finds, stale},
		{"none.txt", "one", "1", finds, stale},
		{"a.go", "a, b", "a, c", "true", lives},
		{"a.go", "a, b", "a", "true", unbuilt},
	} {
		f := fault{line: tt.old + " → " + tt.new, file: tt.file, old: tt.old, new: tt.new, command: tt.command}
		counts, err := plantAll(t.Context(), []fault{f})
		if err != nil || counts[tt.want] != 1 {
			t.Errorf("%s: %v, %v, want %s", f.line, counts, err, tt.want)
		}
		isStale := len(findStale([]fault{f})) == 1
		if isStale != (tt.want == stale) {
			t.Errorf("%s: the check says %t", f.line, isStale)
		}
	}
}

// TestPlantAllGoesOn removes each fault again, and goes on after a stale one.
func TestPlantAllGoesOn(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "a.txt", "one two\n")
	if _, err := bash(t.Context(), ".", "git init --quiet"); err != nil {
		t.Fatal(err)
	}
	const command = `grep 'one two' a.txt || { printf 'FAIL\ta.example\t0.1s\n'; exit 1; }`
	faults := []fault{
		{file: "a.txt", old: "one", new: "1", command: command},
		{file: "a.txt", old: "three", new: "3", command: command},
		{file: "a.txt", old: "e t", new: "e  t", command: "grep two a.txt"},
		{file: "a.txt", old: "two", new: "2", command: command},
	}
	counts, err := plantAll(t.Context(), faults)
	if err != nil || counts[found] != 2 || counts[stale] != 1 || counts[lives] != 1 {
		t.Errorf("%v, %v", counts, err)
	}
}

// TestJudge has what go test writes.
func TestJudge(t *testing.T) {
	for out, want := range map[string]outcome{
		"--- FAIL: TestF (0.00s)\n    a_test.go:7: got 3\nFAIL\nFAIL\ta.example\t0.003s\nFAIL\n":         found,
		"panic: F [recovered]\n\tpanic: F\n\ngoroutine 7 [running]:\nFAIL\ta.example\t0.004s\nFAIL\n":    found,
		"panic: test timed out after 1s\n\trunning tests:\n\t\tTestF (1s)\n\nFAIL\ta.example\t1.004s\n":  timedOut,
		"# a.example [a.example.test]\n./a_test.go:6:17: undefined: F\nFAIL\ta.example [build failed]\n": unbuilt,
		"# ./none\nstat ./none: directory not found\nFAIL\t./none [setup failed]\nFAIL\n":                unbuilt,
		"go: cannot find main module, but found .git/config\n":                                           unclear,
	} {
		if got := judge(false, out); got != want {
			t.Errorf("%q is judged as %s, want %s", out, got, want)
		}
	}
	if got := judge(true, "ok  \ta.example\t0.003s\n"); got != lives {
		t.Errorf("tests that pass are judged as %s", got)
	}
}

// TestTree has nothing left of the copy, after the last fault and after an interrupt.
func TestTree(t *testing.T) {
	t.Chdir(t.TempDir())
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	write(t, "a.txt", "old")
	if _, err := bash(t.Context(), ".", "git init --quiet"); err != nil {
		t.Fatal(err)
	}
	interrupted, cancel := context.WithCancel(t.Context())
	cancel()
	f := fault{file: "a.txt", old: "old", new: "new", command: "true"}
	if _, err := plantAll(t.Context(), []fault{f}); err != nil {
		t.Error(err)
	}
	if _, err := plantAll(interrupted, []fault{f}); err == nil {
		t.Error("an interrupt is no error")
	}
	if left, _ := filepath.Glob(filepath.Join(temp, "faults*")); len(left) > 0 {
		t.Errorf("%s is left", strings.Join(left, " "))
	}
}

func write(t *testing.T, file, text string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}
