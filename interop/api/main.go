// Api prints the exported API of the Go package in a folder, one symbol a line, in the manner of Go's own
// api/*.txt. .ci/api compares it with that of the last release:
//
//	go run -C interop ./api ..
//
// A struct's line says whether its values can be compared and whether it has unexported fields. Its fields
// follow in their order. An interface's line has all its methods, because to add one breaks those who implement
// it. Methods that come from an embedded field are printed as well. Names of parameters are not part of an API.
package main

import (
	"fmt"
	"go/ast"
	"go/build"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: api FOLDER")
		os.Exit(2)
	}
	pkg, err := load(os.Args[1])
	if err != nil {
		fmt.Fprintln(os.Stderr, "api:", err)
		os.Exit(1)
	}
	for _, line := range describe(pkg) {
		fmt.Println(line)
	}
}

// load type-checks the package in a folder, without its tests. The package may import the standard library only.
func load(dir string) (*types.Package, error) {
	found, err := build.ImportDir(dir, 0)
	if err != nil {
		return nil, err
	}
	fset := token.NewFileSet()
	var files []*ast.File
	for _, name := range found.GoFiles {
		file, err := parser.ParseFile(fset, filepath.Join(dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		files = append(files, file)
	}
	config := types.Config{Importer: importer.Default()}
	return config.Check(found.Name, fset, files, nil)
}

// describe returns the lines of a package, sorted by the names of what it exports.
func describe(pkg *types.Package) []string {
	p := printer{pkg: pkg}
	for _, name := range pkg.Scope().Names() {
		if token.IsExported(name) {
			p.object(pkg.Scope().Lookup(name))
		}
	}
	return p.lines
}

type printer struct {
	pkg   *types.Package
	lines []string
}

func (p *printer) printf(format string, args ...any) {
	p.lines = append(p.lines, fmt.Sprintf(format, args...))
}

func (p *printer) object(object types.Object) {
	name := object.Name()
	switch o := object.(type) {
	case *types.Const:
		p.printf("const %s %s = %s", name, p.typ(o.Type()), o.Val().ExactString())
	case *types.Var:
		p.printf("var %s %s", name, p.typ(o.Type()))
	case *types.Func:
		p.printf("func %s%s", name, p.signature(o))
	case *types.TypeName:
		if o.IsAlias() {
			p.printf("type %s = %s", name, p.typ(types.Unalias(o.Type())))
			return
		}
		named := o.Type().(*types.Named)
		if named.TypeParams() != nil {
			panic(name + " has type parameters, which this command does not print yet")
		}
		switch t := named.Underlying().(type) {
		case *types.Struct:
			p.structure(name, t)
		case *types.Interface:
			p.printf("type %s interface { %s }", name, p.interfaceMethods(t))
			return
		default:
			p.printf("type %s %s", name, p.typ(t))
		}
		p.methods(named)
	}
}

func (p *printer) structure(name string, t *types.Struct) {
	line := "type " + name + " struct"
	if !types.Comparable(t) {
		line += ", not comparable"
	}
	var fields []string
	unexported := false
	for f := range t.Fields() {
		embedded := ""
		if f.Embedded() {
			embedded = "embedded "
		}
		if f.Exported() {
			fields = append(fields, fmt.Sprintf("field %s.%s %s%s", name, f.Name(), embedded, p.typ(f.Type())))
		} else {
			unexported = true
		}
	}
	if unexported {
		line += ", unexported fields"
	}
	p.lines = append(append(p.lines, line), fields...)
}

// interfaceMethods returns the methods of an interface, embedded ones too.
func (p *printer) interfaceMethods(t *types.Interface) string {
	var methods []string
	for m := range t.Methods() {
		if m.Exported() {
			methods = append(methods, m.Name()+p.signature(m))
		} else {
			methods = append(methods, "unexported methods")
		}
	}
	slices.Sort(methods)
	return strings.Join(slices.Compact(methods), "; ")
}

// methods prints the methods that a value has, as (T).M, and those that only a pointer has, as (*T).M.
func (p *printer) methods(t *types.Named) {
	ofValue := types.NewMethodSet(t)
	for selection := range types.NewMethodSet(types.NewPointer(t)).Methods() {
		method := selection.Obj().(*types.Func)
		if !method.Exported() {
			continue
		}
		receiver := t.Obj().Name()
		if ofValue.Lookup(method.Pkg(), method.Name()) == nil {
			receiver = "*" + receiver
		}
		p.printf("method (%s) %s%s", receiver, method.Name(), p.signature(method))
	}
}

// signature returns the parameters and results of a function, without their names.
func (p *printer) signature(f *types.Func) string {
	s := f.Signature()
	if s.TypeParams() != nil {
		panic(f.Name() + " has type parameters, which this command does not print yet")
	}
	s = types.NewSignatureType(nil, nil, nil, unnamed(s.Params()), unnamed(s.Results()), s.Variadic())
	return strings.TrimPrefix(p.typ(s), "func")
}

func unnamed(tuple *types.Tuple) *types.Tuple {
	var vars []*types.Var
	for v := range tuple.Variables() {
		vars = append(vars, types.NewParam(token.NoPos, nil, "", v.Type()))
	}
	return types.NewTuple(vars...)
}

// typ returns a type as the package itself writes it, with the names of the packages it imports.
func (p *printer) typ(t types.Type) string {
	return types.TypeString(t, func(pkg *types.Package) string {
		if pkg == p.pkg {
			return ""
		}
		return pkg.Path()
	})
}
