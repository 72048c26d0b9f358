package main

import (
	"go/ast"
	"go/token"
	"go/types"
	"regexp"
	"strings"

	oklog "github.com/oklog/ulid/v2"
	"github.com/seed-961d0905/ulid"
)

// What differs between the two libraries, except how an ID is stored.

// libraryCall looks at a call of a function of either library.
func (f *finder) libraryCall(n *ast.CallExpr, function string, isOfOklog bool) {
	switch function {
	case "UnmarshalText", "Scan":
		f.parses = true
		if isOfOklog {
			f.parsed(n, function)
		}
	case "Parse", "ParseStrict", "MustParse", "MustParseStrict":
		if s, ok := f.constant(n.Args[0]); ok {
			f.constantID(n.Args[0].Pos(), s, true) // listed unless both libraries read it alike
			return
		}
		f.parses = true
		if isOfOklog && function == "Parse" {
			f.parsed(n, function)
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

// constantID looks at a constant string that only oklog/ulid reads. It is listed if the program parses it,
// or if it looks like a ULID in a package that parses what is no constant.
func (f *finder) constantID(pos token.Pos, s string, isParsed bool) {
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
		f.add(assertion, e.Pos(), "%s does not match a ulid.AsBinary or a ulid.AsUUID", f.typeString(t.Type))
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
	case "AsBinary", "AsUUID":
		f.wraps = true
	case "Value":
		method, ok := object.(*types.Func)
		if ok && isPlain(method.Signature().Recv().Type()) {
			f.add(conversion, n.Pos(), "Value returns a string here, and bytes in oklog/ulid")
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
