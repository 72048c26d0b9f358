package main

import (
	"go/ast"
	"go/token"
	"go/types"
	"regexp"
	"slices"
	"strings"

	oklog "github.com/oklog/ulid/v2"
	"github.com/seed-961d0905/ulid"
)

// What differs, apart from how an ID is stored.

// libraryCall looks at a call of a function of either library.
func (f *finder) libraryCall(n *ast.CallExpr, function string, isOfOklog bool) {
	switch function {
	case "UnmarshalText", "Scan":
		f.parses = true
	case "Parse", "ParseStrict", "MustParse", "MustParseStrict":
		if text, ok := f.constant(n.Args[0]); ok {
			f.text(n.Args[0].Pos(), text, true)
		} else {
			f.parses = true
		}
		if isOfOklog && function == "Parse" {
			f.parsed(n)
		}
	case "Monotonic":
		f.monotonic(n)
	}
}

// monotonic looks at the arguments of Monotonic, which may be the results of one call.
func (f *finder) monotonic(n *ast.CallExpr) {
	inc := f.pkg.TypesInfo.Types[n.Args[len(n.Args)-1]].Value
	if inc != nil && inc.ExactString() == "1" {
		return
	}
	reader := types.ExprString(n.Args[0])
	if reader == "rand.Reader" { // which nobody can seed
		return
	}
	f.add(other, n.Pos(), "if %s is seeded, IDs after the first of a millisecond differ from those of oklog/ulid, "+
		"unless inc is 1", reader)
}

// loose matches what looks like a ULID, but may have letters that are not digits.
var loose = regexp.MustCompile(`^[0-7]([0-9A-Z]{25}|[0-9a-z]{25})$`)

// text looks at a constant. It is listed if the program parses it, or if it looks like a ULID in a
// package that parses what is no constant.
func (f *finder) text(pos token.Pos, s string, isParsed bool) {
	if !isParsed && !loose.MatchString(s) {
		return
	}
	_, err := ulid.Parse(s)
	id, theirs := oklog.Parse(s)
	if err == nil || theirs != nil {
		return
	}
	found := f.finding(other, pos, "constant %q is not a ULID: write %q, which has the bytes that oklog/ulid reads", s, id)
	if isParsed {
		f.findings = append(f.findings, found)
	} else {
		f.constants = append(f.constants, found)
	}
}

// asserted looks at the type of an assertion or of a case.
func (f *finder) asserted(e ast.Expr) {
	if t := f.pkg.TypesInfo.Types[e]; t.IsType() && isID(t.Type) { // and not a value that is compared
		f.add(other, e.Pos(), "%s does not match a ulid.AsBinary or a ulid.AsUUID", f.typeString(t.Type))
	}
}

// name looks at the use of a name.
func (f *finder) name(n *ast.Ident) {
	object := f.pkg.TypesInfo.Uses[n]
	if object == nil {
		return
	}
	f.typeArguments(n, object)
	if isULID(object.Pkg()) {
		f.libraryName(n, object)
	} else if f.hasOklogType(object) {
		f.add(foreign, n.Pos(), " of types that %s has from oklog/ulid, of which this is the first: "+
			"convert with [16]byte(id), or read oklog/README.md", f.modules[object.Pkg().Path()])
	}
}

// typeArguments looks at the type arguments of a name that is generic.
func (f *finder) typeArguments(n *ast.Ident, object types.Object) {
	for t := range f.pkg.TypesInfo.Instances[n].TypeArgs.Types() {
		f.give(t)
		if f.stores(object) {
			f.stored(t)
		}
		f.givenAway(object.Pkg(), t, n.Pos())
		if _, isParameter := t.(*types.TypeParam); isParameter && f.isSender(object.Pkg()) {
			f.add(conversion, n.Pos(), "%s may be a ULID, or have one, in the generic code of %s.%s",
				f.typeString(t), object.Pkg().Name(), n.Name)
		}
		if isID(t) && f.isSQL && f.mayBecomeAny(object) {
			f.add(conversion, n.Pos(), "%s may become any in the generic code of %s.%s",
				f.typeString(t), object.Pkg().Name(), n.Name)
		}
	}
}

// mayBecomeAny reports whether generic code may make any of its type arguments: code of the program, of
// makesAny, of what sends statements, and a function of another module that takes or returns any.
func (f *finder) mayBecomeAny(object types.Object) bool {
	return f.own(object.Pos()) ||
		in(object.Pkg(), makesAny) ||
		f.isSender(object.Pkg()) ||
		hasAny(object.Type())
}

// hasAny reports whether any is a parameter or a result of a function, or a part of one.
func hasAny(t types.Type) bool {
	switch u := types.Unalias(t).(type) {
	case *types.Interface:
		return u.Empty()
	case container:
		return hasAny(u.Elem())
	case *types.Signature:
		return slices.ContainsFunc(slices.Concat(vars(u.Params()), vars(u.Results())), func(v *types.Var) bool {
			return hasAny(v.Type())
		})
	default:
		return false
	}
}

func vars(t *types.Tuple) []*types.Var { return slices.Collect(t.Variables()) }

// hasOklogType reports whether something of a dependency has a type of oklog/ulid.
func (f *finder) hasOklogType(object types.Object) bool {
	if !object.Pos().IsValid() || f.own(object.Pos()) {
		return false
	}
	t := object.Type()
	switch o := object.(type) { // of a generic type, what is declared and not what is used here
	case *types.Var:
		t = o.Origin().Type()
	case *types.Func:
		t = o.Origin().Type()
	}
	return strings.Contains(types.TypeString(t, nil), oklogPath)
}

// libraryName looks at the use of a name of either library.
func (f *finder) libraryName(n *ast.Ident, object types.Object) {
	switch n.Name {
	case "Value":
		method, ok := object.(*types.Func)
		if ok && isPlain(method.Signature().Recv().Type()) {
			f.add(conversion, n.Pos(), "Value returns text here, and bytes in oklog/ulid")
		}
	case "MustNewDefault", "DefaultEntropy":
		f.add(other, n.Pos(), "%s and Make are two sources, whose IDs have no common order: use only Make", n.Name)
	case "ErrInvalidCharacters", "ErrScanValue":
		if !f.isErrorsIs() {
			f.add(other, n.Pos(), "errors wrap ulid.%s: compare them by errors.Is", n.Name)
		}
	}
}

// isErrorsIs reports whether ulid.Name, where the finder is at the name, is an argument of errors.Is
// or of a function such as require.ErrorIsf.
func (f *finder) isErrorsIs() bool {
	call, ok := f.stack[max(len(f.stack)-3, 0)].(*ast.CallExpr)
	if !ok {
		return false
	}
	function := strings.TrimSuffix(types.ExprString(call.Fun), "f")
	return strings.HasSuffix(function, "Is")
}
