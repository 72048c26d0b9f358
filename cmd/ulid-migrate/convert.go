package main

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// An operand is an expression with its type, or with the type of one result of the call that it is.
type operand struct {
	ast.Expr
	typ types.Type
}

func (f *finder) operand(e ast.Expr) operand { return operand{e, f.typeOf(e)} }

// each calls do for the expressions of a list, or for the results of the one call that they are.
func (f *finder) each(list []ast.Expr, do func(i int, o operand)) {
	for i, e := range list {
		tuple, ok := f.typeOf(e).(*types.Tuple)
		if !ok {
			do(i, f.operand(e))
			continue
		}
		for i := range tuple.Len() {
			do(i, operand{e, tuple.At(i).Type()})
		}
	}
}

// convert looks at the conversion of an operand to the type target.
func (f *finder) convert(o operand, target types.Type, where string) {
	if !isInterface(target) {
		return
	}
	f.given.add(o.typ)
	if !f.isSQL {
		return
	}
	isAny := target.Underlying().(*types.Interface).Empty()
	if isAny && f.hasORM { // it may be stored from there
		f.stored(o.typ)
	}
	switch {
	case isID(o.typ) && !isOfQuiet(target):
		f.add(conversion, o.Pos(), "%s becomes %s in %s", f.describe(o), f.typeString(target), where)
	case isAny && isOfQuiet(o.typ) && f.mayBeID(o.typ): // a fmt.Stringer, which an ID becomes unlisted
		f.add(conversion, o.Pos(), "%s may be a ULID, and becomes %s in %s", f.describe(o), f.typeString(target), where)
	}
}

// describe returns an operand as a finding names it, with its type unless that is ULID.
func (f *finder) describe(o operand) string {
	s := types.ExprString(o.Expr)
	if isPlain(o.typ) {
		return s
	}
	return s + " (" + f.typeString(o.typ) + ")"
}

// assignment looks at := too, which assigns to variables that were declared before.
func (f *finder) assignment(n *ast.AssignStmt) {
	f.each(n.Rhs, func(i int, o operand) {
		element, isElement := n.Lhs[i].(*ast.IndexExpr)
		switch {
		case isElement && f.mayBeID(o.typ) && f.isSpreadTarget(element.X):
			f.addSpread(o)
		case !f.isQuietTarget(n.Lhs[i]):
			f.convert(o, f.typeOf(n.Lhs[i]), "an assignment")
		}
	})
}

func (f *finder) declaration(n *ast.ValueSpec) {
	target := f.typeOf(n.Type)
	f.each(n.Values, func(i int, o operand) {
		if !f.isQuietTarget(n.Names[i]) {
			f.convert(o, target, "a declaration")
		}
	})
}

// ranged looks at a range clause that assigns to variables that were declared before.
func (f *finder) ranged(n *ast.RangeStmt) {
	if n.Tok != token.ASSIGN {
		return
	}
	key, value := rangeTypes(f.typeOf(n.X))
	for _, v := range []struct {
		typ    types.Type
		target ast.Expr
	}{{key, n.Key}, {value, n.Value}} {
		if v.typ != nil && v.target != nil {
			f.convert(operand{n.X, v.typ}, f.typeOf(v.target), "a range clause")
		}
	}
}

// rangeTypes returns the types of what a range clause over a value of type t gives, or nil. Integers
// and strings give none that is an ID.
func rangeTypes(t types.Type) (key, value types.Type) {
	switch u := t.Underlying().(type) {
	case *types.Map:
		return u.Key(), u.Elem()
	case *types.Chan:
		return u.Elem(), nil
	case *types.Pointer: // to an array
		return rangeTypes(u.Elem())
	case *types.Signature: // func(yield func(K, V) bool)
		yield := u.Params().At(0).Type().Underlying().(*types.Signature).Params()
		return typeAt(yield, 0), typeAt(yield, 1)
	case container:
		return nil, u.Elem()
	default:
		return nil, nil
	}
}

// typeAt returns the type of the ith variable, or nil if there are fewer.
func typeAt(t *types.Tuple, i int) types.Type {
	if i >= t.Len() {
		return nil
	}
	return t.At(i).Type()
}

func (f *finder) returned(n *ast.ReturnStmt) {
	results := f.results()
	f.each(n.Results, func(i int, o operand) { f.convert(o, results.At(i).Type(), "a return") })
}

// results returns the results of the function around what the finder is at, or nil in a declaration.
func (f *finder) results() *types.Tuple {
	switch n := f.function().(type) {
	case *ast.FuncDecl:
		return f.declared(n).Signature().Results()
	case *ast.FuncLit:
		return f.typeOf(n).(*types.Signature).Results()
	default:
		return nil
	}
}

// function returns the innermost function around what the finder is at, or nil.
func (f *finder) function() ast.Node {
	for _, n := range slices.Backward(f.stack) {
		switch n.(type) {
		case *ast.FuncDecl, *ast.FuncLit:
			return n
		}
	}
	return nil
}

func (f *finder) declared(n *ast.FuncDecl) *types.Func {
	return f.pkg.TypesInfo.Defs[n.Name].(*types.Func)
}

func (f *finder) send(n *ast.SendStmt) {
	if channel, ok := f.typeOf(n.Chan).Underlying().(*types.Chan); ok && !f.isQuietTarget(n.Chan) {
		f.convert(f.operand(n.Value), channel.Elem(), "a send")
	}
}

func (f *finder) literal(n *ast.CompositeLit) {
	t := f.typeOf(n)
	if pointer, ok := t.Underlying().(*types.Pointer); ok { // the &T that a []*T may leave out
		t = pointer.Elem()
	}
	if isOfQuiet(t) || f.isTestTable(t) || f.isQuietPlace() {
		return
	}
	if f.isInTest() {
		defer f.groupLiterals(len(f.findings))
	}
	where, isSpread := "a literal of "+f.typeString(t), f.isSpread()
	for i, e := range n.Elts {
		target := f.element(t, i, e)
		if target == nil {
			continue
		}
		o := f.operand(e)
		if pair, ok := e.(*ast.KeyValueExpr); ok {
			o = f.operand(pair.Value)
		}
		switch {
		case isOf(t, takesIDs) && isInterface(target) && f.mayBeID(o.typ):
			f.add(conversion, o.Pos(), "%s in %s may be a ULID", f.describe(o), where)
		case isSpread && f.mayBeID(o.typ):
			f.addSpread(o)
		default:
			f.convert(o, target, where)
		}
	}
}

// element returns what the ith element of a literal of type t becomes, or nil if that stays quiet.
func (f *finder) element(t types.Type, i int, e ast.Expr) types.Type {
	switch u := t.Underlying().(type) {
	case container:
		return u.Elem()
	case *types.Struct:
		v := fieldOf(u, i, e)
		if f.isQuietField(t, v) {
			return nil
		}
		return v.Type()
	default: // of a type parameter
		return nil
	}
}

// fieldOf returns the field of a struct that the ith element of a literal sets.
func fieldOf(s *types.Struct, i int, e ast.Expr) *types.Var {
	pair, hasKey := e.(*ast.KeyValueExpr)
	if !hasKey {
		return s.Field(i)
	}
	for v := range s.Fields() {
		if v.Name() == pair.Key.(*ast.Ident).Name {
			return v
		}
	}
	return nil // which no code that compiles does
}

// isTestTable reports whether a literal is a row of a test's table: of a struct that no other function
// knows. Where a statement gets a field of it, that is listed.
func (f *finder) isTestTable(t types.Type) bool {
	if _, isStruct := t.Underlying().(*types.Struct); !isStruct || !f.isInTest() {
		return false
	}
	named, hasName := types.Unalias(t).(*types.Named)
	return !hasName || named.Obj().Parent() != f.pkg.Types.Scope() && named.Obj().Pkg() == f.pkg.Types
}

func (f *finder) isInTest() bool {
	return strings.HasSuffix(f.position(f.stack[0].Pos()).Filename, "_test.go")
}
