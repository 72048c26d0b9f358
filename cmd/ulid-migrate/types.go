package main

import (
	"go/types"
	"slices"
)

// isOklog and isULID report whether a package is of oklog/ulid, and whether it is of that or is this library.
func isOklog(pkg *types.Package) bool { return in(pkg, []string{oklogPath}) }
func isULID(pkg *types.Package) bool  { return isOklog(pkg) || pkg != nil && pkg.Path() == ulidPath }

// isPlain reports whether a type is ULID itself.
func isPlain(t types.Type) bool {
	named, ok := types.Unalias(t).(*types.Named)
	return ok && named.Obj().Name() == "ULID" && isULID(named.Obj().Pkg())
}

// isID reports whether a value of the type is stored as a ULID, by a Value that is ULID's, or holds
// such values. The types that it is part of were seen before.
func isID(t types.Type, seen ...types.Type) bool {
	if slices.Contains(seen, t) {
		return false
	}
	seen = append(seen, t)
	method := value(t)
	if method != nil { // perhaps inherited, or of a generic type that passes on what it holds, such as sql.Null
		t = method.Signature().Recv().Type()
	}
	if isPlain(t) {
		return true
	}
	var parts []types.Type
	if named, ok := types.Unalias(t).(*types.Named); ok {
		parts = slices.Collect(named.TypeArgs().Types())
	}
	if c, ok := t.Underlying().(container); ok && method == nil {
		parts = append(parts, c.Elem())
	}
	return slices.ContainsFunc(parts, func(part types.Type) bool { return isID(part, seen...) })
}

// A container is a type with elements: a pointer, slice, array, map or channel.
type container interface{ Elem() types.Type }

// value returns the method Value that a type has or inherits.
func value(t types.Type) *types.Func {
	if types.IsInterface(t) {
		return nil
	}
	object, _, _ := types.LookupFieldOrMethod(t, true, nil, "Value")
	method, _ := object.(*types.Func)
	return method
}

func isInterface(t types.Type) bool {
	if t == nil { // of the blank identifier
		return false
	}
	_, isParameter := types.Unalias(t).(*types.TypeParam)
	return !isParameter && types.IsInterface(t)
}

// mayBeID reports whether a value of the type may be an ID because the type is an interface that ULID
// implements.
func (f *finder) mayBeID(t types.Type) bool {
	if !isInterface(t) {
		return false
	}
	i := t.Underlying().(*types.Interface)
	return slices.ContainsFunc(f.ulids, func(id types.Type) bool {
		return types.Implements(id, i) || types.Implements(types.NewPointer(id), i)
	})
}

func isPointer(t types.Type) bool {
	_, ok := t.Underlying().(*types.Pointer)
	return ok
}

// isOfQuiet reports whether a quiet package declares the type, as fmt does Stringer.
func isOfQuiet(t types.Type) bool { return isOf(t, quiet) }

// isOf reports whether a package of the list declares the type.
func isOf(t types.Type, list []string) bool {
	named, ok := types.Unalias(t).(*types.Named)
	return ok && in(named.Obj().Pkg(), list)
}
