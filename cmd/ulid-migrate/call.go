package main

import (
	"go/ast"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/types/typeutil"
)

// A callee is what is called, as far as that decides what becomes of its arguments.
type callee struct {
	pkg      *types.Package
	name     string // in a finding
	isQuiet  bool   // nothing that it gets reaches a database
	takesIDs bool   // it takes arguments of statements, which -bytes wraps
	sends    bool   // it sends statements with what it gets
	isSchema bool   // it describes a field of a schema of ent
	isModel  bool   // its first parameter is a struct, and no argument of a statement
	stores   bool   // it may store the structs that it gets
	scans    bool   // it writes to the pointers that it gets
	isRaw    bool   // its statement is written already, so that it makes no conditions of a destination
}

// classify decides what is called: object, or a function value if that is nil.
func (f *finder) classify(fun ast.Expr, object types.Object) callee {
	if object == nil {
		return callee{name: types.ExprString(fun)}
	}
	return callee{
		pkg:      object.Pkg(),
		name:     f.functionName(fun, object),
		isQuiet:  in(object.Pkg(), quiet) || object.Name() == "panic",
		takesIDs: in(object.Pkg(), takesIDs),
		sends:    f.sends(object.Pkg()),
		isSchema: in(object.Pkg(), schemas),
		isModel:  in(object.Pkg(), takesModels),
		stores:   f.stores(object),
		scans:    strings.HasPrefix(object.Name(), "Scan") || object.Name() == "StructScan",
		isRaw:    f.isFindOfRaw(fun, object),
	}
}

// isFindOfRaw reports whether something is the Find of gorm in db.Raw(…).Find.
func (f *finder) isFindOfRaw(fun ast.Expr, object types.Object) bool {
	if object.Name() != "Find" || object.Pkg() == nil || object.Pkg().Path() != "gorm.io/gorm" {
		return false
	}
	find, ok := ast.Unparen(fun).(*ast.SelectorExpr)
	if !ok {
		return false
	}
	raw, ok := find.X.(*ast.CallExpr)
	if !ok {
		return false
	}
	function := typeutil.Callee(f.pkg.TypesInfo, raw)
	return function != nil && function.Name() == "Raw" && function.Pkg() == object.Pkg()
}

// functionName returns the name of a function with its package, or of a method with its type.
func (f *finder) functionName(fun ast.Expr, object types.Object) string {
	function, ok := object.(*types.Func)
	if !ok || function.Pkg() == nil { // a variable, or the Error of an error
		return types.ExprString(fun)
	}
	if receiver := function.Signature().Recv(); receiver != nil {
		return "(" + f.typeString(receiver.Type()) + ")." + function.Name()
	}
	return function.Pkg().Name() + "." + function.Name()
}

func (f *finder) call(n *ast.CallExpr) {
	if f.pkg.TypesInfo.Types[n.Fun].IsType() {
		if !f.isQuietPlace() {
			f.convert(f.operand(n.Args[0]), f.typeOf(n.Fun), "a conversion")
		}
		return
	}
	signature, ok := f.typeOf(n.Fun).Underlying().(*types.Signature)
	if !ok {
		return // a built-in function without one
	}
	object := typeutil.Callee(f.pkg.TypesInfo, n)
	if object != nil && isULID(object.Pkg()) {
		f.libraryCall(n, object.Name(), isOklog(object.Pkg()))
	}
	if function, ok := object.(*types.Func); ok && f.parsers[function.Origin().FullName()] {
		f.parsed(n, f.functionName(n.Fun, object))
	}
	f.noteForms(n, object)
	f.arguments(n, signature, f.classify(n.Fun, object))
}

// arguments looks at what a call passes.
func (f *finder) arguments(n *ast.CallExpr, signature *types.Signature, c callee) {
	if in(c.pkg, keepers) {
		f.each(n.Args, func(_ int, o operand) { f.given.add(o.typ) })
	}
	isAppend := f.isAppend(n)
	if c.isQuiet || isAppend && f.isQuietPlace() {
		return
	}
	isSpread := isAppend && f.isSpread()
	f.each(n.Args, func(i int, o operand) {
		if f.isQuietArgument(n, i) {
			return
		}
		p := parameterOf(signature, i, n.Ellipsis.IsValid())
		switch {
		case isSpread && f.mayBeID(o.typ):
			f.addSpread(o)
		case p.isVariadic && f.mayBeID(o.typ) && f.isSpreadVariable(p.Var):
			f.add(conversion, o.Pos(), "argument %s of %s may be a ULID", f.describe(o), c.name)
		default:
			f.argument(c, o, p)
		}
	})
}

// A parameter is what takes an argument.
type parameter struct {
	*types.Var
	typ        types.Type // what the argument becomes
	isFirst    bool
	isVariadic bool // the argument is one of several for it
}

// parameterOf returns the parameter that takes the ith argument. The last argument may be spread by "...".
func parameterOf(s *types.Signature, i int, isSpread bool) parameter {
	last := s.Params().Len() - 1
	v := s.Params().At(min(i, last))
	if slice, ok := v.Type().(*types.Slice); ok && s.Variadic() && i >= last && !isSpread {
		return parameter{Var: v, typ: slice.Elem(), isVariadic: true}
	}
	return parameter{Var: v, typ: v.Type(), isFirst: i == 0}
}

// isModel reports whether a function of takesModels stores what it gets for a parameter, or writes to it.
// What gorm's Where gets first is called query, and may be an ID.
func (p parameter) isModel() bool { return p.isFirst && p.Name() != "query" }

// mayWrite reports whether a function writes to what it gets for a parameter.
func (c callee) mayWrite(p parameter) bool { return c.scans || slices.Contains(destinations, p.Name()) }

// argument looks at what a call passes for a parameter.
func (f *finder) argument(c callee, o operand, p parameter) {
	mayBeWritten := c.mayWrite(p)
	isOnlyWritten := c.scans || mayBeWritten && (in(c.pkg, scanners) || c.isRaw && !mayPreload(o.typ))
	if c.stores && isInterface(p.typ) && !isOnlyWritten {
		f.stored(o.typ)
	}
	switch {
	case mayBeWritten && (isPointer(o.typ) || isInterface(o.typ)):
		f.isRead.add(o.typ)
		return // the function writes to it
	case c.isSchema && isSchemaType(o, p):
		f.addWrapped(o, "type "+f.describe(o)+" of "+c.name, f.typeWrapping(o))
	case c.isSchema && isMaker(o.typ):
		f.addWrapped(o, "function "+types.ExprString(o.Expr)+" of "+c.name, f.makerWrapping(o))
	case c.takesIDs && isInterface(p.typ) && isID(o.typ):
		f.addWrapped(o, "argument "+f.describe(o)+" of "+c.name, f.wrapping(o))
	case c.sends && isInterface(p.typ) && f.mayBeID(o.typ) && !(c.isModel && p.isModel()):
		f.add(conversion, o.Pos(), "argument %s of %s may be a ULID", f.describe(o), c.name)
	case isInterface(p.typ):
		f.noteUnknown(c.pkg, o.typ, o.Pos())
		f.convert(o, p.typ, "a call of "+c.name)
	}
}
