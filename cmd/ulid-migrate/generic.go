package main

import (
	"go/ast"
	"go/types"
	"slices"
)

// Generic code can make an interface of a type argument where nothing in the program shows it.

// typeArguments looks at the type arguments of a name that is generic.
func (f *finder) typeArguments(n *ast.Ident, object types.Object) {
	for t := range f.pkg.TypesInfo.Instances[n].TypeArgs.Types() {
		f.given.add(t)
		if f.stores(object) {
			f.stored(t)
		}
		f.noteUnknown(object.Pkg(), t, n.Pos())
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
