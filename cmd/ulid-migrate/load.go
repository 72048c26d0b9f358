package main

import (
	"cmp"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

// A program is what was found in the packages of one or more modules.
type program struct {
	modules      []module
	findings     []finding
	forms        []form
	importsOklog bool
	importsULID  bool // this library
}

// A module has every file below its folder, except those of other modules.
type module struct {
	dir   string
	files []string
}

// load looks at packages, and at the other files of their modules.
func load(patterns []string) (*program, error) {
	pkgs, err := typeCheck(patterns)
	if err != nil {
		return nil, err
	}
	seen := map[string]bool{} // the files that are looked at
	for _, pkg := range pkgs {
		for _, file := range pkg.GoFiles {
			seen[file] = true
		}
	}
	f := find(pkgs, seen)
	p := &program{
		findings:     f.findings,
		forms:        f.forms,
		importsOklog: importsAny(pkgs, isOklog),
		importsULID:  importsAny(pkgs, isULID),
	}
	for _, dir := range moduleDirs(pkgs) {
		m, err := p.walk(dir, seen)
		if err != nil {
			return nil, err
		}
		p.modules = append(p.modules, m)
		if err := p.addUnformatted(m); err != nil {
			return nil, err
		}
	}
	if !f.wraps && !slices.ContainsFunc(p.findings, finding.mayBecomeWrapped) {
		p.findings = slices.DeleteFunc(p.findings, func(f finding) bool { return f.kind == assertion })
	}
	slices.SortFunc(p.findings, finding.compare)
	p.findings = slices.CompactFunc(p.findings, finding.isSame) // a package and its variant with tests have the same
	p.findings = grouped(p.findings)
	return p, nil
}

// typeCheck returns the packages of the main modules, because a dependency must not be written. It
// checks them from source, with their dependencies, because export data that a newer compiler wrote
// may be unreadable for this program.
func typeCheck(patterns []string) ([]*packages.Package, error) {
	own, err := ownFiles(patterns)
	if err != nil {
		return nil, err
	}
	config := &packages.Config{
		Mode:  packages.LoadAllSyntax | packages.NeedModule,
		Tests: true,
		ParseFile: func(fset *token.FileSet, name string, code []byte) (*ast.File, error) {
			file, err := parser.ParseFile(fset, name, code, parser.ParseComments|parser.SkipObjectResolution)
			if file != nil && !own[name] {
				removeBodies(file)
			}
			return file, err
		},
	}
	pkgs, err := packages.Load(config, patterns...)
	if err != nil {
		return nil, goSays(err)
	}
	var bad []string
	for _, pkg := range pkgs {
		for _, err := range pkg.Errors {
			bad = append(bad, fmt.Sprintf("\n\t%s: %v", pkg.PkgPath, err))
		}
	}
	if len(bad) > 0 {
		slices.Sort(bad) // a package and its variant with tests have the same
		return nil, errors.New("these packages do not type-check:" + strings.Join(slices.Compact(bad), ""))
	}
	pkgs = slices.DeleteFunc(pkgs, func(pkg *packages.Package) bool {
		return pkg.Module == nil || !pkg.Module.Main
	})
	if len(pkgs) == 0 {
		return nil, fmt.Errorf("no packages of this module in %s", strings.Join(patterns, " "))
	}
	return pkgs, nil
}

// ownFiles returns the files of the packages of the main modules.
func ownFiles(patterns []string) (map[string]bool, error) {
	config := &packages.Config{
		Mode:  packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedModule,
		Tests: true,
	}
	pkgs, err := packages.Load(config, patterns...)
	if err != nil {
		return nil, goSays(err)
	}
	files := map[string]bool{}
	for _, pkg := range pkgs {
		for _, file := range slices.Concat(pkg.GoFiles, pkg.CompiledGoFiles) {
			files[file] = true
		}
	}
	return files, nil
}

// goSays returns what the go command wrote before packages.Load failed.
func goSays(err error) error {
	_, said, _ := strings.Cut(err.Error(), "stderr: ")
	return errors.New("the go command says: " + cmp.Or(strings.TrimSpace(said), err.Error()))
}

// removeBodies removes what the functions of a dependency do, which is most of its code and is never
// looked at. A body that never ends needs no return.
func removeBodies(file *ast.File) {
	for _, d := range file.Decls {
		if function, ok := d.(*ast.FuncDecl); ok && function.Body != nil {
			function.Body = &ast.BlockStmt{List: []ast.Stmt{&ast.ForStmt{Body: new(ast.BlockStmt)}}}
		}
	}
	file.Comments = nil
}

// moduleDirs returns the folder of each module that has one of the packages.
func moduleDirs(pkgs []*packages.Package) []string {
	var dirs []string
	for _, pkg := range pkgs {
		if !slices.Contains(dirs, pkg.Module.Dir) {
			dirs = append(dirs, pkg.Module.Dir)
		}
	}
	return dirs
}
