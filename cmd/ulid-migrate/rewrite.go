package main

import (
	"bytes"
	"cmp"
	"go/format"
	"go/parser"
	"go/token"
	"os"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/tools/go/ast/astutil"
)

// rewrite returns the code of a file with the other import, and with arguments wrapped unless wrapper
// is empty. It returns nil if the file stays as it is.
func (p *program) rewrite(name, wrapper string) ([]byte, error) {
	content, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	var places []wrapping
	if wrapper != "" {
		places = p.wrappable(name)
	}
	fset := token.NewFileSet()
	code := wrap(content, places, wrapper)
	file, err := parser.ParseFile(fset, "", code, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, nil // a template, or what a test of a parser reads: go vet knows
	}
	isChanged := len(places) > 0
	for _, path := range []string{oklogPath, oklogPath + "/v2"} {
		if astutil.RewriteImport(fset, file, path, ulidPath) {
			isChanged = true
		}
	}
	if !isChanged {
		return nil, nil
	}
	if slices.ContainsFunc(places, func(w wrapping) bool { return w.packageName == "" }) {
		astutil.AddImport(fset, file, ulidPath)
	}
	var out bytes.Buffer
	err = format.Node(&out, fset, file)
	return out.Bytes(), err
}

var changedImport = regexp.MustCompile(`"` + oklogPath + `(/v2)?"`)

// addUnformatted lists the files of a module that -write would format too.
func (p *program) addUnformatted(m module) error {
	for _, file := range m.files {
		if !isCode(file) {
			continue
		}
		content, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		if !changedImport.Match(content) {
			continue
		}
		formatted, err := format.Source(content)
		if err != nil || bytes.Equal(content, formatted) {
			continue
		}
		p.findings = append(p.findings, finding{
			Position: token.Position{Filename: file, Line: 1, Column: 1},
			text:     "gofmt would change this file, and -write runs it: format and commit it before, to see only the change",
		})
	}
	return nil
}

// wrappable returns the places in a file that can be wrapped.
func (p *program) wrappable(name string) []wrapping {
	var list []wrapping
	for _, f := range p.findings {
		if f.Filename == name && len(f.wrapping.edits) > 0 {
			list = append(list, f.wrapping)
		}
	}
	return list
}

// wrap returns code with places wrapped in a type of the package.
func wrap(code []byte, places []wrapping, wrapper string) []byte {
	var edits []replacement
	for _, w := range places {
		for _, e := range w.edits {
			e.text = strings.ReplaceAll(e.text, "$", cmp.Or(w.packageName, "ulid")+"."+wrapper)
			edits = append(edits, e)
		}
	}
	fromTheEnd := func(a, b replacement) int { return cmp.Compare(b.start, a.start) } // so that offsets stay right
	slices.SortFunc(edits, fromTheEnd)
	code = slices.Clone(code)
	for _, e := range edits {
		code = slices.Replace(code, e.start, e.end, []byte(e.text)...)
	}
	return code
}
