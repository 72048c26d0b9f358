package main

import (
	"cmp"
	"go/ast"
	"go/token"
	"go/types"
)

// How -bytes and -uuid change a place: an argument of a statement, or a field of a schema of ent.

// A wrapping has the edits of one place. It has none if -bytes and -uuid leave the place as it is.
type wrapping struct {
	packageName string // what the file calls the package of ULIDs, or nothing if it does not import it
	edits       []replacement
	isOfSchema  bool // and ent has to generate its code again afterwards
}

// A replacement is for what stands between two offsets. In its text $ is the type that stores the ID.
type replacement struct {
	start, end int
	text       string
}

// addWrapped lists an argument that -bytes and -uuid change.
func (f *finder) addWrapped(o operand, text string, w wrapping) {
	found := f.finding(argument, o.Pos(), "%s", text)
	found.wrapping = w
	f.findings = append(f.findings, found)
}

// wrapping converts an argument. It leaves what is not a ULID or a *ULID.
func (f *finder) wrapping(o operand) wrapping {
	if _, isOneOfSeveral := f.typeOf(o.Expr).(*types.Tuple); isOneOfSeveral {
		return wrapping{}
	}
	conversion, t := "$(", o.typ
	if pointer, ok := types.Unalias(t).(*types.Pointer); ok {
		conversion, t = "(*$)(", pointer.Elem()
	}
	if !isPlain(t) {
		return wrapping{}
	}
	return f.editable(o, f.before(o, conversion), f.after(o, ")"))
}

func (f *finder) before(e ast.Expr, text string) replacement {
	return f.replace(e.Pos(), e.Pos(), text)
}
func (f *finder) after(e ast.Expr, text string) replacement { return f.replace(e.End(), e.End(), text) }

func (f *finder) replace(start, end token.Pos, text string) replacement {
	return replacement{f.offset(start), f.offset(end), text}
}

func (f *finder) offset(pos token.Pos) int { return f.pkg.Fset.PositionFor(pos, false).Offset }

// editable returns the edits, unless they are in a generated file, or where something else has the name
// of the package.
func (f *finder) editable(o operand, edits ...replacement) wrapping {
	file := f.stack[0].(*ast.File)
	name := f.packageName(file)
	isHere := f.files[f.pkg.Fset.PositionFor(o.End(), false).Filename]
	if ast.IsGenerated(file) || !isHere || !f.canName(name, o.Pos()) {
		return wrapping{}
	}
	return wrapping{packageName: name, edits: edits}
}

// packageName returns what a file calls the package of ULIDs, or nothing if it does not import it.
func (f *finder) packageName(file *ast.File) (name string) {
	for _, spec := range file.Imports {
		p := f.pkg.TypesInfo.PkgNameOf(spec)
		if p != nil && isULID(p.Imported()) && p.Name() != "." && p.Name() != "_" {
			name = p.Name()
		}
	}
	return name
}

// canName reports whether the name is that of the package at pos, or will be once the file imports it.
func (f *finder) canName(packageName string, pos token.Pos) bool {
	_, object := f.pkg.Types.Scope().Innermost(pos).LookupParent(cmp.Or(packageName, "ulid"), pos)
	if packageName == "" {
		return object == nil
	}
	_, isPackage := object.(*types.PkgName)
	return isPackage
}

// isSchemaType reports whether an argument says which type a field of a schema has, such as that of GoType.
func isSchemaType(o operand, p parameter) bool { return isInterface(p.typ) && isID(o.typ) }

// isMaker reports whether a function makes IDs for a schema, such as that of DefaultFunc.
func isMaker(t types.Type) bool {
	signature, ok := t.Underlying().(*types.Signature)
	return ok && signature.Params().Len() == 0 && signature.Results().Len() == 1 &&
		isPlain(signature.Results().At(0).Type())
}

// typeWrapping gives a field another type. It leaves what is not a literal of a ULID.
func (f *finder) typeWrapping(o operand) wrapping {
	literal, ok := ast.Unparen(o.Expr).(*ast.CompositeLit)
	if !ok || !isPlain(o.typ) {
		return wrapping{}
	}
	w := f.editable(o, f.replace(literal.Type.Pos(), literal.Type.End(), "$"))
	w.isOfSchema = true
	return w
}

// makerWrapping makes a function of another that returns the type of the field.
func (f *finder) makerWrapping(o operand) wrapping {
	w := f.editable(o, f.before(o, "func() $ { return $("), f.after(o, "()) }"))
	w.isOfSchema = true
	return w
}
