package main

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// A change is the new code of the files of a module, by their names.
type change struct {
	dir  string
	code map[string][]byte
}

// write changes the modules, unless something speaks against it in one of them. It returns what go vet
// said before of what has changed.
func (p *program) write(o options) ([]*vet, error) {
	if !o.force {
		for _, m := range p.modules {
			if err := requireClean(m.dir); err != nil {
				return nil, err
			}
		}
	}
	changes, err := p.changes(o.wrapper())
	if err != nil {
		return nil, err
	}
	if !o.force {
		if err := p.refuse(changes, o); err != nil {
			return nil, err
		}
	}
	var vets []*vet
	for _, c := range changes {
		fmt.Printf("files to change in %s: %d\n", c.dir, len(c.code))
		if len(c.code) == 0 {
			continue
		}
		vets = append(vets, vetBefore(c.dir, c.code))
		if err := c.write(); err != nil {
			return nil, err
		}
	}
	return vets, nil
}

// changes returns the change of each module, which may have no files.
func (p *program) changes(wrapper string) ([]change, error) {
	var list []change
	for _, m := range p.modules {
		c := change{m.dir, map[string][]byte{}}
		for _, file := range m.files {
			if !isCode(file) {
				continue
			}
			code, err := p.rewrite(file, wrapper)
			if err != nil {
				return nil, err
			}
			if code != nil {
				c.code[file] = code
			}
		}
		list = append(list, c)
	}
	return list, nil
}

// refuse returns an error if a module that changes would then store an ID as a string, has a file that was not
// looked at, or is not tidy.
func (p *program) refuse(changes []change, o options) error {
	for _, c := range changes {
		if len(c.code) == 0 {
			continue
		}
		if err := p.refuseFindings(o); err != nil {
			return err
		}
		if err := requireTidy(c.dir); err != nil {
			return err
		}
	}
	return nil
}

func (p *program) refuseFindings(o options) error {
	for _, f := range p.findings {
		switch {
		case f.kind == unseen:
			return fmt.Errorf("%v, or -f to change only its import", f)
		case f.kind == foreign:
			return fmt.Errorf("%v, or -f to leave to the compiler what it means", f)
		case f.kind.stores() && o.wrapper() == "":
			return errors.New(f.String() + "\nmay write strings where it wrote bytes: " +
				"add -bytes or -uuid, or -f if no line of the list does")
		}
	}
	return nil
}

// write changes the files of a module, and its go.mod.
func (c change) write() error {
	before := goLines(c.dir)
	if err := require(c.dir); err != nil { // first, because it needs the network
		return err
	}
	for file, code := range c.code {
		if err := os.WriteFile(file, code, 0o666); err != nil { // which keeps the mode of a file
			return err
		}
	}
	if err := tidy(c.dir); err != nil {
		return err
	}
	sayRisen(before, goLines(c.dir))
	return nil
}

// requireClean returns an error if Git could not undo a change of the folder.
func requireClean(dir string) error {
	status := exec.Command("git", "status", "--porcelain", "--untracked-files=all", "-z")
	status.Dir = dir
	out, err := status.Output()
	dirty := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
	dirty = slices.DeleteFunc(dirty, func(line string) bool { return line == "" || isUntouched(line) })
	if err != nil || len(dirty) > 0 {
		return fmt.Errorf("in %s Git could not undo a change: commit what is there, or add -f\n%s",
			dir, strings.Join(dirty, "\n"))
	}
	return nil
}

// isUntouched reports whether a line of git status is of a file that Git does not have, and that neither this
// command nor the go command writes, such as a database or the statements of a guard.
func isUntouched(line string) bool {
	file, isUntracked := strings.CutPrefix(line, "?? ")
	isWritten := slices.Contains([]string{".go", ".mod", ".sum", ".work"}, path.Ext(file)) ||
		slices.Contains(strings.Split(file, "/"), "vendor")
	return isUntracked && !isWritten
}

// tidy runs go mod tidy in a folder, and go mod vendor if it has a vendor folder.
func tidy(dir string) error {
	if err := runGo(dir, "mod", "tidy"); err != nil {
		return err
	}
	if _, err := os.Stat(filepath.Join(dir, "vendor", "modules.txt")); err != nil {
		return nil
	}
	return runGo(dir, "mod", "vendor")
}

// requireTidy returns an error if go mod tidy would change lines that have nothing to do with this library.
func requireTidy(dir string) error {
	command := exec.Command("go", "mod", "tidy", "-diff")
	command.Dir = dir
	diff, err := command.Output()
	if err != nil && len(diff) > 0 { // it fails if there is one
		return fmt.Errorf("in %s go mod tidy would change unrelated lines: run it and commit, or add -f\n%s", dir, diff)
	}
	return nil
}

var goLine = regexp.MustCompile(`(?m)^go \S+`)

// goLines returns the go line of the go.mod in a folder, and of its go.work, by file.
func goLines(dir string) map[string]string {
	lines := map[string]string{}
	for _, name := range []string{"GOMOD", "GOWORK"} {
		command := exec.Command("go", "env", name)
		command.Dir = dir
		out, _ := command.Output()
		file := strings.TrimSpace(string(out))
		if content, err := os.ReadFile(file); err == nil {
			lines[file] = string(goLine.Find(content))
		}
	}
	return lines
}

// sayRisen prints which go lines the go command has changed.
func sayRisen(before, after map[string]string) {
	for _, file := range slices.Sorted(maps.Keys(after)) {
		if before[file] != after[file] {
			fmt.Printf("%s: %q has become %q\n", file, before[file], after[file])
		}
	}
}

// require adds this library to the go.mod in a folder that does not have it.
func require(dir string) error {
	mod, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	if err == nil && bytes.Contains(mod, []byte(ulidPath+" v")) {
		return nil
	}
	return runGo(dir, "get", ulidPath)
}

// runGo runs the go command, after it has said so.
func runGo(dir string, args ...string) error {
	fmt.Fprintln(os.Stderr, "go", strings.Join(args, " "))
	command := exec.Command("go", args...)
	command.Dir, command.Stdout, command.Stderr = dir, os.Stderr, os.Stderr
	return command.Run()
}
