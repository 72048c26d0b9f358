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
	pkgs    []*packages.Package
	files   map[string]bool // of all packages
	modules map[string]string
	ulids   []types.Type    // the types ULID that the program links
	senders map[string]bool // packages of modules in no list that send statements
	flow    flow
	isSQL   bool // whether something could ask for a Value
	hasORM  bool // whether something imports one of takesStructs

	pkg   *packages.Package // that is looked at
	stack []ast.Node        // the nodes around the one that is looked at

	parses    bool      // whether the package parses texts that are no constants
	constants []finding // that matter then

	structs  map[types.Type]bool // that were listed as stored
	tagged   []types.Type        // structs that may be stored
	isRead   map[string]bool     // the types that rows are read to
	checked  map[place]bool      // the lines that somebody has looked at
	findings []finding
	forms    []form

	generated map[string]bool // files
}

// find looks through the packages, of which files has all.
func find(pkgs []*packages.Package, files map[string]bool) *finder {
	f := &finder{
		pkgs:    pkgs,
		files:   files,
		ulids:   ulidTypes(pkgs),
		senders: senders(pkgs),
		flow:    flowOf(pkgs),
		isSQL:   linkValue(pkgs),
		hasORM:  importsAny(pkgs, func(pkg *types.Package) bool { return in(pkg, takesStructs) }),
		structs: map[types.Type]bool{},
		checked: map[place]bool{},
		isRead:  map[string]bool{},
		modules: modulePaths(pkgs),

		generated: map[string]bool{},
	}
	for _, pkg := range pkgs {
		f.look(pkg)
	}
	f.tagsLeft()
	f.findings = slices.DeleteFunc(f.findings, func(found finding) bool { return f.checked[placeOf(found.Position)] })
	return f
}

// checkedMark takes the line where it stands off the list, unless somebody generates the file.
const checkedMark = "ulid:checked"

// A place is a line of a file.
type place struct {
	file string
	line int
}

func placeOf(p token.Position) place { return place{p.Filename, p.Line} }

// marks remembers the lines of a file that have the mark, or that somebody generates the file.
func (f *finder) marks(file *ast.File) {
	if ast.IsGenerated(file) {
		f.generated[f.position(file.Pos()).Filename] = true
		return
	}
	for _, group := range file.Comments {
		for _, comment := range group.List {
			if strings.HasPrefix(comment.Text, "//"+checkedMark) {
				f.checked[placeOf(f.position(comment.Pos()))] = true
			}
		}
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
	for _, file := range pkg.Syntax {
		f.marks(file)
	}
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

// position returns where something stands. The code of a file that imports "C" is in another file,
// whose line directives name it.
func (f *finder) position(pos token.Pos) token.Position {
	p := f.pkg.Fset.PositionFor(pos, false)
	if f.files[p.Filename] {
		return p
	}
	return f.pkg.Fset.Position(pos)
}

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
