// Ulid-migrate lists what a change from github.com/oklog/ulid to this library means in a program, and
// makes the part of it that is safe. Its flags are in ulid-migrate -h, its guide in docs/migrating.md.
package main

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

const usage = `usage: ulid-migrate [flags] [packages]

Lists what a change from github.com/oklog/ulid to github.com/seed-961d0905/ulid
means in the packages (./... if you name none), and changes nothing. It matters
where ULIDs are stored by their Value: 16 bytes in oklog/ulid, but text here.
`

var (
	tags     = flag.String("tags", "", "build tags, separated by commas")
	write    = flag.Bool("write", false, "change the imports, run go get, tidy, vendor (if there is one) and vet, and list what is left")
	asBinary = flag.Bool("bytes", false, `with -write, for columns of 16 bytes: wrap arguments of database/sql, sqlx,
pgx, gorm, bun, goqu, squirrel, sqlmock and pgxmock in ulid.AsBinary`)
	asUUID = flag.Bool("uuid", false, "with -write, for columns of type uuid: wrap them in ulid.AsUUID")
	force  = flag.Bool("f", false, "with -write: write although it refuses to, for the reason that it gives")
)

func main() {
	flag.Usage = func() {
		fmt.Fprint(flag.CommandLine.Output(), usage)
		flag.PrintDefaults()
	}
	flag.Parse()
	late := slices.ContainsFunc(flag.Args(), func(s string) bool { return strings.HasPrefix(s, "-") })
	if late || *asBinary && *asUUID || !*write && (*asBinary || *asUUID || *force) {
		fmt.Fprintln(flag.CommandLine.Output(), "flags go before packages, -bytes, -uuid and -f go with -write, -bytes does not go with -uuid")
		os.Exit(2)
	}
	if *tags != "" { // for packages.Load and for go vet
		os.Setenv("GOFLAGS", os.Getenv("GOFLAGS")+" -tags="+*tags)
	}
	patterns := flag.Args()
	if len(patterns) == 0 {
		patterns = []string{"./..."}
	}
	if err := run(patterns); err != nil {
		fmt.Fprintln(os.Stderr, "ulid-migrate:", err)
		os.Exit(1)
	}
}

func run(patterns []string) error {
	p, err := load(patterns)
	if err == nil && *write {
		if err = p.write(); err == nil {
			p, err = load(patterns)
		}
	}
	if err != nil {
		return err
	}
	p.print()
	for dir := range p.modules {
		if *write && err == nil {
			err = runGo(dir, "vet", "./...")
		}
	}
	return err
}

// A program is what was found in the packages of one or more modules.
type program struct {
	modules  map[string][]string // the files below the folder of each module
	findings []finding
	imports  bool // whether something imports oklog/ulid
}

// load type-checks the packages from source, with their dependencies, because export data that a
// newer compiler wrote may be unreadable for this program.
func load(patterns []string) (*program, error) {
	pkgs, err := packages.Load(&packages.Config{Mode: packages.LoadAllSyntax | packages.NeedModule, Tests: true}, patterns...)
	if err != nil {
		return nil, err
	}
	p, seen := &program{modules: map[string][]string{}}, map[string]bool{}
	var bad []string
	pkgs = slices.DeleteFunc(pkgs, func(pkg *packages.Package) bool {
		for _, err := range pkg.Errors {
			bad = append(bad, fmt.Sprintf("\n\t%s: %v", pkg.PkgPath, err))
		}
		if pkg.Module == nil || !pkg.Module.Main { // a dependency must not be written
			return true
		}
		for _, file := range pkg.GoFiles {
			seen[file] = true
		}
		return false
	})
	switch {
	case len(bad) > 0:
		slices.Sort(bad) // a package and its variant with tests have the same
		return nil, errors.New("these packages do not type-check:" + strings.Join(slices.Compact(bad), ""))
	case len(pkgs) == 0:
		return nil, fmt.Errorf("no packages of this module in %s", strings.Join(patterns, " "))
	}
	p.findings, p.imports = find(pkgs, seen)
	for _, pkg := range pkgs {
		if p.modules[pkg.Module.Dir] == nil {
			if err := p.walk(pkg.Module.Dir, seen); err != nil {
				return nil, err
			}
		}
	}
	slices.SortFunc(p.findings, func(a, b finding) int {
		return cmp.Or(cmp.Compare(a.Filename, b.Filename), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column), cmp.Compare(a.text, b.text))
	})
	p.findings = slices.Compact(p.findings)
	return p, nil
}

// String returns a finding as compilers write one, with the path of the file from here.
func (f finding) String() string {
	wd, _ := os.Getwd()
	if rel, err := filepath.Rel(wd, f.Filename); err == nil {
		f.Filename = rel
	}
	return f.Position.String() + ": " + f.text
}

// print lists what was found, and says what to do.
func (p *program) print() {
	var count [unseen + 1]int
	for _, f := range p.findings {
		count[f.kind]++
		fmt.Println(f)
	}
	arguments, fields := count[argument]+count[conversion], count[field]
	switch {
	case arguments+fields > 0:
		warning, step := "", 1
		if *write {
			warning, step = "do not start the program while they may write text, and ", 3
		}
		text := fmt.Sprintf(" %d arguments and %d fields: %sread https://%s/blob/main/docs/migrating.md, step %d", arguments, fields, warning, ulidPath, step)
		fmt.Println(strings.NewReplacer(" 1 arguments", " 1 argument", " 1 fields", " 1 field").Replace(text)[1:])
	case count[unseen] > 0:
		fmt.Println("not all files were looked at: name their packages, or add their -tags")
	case *write:
		fmt.Println("nothing seen stores bytes: run your tests")
	case p.imports:
		fmt.Println("nothing seen stores bytes: -write is all")
	default:
		fmt.Println("nothing imports", oklogPath)
	}
	fmt.Println("not seen: values that are already any, other modules' generic code, statements in templates, files that -tags leaves out")
}
