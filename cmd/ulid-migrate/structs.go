package main

import (
	"go/ast"
	"go/types"
	"reflect"
	"slices"
	"strings"
)

// stores reports whether a function or a generic type may store the structs that it gets. One of the
// program may pass them on.
func (f *finder) stores(object types.Object) bool {
	return f.isSender(object.Pkg()) || in(object.Pkg(), takesStructs) || f.hasORM && f.own(object.Pos())
}

// stored lists the fields with IDs of a struct, or of what a pointer, slice or map has, and of the
// structs in it.
func (f *finder) stored(t types.Type) {
	if value(t) != nil || f.structs[t] {
		return // it is stored by its own Value
	}
	f.structs[t] = true
	switch u := t.Underlying().(type) {
	case container:
		f.stored(u.Elem())
	case *types.Struct:
		for v := range u.Fields() {
			f.storedField(t, v)
		}
	}
}

func (f *finder) storedField(t types.Type, v *types.Var) {
	switch {
	case !f.own(v.Pos()):
	case isID(v.Type()):
		f.add(field, v.Pos(), "field %s %s of %s", v.Name(), f.typeString(v.Type()), f.typeString(t))
	default:
		f.stored(v.Type())
	}
}

// structType looks at the tags of a struct, for ORMs and for encoders.
func (f *finder) structType(n *ast.StructType) {
	t := f.typeOf(n)
	s := t.(*types.Struct)
	if spec, ok := f.stack[len(f.stack)-2].(*ast.TypeSpec); ok {
		t = f.pkg.TypesInfo.Defs[spec.Name].Type() // which has a name
	}
	for i := range s.NumFields() {
		v, tag := s.Field(i), reflect.StructTag(s.Tag(i))
		isStored := f.isModel(v) || hasTag(tag, storageTags)
		switch {
		case isStored && !f.isLocalStruct():
			f.stored(t)
		case isStored || hasTag(tag, scanTags):
			f.tagged = append(f.tagged, t)
		}
		f.zeroTag(v, tag)
	}
}

// isModel reports whether a field is a type that a struct embeds to be stored.
func (f *finder) isModel(v *types.Var) bool {
	return v.Embedded() && slices.Contains(storageModels, f.typeString(v.Type()))
}

// isLocalStruct reports whether the struct that the finder is at has no name, and is declared as the type of a
// variable of a function, or of its elements. The uses of the variable then tell whether it is stored.
func (f *finder) isLocalStruct() bool {
	for i := len(f.stack) - 2; i >= 0; i-- {
		switch f.stack[i].(type) {
		case *ast.ArrayType, *ast.StarExpr:
		case *ast.ValueSpec:
			return f.function() != nil
		default:
			return false
		}
	}
	return false
}

func hasTag(tag reflect.StructTag, keys []string) bool {
	return slices.ContainsFunc(keys, func(key string) bool {
		_, ok := tag.Lookup(key)
		return ok
	})
}

// mayPreload reports whether gorm could look for other rows by the IDs of a struct that it has read: there is
// another struct in it, with fields that gorm sees.
func mayPreload(t types.Type) bool {
	s := structOf(t)
	return s == nil || slices.ContainsFunc(slices.Collect(s.Fields()), func(v *types.Var) bool {
		inner := structOf(v.Type())
		return inner != nil && slices.ContainsFunc(slices.Collect(inner.Fields()), (*types.Var).Exported)
	})
}

// structOf returns the struct that a type is, or that is the element of a container, unless it has a Value. The types
// that have it were seen before.
func structOf(t types.Type, seen ...types.Type) *types.Struct {
	if value(t) != nil || slices.Contains(seen, t) {
		return nil
	}
	switch u := t.Underlying().(type) {
	case *types.Struct:
		return u
	case container:
		return structOf(u.Elem(), append(seen, t)...)
	default:
		return nil
	}
}

// A typeSet has types by their names, because a package and its variant with tests have types of their own.
type typeSet map[string]bool

func (s typeSet) has(t types.Type) bool { return s[types.TypeString(t, nil)] }

// add adds a type, and the types of what it has in it.
func (s typeSet) add(t types.Type) {
	if s.has(t) {
		return
	}
	s[types.TypeString(t, nil)] = true
	switch u := t.Underlying().(type) {
	case container:
		s.add(u.Elem())
	case *types.Struct:
		for v := range u.Fields() {
			s.add(v.Type())
		}
	}
}

// isQuietField reports whether what a field of a struct gets only gets to quiet functions. Its name then
// stands wherever it is read: it is not exported, or its struct becomes no interface.
func (f *finder) isQuietField(owner types.Type, v *types.Var) bool {
	isRead := v.Exported() && !f.isHidden(owner)
	return !isRead && f.own(v.Pos()) && mayHaveAny(v.Type()) && f.usesAreQuiet(v.Origin())
}

// isHidden reports whether a type, or what a pointer points to, becomes no interface, through which
// reflection could read its fields and other code could call its methods.
func (f *finder) isHidden(t types.Type) bool {
	if pointer, ok := t.Underlying().(*types.Pointer); ok {
		t = pointer.Elem()
	}
	return f.reflected != nil && !f.reflected.has(t) && !f.reflected.has(types.NewPointer(t))
}

// tagsLeft lists the structs whose tags do not tell whether they are stored. With a known ORM it leaves out those
// that rows are read to: where such a struct is written too, it becomes any and is listed there.
func (f *finder) tagsLeft() {
	for _, t := range f.tagged {
		if !f.hasORM || !f.isRead.has(t) {
			f.stored(t)
		}
	}
}

// zeroTag lists a field that encoders will leave out if it is zero, unless they do so already. They ask
// IsZero, which oklog/ulid has from v2.1.1 on.
func (f *finder) zeroTag(v *types.Var, tag reflect.StructTag) {
	isZero, _, _ := types.LookupFieldOrMethod(v.Type(), true, nil, "IsZero")
	if isZero != nil || !isID(v.Type()) {
		return
	}
	for _, key := range zeroTags {
		if strings.Contains(tag.Get(key), ",omitempty") {
			f.add(other, v.Pos(), "%s will leave out field %s if it is zero, because it asks IsZero", key, v.Name())
		}
	}
}
