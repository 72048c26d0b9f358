package main

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ast/inspector"
	"golang.org/x/tools/go/packages"
)

// A finder looks through packages, one after the other.
type finder struct {
	known
	pkg   *packages.Package // that is looked at
	stack []ast.Node        // the nodes around the one that is looked at

	parses    bool      // whether the package parses texts that are no constants
	constants []finding // that matter then

	structs  map[types.Type]bool // that were listed as stored
	tagged   []types.Type        // structs that may be stored
	isRead   map[string]bool     // the types that rows are read to
	given    map[string]bool     // the structs that become an interface, and so may be read anywhere
	isSecond bool                // whether all of them are known
	findings []finding
	forms    []form
}

// find looks through the packages, of which files has all. It does so twice, because what becomes of a
// field is known only when everything was seen that becomes of its struct.
func find(pkgs []*packages.Package, files map[string]bool) *finder {
	k := know(pkgs, files)
	first := newFinder(k)
	first.lookAll()
	clear(k.flow.isQuiet)
	f := newFinder(k)
	f.given, f.isSecond = first.given, true
	f.lookAll()
	f.tagsLeft()
	f.findings = slices.DeleteFunc(f.findings, func(found finding) bool { return f.checked[placeOf(found.Position)] })
	return f
}

func newFinder(k known) *finder {
	return &finder{
		known:   k,
		structs: map[types.Type]bool{},
		isRead:  map[string]bool{},
		given:   map[string]bool{},
	}
}

func (f *finder) lookAll() {
	for _, pkg := range f.pkgs {
		f.look(pkg)
	}
}

// importsAny reports whether the packages import one that is asked for.
func importsAny(pkgs []*packages.Package, is func(*types.Package) bool) bool {
	return slices.ContainsFunc(pkgs, func(pkg *packages.Package) bool {
		return slices.ContainsFunc(pkg.Types.Imports(), is)
	})
}

// look looks through one package.
func (f *finder) look(pkg *packages.Package) {
	f.pkg, f.parses, f.constants = pkg, false, nil
	inspector.New(pkg.Syntax).WithStack(nil, func(n ast.Node, push bool, stack []ast.Node) bool {
		if push {
			f.stack = stack
			f.node(n)
		}
		return push
	})
	if f.parses {
		f.findings = append(f.findings, f.constants...)
	}
}

// node looks at one node. Those that can convert to an interface are the assignments of Go's
// specification: calls, literals, declarations, range clauses, returns, sends and so on.
func (f *finder) node(n ast.Node) {
	switch n := n.(type) {
	case *ast.CallExpr:
		f.call(n)
	case *ast.CompositeLit:
		f.literal(n)
	case *ast.AssignStmt:
		f.assignment(n)
	case *ast.ValueSpec:
		f.declaration(n)
	case *ast.RangeStmt:
		f.ranged(n)
	case *ast.ReturnStmt:
		f.returned(n)
	case *ast.SendStmt:
		f.send(n)
	case *ast.StructType:
		f.structType(n)
	case *ast.TypeAssertExpr:
		f.asserted(n.Type)
	case *ast.CaseClause:
		for _, e := range n.List {
			f.asserted(e)
		}
	case *ast.Ident:
		f.name(n)
	case *ast.BasicLit:
		if text, ok := f.constant(n); ok {
			f.text(n.Pos(), text, false)
		}
	}
}

// add lists a finding.
func (f *finder) add(kind kind, pos token.Pos, format string, args ...any) {
	f.findings = append(f.findings, f.finding(kind, pos, format, args...))
}

func (f *finder) finding(kind kind, pos token.Pos, format string, args ...any) finding {
	found := finding{Position: f.position(pos), kind: kind, text: fmt.Sprintf(format, args...)}
	switch {
	case kind == foreign:
		found.group = found.text
	case f.generated[found.Filename]:
		found.group = generatedGroup(found.Filename)
	}
	return found
}

// position returns where something stands.
func (f *finder) position(pos token.Pos) token.Position { return f.known.position(f.pkg, pos) }

// own reports whether something stands in the files that are looked at, and not in a dependency.
func (f *finder) own(pos token.Pos) bool { return f.files[f.position(pos).Filename] }

func (f *finder) typeOf(e ast.Expr) types.Type { return f.pkg.TypesInfo.TypeOf(e) }

func (f *finder) typeString(t types.Type) string {
	return strings.ReplaceAll(types.TypeString(t, (*types.Package).Name), "interface{}", "any")
}

// constant returns the text of an expression, unless it is no constant string.
func (f *finder) constant(e ast.Expr) (text string, ok bool) {
	value := f.pkg.TypesInfo.Types[e].Value
	if value == nil || value.Kind() != constant.String {
		return "", false
	}
	return constant.StringVal(value), true
}
