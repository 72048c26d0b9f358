// Ulid-migrate lists code that silently changes when a program replaces github.com/oklog/ulid by this
// library, with the line of go.mod that docs/migrating.md shows:
//
//	go run github.com/seed-961d0905/ulid/cmd/ulid-migrate@latest ./...
//
// It changes nothing, and lists the same before and after the replace. It looks for four things.
//
//   - Constants that are passed to Parse or MustParse and are not ULIDs. The line has the ULID of the same 16
//     bytes, which means the same in both libraries. Constants that the module accepts need no line.
//   - Calls of Parse, UnmarshalText or Scan whose error is dropped, or only says whether a string is a ULID.
//     oklog/ulid takes nearly any 26 characters for one.
//   - Comparisons of an error with ErrInvalidCharacters or ErrScanValue by == or in a case. Here errors wrap
//     these two, so that only errors.Is finds them.
//   - Imports of this library's own path, github.com/seed-961d0905/ulid, in a module that also uses oklog/ulid.
//     Its ULID is stored as a string, oklog/ulid's as bytes. A module uses oklog/ulid if its go.mod requires it
//     without the comment "// indirect", so that a package can be listed whose columns never hold bytes.
//
// ParseStrict and MustParseStrict are not listed, because oklog/ulid's accept the same strings as this library's.
//
// It looks at each call by itself and follows no value. So it cannot see that a program ignores the error of a
// function that calls Parse, of json.Unmarshal or of rows.Scan. Nor does it see constants that are not an
// argument of Parse, such as those in JSON.
//
// Generated files and tests are listed too, because they change as silently. Files with other build tags need a
// run with GOFLAGS=-tags=integration. It also works as a tool of go vet, which has a flag for tags, but fails if Go is
// newer than the version of golang.org/x/tools that it has (Go 1.26):
//
//	go vet -vettool=$(which ulid-migrate) -tags=integration ./...
package main

import (
	"os"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/passes/inspect"
	"golang.org/x/tools/go/analysis/singlechecker"
)

const doc = `list code that silently changes when this library replaces github.com/oklog/ulid

It lists constants that are not ULIDs, errors of Parse, UnmarshalText and Scan that nobody
sees, comparisons with errors that are wrapped now, and imports of this library beside
oklog/ulid. It changes nothing.

Ignored errors of json.Unmarshal, of rows.Scan and of functions that call Parse cannot be seen.`

const guide = "https://github.com/seed-961d0905/ulid/blob/main/docs/migrating.md"

var analyzer = &analysis.Analyzer{
	Name:     "ulidmigrate",
	Doc:      doc,
	URL:      guide,
	Requires: []*analysis.Analyzer{inspect.Analyzer},
	Run: func(pass *analysis.Pass) (any, error) {
		listCalls(pass)
		listComparisons(pass)
		listImports(pass)
		return nil, nil
	},
}

// A fromSource is a fact that nothing has.
type fromSource struct{}

func (*fromSource) AFact() {}

func main() {
	// With a type of facts, singlechecker loads dependencies from source. Otherwise it reads what the compiler wrote,
	// which fails as soon as a newer Go has changed the format. go vet, which passes a file .cfg, has only that.
	if isVet := strings.HasSuffix(os.Args[len(os.Args)-1], ".cfg"); !isVet {
		analyzer.FactTypes = []analysis.Fact{new(fromSource)}
	}
	singlechecker.Main(analyzer)
}
