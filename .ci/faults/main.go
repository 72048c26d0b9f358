// Faults plants each fault of .ci/faults.txt in a copy of this tree, and names those that no test finds.
//
//	go run ./.ci/faults              # all of them, in ten minutes or so
//	go run ./.ci/faults monotonic    # those that have this text in their line
//	go run ./.ci/faults -check       # only finds lines that the code has left behind, as lint does
//
// A line "$ command" says which tests must find the faults that follow it. A fault is a line
// "file: old → new", where old stands once in the file and \n means the end of a line.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
)

type fault struct {
	line           string // in faults.txt
	file, old, new string
	command        string
}

// What becomes of a fault.
type outcome string

const (
	found    outcome = "found"
	timedOut outcome = "found by a timeout"
	lives    outcome = "lives: all tests pass"
	stale    outcome = "stale: the old text does not stand exactly once in its file"
	unbuilt  outcome = "not planted: the code or its tests do not compile"
	unclear  outcome = "not judged: the command fails without the fault, or without a failing test"
)

func main() {
	log.SetFlags(0)
	check := flag.Bool("check", false, "only check that each old text stands once")
	flag.Parse()
	faults, err := read(".ci/faults.txt", flag.Arg(0))
	if err != nil {
		log.Fatal(err)
	}
	if *check {
		old := findStale(faults)
		for _, f := range old {
			fmt.Printf("%s\n\t%s\n", f.line, stale)
		}
		fmt.Printf("%d faults, of which %d are stale\n", len(faults), len(old))
		if len(old) > 0 {
			os.Exit(1)
		}
		return
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	counts, err := plantAll(ctx, faults)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%d faults", len(faults))
	for _, o := range []outcome{found, timedOut, lives, stale, unbuilt, unclear} {
		if counts[o] > 0 {
			fmt.Printf("; %d %s", counts[o], o)
		}
	}
	fmt.Println()
	if counts[found]+counts[timedOut] < len(faults) {
		os.Exit(1)
	}
}

// read returns the faults with a text in their line.
func read(file, part string) (faults []fault, err error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	all, err := parse(string(text))
	for _, f := range all {
		if strings.Contains(f.line, part) {
			faults = append(faults, f)
		}
	}
	return faults, err
}

func parse(text string) (faults []fault, err error) {
	command := ""
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if line == "" {
			continue
		}
		if after, ok := strings.CutPrefix(line, "$ "); ok {
			command = after
			continue
		}
		file, change, isFault := strings.Cut(line, ": ")
		old, new, isChange := strings.Cut(strings.ReplaceAll(change, `\n`, "\n"), " → ")
		if !isFault || !isChange || old == "" || command == "" {
			return nil, fmt.Errorf("neither a command nor a fault below one: %s", line)
		}
		faults = append(faults, fault{line, file, old, new, command})
	}
	return faults, nil
}

// planted returns a file below a folder without the fault and with it.
func (f fault) planted(dir string) (before, after string, ok bool) {
	text, err := os.ReadFile(filepath.Join(dir, f.file))
	if err != nil {
		return "", "", false
	}
	before = string(text)
	return before, strings.Replace(before, f.old, f.new, 1), strings.Count(before, f.old) == 1
}

// findStale returns the faults that cannot be planted.
func findStale(faults []fault) (old []fault) {
	for _, f := range faults {
		if _, _, ok := f.planted("."); !ok {
			old = append(old, f)
		}
	}
	return old
}

// plantAll plants the faults one by one, and prints those that are not simply found.
func plantAll(ctx context.Context, faults []fault) (counts map[outcome]int, err error) {
	dir, err := os.MkdirTemp("", "faults")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	files := "git ls-files -z -c -o --exclude-standard | tar -c --null -T - | tar -x -C " + dir
	if err := exec.CommandContext(ctx, "bash", "-c", files).Run(); err != nil {
		return nil, fmt.Errorf("%s: %w", files, err)
	}
	counts = map[outcome]int{}
	passes := map[string]bool{} // by command, without a fault
	for _, f := range faults {
		if _, tried := passes[f.command]; !tried {
			out, err := bash(ctx, dir, f.command)
			passes[f.command] = err == nil
			if err != nil {
				fmt.Printf("%s\n\tfails without a fault: %v\n%s", f.command, err, out)
			}
		}
		o, out := unclear, ""
		if passes[f.command] {
			o, out = plant(ctx, dir, f)
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		counts[o]++
		switch o {
		case found:
		case timedOut:
			fmt.Printf("%s\n\t%s\n", f.line, o)
		default:
			fmt.Printf("%s\n\t%s\n%s", f.line, o, out)
		}
	}
	return counts, nil
}

// plant runs the tests with a fault in the copy, and removes the fault again.
func plant(ctx context.Context, dir string, f fault) (o outcome, out string) {
	before, after, ok := f.planted(dir)
	if !ok {
		return stale, ""
	}
	path := filepath.Join(dir, f.file)
	if err := os.WriteFile(path, []byte(after), 0o666); err != nil {
		return unclear, err.Error() + "\n"
	}
	defer os.WriteFile(path, []byte(before), 0o666)
	if filepath.Ext(path) == ".go" {
		out, err := bash(ctx, dir, "go build -o "+os.DevNull+" ./"+filepath.ToSlash(filepath.Dir(f.file)))
		if err != nil {
			return unbuilt, out
		}
	}
	out, err := bash(ctx, dir, f.command)
	return judge(err == nil, out), out
}

func bash(ctx context.Context, dir, command string) (string, error) {
	cmd := exec.CommandContext(ctx, "bash", "-c", command)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOFLAGS=-buildvcs=false -count=1")
	out, err := cmd.CombinedOutput()
	return string(out), err
}

var (
	notCompiled = regexp.MustCompile(`(?m)^FAIL\t\S+ \[(build|setup) failed\]$`)
	hangs       = regexp.MustCompile(`(?m)^panic: test timed out after `)
	failed      = regexp.MustCompile(`(?m)^FAIL\t\S+\t[\d.]+s$`)
)

// judge tells from the output of go test what has become of a fault.
func judge(passed bool, out string) outcome {
	switch {
	case passed:
		return lives
	case notCompiled.MatchString(out):
		return unbuilt
	case !failed.MatchString(out):
		return unclear
	case hangs.MatchString(out):
		return timedOut
	}
	return found
}
