package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// write changes the modules, unless that could cost the user something.
func (p *program) write(o options) error {
	if !o.force {
		for _, m := range p.modules {
			if err := requireClean(m.dir); err != nil {
				return err
			}
		}
	}
	for _, m := range p.modules {
		if err := p.writeModule(m, o); err != nil {
			return err
		}
	}
	return nil
}

// requireClean returns an error if Git could not undo a change of the folder.
func requireClean(dir string) error {
	status := exec.Command("git", "status", "--porcelain")
	status.Dir = dir
	out, err := status.Output()
	if err != nil || len(out) > 0 {
		return fmt.Errorf("in %s Git could not undo a change: commit what is there, or add -f\n%s", dir, out)
	}
	return nil
}

// writeModule changes the imports in every file of a module, and wraps arguments.
func (p *program) writeModule(m module, o options) error {
	changes, err := p.changes(m, o.wrapper())
	if err != nil {
		return err
	}
	fmt.Printf("files to change in %s: %d\n", m.dir, len(changes))
	if len(changes) == 0 {
		return nil
	}
	if !o.force {
		if err := p.refuse(o); err != nil {
			return err
		}
	}
	if err := require(m.dir); err != nil { // first, because it needs the network
		return err
	}
	for file, code := range changes {
		if err := os.WriteFile(file, code, 0o666); err != nil { // which keeps the mode of a file
			return err
		}
	}
	if err := runGo(m.dir, "mod", "tidy"); err != nil {
		return err
	}
	if _, err := os.Stat(filepath.Join(m.dir, "vendor", "modules.txt")); err != nil {
		return nil // it has no vendor folder
	}
	return runGo(m.dir, "mod", "vendor")
}

// changes returns the new code of each file of a module that changes.
func (p *program) changes(m module, wrapper string) (map[string][]byte, error) {
	changes := map[string][]byte{}
	for _, file := range m.files {
		if !isCode(file) {
			continue
		}
		code, err := p.rewrite(file, wrapper)
		if err != nil {
			return nil, err
		}
		if code != nil {
			changes[file] = code
		}
	}
	return changes, nil
}

// refuse returns an error if the program would then store an ID as text, or if a file was not looked at.
func (p *program) refuse(o options) error {
	for _, f := range p.findings {
		switch {
		case f.kind == unseen:
			return fmt.Errorf("%v, or -f to change only its import", f)
		case f.kind == foreign:
			return fmt.Errorf("%v, or -f to leave to the compiler what it means", f)
		case f.kind != other && o.wrapper() == "":
			return errors.New(f.String() + "\nmay write text where it wrote bytes: " +
				"add -bytes or -uuid, or -f if no line of the list does")
		}
	}
	return nil
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
