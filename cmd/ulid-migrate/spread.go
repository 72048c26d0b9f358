package main

import (
	"go/ast"
	"go/types"
	"slices"

	"golang.org/x/tools/go/types/typeutil"
)

// A value that is any already, such as what a context gives back, may be an ID. Where a statement gets it,
// it is listed there. Where a statement gets a slice, mostly as "args...", what gets into the slice is listed.

func (f *finder) addSpread(o operand) {
	f.add(conversion, o.Pos(), "%s may be a ULID, in a slice that a statement gets", f.describe(o))
}

// isSpread reports whether a statement gets the slice that the finder is at.
func (f *finder) isSpread() bool {
	for i := len(f.stack) - 2; i >= 0; i-- {
		child := asExpr(f.stack[i+1])
		switch n := f.stack[i].(type) {
		case *ast.ParenExpr, *ast.SliceExpr:
		case *ast.SelectorExpr:
			if n.Sel != child {
				return false
			}
		case *ast.KeyValueExpr: // a field
			return n.Value == child && f.isSpreadTarget(n.Key)
		case *ast.AssignStmt:
			at := slices.Index(n.Rhs, child)
			return at >= 0 && len(n.Lhs) == len(n.Rhs) && f.isSpreadTarget(n.Lhs[at])
		case *ast.ValueSpec:
			at := slices.Index(n.Values, child)
			return at >= 0 && len(n.Names) == len(n.Values) && f.isSpreadTarget(n.Names[at])
		case *ast.CallExpr:
			if !f.isPassedThrough(n) {
				return f.spreads(n, slices.Index(n.Args, child))
			}
		default:
			return false
		}
	}
	return false
}

// spreads reports whether a call gives its ith argument, a slice, to a statement, and not to write to it.
func (f *finder) spreads(call *ast.CallExpr, i int) bool {
	signature, ok := f.typeOf(call.Fun).Underlying().(*types.Signature)
	if !ok || i < 0 {
		return false
	}
	c := f.classify(call.Fun, typeutil.Callee(f.pkg.TypesInfo, call))
	p := parameterOf(signature, i, call.Ellipsis.IsValid())
	if c.sends {
		return !c.mayWrite(p)
	}
	return f.isSpreadVariable(p.Var)
}

// isSpreadTarget reports whether a statement gets what is assigned to an expression.
func (f *finder) isSpreadTarget(e ast.Expr) bool {
	switch e := ast.Unparen(e).(type) {
	case *ast.SelectorExpr:
		return f.isSpreadTarget(e.Sel)
	case *ast.Ident:
		return f.isSpreadVariable(asVar(f.pkg.TypesInfo.ObjectOf(e)))
	default:
		return false
	}
}

// isSpreadVariable reports whether one of the uses of a variable does that with its value.
func (f *finder) isSpreadVariable(v *types.Var) bool {
	if v == nil {
		return false
	}
	return f.flow.isSpread.of(v.Origin(), func() bool {
		return slices.ContainsFunc(f.flow.uses[v.Origin()], func(u use) bool { return f.at(u, f.isSpread) })
	})
}
