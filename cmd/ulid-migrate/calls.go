package main

import (
	"go/ast"
	"go/constant"
	"go/types"

	oklog "github.com/oklog/ulid/v2"
	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/passes/inspect"
	"golang.org/x/tools/go/ast/inspector"
	"golang.org/x/tools/go/types/typeutil"

	"github.com/seed-961d0905/ulid"
)

// oklog's Parse accepts nearly every string of 26 characters, and this library's only ULIDs.

const (
	droppedParse = "the error of Parse is dropped: " +
		"a string that is not a ULID was an ID with oklog/ulid, and is the zero ULID now"
	droppedMethod = "the error of %s is dropped: " +
		"a string that is not a ULID was an ID with oklog/ulid, and leaves the ULID as it was now"
	asked = "the error of %s only says whether this is a ULID: " +
		"nearly any 26 characters were one with oklog/ulid, and are none now"
	wrongConstant = "constant %q is not a ULID: write %q, which has the bytes that oklog/ulid reads"
	compared      = "errors wrap ulid.%s now, and are not equal to it: use errors.Is"
)

// accepted are the constants that the module oklog accepts in MustParse.
var accepted = map[string]bool{
	"0000000000XX000COMPACTHEAD": true,
	"0000000000XXSELECTEDSERIES": true,
	"0000000000XXXXXXXSTALEHEAD": true,
}

// listCalls lists the calls of oklog/ulid's functions that have another result and do not tell anybody.
func listCalls(pass *analysis.Pass) {
	root := pass.ResultOf[inspect.Analyzer].(*inspector.Inspector).Root()
	for cursor := range root.Preorder((*ast.CallExpr)(nil)) {
		call := cursor.Node().(*ast.CallExpr)
		function := typeutil.StaticCallee(pass.TypesInfo, call)
		if function == nil || !isOklog(function.Pkg()) {
			continue
		}
		switch name := function.Name(); name {
		case "Parse", "MustParse":
			if text := pass.TypesInfo.Types[call.Args[0]].Value; text != nil {
				listConstant(pass, call, name, constant.StringVal(text))
			} else if name == "Parse" {
				listError(pass, cursor, name)
			}
		case "UnmarshalText", "Scan":
			listError(pass, cursor, name)
		}
	}
}

func isOklog(pkg *types.Package) bool { return pkg != nil && isOklogPath(pkg.Path()) }

func isOklogPath(path string) bool {
	return path == "github.com/oklog/ulid/v2" || path == "github.com/oklog/ulid"
}

// listComparisons lists where == or a case asks for an error that is wrapped in this library.
func listComparisons(pass *analysis.Pass) {
	root := pass.ResultOf[inspect.Analyzer].(*inspector.Inspector).Root()
	for cursor := range root.Preorder((*ast.SelectorExpr)(nil)) {
		name := cursor.Node().(*ast.SelectorExpr).Sel
		object := pass.TypesInfo.Uses[name]
		isWrapped := name.Name == "ErrInvalidCharacters" || name.Name == "ErrScanValue"
		if !isWrapped || object == nil || !isOklog(object.Pkg()) {
			continue
		}
		switch cursor.Parent().Node().(type) {
		case *ast.BinaryExpr, *ast.CaseClause:
			pass.Reportf(cursor.Node().Pos(), compared, name.Name)
		}
	}
}

// listConstant lists a constant that only oklog/ulid reads.
func listConstant(pass *analysis.Pass, call *ast.CallExpr, name, text string) {
	if name == "MustParse" && accepted[text] {
		return
	}
	_, err := ulid.Parse(text)
	same, theirs := oklog.Parse(text)
	if err != nil && theirs == nil {
		pass.Reportf(call.Args[0].Pos(), wrongConstant, text, same)
	}
}

// listError lists a call whose error nobody sees.
func listError(pass *analysis.Pass, call inspector.Cursor, name string) {
	switch fateOf(pass.TypesInfo, call) {
	case isDropped:
		if name == "Parse" {
			pass.Reportf(call.Node().Pos(), droppedParse)
		} else {
			pass.Reportf(call.Node().Pos(), droppedMethod, name)
		}
	case isAsked:
		pass.Reportf(call.Node().Pos(), asked, name)
	}
}
