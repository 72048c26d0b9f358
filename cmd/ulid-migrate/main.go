// Ulid-migrate lists what a change from github.com/oklog/ulid to this library means in a program,
// and makes the part of the change that is safe. Run ulid-migrate -h for its flags.
package main

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

const usage = `usage: ulid-migrate [flags] [packages]

Lists what a change from github.com/oklog/ulid to github.com/seed-961d0905/ulid
means in the packages, ./... if you name none, and changes nothing. The change
counts where a program stores ULIDs by their Value, which writes 16 bytes in
oklog/ulid and text here.

  -tags list  as for go build
  -write      change the import path in every module of the packages, then run
              go get, go mod tidy, go mod vendor (if there is a vendor folder)
              and go vet, and list what is left
  -bytes      with -write: wrap IDs that are passed to functions of database/sql,
              sqlx, pgx, gorm, bun, goqu and squirrel in ulid.AsBinary, because
              the columns hold 16 bytes
  -uuid       with -write: wrap them in ulid.AsUUID, because the columns are uuid
  -f          write although Git has changes that are not committed, or although
              such arguments stay as they are

The exit status is 0, or 1 if a package does not type-check or a command fails,
or 2 if the arguments are wrong.
`

// unseen ends every list.
const unseen = "not seen: values that are already any, generic code, statements in templates, files that -tags leaves out\n"

func main() {
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}

type options struct {
	tags, wrap   string // wrap is AsBinary, AsUUID or nothing
	write, force bool
	patterns     []string
}

// run is the command, and returns its exit status.
func run(args []string, stdout, stderr io.Writer) int {
	o, err := parseArgs(args)
	if errors.Is(err, flag.ErrHelp) {
		io.WriteString(stdout, usage)
		return 0
	}
	if err != nil {
		fmt.Fprintf(stderr, "ulid-migrate: %v\nRun ulid-migrate -h for help.\n", err)
		return 2
	}
	if err := o.run(stdout, stderr); err != nil {
		fmt.Fprintf(stderr, "ulid-migrate: %v\n", err)
		return 1
	}
	return 0
}

func parseArgs(args []string) (o options, err error) {
	flags := flag.NewFlagSet("ulid-migrate", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.StringVar(&o.tags, "tags", "", "")
	flags.BoolVar(&o.write, "write", false, "")
	flags.BoolVar(&o.force, "f", false, "")
	bytes, uuid := flags.Bool("bytes", false, ""), flags.Bool("uuid", false, "")
	if err := flags.Parse(args); err != nil {
		return o, err
	}
	switch {
	case *bytes && *uuid:
		return o, errors.New("-bytes and -uuid exclude each other: wrap the fewer by hand")
	case *bytes:
		o.wrap = "AsBinary"
	case *uuid:
		o.wrap = "AsUUID"
	}
	if !o.write && (o.wrap != "" || o.force) {
		return o, errors.New("-bytes, -uuid and -f go with -write")
	}
	if o.patterns = flags.Args(); len(o.patterns) == 0 {
		o.patterns = []string{"./..."}
	}
	return o, nil
}

func (o options) run(stdout, stderr io.Writer) error {
	p, err := load(o.tags, o.patterns)
	if err != nil {
		return err
	}
	if !o.write {
		p.print(stdout, false)
		return nil
	}
	if err := o.mayWrite(p); err != nil {
		return err
	}
	for _, dir := range p.modules {
		changed, err := p.write(dir, o.wrap, o.tags, stderr)
		if err != nil {
			return err
		}
		fmt.Fprintf(stdout, "%s: %s changed\n", dir, plural(changed, "file"))
	}
	if p, err = load(o.tags, o.patterns); err != nil {
		return err
	}
	p.print(stdout, true)
	return nil
}

// A program is what was found in the packages of one or more modules.
type program struct {
	modules  []string // their folders
	findings []finding
	imports  bool // whether something imports oklog/ulid
}

// load type-checks the packages from source, with their dependencies, because export data that a
// newer compiler wrote may be unreadable for this program.
func load(tags string, patterns []string) (*program, error) {
	pkgs, err := packages.Load(&packages.Config{
		Mode:       packages.LoadAllSyntax | packages.NeedModule,
		Tests:      true,
		BuildFlags: []string{"-tags=" + tags},
	}, patterns...)
	if err != nil {
		return nil, err
	}
	p, files := &program{}, map[string]bool{}
	var bad []string
	for _, pkg := range pkgs {
		for _, err := range pkg.Errors {
			bad = append(bad, fmt.Sprintf("\n\t%s: %v", pkg.PkgPath, err))
		}
		if pkg.Module != nil && !slices.Contains(p.modules, pkg.Module.Dir) {
			p.modules = append(p.modules, pkg.Module.Dir)
		}
		for _, file := range pkg.GoFiles {
			files[file] = true
		}
	}
	switch {
	case len(bad) > 0:
		slices.Sort(bad) // a package and the variant of it that its tests are built with have the same
		return nil, errors.New("these packages do not type-check:" + strings.Join(slices.Compact(bad), ""))
	case len(p.modules) == 0:
		return nil, fmt.Errorf("no packages of a module in %s", strings.Join(patterns, " "))
	}
	p.findings, p.imports = find(pkgs, files)
	for _, dir := range p.modules {
		more, err := otherFiles(dir, files)
		if err != nil {
			return nil, err
		}
		p.findings = append(p.findings, more...)
	}
	slices.SortFunc(p.findings, func(a, b finding) int {
		return cmp.Or(cmp.Compare(a.Filename, b.Filename), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column), cmp.Compare(a.text, b.text))
	})
	p.findings = slices.Compact(p.findings)
	return p, nil
}

// String returns a finding as compilers write one, with the path of the file from here.
func (f finding) String() string {
	if wd, err := os.Getwd(); err == nil {
		if rel, err := filepath.Rel(wd, f.Filename); err == nil && filepath.IsLocal(rel) {
			f.Filename = rel
		}
	}
	return f.Position.String() + ": " + f.text
}

// print lists what was found, and says what to do.
func (p *program) print(w io.Writer, written bool) {
	var count [field + 1]int
	for _, f := range p.findings {
		count[f.kind]++
		fmt.Fprintln(w, f)
	}
	switch conversions := count[argument] + count[conversion]; {
	case conversions+count[field] > 0:
		fmt.Fprintf(w, "%s and %s: read https://%s/blob/main/docs/migrating.md, step 1\n",
			plural(conversions, "argument"), plural(count[field], "field"), ulidPath)
	case written:
		fmt.Fprintln(w, "nothing stores bytes: run your tests")
	case !p.imports:
		fmt.Fprintln(w, "nothing imports "+oklogPath)
	default:
		fmt.Fprintln(w, "nothing stores bytes: -write is all")
	}
	io.WriteString(w, unseen)
}

func plural(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return fmt.Sprint(n, " ", what)
}
