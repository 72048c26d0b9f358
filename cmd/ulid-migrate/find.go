package main

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"reflect"
	"regexp"
	"slices"
	"strings"

	oklog "github.com/oklog/ulid/v2"
	"github.com/seed-961d0905/ulid"
	"golang.org/x/tools/go/ast/inspector"
	"golang.org/x/tools/go/packages"
	"golang.org/x/tools/go/types/typeutil"
)

const oklogPath, ulidPath = "github.com/oklog/ulid", "github.com/seed-961d0905/ulid"

const ( // kinds
	other      = iota
	argument   // of a SQL function outside the module
	conversion // to an interface, anywhere else
	field      // of a struct that is stored
	unseen     // a Go file
)

// A finding is a place that the change of the library concerns.
type finding struct {
	token.Position
	kind    int
	text    string
	end     int    // the offset of the end of an argument that -bytes can wrap, otherwise 0
	name    string // what its file calls the package, or nothing if the file does not import it
	pointer bool   // whether it is one
}

// Packages whose functions take IDs as arguments, which -bytes wraps, and packages that store the
// structs that they get.
var (
	takesIDs = []string{"database/sql", "github.com/jmoiron/sqlx", "github.com/jackc/pgx", "gorm.io/gorm", "github.com/jinzhu/gorm",
		"github.com/uptrace/bun", "github.com/doug-martin/goqu", "github.com/Masterminds/squirrel",
		"github.com/DATA-DOG/go-sqlmock", "github.com/pashagolub/pgxmock"}
	takesStructs = []string{"github.com/jmoiron/sqlx", "gorm.io/gorm", "gorm.io/gen", "github.com/jinzhu/gorm", "github.com/uptrace/bun",
		"github.com/doug-martin/goqu", "github.com/go-pg/pg", "xorm.io", "github.com/go-gorp/gorp", "github.com/upper/db",
		"github.com/huandu/go-sqlbuilder", "github.com/georgysavva/scany", "github.com/go-jet/jet", "github.com/gocraft/dbr"}
)

// quiet packages print, encode, compare or hold what they get, so that it reaches no database.
var quiet = []string{"fmt", "log", "testing", "errors", "context", "sync", "sort", "reflect", "container", "encoding",
	"text/template", "html/template", "expvar", "github.com/pkg/errors", "golang.org/x/xerrors", "google.golang.org/grpc",
	"google.golang.org/protobuf", "github.com/stretchr/testify", "go.uber.org/mock", "github.com/golang/mock", "github.com/google/go-cmp",
	"github.com/onsi/gomega", "golang.org/x/exp/slog", "go.uber.org/zap", "github.com/rs/zerolog", "github.com/sirupsen/logrus",
	"github.com/go-kit/log", "github.com/go-logr/logr", "github.com/hashicorp/go-hclog", "k8s.io/klog", "go.opentelemetry.io/otel",
	"go.mongodb.org/mongo-driver", "gopkg.in/yaml.v2", "gopkg.in/yaml.v3", "github.com/goccy", "github.com/vmihailenco/msgpack",
	"github.com/fxamacker/cbor", "github.com/gin-gonic/gin", "github.com/labstack/echo", "github.com/gofiber/fiber",
	"github.com/go-chi/render", "github.com/redis/go-redis", "github.com/go-redis/redis"}

// in reports whether a package is one of the list or below one of it.
func in(pkg *types.Package, list []string) bool {
	return pkg != nil && slices.ContainsFunc(list, func(path string) bool {
		return pkg.Path() == path || strings.HasPrefix(pkg.Path(), path+"/")
	})
}

func isOklog(pkg *types.Package) bool { return in(pkg, []string{oklogPath}) }
func isULID(pkg *types.Package) bool  { return isOklog(pkg) || pkg != nil && pkg.Path() == ulidPath }

// A finder looks through packages, one after the other.
type finder struct {
	files    map[string]bool // of all packages
	pkg      *packages.Package
	stack    []ast.Node          // the nodes around the one that is looked at
	structs  map[types.Type]bool // that were listed as stored
	findings []finding
	imports  bool // something imports oklog/ulid
	orm      bool // something imports one of takesStructs
}

// find returns what the packages have in the files, and whether they import oklog/ulid.
func find(pkgs []*packages.Package, files map[string]bool) ([]finding, bool) {
	f := &finder{files: files, structs: map[types.Type]bool{}}
	for _, pkg := range pkgs {
		for _, imported := range pkg.Types.Imports() {
			f.imports, f.orm = f.imports || isOklog(imported), f.orm || in(imported, takesStructs)
		}
	}
	for _, f.pkg = range pkgs {
		inspector.New(f.pkg.Syntax).WithStack(nil, func(n ast.Node, push bool, stack []ast.Node) bool {
			if push {
				f.stack = stack
				f.node(n)
			}
			return push
		})
	}
	return f.findings, f.imports
}

// position returns where something stands. The code of a file that imports "C" is in another file,
// whose line directives name it.
func (f *finder) position(pos token.Pos) token.Position {
	if p := f.pkg.Fset.PositionFor(pos, false); f.files[p.Filename] {
		return p
	}
	return f.pkg.Fset.Position(pos)
}

func (f *finder) own(pos token.Pos) bool { return f.files[f.position(pos).Filename] }

func (f *finder) add(kind int, pos token.Pos, format string, args ...any) *finding {
	f.findings = append(f.findings, finding{Position: f.position(pos), kind: kind, text: fmt.Sprintf(format, args...)})
	return &f.findings[len(f.findings)-1]
}

func (f *finder) typeOf(e ast.Expr) types.Type { return f.pkg.TypesInfo.TypeOf(e) }

func (f *finder) typeString(t types.Type) string {
	return strings.ReplaceAll(types.TypeString(t, (*types.Package).Name), "interface{}", "any")
}

// node looks at one node. Those that can convert to an interface are the assignments of Go's
// specification, except in a range clause: calls, literals, declarations, returns, sends and so on.
func (f *finder) node(n ast.Node) {
	switch n := n.(type) {
	case *ast.CallExpr:
		f.call(n)
	case *ast.CompositeLit:
		f.literal(n)
	case *ast.AssignStmt:
		if n.Tok == token.ASSIGN {
			f.each(n.Rhs, func(i int, e ast.Expr, t types.Type) { f.convert(e, t, f.typeOf(n.Lhs[i]), "an assignment") })
		}
	case *ast.ValueSpec:
		f.each(n.Values, func(i int, e ast.Expr, t types.Type) { f.convert(e, t, f.typeOf(n.Type), "a declaration") })
	case *ast.ReturnStmt:
		results := f.results()
		f.each(n.Results, func(i int, e ast.Expr, t types.Type) { f.convert(e, t, results.At(i).Type(), "a return") })
	case *ast.SendStmt:
		if channel, ok := f.typeOf(n.Chan).Underlying().(*types.Chan); ok {
			f.convert(n.Value, f.typeOf(n.Value), channel.Elem(), "a send")
		}
	case *ast.StructType:
		f.structType(n)
	case *ast.TypeAssertExpr:
		f.asserted(n.Type)
	case *ast.CaseClause:
		for _, e := range n.List {
			f.asserted(e)
		}
	case *ast.Ident:
		f.ident(n)
	case *ast.BasicLit:
		if value := f.pkg.TypesInfo.Types[n].Value; value != nil && value.Kind() == constant.String {
			f.text(n.Pos(), constant.StringVal(value), false)
		}
	}
}

// --- conversions

// each calls do for expressions with their types, or for the results of the one call that they are.
func (f *finder) each(list []ast.Expr, do func(i int, e ast.Expr, t types.Type)) {
	for i, e := range list {
		if tuple, ok := f.typeOf(e).(*types.Tuple); ok {
			for i := range tuple.Len() {
				do(i, e, tuple.At(i).Type())
			}
		} else {
			do(i, e, f.typeOf(e))
		}
	}
}

// convert looks at the conversion of an expression of type t to the type target.
func (f *finder) convert(e ast.Expr, t, target types.Type, what string) {
	if !isInterface(target) {
		return
	}
	if f.orm && target.Underlying().(*types.Interface).Empty() { // it may reach the ORM from there
		f.stored(t)
	}
	if named, ok := types.Unalias(target).(*types.Named); isID(t) && (!ok || !in(named.Obj().Pkg(), quiet)) { // not a fmt.Stringer
		f.add(conversion, e.Pos(), "%s becomes %s in %s", f.describe(e, t), f.typeString(target), what)
	}
}

func isInterface(t types.Type) bool {
	_, parameter := types.Unalias(t).(*types.TypeParam)
	return t != nil && !parameter && types.IsInterface(t) // nil is of the blank identifier
}

// describe returns an expression, with its type unless that is ULID.
func (f *finder) describe(e ast.Expr, t types.Type) string {
	s := types.ExprString(e)
	if !isPlain(t) {
		s += " (" + f.typeString(t) + ")"
	}
	return s
}

// isID reports whether a value of the type is stored as a ULID, by a Value that is ULID's, or holds
// such values. The types that it is part of were seen before.
func isID(t types.Type, seen ...types.Type) bool {
	if slices.Contains(seen, t) {
		return false
	}
	seen = append(seen, t)
	method := value(t)
	if method != nil { // perhaps inherited, or of a generic type that passes on what it holds, such as sql.Null
		t = method.Signature().Recv().Type()
	}
	var parts []types.Type
	if named, ok := types.Unalias(t).(*types.Named); ok {
		parts = slices.Collect(named.TypeArgs().Types())
	}
	if holder, ok := t.Underlying().(interface{ Elem() types.Type }); ok && method == nil { // a pointer, slice, array or map
		parts = append(parts, holder.Elem())
	}
	return isPlain(t) || slices.ContainsFunc(parts, func(part types.Type) bool { return isID(part, seen...) })
}

func isPlain(t types.Type) bool {
	named, ok := types.Unalias(t).(*types.Named)
	return ok && named.Obj().Name() == "ULID" && isULID(named.Obj().Pkg())
}

// value returns the method Value that a type has or inherits.
func value(t types.Type) *types.Func {
	method, _, _ := types.LookupFieldOrMethod(t, true, nil, "Value")
	if method, ok := method.(*types.Func); ok && !types.IsInterface(t) {
		return method
	}
	return nil
}

func (f *finder) call(n *ast.CallExpr) {
	if f.pkg.TypesInfo.Types[n.Fun].IsType() {
		f.convert(n.Args[0], f.typeOf(n.Args[0]), f.typeOf(n.Fun), "a conversion")
		return
	}
	signature, ok := f.typeOf(n.Fun).Underlying().(*types.Signature)
	if !ok {
		return // a built-in function without one
	}
	name, pkg, scans, stores := types.ExprString(n.Fun), (*types.Package)(nil), false, false
	if callee := typeutil.Callee(f.pkg.TypesInfo, n); callee != nil {
		if isULID(callee.Pkg()) {
			f.known(n, callee)
		}
		if pkg = callee.Pkg(); in(pkg, quiet) || callee.Name() == "panic" {
			return
		}
		scans, stores = strings.HasPrefix(callee.Name(), "Scan") || callee.Name() == "StructScan", f.stores(callee)
		if function, ok := callee.(*types.Func); ok && pkg != nil { // not the Error of an error
			if name = pkg.Name(); function.Signature().Recv() != nil {
				name = "(" + f.typeString(function.Signature().Recv().Type()) + ")"
			}
			name += "." + function.Name()
		}
	}
	last := signature.Params().Len() - 1
	f.each(n.Args, func(i int, e ast.Expr, t types.Type) {
		param := signature.Params().At(min(i, last))
		target := param.Type()
		if slice, ok := target.(*types.Slice); ok && signature.Variadic() && i >= last && !n.Ellipsis.IsValid() {
			target = slice.Elem()
		}
		if stores && !scans && isInterface(target) {
			f.stored(t)
		}
		switch _, pointer := t.Underlying().(*types.Pointer); {
		case pointer && (scans || slices.Contains([]string{"dest", "dst", "dests"}, param.Name())): // it is written to
		case !in(pkg, takesIDs) || !isInterface(target) || !isID(t):
			f.convert(e, t, target, "a call of "+name)
		default:
			f.wrap(f.add(argument, e.Pos(), "argument %s of %s", f.describe(e, t), name), e, t)
		}
	})
}

func (f *finder) literal(n *ast.CompositeLit) {
	t := f.typeOf(n)
	if pointer, ok := t.Underlying().(*types.Pointer); ok { // the &T that a []*T may leave out
		t = pointer.Elem()
	}
	if named, ok := types.Unalias(t).(*types.Named); ok && in(named.Obj().Pkg(), quiet) {
		return
	}
	for i, e := range n.Elts {
		var target types.Type
		if pair, ok := e.(*ast.KeyValueExpr); ok {
			e, target = pair.Value, f.typeOf(pair.Key) // which is right for a field
		}
		switch u := t.Underlying().(type) {
		case *types.Struct:
			if target == nil {
				target = u.Field(i).Type()
			}
		case interface{ Elem() types.Type }:
			target = u.Elem()
		}
		f.convert(e, f.typeOf(e), target, "a literal of "+f.typeString(t))
	}
}

// results returns the results of the function around a return.
func (f *finder) results() *types.Tuple {
	for _, n := range slices.Backward(f.stack) {
		switch n := n.(type) {
		case *ast.FuncDecl:
			return f.pkg.TypesInfo.Defs[n.Name].(*types.Func).Signature().Results()
		case *ast.FuncLit:
			return f.typeOf(n).(*types.Signature).Results()
		}
	}
	return nil
}

// wrap says where an argument ends, unless -bytes must leave it: it is not a plain ULID or a pointer
// to one, the file is generated, or something else has the name of the package there.
func (f *finder) wrap(found *finding, e ast.Expr, t types.Type) {
	file, end := f.stack[0].(*ast.File), f.pkg.Fset.PositionFor(e.End(), false)
	if pointer, ok := types.Unalias(t).(*types.Pointer); ok {
		t, found.pointer = pointer.Elem(), true
	}
	if _, several := f.typeOf(e).(*types.Tuple); several || !isPlain(t) || ast.IsGenerated(file) || !f.files[end.Filename] {
		return
	}
	for _, spec := range file.Imports {
		if p := f.pkg.TypesInfo.PkgNameOf(spec); p != nil && isULID(p.Imported()) && p.Name() != "." && p.Name() != "_" {
			found.name = p.Name()
		}
	}
	_, object := f.pkg.Types.Scope().Innermost(e.Pos()).LookupParent(cmp.Or(found.name, "ulid"), e.Pos())
	if _, ok := object.(*types.PkgName); ok == (found.name != "") && (ok || object == nil) {
		found.end = end.Offset
	}
}

// --- structs that are stored

// stores reports whether a function or a generic type stores the structs that it gets. One of the
// program may pass them on.
func (f *finder) stores(object types.Object) bool {
	return in(object.Pkg(), takesStructs) || f.orm && f.own(object.Pos())
}

// stored lists the fields with IDs of a struct, or of what a pointer, slice or map has, and of the
// structs in it.
func (f *finder) stored(t types.Type) {
	if value(t) != nil || f.structs[t] {
		return // it is stored by its own Value
	}
	f.structs[t] = true
	switch u := t.Underlying().(type) {
	case interface{ Elem() types.Type }:
		f.stored(u.Elem())
	case *types.Struct:
		for v := range u.Fields() {
			if !f.own(v.Pos()) {
				continue
			}
			if isID(v.Type()) {
				f.add(field, v.Pos(), "field %s %s of %s", v.Name(), f.typeString(v.Type()), f.typeString(t))
			} else {
				f.stored(v.Type())
			}
		}
	}
}

// structType looks at the tags of a struct, for ORMs and for encoders.
func (f *finder) structType(n *ast.StructType) {
	t := f.typeOf(n)
	s := t.(*types.Struct)
	if spec, ok := f.stack[len(f.stack)-2].(*ast.TypeSpec); ok {
		t = f.pkg.TypesInfo.Defs[spec.Name].Type() // which has a name
	}
	for i := range s.NumFields() {
		v, tag := s.Field(i), reflect.StructTag(s.Tag(i))
		model := v.Embedded() && slices.Contains([]string{"gorm.Model", "bun.BaseModel"}, f.typeString(v.Type()))
		for _, name := range []string{"gorm", "bun", "db", "pg", "xorm", "orm", "sql"} {
			if _, ok := tag.Lookup(name); ok || model {
				f.stored(t)
			}
		}
		for _, name := range []string{"bson", "msgpack", "yaml"} {
			isZero, _, _ := types.LookupFieldOrMethod(v.Type(), true, nil, "IsZero") // oklog has it from v2.1.1 on
			if strings.Contains(tag.Get(name), ",omitempty") && isID(v.Type()) && isZero == nil {
				f.add(other, v.Pos(), "%s will leave out field %s if it is zero, because it asks IsZero", name, v.Name())
			}
		}
	}
}

// --- what else differs

// known looks at a call of a function of either library.
func (f *finder) known(n *ast.CallExpr, callee types.Object) {
	switch callee.Name() {
	case "Parse", "ParseStrict", "MustParse", "MustParseStrict":
		if value := f.pkg.TypesInfo.Types[n.Args[0]].Value; value != nil {
			f.text(n.Args[0].Pos(), constant.StringVal(value), true)
		}
	case "Monotonic":
		inc, reader := f.pkg.TypesInfo.Types[n.Args[len(n.Args)-1]].Value, types.ExprString(n.Args[0])
		if (inc == nil || inc.ExactString() != "1") && reader != "rand.Reader" {
			f.add(other, n.Pos(), "if %s is seeded, IDs after the first of a millisecond differ from those of oklog/ulid, unless inc is 1", reader)
		}
	}
}

// loose matches what looks like a ULID, but may have letters that are not digits.
var loose = regexp.MustCompile(`^[0-7]([0-9A-Z]{25}|[0-9a-z]{25})$`)

// text looks at a constant, which may be one that is parsed.
func (f *finder) text(pos token.Pos, s string, parsed bool) {
	_, err := ulid.Parse(s)
	if id, theirs := oklog.Parse(s); err != nil && theirs == nil && (parsed || loose.MatchString(s)) {
		f.add(other, pos, "constant %q is not a ULID: write %q, which has the bytes that oklog/ulid reads", s, id)
	}
}

// asserted looks at the type of an assertion or of a case.
func (f *finder) asserted(e ast.Expr) {
	if t := f.pkg.TypesInfo.Types[e]; t.IsType() && isID(t.Type) { // and not a value that is compared
		f.add(other, e.Pos(), "%s does not match a ulid.AsBinary or a ulid.AsUUID", f.typeString(t.Type))
	}
}

// ident looks at the use of a name.
func (f *finder) ident(n *ast.Ident) {
	object := f.pkg.TypesInfo.Uses[n]
	if object == nil {
		return
	}
	for t := range f.pkg.TypesInfo.Instances[n].TypeArgs.Types() {
		if f.stores(object) {
			f.stored(t)
		}
		if isID(t) && (f.own(object.Pos()) || strings.HasSuffix(object.Type().String(), "any") || in(object.Pkg(), []string{"entgo.io/ent"})) {
			f.add(conversion, n.Pos(), "%s may become any in the generic code of %s.%s", f.typeString(t), object.Pkg().Name(), n.Name)
		}
	}
	declared := object // of a generic type, what is declared and not what is used here
	method, _ := object.(*types.Func)
	if v, ok := object.(*types.Var); ok {
		declared = v.Origin()
	} else if method != nil {
		declared = method.Origin()
	}
	switch {
	case !isULID(object.Pkg()):
		if object.Pos().IsValid() && !f.own(object.Pos()) && strings.Contains(types.TypeString(declared.Type(), nil), oklogPath) {
			f.add(other, n.Pos(), "%s of %s has oklog's type: convert with [16]byte(id), or read oklog/README.md", n.Name, object.Pkg().Path())
		}
	case n.Name == "Value" && method != nil && isPlain(method.Signature().Recv().Type()):
		f.add(conversion, n.Pos(), "Value returns text here, and bytes in oklog/ulid")
	case n.Name == "MustNewDefault" || n.Name == "DefaultEntropy":
		f.add(other, n.Pos(), "%s and Make are two sources, whose IDs have no common order: use only Make", n.Name)
	case n.Name == "ErrInvalidCharacters" || n.Name == "ErrScanValue":
		call, ok := f.stack[max(len(f.stack)-3, 0)].(*ast.CallExpr)
		if !ok || !strings.HasSuffix(strings.TrimSuffix(types.ExprString(call.Fun), "f"), "Is") { // errors.Is, require.ErrorIsf
			f.add(other, n.Pos(), "errors wrap ulid.%s: compare them by errors.Is", n.Name)
		}
	}
}
