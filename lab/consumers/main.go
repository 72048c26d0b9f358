// Command consumers runs the tests of projects that use oklog/ulid, first as they are and then with
// the module oklog in its place, for docs/consumers.md:
//
//	go run -C lab ./consumers                     # all projects, which takes half an hour
//	go run -C lab ./consumers strfmt watermill    # these two; the other rows stay
//	go run -C lab ./consumers -check strfmt       # leave the page as it is
//
// The projects come from the Go module proxy, in the versions of projects.go. Each is copied twice,
// and in the second copy go mod edit -replace puts the module oklog in the place of oklog/ulid, in
// the project and all its dependencies, as users do. Do not change the library meanwhile: the files
// of this checkout are compiled.
//
// Every test and subtest is compared: passed, failed, skipped, or not run. Packages with a
// difference run up to three times with each library, because a test may fail by chance. A test
// differs if its results with the two libraries never agree, and is unsteady if they agree in some
// runs only; the command prints the results of each unsteady test. A ULID in the name of a subtest
// is compared as a number, because it may be another in every run. Tests that need Docker, the
// network or files that the module's zip lacks fail or are skipped with both libraries.
//
// It fails if the result of a test differs, or if fewer tests pass with oklog/ulid than the table
// of projects demands.
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
	list, err := selected(names)
	if err != nil {
		return err
	}
	var failed []error
	for _, p := range list {
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

// selected returns the projects with the given names, or all.
func selected(names []string) ([]project, error) {
	if len(names) == 0 {
		return projects, nil
	}
	var list []project
	for _, name := range names {
		i := slices.IndexFunc(projects, func(p project) bool { return p.name == name })
		if i < 0 {
			return nil, fmt.Errorf("there is no project %s", name)
		}
		list = append(list, projects[i])
	}
	return list, nil
}

// compareProject runs the tests of a project with both libraries and returns its row of the page.
func compareProject(p project) ([]string, error) {
	dir, err := os.MkdirTemp("", "consumers")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	c := copies{theirs: filepath.Join(dir, "oklog"), ours: filepath.Join(dir, "ulid")}
	if err := c.prepare(p); err != nil {
		return nil, err
	}
	goVersion, err := command(c.ours, "go", "env", "GOVERSION")
	if err != nil {
		return nil, err
	}
	theirs := func(packages []string) (results, error) { return test(c.theirs, p.args, packages) }
	ours := func(packages []string) (results, error) { return test(c.ours, p.args, packages) }
	all, err := compare(p.packages, theirs, ours)
	if err != nil {
		return nil, err
	}
	for _, name := range all.unsteady() {
		fmt.Printf("unsteady: %s: %v\n", name, all[name])
	}
	return row(p, all, goVersion, time.Now()), all.judge(p.least)
}

// copies are the folders of a project with oklog/ulid and with the module in its place.
type copies struct{ theirs, ours string }

// prepare copies a project twice, and puts the module oklog in the place of oklog/ulid in the second copy.
func (c copies) prepare(p project) error {
	library, err := command(".", "go", "list", "-m", "-f", "{{.Dir}}", ulidPath)
	if err != nil {
		return err
	}
	module := filepath.Join(library, "oklog")
	for _, dir := range []string{c.theirs, c.ours} {
		if err := fetch(p, dir); err != nil {
			return err
		}
	}
	// The library that the module requires may not be released yet.
	replace := []string{"mod", "edit", "-replace", p.oklog + "=" + module, "-replace", ulidPath + "=" + library}
	if _, err := command(c.ours, "go", replace...); err != nil {
		return err
	}
	return c.check(p, module)
}

// fetch copies a project into a new folder.
func fetch(p project, dir string) error {
	if err := download(p.module, dir); err != nil {
		return err
	}
	for _, nested := range p.nested {
		if _, err := command(dir, "go", "mod", "edit", "-dropreplace", nested); err != nil {
			return err
		}
	}
	return nil
}

// check returns an error unless the tests use oklog/ulid in the first copy, and the module that takes its
// place in the second.
func (c copies) check(p project, module string) error {
	theirs, err := usedBy(p, c.theirs)
	if err != nil {
		return err
	}
	if theirs == "" || theirs == module {
		return fmt.Errorf("in %s the tests use oklog/ulid from %q", c.theirs, theirs)
	}
	ours, err := usedBy(p, c.ours)
	if err != nil {
		return err
	}
	if ours != module {
		return fmt.Errorf("in %s the tests use oklog/ulid from %q", c.ours, ours)
	}
	return nil
}

// usedBy returns the folder from which the tests of a project in dir take oklog/ulid, or "".
func usedBy(p project, dir string) (string, error) {
	folder := fmt.Sprintf("{{if eq .ImportPath %q}}{{.Dir}}{{end}}", p.oklog)
	args := append([]string{"list", "-deps", "-test", "-f", folder}, p.packages...)
	return command(dir, "go", args...)
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
