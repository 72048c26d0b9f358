package main

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
)

// oklog's Parse accepts every string of 26 characters, and this library's only ULIDs. Where a program
// returns the error, somebody sees it. Where it only asks whether there is one, such as to tell an ID
// from a key, it silently takes the other branch.

// parsed looks at a call of oklog's Parse, UnmarshalText or Scan, or of a function that returns its error.
func (f *finder) parsed(n *ast.CallExpr, name string) {
	if !f.showsError(n) {
		f.add(other, n.Pos(), "%s whose error is not returned: some strings that oklog/ulid accepts are no ULIDs here", name)
		return
	}
	declaration, ok := f.function().(*ast.FuncDecl)
	if !ok {
		return
	}
	function := f.declared(declaration)
	results := vars(function.Signature().Results())
	if len(results) == 2 && isErrorType(results[1].Type()) && f.isLikeID(results[0].Type()) {
		f.parsers[function.FullName()] = true
	}
}

// isLikeID reports whether a type is ULID, or has its bytes or a ULID in it.
func (f *finder) isLikeID(t types.Type) bool {
	isConvertible := func(id types.Type) bool { return types.Identical(t.Underlying(), id.Underlying()) }
	return hasID(t, map[types.Type]bool{}) || slices.ContainsFunc(f.ulids, isConvertible)
}

// showsError reports whether a function does more with the error of a call than to ask whether there is one.
func (f *finder) showsError(n *ast.CallExpr) bool {
	parent := f.stack[len(f.stack)-2]
	targets := assigned(parent)
	if len(targets) == 0 {
		_, isCompared := parent.(*ast.BinaryExpr)
		_, isDropped := parent.(*ast.ExprStmt)
		return !isCompared && !isDropped
	}
	err, ok := targets[len(targets)-1].(*ast.Ident)
	if !ok {
		return true // a field, which somebody else reads
	}
	id, _ := targets[0].(*ast.Ident)
	discardsID := len(targets) == 2 && id != nil && id.Name == "_"
	return err.Name != "_" && f.isUsed(n, err, discardsID)
}

// assigned returns what a statement assigns to.
func assigned(n ast.Node) []ast.Expr {
	switch n := n.(type) {
	case *ast.AssignStmt:
		return n.Lhs
	case *ast.ValueSpec:
		var list []ast.Expr
		for _, name := range n.Names {
			list = append(list, name)
		}
		return list
	default:
		return nil
	}
}

// isUsed reports whether a function does more with the error of a Parse than to ask whether there is
// one, or rejects the string if there is.
func (f *finder) isUsed(parse *ast.CallExpr, name *ast.Ident, discardsID bool) bool {
	u := errorUse{
		f:     f,
		err:   f.pkg.TypesInfo.ObjectOf(name),
		after: parse.End(),
		until: f.stack[0].End(),
	}
	if len(parse.Args) > 0 {
		u.text = types.ExprString(parse.Args[0])
	}
	if results := f.results(); results != nil && slices.Contains(vars(results), asVar(u.err)) {
		return true // a bare return returns it
	}
	for _, n := range slices.Backward(f.stack) {
		if function, ok := n.(*ast.FuncDecl); ok {
			ast.Inspect(function, u.reassigned)
			ast.Inspect(function, u.look)
		}
	}
	return u.used > u.compared || u.compared > 0 && u.compared == u.rejected && !discardsID
}

func asVar(object types.Object) *types.Var {
	v, _ := object.(*types.Var)
	return v
}

// An errorUse counts what a function does with a variable, from one assignment to the next.
type errorUse struct {
	f            *finder
	err          types.Object
	after, until token.Pos
	text         string // the argument that is parsed, as code, or nothing

	used     int
	compared int // with nil
	rejected int // compared in an if that returns another error
}

// reassigned finds where the variable gets another value.
func (u *errorUse) reassigned(n ast.Node) bool {
	for _, target := range assigned(n) {
		if target.Pos() >= u.after && u.isError(target) {
			u.until = min(u.until, target.Pos())
		}
	}
	return true
}

func (u *errorUse) look(n ast.Node) bool {
	if n == nil || n.End() <= u.after || n.Pos() >= u.until {
		return false
	}
	switch n := n.(type) {
	case *ast.Ident:
		if n.Pos() > u.after && u.isError(n) {
			u.used++
		}
	case *ast.BinaryExpr:
		if u.compares(n) {
			u.compared++
		}
	case *ast.IfStmt:
		condition, ok := n.Cond.(*ast.BinaryExpr)
		if ok && condition.Op == token.NEQ && u.compares(condition) && u.rejects(n.Body) {
			u.rejected++
		}
	}
	return true
}

func (u *errorUse) compares(n *ast.BinaryExpr) bool {
	return n.Pos() > u.after && u.isError(n.X) && u.f.pkg.TypesInfo.Types[n.Y].IsNil()
}

func (u *errorUse) isError(e ast.Expr) bool {
	name, ok := e.(*ast.Ident)
	return ok && u.f.pkg.TypesInfo.ObjectOf(name) == u.err
}

// rejects reports whether a block ends the function with an error, or a function without results, and
// does nothing else with the string.
func (u *errorUse) rejects(block *ast.BlockStmt) bool {
	usesText := false
	ast.Inspect(block, func(n ast.Node) bool {
		e, ok := n.(ast.Expr)
		usesText = usesText || ok && types.ExprString(e) == u.text
		return !usesText
	})
	if usesText || len(block.List) == 0 {
		return false
	}
	last, ok := block.List[len(block.List)-1].(*ast.ReturnStmt)
	if !ok {
		return false
	}
	results := u.f.results()
	n := results.Len()
	return n == 0 || n == len(last.Results) && u.f.isError(last.Results[n-1])
}

// isError reports whether an expression is an error, and not nil.
func (f *finder) isError(e ast.Expr) bool {
	t := f.pkg.TypesInfo.Types[e]
	return !t.IsNil() && isErrorType(t.Type)
}

func isErrorType(t types.Type) bool {
	return types.AssignableTo(t, types.Universe.Lookup("error").Type())
}
