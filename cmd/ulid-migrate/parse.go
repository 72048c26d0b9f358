package main

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
)

// oklog's Parse takes every text of 26 characters, and this library's only ULIDs. Where a program
// returns the error, somebody sees it. Where it only asks whether there is one, such as to tell an ID
// from a key, it goes another way than before.

// parsed looks at a call of oklog's Parse.
func (f *finder) parsed(n *ast.CallExpr) {
	targets := assigned(f.stack[len(f.stack)-2])
	if len(targets) != 2 {
		return // returned, or passed on
	}
	err, ok := targets[1].(*ast.Ident)
	if !ok {
		return // a field, which somebody else reads
	}
	id, _ := targets[0].(*ast.Ident)
	discardsID := id != nil && id.Name == "_"
	if err.Name != "_" && f.isUsed(n, err, discardsID) {
		return
	}
	f.add(other, n.Pos(), "Parse whose error is not returned: some texts that are IDs for oklog/ulid are none here")
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
// one, or rejects the text if there is.
func (f *finder) isUsed(parse *ast.CallExpr, name *ast.Ident, discardsID bool) bool {
	u := errorUse{
		f:     f,
		err:   f.pkg.TypesInfo.ObjectOf(name),
		after: parse.End(),
		until: f.stack[0].End(),
		text:  types.ExprString(parse.Args[0]),
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
	text         string // that is parsed

	used     int
	compared int // with nil
	rejected int // compared in an if that returns another error
}

// reassigned finds where the variable gets another value.
func (u *errorUse) reassigned(n ast.Node) bool {
	if n == nil || len(assigned(n)) == 0 || n.Pos() < u.after {
		return true
	}
	for _, target := range assigned(n) {
		if u.isError(target) {
			u.until = min(u.until, n.Pos())
		}
	}
	return true
}

func (u *errorUse) look(n ast.Node) bool {
	if n == nil || n.End() <= u.after || n.Pos() >= u.until {
		return n != nil && n.End() > u.after
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
// does nothing else with the text.
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
	errorType := types.Universe.Lookup("error").Type()
	t := f.pkg.TypesInfo.Types[e]
	return !t.IsNil() && types.AssignableTo(t.Type, errorType)
}
