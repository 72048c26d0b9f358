package main

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

// What is known of a program before its code is looked at.
type known struct {
	pkgs      []*packages.Package
	files     map[string]bool   // of all packages
	generated map[string]bool   // those of them that are generated
	checked   map[place]bool    // the lines that somebody has looked at
	modules   map[string]string // the paths of the modules that are linked, by package
	ulids     []types.Type      // the types ULID that are linked
	senders   map[string]bool   // packages of modules in no list that send statements
	flow      flow
	parsers   map[string]bool // functions of the program that return an ID and oklog/ulid's error
	reflected typeSet         // what becomes an interface somewhere, or nil before that was found out
	isSQL     bool            // whether something could ask for a Value
	hasORM    bool            // whether something stores structs
}

func know(pkgs []*packages.Package, files map[string]bool) known {
	k := known{
		pkgs:      pkgs,
		files:     files,
		generated: map[string]bool{},
		checked:   map[place]bool{},
		modules:   modulePaths(pkgs),
		ulids:     ulidTypes(pkgs),
		senders:   senders(pkgs),
		flow:      flowOf(pkgs),
		parsers:   map[string]bool{},
		isSQL:     linksValue(pkgs),
	}
	importsORM := importsAny(pkgs, func(pkg *types.Package) bool { return in(pkg, takesStructs) })
	k.hasORM = importsORM || slices.ContainsFunc(pkgs, k.givesAny)
	for _, pkg := range pkgs {
		for _, file := range pkg.Syntax {
			k.marks(pkg, file)
		}
	}
	return k
}

// importsAny reports whether one of the packages imports a package that is asked for.
func importsAny(pkgs []*packages.Package, is func(*types.Package) bool) bool {
	return slices.ContainsFunc(pkgs, func(pkg *packages.Package) bool {
		return slices.ContainsFunc(pkg.Types.Imports(), is)
	})
}

// modulePaths returns the path of the module of each package that is linked.
func modulePaths(pkgs []*packages.Package) map[string]string {
	paths := map[string]string{}
	packages.Visit(pkgs, nil, func(pkg *packages.Package) {
		if pkg.Module != nil {
			paths[pkg.PkgPath] = pkg.Module.Path
		}
	})
	return paths
}

// checkedMark takes the line where it stands off the list, except in generated files.
const checkedMark = "ulid:checked"

// A place is a line of a file.
type place struct {
	file string
	line int
}

func placeOf(p token.Position) place { return place{p.Filename, p.Line} }

func (k known) isChecked(f finding) bool { return k.checked[placeOf(f.Position)] }

// marks remembers that a file is generated, or which of its lines have the mark.
func (k known) marks(pkg *packages.Package, file *ast.File) {
	if ast.IsGenerated(file) {
		k.generated[k.position(pkg, file.Pos()).Filename] = true
		return
	}
	for _, group := range file.Comments {
		for _, comment := range group.List {
			if strings.HasPrefix(comment.Text, "//"+checkedMark) {
				k.checked[placeOf(k.position(pkg, comment.Pos()))] = true
			}
		}
	}
}

// position returns where something stands. The code of a file that imports "C" is in another file,
// whose line directives name it.
func (k known) position(pkg *packages.Package, pos token.Pos) token.Position {
	p := pkg.Fset.PositionFor(pos, false)
	if k.files[p.Filename] {
		return p
	}
	return pkg.Fset.Position(pos)
}

// What other modules do is known from the lists, or from what they import: a package that imports
// database/sql, or a package of its module that does, may send what it gets in a statement.

// sends reports whether a package of another module sends statements with what it gets.
func (k known) sends(pkg *types.Package) bool {
	return in(pkg, takesIDs) || in(pkg, takesStructs) || k.isSender(pkg)
}

// isSender reports whether a package that is in no list sends statements.
func (k known) isSender(pkg *types.Package) bool { return pkg != nil && k.senders[pkg.Path()] }

// senders returns the packages of other modules that send statements and are in no list.
func senders(pkgs []*packages.Package) map[string]bool {
	s := map[string]bool{}
	packages.Visit(pkgs, nil, func(pkg *packages.Package) { // after its imports
		if pkg.Module == nil || pkg.Module.Main || isKnown(pkg.PkgPath) {
			return
		}
		for path, imported := range pkg.Imports {
			isOfModule := imported.Module != nil && imported.Module.Path == pkg.Module.Path
			if sendsByImport(path) || isOfModule && s[path] {
				s[pkg.PkgPath] = true
			}
		}
	})
	return s
}

// givesAny reports whether a package uses a function that sends statements and takes any.
func (k known) givesAny(pkg *packages.Package) bool {
	for _, object := range pkg.TypesInfo.Uses {
		function, ok := object.(*types.Func)
		if !ok || !k.isSender(function.Pkg()) || in(function.Pkg(), drivers) {
			continue
		}
		parameters := vars(function.Signature().Params())
		if slices.ContainsFunc(parameters, func(v *types.Var) bool { return hasAny(v.Type()) }) {
			return true
		}
	}
	return false
}

func isKnown(path string) bool {
	return inPath(path, takesIDs) || inPath(path, takesStructs) || inPath(path, makesAny) || inPath(path, quiet)
}

// sendsByImport reports whether who imports the package sends statements. The package driver alone is
// what a type with a Value imports.
func sendsByImport(path string) bool {
	return path != "database/sql/driver" && (inPath(path, takesIDs) || inPath(path, takesStructs))
}

// linksValue reports whether anything of the program could ask a ULID for its Value: whatever imports
// database/sql or only its package driver, except packages that import the latter for a type of their own.
func linksValue(pkgs []*packages.Package) bool {
	links := false
	packages.Visit(pkgs, nil, func(pkg *packages.Package) {
		if pkg.Module == nil || isULID(pkg.Types) || inPath(pkg.PkgPath, values) {
			return // of Go, or a type
		}
		for path := range pkg.Imports {
			links = links || inPath(path, []string{"database/sql"}) || sendsByImport(path)
		}
	})
	return links
}

// ulidTypes returns the types ULID of the libraries that the packages link.
func ulidTypes(pkgs []*packages.Package) []types.Type {
	var list []types.Type
	packages.Visit(pkgs, nil, func(pkg *packages.Package) {
		if isULID(pkg.Types) && pkg.Types.Scope().Lookup("ULID") != nil {
			list = append(list, pkg.Types.Scope().Lookup("ULID").Type())
		}
	})
	return list
}
