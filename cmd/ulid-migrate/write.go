package main

import (
	"bytes"
	"cmp"
	"fmt"
	"go/format"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/tools/go/ast/astutil"
)

// walk adds the files of a module to those of the program, without other modules in it and what Git
// and package managers keep. It lists the lines that name oklog/ulid in files that were not seen:
// sqlc's overrides, the go.mod of other modules, Go files with other build tags.
func (p *program) walk(dir string, seen map[string]bool) error {
	p.modules[dir] = []string{}
	return filepath.WalkDir(dir+"/", func(path string, d fs.DirEntry, err error) error { // dir may be a link
		if err != nil {
			return err
		}
		if d.IsDir() {
			if slices.Contains([]string{".git", "vendor", "node_modules"}, d.Name()) {
				return fs.SkipDir
			}
			mod := filepath.Join(path, "go.mod")
			if _, err := os.Stat(mod); err != nil || filepath.Clean(path) == dir {
				return nil
			}
			return cmp.Or(p.look(mod), fs.SkipDir)
		}
		info, err := d.Info()
		if err != nil || !info.Mode().IsRegular() {
			return err
		}
		p.modules[dir] = append(p.modules[dir], path)
		if seen[path] || info.Size() > 1<<20 || path == filepath.Join(dir, "go.mod") || filepath.Ext(path) == ".sum" {
			return nil
		}
		return p.look(path)
	})
}

// look lists the lines of a file that name oklog/ulid.
func (p *program) look(file string) error {
	content, err := os.ReadFile(file)
	if err != nil || bytes.IndexByte(content, 0) >= 0 {
		return err
	}
	f := finding{Position: token.Position{Filename: file}, text: "names oklog/ulid, and was not looked at"}
	names := regexp.MustCompile("oklog/ulid")
	if isCode(file) {
		f.kind, f.text = unseen, "was not looked at: name its package, or add its -tags"
		names = regexp.MustCompile(`"(` + oklogPath + "(/v2)?|" + ulidPath + `)"`)
	}
	for line := range bytes.Lines(content) {
		f.Line++
		if at := names.FindIndex(line); at != nil {
			f.Column = at[0] + 1
			p.findings = append(p.findings, f)
		}
	}
	return nil
}

// isCode reports whether a file has code of the module, unless a build tag leaves it out.
func isCode(file string) bool {
	return filepath.Ext(file) == ".go" && !slices.Contains(strings.Split(filepath.ToSlash(file), "/"), "testdata")
}

// write changes the modules, unless that could cost the user something.
func (p *program) write() error {
	for dir := range p.modules {
		status := exec.Command("git", "status", "--porcelain")
		status.Dir = dir
		if out, err := status.Output(); (err != nil || len(out) > 0) && !*force {
			return fmt.Errorf("in %s Git could not undo a change: commit what is there, or add -f\n%s", dir, out)
		}
	}
	for dir := range p.modules {
		if err := p.writeModule(dir); err != nil {
			return err
		}
	}
	return nil
}

// writeModule changes the imports in every file of a module, and wraps arguments. Without -f it
// refuses to if an argument would then be stored as text, or if a file was not looked at.
func (p *program) writeModule(dir string) error {
	changes := map[string][]byte{}
	for _, file := range p.modules[dir] {
		if !isCode(file) {
			continue
		}
		content, code, err := p.rewrite(file)
		if err != nil {
			return err
		}
		if !bytes.Equal(code, content) {
			changes[file] = code
		}
	}
	fmt.Printf("files to change in %s: %d\n", dir, len(changes))
	if len(changes) == 0 {
		return nil
	}
	for _, f := range p.findings {
		switch {
		case *force:
		case f.kind == unseen:
			return fmt.Errorf("%v, or -f to change only its import", f)
		case f.kind != other && !*asBinary && !*asUUID:
			return fmt.Errorf("%v\nmay write text where it wrote bytes: add -bytes or -uuid, or -f if no line of the list does", f)
		}
	}
	if mod, err := os.ReadFile(filepath.Join(dir, "go.mod")); err != nil || !bytes.Contains(mod, []byte(ulidPath+" v")) {
		if err := runGo(dir, "get", ulidPath); err != nil { // first, because it needs the network
			return err
		}
	}
	for file, code := range changes {
		if err := os.WriteFile(file, code, 0o666); err != nil { // which keeps the mode of a file
			return err
		}
	}
	err := runGo(dir, "mod", "tidy")
	if _, none := os.Stat(filepath.Join(dir, "vendor", "modules.txt")); err == nil && none == nil {
		err = runGo(dir, "mod", "vendor")
	}
	return err
}

// runGo runs the go command, after it has said so.
func runGo(dir string, args ...string) error {
	fmt.Fprintln(os.Stderr, "go", strings.Join(args, " "))
	command := exec.Command("go", args...)
	command.Dir, command.Stdout, command.Stderr = dir, os.Stderr, os.Stderr
	return command.Run()
}

// rewrite returns a file, and its code with the other import and with arguments wrapped.
func (p *program) rewrite(name string) (content, code []byte, err error) {
	if content, err = os.ReadFile(name); err != nil {
		return nil, nil, err
	}
	insertions := map[int]string{} // by offset
	missing, wrap := false, ".AsBinary"
	if *asUUID {
		wrap = ".AsUUID"
	}
	for _, a := range p.findings {
		if a.Filename == name && a.end > 0 && (*asBinary || *asUUID) {
			conversion := cmp.Or(a.name, "ulid") + wrap
			if a.pointer {
				conversion = "(*" + conversion + ")"
			}
			insertions[a.Offset], insertions[a.end] = conversion+"(", ")"
			missing = missing || a.name == ""
		}
	}
	code = slices.Clone(content)
	for _, at := range slices.Backward(slices.Sorted(maps.Keys(insertions))) { // so that offsets stay right
		code = slices.Insert(code, at, []byte(insertions[at])...)
	}
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "", code, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return content, content, nil // a template, or what a test of a parser reads: go vet knows
	}
	changed := len(insertions) > 0
	for _, path := range []string{oklogPath, oklogPath + "/v2"} {
		changed = astutil.RewriteImport(fset, file, path, ulidPath) || changed
	}
	if missing {
		astutil.AddImport(fset, file, ulidPath)
	}
	if !changed {
		return content, content, nil
	}
	var out bytes.Buffer
	err = format.Node(&out, fset, file)
	return content, out.Bytes(), err
}
