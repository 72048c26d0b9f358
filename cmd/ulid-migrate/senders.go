package main

import (
	"go/types"

	"golang.org/x/tools/go/packages"
)

// What other modules do is known from the lists, or from what they import: a package that imports
// database/sql, or a package of its module that does, may send what it gets in a statement.

// sends reports whether a package of another module sends statements with what it gets.
func (f *finder) sends(pkg *types.Package) bool {
	return in(pkg, takesIDs) || in(pkg, takesStructs) || f.isSender(pkg)
}

// isSender reports whether a package that is in no list sends statements.
func (f *finder) isSender(pkg *types.Package) bool { return pkg != nil && f.senders[pkg.Path()] }

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

func isKnown(path string) bool {
	return inPath(path, takesIDs) || inPath(path, takesStructs) || inPath(path, makesAny) || inPath(path, quiet)
}

// sendsByImport reports whether who imports the package sends statements. The package driver alone is
// what a type with a Value imports.
func sendsByImport(path string) bool {
	return path != "database/sql/driver" && (inPath(path, takesIDs) || inPath(path, takesStructs))
}

// linkValue reports whether anything of the program could ask a ULID for its Value: what imports
// database/sql, or its driver unless it is known to have such a type and no more.
func linkValue(pkgs []*packages.Package) bool {
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
