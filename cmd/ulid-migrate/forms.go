package main

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

// What is on no list, because nobody can say where it ends. The lines after the list name it.

// addForm remembers a form, with the first place that has it.
func (f *finder) addForm(text string, pos token.Pos) {
	isKnown := slices.ContainsFunc(f.forms, func(known form) bool { return known.text == text })
	if len(f.ulids) > 0 && !isKnown && !f.generated[f.position(pos).Filename] { // whose generator is asked elsewhere
		f.forms = append(f.forms, form{text, f.position(pos)})
	}
}

// noteForms remembers the forms in a call of a function.
func (f *finder) noteForms(n *ast.CallExpr, object types.Object) {
	if object == nil || object.Pkg() == nil {
		return
	}
	name := f.functionName(n.Fun, object)
	switch {
	case isReflection(object):
		f.addForm("reflection by "+name, n.Pos())
	case slices.Contains(keeperFuncs, name) && slices.ContainsFunc(n.Args, f.holdsID):
		f.addForm("IDs in "+name, n.Pos())
	}
}

// isReflection reports whether a function calls what it knows by name only, or makes any of a value.
func isReflection(object types.Object) bool {
	return object.Pkg().Path() == "reflect" &&
		slices.Contains([]string{"Call", "CallSlice", "Interface"}, object.Name())
}

// noteUnknown remembers as a form a value that a function of a module in no list gets.
func (f *finder) noteUnknown(pkg *types.Package, t types.Type, pos token.Pos) {
	if pkg != nil && f.isUnknown(pkg) && hasID(t, map[types.Type]bool{}) {
		f.addForm("structs with IDs in a function of a module that no list has", pos)
	}
}

// isUnknown reports whether a package is of another module that no list has, and that sends no
// statements as far as one can see.
func (f *finder) isUnknown(pkg *types.Package) bool {
	domain, _, _ := strings.Cut(pkg.Path(), "/")
	isOwn := slices.ContainsFunc(f.pkgs, func(own *packages.Package) bool { return own.PkgPath == pkg.Path() })
	return strings.Contains(domain, ".") && !isOwn && !isKnown(pkg.Path()) && !isULID(pkg) && !f.isSender(pkg)
}

// holdsID reports whether an expression is an ID or has one in it.
func (f *finder) holdsID(e ast.Expr) bool {
	t := f.typeOf(e)
	return t != nil && hasID(t, map[types.Type]bool{})
}

// hasID reports whether a type is that of an ID or has one in it. The types that it is part of were seen.
func hasID(t types.Type, seen map[types.Type]bool) bool {
	if isID(t) {
		return true
	}
	if seen[t] || value(t) != nil {
		return false
	}
	seen[t] = true
	switch u := t.Underlying().(type) {
	case container:
		return hasID(u.Elem(), seen)
	case *types.Struct:
		return slices.ContainsFunc(slices.Collect(u.Fields()), func(v *types.Var) bool { return hasID(v.Type(), seen) })
	default:
		return false
	}
}
