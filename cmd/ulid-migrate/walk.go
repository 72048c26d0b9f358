package main

import (
	"bytes"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// notWalked are folders of Git and of package managers.
var notWalked = []string{
	".git",
	"node_modules",
	"vendor",
}

const maxSearched = 1 << 20 // bytes of a file

// walk returns the module in a folder. It lists the lines that name oklog/ulid in files that were not
// seen: sqlc's overrides, the go.mod of other modules, Go files with other build tags.
func (p *program) walk(dir string, seen map[string]bool) (module, error) {
	m := module{dir: dir}
	err := filepath.WalkDir(dir+"/", func(path string, d fs.DirEntry, err error) error { // dir may be a link
		if err != nil {
			return err
		}
		if d.IsDir() {
			return p.enter(path, dir)
		}
		info, err := d.Info()
		if err != nil || !info.Mode().IsRegular() {
			return err
		}
		m.files = append(m.files, path)
		// The go command writes go.mod and sums, and nothing is built from prose such as a CHANGELOG.
		isOwn := path == filepath.Join(dir, "go.mod") || filepath.Ext(path) == ".sum"
		isProse := filepath.Ext(path) == ".md"
		if seen[path] || isOwn || isProse || info.Size() > maxSearched {
			return nil
		}
		return p.search(path, dir)
	})
	return m, err
}

// enter decides whether a folder is of the module in dir. Of another module it searches the go.mod.
func (p *program) enter(folder, dir string) error {
	if slices.Contains(notWalked, filepath.Base(folder)) {
		return fs.SkipDir
	}
	mod := filepath.Join(folder, "go.mod")
	if _, err := os.Stat(mod); err != nil || filepath.Clean(folder) == dir {
		return nil
	}
	if err := p.search(mod, dir); err != nil {
		return err
	}
	return fs.SkipDir
}

var (
	oklogName   = regexp.MustCompile("oklog/ulid")
	oklogImport = regexp.MustCompile(`"(` + oklogPath + "(/v2)?|" + ulidPath + `)"`)
)

// search lists the lines of a file that name oklog/ulid, or that import either library if it has code
// of the module in dir.
func (p *program) search(file, dir string) error {
	content, err := os.ReadFile(file)
	if err != nil || bytes.IndexByte(content, 0) >= 0 { // no text
		return err
	}
	names := oklogName
	f := finding{Position: token.Position{Filename: file}, kind: named, text: "names oklog/ulid, and was not looked at"}
	switch {
	case filepath.Base(file) == "go.mod":
		f.kind, f.text = other, "names oklog/ulid: run go mod tidy and ulid-migrate in its folder too"
	case isCode(file):
		names = oklogImport
		f.kind, f.text = unseen, "was not looked at: "+reach(file, dir)
	}
	for line := range bytes.Lines(content) {
		f.Line++
		if at := names.FindIndex(line); at != nil && !bytes.Contains(line, []byte(checkedMark)) {
			f.Column = at[0] + 1
			p.findings = append(p.findings, f)
		}
	}
	return nil
}

// isCode reports whether a file has code of the module, unless a build tag leaves it out.
func isCode(file string) bool {
	folders := strings.Split(filepath.ToSlash(file), "/")
	return filepath.Ext(file) == ".go" && !slices.Contains(folders, "testdata")
}
