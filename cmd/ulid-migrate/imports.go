package main

import (
	"os"
	"path/filepath"
	"slices"

	"golang.org/x/mod/modfile"
	"golang.org/x/tools/go/analysis"
)

const (
	path      = "github.com/seed-961d0905/ulid"
	imported  = "this module also uses oklog/ulid, whose IDs are stored as bytes: " + asBinary
	asBinary  = "strings could get among bytes, so pass ulid.AsBinary(id) to columns of bytes"
	goModFile = "go.mod"
)

// listImports lists the imports of this library by its own path, if the module also uses oklog/ulid.
func listImports(pass *analysis.Pass) {
	for _, file := range pass.Files {
		for _, spec := range file.Imports {
			if spec.Path.Value != `"`+path+`"` {
				continue
			}
			name := pass.Fset.Position(spec.Pos()).Filename
			if slices.ContainsFunc(pass.Pkg.Imports(), isOklog) || requiresOklog(filepath.Dir(name)) {
				pass.Reportf(spec.Pos(), imported)
			}
		}
	}
}

// requiresOklog reports whether the module of a folder requires oklog/ulid for its own code.
func requiresOklog(dir string) bool {
	content, err := os.ReadFile(filepath.Join(dir, goModFile))
	if err != nil {
		parent := filepath.Dir(dir)
		return parent != dir && requiresOklog(parent)
	}
	module, err := modfile.ParseLax(goModFile, content, nil)
	return err == nil && slices.ContainsFunc(module.Require, func(r *modfile.Require) bool {
		return isOklogPath(r.Mod.Path) && !r.Indirect
	})
}
