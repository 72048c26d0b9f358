package main

import (
	"cmp"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/types/typeutil"
)

// A callee is what is called, as far as that decides what becomes of its arguments.
type callee struct {
	name     string // in a finding
	isQuiet  bool   // nothing that it gets reaches a database
	takesIDs bool   // it takes arguments of statements, which -bytes wraps
	stores   bool   // it may store the structs that it gets
	scans    bool   // it writes to the pointers that it gets
}

// classify decides what is called: object, or a function value if that is nil.
func (f *finder) classify(fun ast.Expr, object types.Object) callee {
	if object == nil {
		return callee{name: types.ExprString(fun)}
	}
	return callee{
		name:     f.functionName(fun, object),
		isQuiet:  in(object.Pkg(), quiet) || object.Name() == "panic",
		takesIDs: in(object.Pkg(), takesIDs),
		stores:   f.stores(object),
		scans:    strings.HasPrefix(object.Name(), "Scan") || object.Name() == "StructScan",
	}
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
		f.convert(f.operand(n.Args[0]), f.typeOf(n.Fun), "a conversion")
		return
	}
	signature, ok := f.typeOf(n.Fun).Underlying().(*types.Signature)
	if !ok {
		return // a built-in function without one
	}
	object := typeutil.Callee(f.pkg.TypesInfo, n)
	if object != nil && isULID(object.Pkg()) {
		f.libraryCall(n, object.Name())
	}
	c := f.classify(n.Fun, object)
	if c.isQuiet {
		return
	}
	f.each(n.Args, func(i int, o operand) {
		name, target := parameter(signature, i, n.Ellipsis.IsValid())
		f.argument(c, o, name, target)
	})
}

// parameter returns the name of the parameter that takes the ith argument, and the type that the
// argument becomes. The last argument may be spread by "...".
func parameter(s *types.Signature, i int, isSpread bool) (name string, target types.Type) {
	last := s.Params().Len() - 1
	p := s.Params().At(min(i, last))
	if slice, ok := p.Type().(*types.Slice); ok && s.Variadic() && i >= last && !isSpread {
		return p.Name(), slice.Elem()
	}
	return p.Name(), p.Type()
}

// argument looks at what a call passes for a parameter.
func (f *finder) argument(c callee, o operand, parameter string, target types.Type) {
	if c.stores && !c.scans && isInterface(target) {
		f.stored(o.typ)
	}
	switch {
	case isPointer(o.typ) && (c.scans || slices.Contains(destinations, parameter)):
		return // the function writes to it
	case c.takesIDs && isInterface(target) && isID(o.typ):
		found := f.finding(argument, o.Pos(), "argument %s of %s", f.describe(o), c.name)
		found.wrapping = f.wrapping(o)
		f.findings = append(f.findings, found)
	default:
		f.convert(o, target, "a call of "+c.name)
	}
}

// A wrapping is how -bytes and -uuid wrap an argument, or zero if they must leave it.
type wrapping struct {
	argumentEnd int    // its offset
	packageName string // what the file calls the package of ULIDs, or nothing if it does not import it
	isPointer   bool   // whether the argument is a *ULID
}

// wrapping leaves what is not a ULID or a *ULID, what stands in a generated file, and what stands
// where something else has the name of the package.
func (f *finder) wrapping(o operand) wrapping {
	file := f.stack[0].(*ast.File)
	end := f.pkg.Fset.PositionFor(o.End(), false)
	if ast.IsGenerated(file) || !f.files[end.Filename] {
		return wrapping{}
	}
	if _, isOneOfSeveral := f.typeOf(o.Expr).(*types.Tuple); isOneOfSeveral {
		return wrapping{}
	}
	w := wrapping{argumentEnd: end.Offset, packageName: f.packageName(file)}
	t := o.typ
	if pointer, ok := types.Unalias(t).(*types.Pointer); ok {
		t, w.isPointer = pointer.Elem(), true
	}
	if !isPlain(t) || !f.canName(w.packageName, o.Pos()) {
		return wrapping{}
	}
	return w
}

// packageName returns what a file calls the package of ULIDs, or nothing if it does not import it.
func (f *finder) packageName(file *ast.File) (name string) {
	for _, spec := range file.Imports {
		p := f.pkg.TypesInfo.PkgNameOf(spec)
		if p != nil && isULID(p.Imported()) && p.Name() != "." && p.Name() != "_" {
			name = p.Name()
		}
	}
	return name
}

// canName reports whether the name is that of the package at pos, or will be once the file imports it.
func (f *finder) canName(packageName string, pos token.Pos) bool {
	_, object := f.pkg.Types.Scope().Innermost(pos).LookupParent(cmp.Or(packageName, "ulid"), pos)
	if packageName == "" {
		return object == nil
	}
	_, isPackage := object.(*types.PkgName)
	return isPackage
}
