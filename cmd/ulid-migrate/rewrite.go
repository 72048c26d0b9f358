package main

import (
	"bytes"
	"cmp"
	"go/format"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"slices"

	"golang.org/x/tools/go/ast/astutil"
)

// rewrite returns the code of a file with the other import, and with arguments wrapped unless wrapper
// is empty. It returns nil if the file stays as it is.
func (p *program) rewrite(name, wrapper string) ([]byte, error) {
	content, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	var arguments []finding
	if wrapper != "" {
		arguments = p.wrappable(name)
	}
	fset := token.NewFileSet()
	code := wrap(content, arguments, wrapper)
	file, err := parser.ParseFile(fset, "", code, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, nil // a template, or what a test of a parser reads: go vet knows
	}
	isChanged := len(arguments) > 0
	for _, path := range []string{oklogPath, oklogPath + "/v2"} {
		if astutil.RewriteImport(fset, file, path, ulidPath) {
			isChanged = true
		}
	}
	if !isChanged {
		return nil, nil
	}
	if slices.ContainsFunc(arguments, func(a finding) bool { return a.wrapping.packageName == "" }) {
		astutil.AddImport(fset, file, ulidPath)
	}
	var out bytes.Buffer
	err = format.Node(&out, fset, file)
	return out.Bytes(), err
}

// wrappable returns the arguments in a file that can be wrapped.
func (p *program) wrappable(name string) []finding {
	var list []finding
	for _, f := range p.findings {
		if f.Filename == name && f.wrapping.argumentEnd > 0 {
			list = append(list, f)
		}
	}
	return list
}

// wrap returns code with arguments wrapped in a type of the package.
func wrap(code []byte, arguments []finding, wrapper string) []byte {
	insertions := map[int]string{} // by offset
	for _, a := range arguments {
		conversion := cmp.Or(a.wrapping.packageName, "ulid") + "." + wrapper
		if a.wrapping.isPointer {
			conversion = "(*" + conversion + ")"
		}
		insertions[a.Offset] = conversion + "("
		insertions[a.wrapping.argumentEnd] = ")"
	}
	code = slices.Clone(code)
	for _, at := range slices.Backward(slices.Sorted(maps.Keys(insertions))) { // so that offsets stay right
		code = slices.Insert(code, at, []byte(insertions[at])...)
	}
	return code
}
