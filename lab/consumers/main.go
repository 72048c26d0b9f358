// Command consumers runs the tests of projects that use oklog/ulid, first as they are and then with this library in the
// place of oklog/ulid, for docs/consumers.md:
//
//	go run -C lab ./consumers                     # all projects, which takes half an hour
//	go run -C lab ./consumers strfmt watermill    # these two; the other rows stay
//	go run -C lab ./consumers -check strfmt       # leave the page as it is
//
// The projects come from the Go module proxy, in the versions of projects.go. Each is copied twice, and in the second copy
// go mod edit -replace puts this library in the place of oklog/ulid, in the project and all its dependencies. The import paths
// stay, so what reflect calls the package does not change. Do not change the library meanwhile: the files of this checkout are
// compiled.
//
// Every test and subtest is compared: passed, failed, skipped, or not run. Packages with a difference run up to three times with
// each library, because a test may fail by chance. A test differs if its results with the two libraries never agree, and is
// unsteady if they agree in some runs only; the command prints the results of each unsteady test. A ULID in the name of a
// subtest is compared as a number, because it may be another in every run. Tests that need Docker, the network or files that
// the module's zip lacks fail or are skipped with both libraries.
//
// It fails if the result of a test differs, or if fewer tests pass with oklog/ulid than the table of projects demands.
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

const ulidPath = "github.com/seed-961d0905/ulid"

func main() {
	check := flag.Bool("check", false, "do not write the page")
	flag.Parse()
	if err := run(flag.Args(), *check); err != nil {
		fmt.Fprintln(os.Stderr, "consumers:", err)
		os.Exit(1)
	}
}

// run compares the projects with the given names, or all.
func run(names []string, check bool) error {
	for _, name := range names {
		if !slices.ContainsFunc(projects, func(p project) bool { return p.name == name }) {
			return fmt.Errorf("there is no project %s", name)
		}
	}
	var failed []error
	for _, p := range projects {
		if names != nil && !slices.Contains(names, p.name) {
			continue
		}
		fmt.Printf("== %s, %s\n", p.name, p.module)
		row, err := compareProject(p)
		fmt.Println(strings.Join(row, " | "))
		if err == nil && !check {
			err = renew(row)
		}
		if err != nil {
			failed = append(failed, fmt.Errorf("%s: %w", p.name, err))
		}
	}
	return errors.Join(failed...)
}

// compareProject runs the tests of a project with both libraries and returns its row of the page.
func compareProject(p project) ([]string, error) {
	dir, err := os.MkdirTemp("", "consumers")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	theirs, ours := filepath.Join(dir, "oklog"), filepath.Join(dir, "ulid")
	if err := prepare(p, theirs, ours); err != nil {
		return nil, err
	}
	goVersion, err := command(ours, "go", "env", "GOVERSION")
	if err != nil {
		return nil, err
	}
	all, err := compare(p.packages, [2]func([]string) (results, error){
		func(packages []string) (results, error) { return test(theirs, p.args, packages) },
		func(packages []string) (results, error) { return test(ours, p.args, packages) },
	})
	if err != nil {
		return nil, err
	}
	for _, name := range all.unsteady() {
		fmt.Printf("unsteady: %s: %v\n", name, all[name])
	}
	return row(p, all, goVersion, time.Now()), all.judge(p.least)
}

// prepare copies a project twice, and puts this library in the place of oklog/ulid in the second copy.
func prepare(p project, theirs, ours string) error {
	library, err := command(".", "go", "list", "-m", "-f", "{{.Dir}}", ulidPath)
	if err != nil {
		return err
	}
	for _, dir := range []string{theirs, ours} {
		if err := download(p.module, dir); err != nil {
			return err
		}
		for _, nested := range p.nested {
			if _, err := command(dir, "go", "mod", "edit", "-dropreplace", nested); err != nil {
				return err
			}
		}
	}
	// The module in a folder need not have the path of the one that it replaces.
	if _, err := command(ours, "go", "mod", "edit", "-replace", p.oklog+"="+library); err != nil {
		return err
	}
	for _, e := range p.edits {
		if err := apply(e, ours); err != nil {
			return err
		}
	}
	for _, dir := range []string{theirs, ours} {
		used, err := command(dir, "go", append([]string{"list", "-deps", "-test", "-f",
			fmt.Sprintf("{{if eq .ImportPath %q}}{{.Dir}}{{end}}", p.oklog)}, p.packages...)...)
		if err != nil {
			return err
		}
		if used == "" || (used == library) != (dir == ours) {
			return fmt.Errorf("in %s the tests use oklog/ulid from %q", dir, used)
		}
	}
	return nil
}

// apply makes an edit in the copy of a project in dir. A dependency is copied too for that.
func apply(e edit, dir string) error {
	target := dir
	if e.module != "" {
		// A project may have replaced the module with its own version of it.
		version, err := command(dir, "go", "list", "-m", "-f", "{{with or .Replace .}}{{.Path}}@{{.Version}}{{end}}", e.module)
		if err != nil {
			return err
		}
		target = dir + "-" + strings.ReplaceAll(e.module, "/", "-")
		if _, err := os.Stat(target); errors.Is(err, os.ErrNotExist) {
			if err := download(version, target); err != nil {
				return err
			}
			if _, err := command(dir, "go", "mod", "edit", "-replace", e.module+"="+target); err != nil {
				return err
			}
		}
	}
	path := filepath.Join(target, e.file)
	source, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	before, after, _ := strings.Cut(string(source), strconv.Quote(e.old))
	if n := strings.Count(string(source), strconv.Quote(e.old)); n != 1 {
		return fmt.Errorf("%s has %q %d times", e.file, e.old, n)
	}
	return os.WriteFile(path, []byte(before+strconv.Quote(e.new)+after), 0o666)
}

// download copies a module from Go's cache, which go fills if need be, into a new folder.
func download(module, dir string) error {
	out, err := command(".", "go", "mod", "download", "-json", module)
	if err != nil {
		return err
	}
	var info struct{ Dir string }
	if err := json.Unmarshal([]byte(out), &info); err != nil {
		return err
	}
	return os.CopyFS(dir, os.DirFS(info.Dir))
}

// command runs a program and returns its standard output without the last line break.
func command(dir, program string, args ...string) (string, error) {
	cmd := exec.Command(program, args...)
	cmd.Dir = dir
	cmd.Env = environment()
	out, err := cmd.Output()
	if exit, ok := err.(*exec.ExitError); ok {
		err = fmt.Errorf("%v: %w\n%s%s", cmd, err, out, exit.Stderr)
	}
	return strings.TrimSuffix(string(out), "\n"), err
}

// environment lets go use the toolchain that a project asks for, and write its go.mod, because the
// go line of this library may be higher.
func environment() []string {
	return append(os.Environ(), "GOTOOLCHAIN=auto", "GOWORK=off", "GOFLAGS="+os.Getenv("GOFLAGS")+" -mod=mod")
}
