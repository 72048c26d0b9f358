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

	parses    bool      // whether the package parses strings that are no constants
	constants []finding // that matter then

	structs map[types.Type]bool // that were listed as stored
	tagged  []types.Type        // structs that may be stored
	isRead  typeSet             // what rows are read to
	given   typeSet             // what becomes an interface, so that reflection may read it

	findings []finding
	forms    []form
	wraps    bool // whether the program names AsBinary or AsUUID
}

// find looks through the packages, whose files are given. It does so twice, because whether a field is
// read by reflection is known only at the end.
func find(pkgs []*packages.Package, files map[string]bool) *finder {
	first := newFinder(know(pkgs, files))
	first.lookAll()
	second := newFinder(first.known)
	second.reflected = first.given
	second.flow.isQuiet = assuming(true)
	second.lookAll()
	second.tagsLeft()
	second.findings = slices.DeleteFunc(second.findings, second.isChecked)
	return second
}

func newFinder(k known) *finder {
	return &finder{known: k, structs: map[types.Type]bool{}, isRead: typeSet{}, given: typeSet{}}
}

func (f *finder) lookAll() {
	for _, pkg := range f.pkgs {
		f.look(pkg)
	}
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

// node looks at one node. A value becomes an interface wherever it has to be assignable to one
// (https://go.dev/ref/spec#Assignability): in calls, literals, declarations, range clauses, returns,
// sends and so on.
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
		if s, ok := f.constant(n); ok {
			f.constantID(n.Pos(), s, false)
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

func (f *finder) position(pos token.Pos) token.Position { return f.known.position(f.pkg, pos) }

// own reports whether something stands in the files that are looked at, and not in a dependency.
func (f *finder) own(pos token.Pos) bool { return f.files[f.position(pos).Filename] }

func (f *finder) typeOf(e ast.Expr) types.Type { return f.pkg.TypesInfo.TypeOf(e) }

func (f *finder) typeString(t types.Type) string {
	return strings.ReplaceAll(types.TypeString(t, (*types.Package).Name), "interface{}", "any")
}

// constant returns the string of an expression that is a constant one.
func (f *finder) constant(e ast.Expr) (s string, ok bool) {
	value := f.pkg.TypesInfo.Types[e].Value
	if value == nil || value.Kind() != constant.String {
		return "", false
	}
	return constant.StringVal(value), true
}
