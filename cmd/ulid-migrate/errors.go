package main

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ast/edge"
	"golang.org/x/tools/go/ast/inspector"
	"golang.org/x/tools/go/types/typeutil"
)

// A fate is what a function does with the error of a call.
type fate int

const (
	isSeen    fate = iota // somebody may learn of it
	isDropped             // nothing
	isAsked               // it only asks whether there is one
)

// fateOf looks at the statement of a call, and at what the function does with the variable of the error.
func fateOf(info *types.Info, call inspector.Cursor) fate {
	switch n := call.Parent().Node().(type) {
	case *ast.ExprStmt, *ast.GoStmt, *ast.DeferStmt:
		return isDropped
	case *ast.BinaryExpr: // the call of a method is compared with nil
		if rejects(info, call.Parent(), call) {
			return isSeen
		}
		return isAsked
	case *ast.AssignStmt:
		return fateOfVariable(info, call, errorTarget(call, n.Lhs, n.Rhs))
	case *ast.ValueSpec:
		names := make([]ast.Expr, len(n.Names))
		for i, name := range n.Names {
			names[i] = name
		}
		return fateOfVariable(info, call, errorTarget(call, names, n.Values))
	default:
		return isSeen
	}
}

// errorTarget returns what the error of a call is assigned to.
func errorTarget(call inspector.Cursor, targets, values []ast.Expr) ast.Expr {
	if len(values) == 1 {
		return targets[len(targets)-1]
	}
	return targets[slices.Index(values, call.Node().(ast.Expr))]
}

// fateOfVariable looks at the uses of the variable from the call on, up to where it gets another value.
func fateOfVariable(info *types.Info, call inspector.Cursor, target ast.Expr) fate {
	name, ok := target.(*ast.Ident)
	if !ok {
		return isSeen // a field, which somebody else may read
	}
	if name.Name == "_" {
		return isDropped
	}
	variable, _ := info.ObjectOf(name).(*types.Var)
	function, isLocal := outermostFunction(call)
	if !isLocal || variable.Kind() != types.LocalVar { // a result is returned, a parameter may be a pointer's target
		return isSeen
	}
	found := isDropped
	end := function.Node().End()
	for use := range function.Preorder((*ast.Ident)(nil)) {
		ident := use.Node().(*ast.Ident)
		isUse := info.ObjectOf(ident) == variable && call.Node().End() <= ident.Pos() && ident.Pos() < end
		statement, isAssigned := use.Parent().Node().(*ast.AssignStmt)
		switch {
		case !isUse:
		case isAssigned && slices.Contains(statement.Lhs, ast.Expr(ident)):
			end = statement.End() // and not its beginning, because the new value may have the old error in it
		case !isCompared(info, use), rejects(info, use.Parent(), call):
			return isSeen
		default:
			found = isAsked
		}
	}
	return found
}

// outermostFunction returns the declaration or the literal that has all uses of a local variable.
func outermostFunction(call inspector.Cursor) (function inspector.Cursor, ok bool) {
	for function = range call.Enclosing((*ast.FuncDecl)(nil), (*ast.FuncLit)(nil)) {
		ok = true
	}
	return function, ok
}

// isCompared reports whether a variable is compared with nil.
func isCompared(info *types.Info, use inspector.Cursor) bool {
	comparison, ok := use.Parent().Node().(*ast.BinaryExpr)
	return ok && (info.Types[comparison.X].IsNil() || info.Types[comparison.Y].IsNil())
}

// rejects reports whether an if asks for the error of a call, and then rejects the string: it returns another
// error, ends the program or the test, or does something and leaves a function without results. If it does
// something else with the string, that was a string of another kind and no error.
func rejects(info *types.Info, comparison, call inspector.Cursor) bool {
	if comparison.Node().(*ast.BinaryExpr).Op != token.NEQ {
		return false
	}
	condition := comparison
	for isOr(condition.Parent().Node()) {
		condition = condition.Parent()
	}
	branch, ok := condition.Parent().Node().(*ast.IfStmt)
	if !ok || len(branch.Body.List) == 0 {
		return false
	}
	block := condition.Parent().ChildAt(edge.IfStmt_Body, -1)
	if usesText(info, block, call.Node().(*ast.CallExpr)) {
		return false
	}
	switch last := branch.Body.List[len(branch.Body.List)-1].(type) {
	case *ast.ExprStmt:
		return endsAll(last.X)
	case *ast.ReturnStmt:
		if n := len(last.Results); n > 0 {
			return isError(info.Types[last.Results[n-1]])
		}
		return len(branch.Body.List) > 1 && !hasResults(block)
	default:
		return false
	}
}

func isOr(n ast.Node) bool {
	e, ok := n.(*ast.BinaryExpr)
	return ok && e.Op == token.LOR
}

// usesText reports whether a block does more with the text that was parsed than to write it into a message.
func usesText(info *types.Info, block inspector.Cursor, parse *ast.CallExpr) bool {
	text := types.ExprString(unconverted(info, parse.Args[0]))
	for node := range block.Preorder() {
		e, ok := node.Node().(ast.Expr)
		if ok && types.ExprString(e) == text && !isInMessage(info, node) {
			return true
		}
	}
	return false
}

// unconverted returns s for []byte(s).
func unconverted(info *types.Info, e ast.Expr) ast.Expr {
	conversion, ok := e.(*ast.CallExpr)
	if ok && info.Types[conversion.Fun].IsType() {
		return conversion.Args[0]
	}
	return e
}

// isInMessage reports whether an expression is an argument of a function that formats or logs.
func isInMessage(info *types.Info, e inspector.Cursor) bool {
	call, ok := e.Parent().Node().(*ast.CallExpr)
	if !ok {
		return false
	}
	function := typeutil.StaticCallee(info, call)
	messages := []string{"errors", "fmt", "log", "log/slog", "testing"}
	return function != nil && slices.Contains(messages, function.Pkg().Path())
}

// endsAll reports whether an expression is a call of panic, of os.Exit, or of a function such as log.Fatal.
func endsAll(e ast.Expr) bool {
	call, ok := e.(*ast.CallExpr)
	if !ok {
		return false
	}
	function := types.ExprString(call.Fun)
	name := function[strings.LastIndexByte(function, '.')+1:]
	return function == "panic" || name == "Exit" || strings.HasPrefix(name, "Fatal")
}

// isError reports whether a value is an error, and not nil.
func isError(value types.TypeAndValue) bool {
	return !value.IsNil() && types.AssignableTo(value.Type, types.Universe.Lookup("error").Type())
}

// hasResults reports whether the innermost function around a node has results.
func hasResults(c inspector.Cursor) bool {
	for function := range c.Enclosing((*ast.FuncDecl)(nil), (*ast.FuncLit)(nil)) {
		switch n := function.Node().(type) {
		case *ast.FuncDecl:
			return n.Type.Results != nil
		case *ast.FuncLit:
			return n.Type.Results != nil
		}
	}
	return false
}
