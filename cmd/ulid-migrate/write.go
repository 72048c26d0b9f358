package main

import (
	"bytes"
	"cmp"
	"fmt"
	"go/format"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/ast/astutil"
)

// mayWrite returns an error where writing could cost the user something.
func (o options) mayWrite(p *program) error {
	if o.force {
		return nil
	}
	for _, dir := range p.modules {
		status := exec.Command("git", "status", "--porcelain")
		status.Dir = dir
		switch out, err := status.Output(); {
		case err != nil:
			return fmt.Errorf("%s is not in a Git repository, so nothing could be undone: commit it, or add -f", dir)
		case len(out) > 0:
			return fmt.Errorf("%s has changes that are not committed, so -write could not be undone: commit them, or add -f", dir)
		}
	}
	for _, f := range p.findings {
		if p.imports && o.wrap == "" && f.kind == argument {
			return fmt.Errorf("%v would write text where it wrote bytes: add -bytes, or -uuid, or -f if the column is text", f)
		}
	}
	return nil
}

// walk calls visit for each file of a module, and for the go.mod of each module in it. It leaves out
// what Git and package managers keep.
func walk(dir string, visit func(file string) error) error {
	return filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.Type().IsRegular():
			return visit(path)
		case !d.IsDir() || path == dir:
			return nil
		case slices.Contains([]string{".git", "vendor", "node_modules"}, d.Name()):
			return fs.SkipDir
		}
		mod := filepath.Join(path, "go.mod")
		if _, err := os.Stat(mod); err == nil {
			return cmp.Or(visit(mod), fs.SkipDir)
		}
		return nil
	})
}

// otherFiles returns the lines of a module that name oklog/ulid in files that were not seen: sqlc's
// overrides, the go.mod of other modules, Go files with other build tags.
func otherFiles(dir string, seen map[string]bool) (list []finding, err error) {
	err = walk(dir, func(file string) error {
		if seen[file] || strings.HasSuffix(file, ".sum") || file == filepath.Join(dir, "go.mod") {
			return nil
		}
		content, err := os.ReadFile(file)
		if err != nil || bytes.IndexByte(content, 0) >= 0 {
			return err
		}
		f := finding{Position: token.Position{Filename: file}, text: "names oklog/ulid, and was not looked at"}
		for line := range bytes.Lines(content) {
			f.Line++
			if f.Column = bytes.Index(line, []byte("oklog/ulid")) + 1; f.Column > 0 {
				list = append(list, f)
			}
		}
		return nil
	})
	return list, err
}

// write changes the imports in every file of a module, and wraps arguments if wrap names a type. It
// returns how many files it changed.
func (p *program) write(dir, wrap, tags string, w io.Writer) (int, error) {
	arguments := map[string][]finding{}
	for _, f := range p.findings {
		if wrap != "" && f.end > 0 {
			arguments[f.Filename] = append(arguments[f.Filename], f)
		}
	}
	changes, imports := map[string][]byte{}, false
	err := walk(dir, func(file string) error {
		if filepath.Ext(file) != ".go" {
			return nil
		}
		content, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		code, uses, err := rewrite(content, arguments[file], wrap)
		imports = imports || uses
		if !bytes.Equal(code, content) {
			changes[file] = code
		}
		return err
	})
	if err != nil || !imports {
		return 0, err
	}
	mod, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	if err == nil && !bytes.Contains(mod, []byte(ulidPath+" v")) {
		err = goCommand(dir, w, "get", ulidPath) // first, because it needs the network
	}
	if err != nil {
		return 0, err
	}
	for file, code := range changes {
		if err := os.WriteFile(file, code, 0o666); err != nil { // which keeps the mode of a file
			return 0, err
		}
	}
	if err := goCommand(dir, w, "mod", "tidy"); err != nil {
		return 0, err
	}
	if _, err := os.Stat(filepath.Join(dir, "vendor", "modules.txt")); err == nil {
		if err := goCommand(dir, w, "mod", "vendor"); err != nil {
			return 0, err
		}
	}
	return len(changes), goCommand(dir, w, "vet", "-tags="+tags, "./...")
}

// goCommand runs the go command, after it has said so.
func goCommand(dir string, w io.Writer, args ...string) error {
	fmt.Fprintln(w, "go", strings.Join(args, " "))
	command := exec.Command("go", args...)
	command.Dir, command.Stdout, command.Stderr = dir, w, w
	if err := command.Run(); err != nil {
		return fmt.Errorf("go %s in %s: %w", args[0], dir, err)
	}
	return nil
}

// rewrite returns the code of a file afterwards, and whether it then imports this library.
func rewrite(content []byte, arguments []finding, wrap string) (code []byte, imports bool, err error) {
	type insertion struct {
		at   int
		text string
	}
	var insertions []insertion
	missing := false
	for _, a := range arguments {
		missing = missing || a.name == ""
		insertions = append(insertions, insertion{a.Offset, cmp.Or(a.name, "ulid") + "." + wrap + "("}, insertion{a.end, ")"})
	}
	slices.SortFunc(insertions, func(a, b insertion) int { return b.at - a.at }) // from the end, so that offsets stay right
	code = slices.Clone(content)
	for _, i := range insertions {
		code = slices.Insert(code, i.at, []byte(i.text)...)
	}
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "", code, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return content, false, nil // a template, or what a test of a parser reads: go vet knows
	}
	changed := len(arguments) > 0
	for _, path := range []string{oklogPath, oklogPath + "/v2"} {
		changed = astutil.RewriteImport(fset, file, path, ulidPath) || changed
	}
	if missing {
		astutil.AddImport(fset, file, ulidPath)
	}
	for _, spec := range file.Imports {
		imports = imports || spec.Path.Value == strconv.Quote(ulidPath)
	}
	if !changed {
		return content, imports, nil
	}
	var out bytes.Buffer
	err = format.Node(&out, fset, file)
	return out.Bytes(), imports, err
}
