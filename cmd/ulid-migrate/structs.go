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
		switch {
		case f.isModel(v) || hasTag(tag, storageTags):
			f.stored(t)
		case hasTag(tag, scanTags):
			f.tagged = append(f.tagged, t)
		}
		f.zeroTag(v, tag)
	}
}

// isModel reports whether a field is a type that a struct embeds to be stored.
func (f *finder) isModel(v *types.Var) bool {
	return v.Embedded() && slices.Contains(storageModels, f.typeString(v.Type()))
}

func hasTag(tag reflect.StructTag, keys []string) bool {
	return slices.ContainsFunc(keys, func(key string) bool {
		_, ok := tag.Lookup(key)
		return ok
	})
}

// read remembers the structs in what a function writes to.
func (f *finder) read(t types.Type) {
	if name := types.TypeString(t, nil); !f.isRead[name] {
		f.isRead[name] = true
		switch u := t.Underlying().(type) {
		case container:
			f.read(u.Elem())
		case *types.Struct:
			for v := range u.Fields() {
				f.read(v.Type())
			}
		}
	}
}

// give remembers the structs in what becomes an interface.
func (f *finder) give(t types.Type) {
	name := types.TypeString(t, nil)
	if f.given[name] {
		return
	}
	f.given[name] = true
	switch u := t.Underlying().(type) {
	case container:
		f.give(u.Elem())
	case *types.Struct:
		for v := range u.Fields() {
			f.give(v.Type())
		}
	}
}

// isQuietField reports whether what a field of a struct gets only gets to quiet functions, because
// the struct and what is read of the field do.
func (f *finder) isQuietField(owner types.Type, v *types.Var) bool {
	return f.isHidden(owner) && f.own(v.Pos()) && mayHaveAny(v.Type()) && f.usesAreQuiet(v.Origin())
}

// isHidden reports whether nothing knows a type, or what a pointer points to, but its own methods and
// who names it: it becomes no interface.
func (f *finder) isHidden(t types.Type) bool {
	if pointer, ok := t.Underlying().(*types.Pointer); ok {
		t = pointer.Elem()
	}
	return f.isSecond && !f.given[types.TypeString(t, nil)] && !f.given[types.TypeString(types.NewPointer(t), nil)]
}

// tagsLeft lists the structs with a tag by which rows are read and written, unless the program only
// reads them. What writes them gets them as any, and they are listed there, if an ORM is known.
func (f *finder) tagsLeft() {
	for _, t := range f.tagged {
		if !f.hasORM || !f.isRead[types.TypeString(t, nil)] {
			f.stored(t)
		}
	}
}

// zeroTag lists a field that encoders will leave out if it is zero. They ask IsZero, which oklog has
// from v2.1.1 on.
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
