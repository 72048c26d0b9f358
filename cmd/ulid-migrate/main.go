// Ulid-migrate lists what a change from github.com/oklog/ulid to this library means in a program, and
// makes the part of it that is safe. Its flags are in ulid-migrate -h, its guide in docs/migrating.md.
//
// It loads packages (load.go), looks at each node of their code (find.go) and at the other files of
// their modules (walk.go, reach.go), prints what it has found (group.go, report.go), and with -write
// changes the modules (write.go, rewrite.go, vet.go).
//
// Where an ID becomes an interface, its type no longer shows that it is one. The tool lists such a place
// (convert.go, call.go), unless the value then only gets to functions such as those of fmt (quiet.go).
// lists.go and known.go say what other modules do with values.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
)

const usage = `usage: ulid-migrate [flags] [packages]

Lists what a change from github.com/oklog/ulid to github.com/seed-961d0905/ulid
means in the packages (./... if you name none), and changes nothing. It matters
where ULIDs are stored by their Value: 16 bytes in oklog/ulid, but a string here.
In a program that never used oklog/ulid it lists where a ULID is stored as a string.
`

// The help of flags that needs more than a line.
const (
	checkHelp = `end with status 1 if a line is listed, as in CI, where a line
of code that somebody has looked at ends in the comment //ulid:checked`
	writeHelp = "change the imports, run go get, tidy, vendor (if there is one) and vet, and list what is left"
	bytesHelp = `with -write, for columns of 16 bytes: wrap arguments of database/sql, sqlx,
pgx, gorm, bun, goqu, squirrel, sqlmock and pgxmock in ulid.AsBinary`
	uuidHelp  = "with -write, for columns of type uuid: wrap them in ulid.AsUUID"
	forceHelp = "with -write: write although it stops, for the reason that it gives"
)

// options are the flags.
type options struct {
	tags     string
	check    bool
	write    bool
	asBinary bool
	asUUID   bool
	force    bool
}

// wrapper returns the type that arguments are wrapped in, or nothing if they stay.
func (o options) wrapper() string {
	switch {
	case o.asBinary:
		return "AsBinary"
	case o.asUUID:
		return "AsUUID"
	default:
		return ""
	}
}

func main() {
	var o options
	flag.StringVar(&o.tags, "tags", "", "build tags, separated by commas")
	flag.BoolVar(&o.check, "check", false, checkHelp)
	flag.BoolVar(&o.write, "write", false, writeHelp)
	flag.BoolVar(&o.asBinary, "bytes", false, bytesHelp)
	flag.BoolVar(&o.asUUID, "uuid", false, uuidHelp)
	flag.BoolVar(&o.force, "f", false, forceHelp)
	flag.Usage = func() {
		fmt.Fprint(flag.CommandLine.Output(), usage)
		flag.PrintDefaults()
	}
	flag.Parse()
	if !o.areValid() || slices.ContainsFunc(flag.Args(), isFlag) {
		fmt.Fprintln(os.Stderr, "flags go before packages, -bytes, -uuid and -f go with -write, "+
			"-bytes does not go with -uuid, -check does not go with -write")
		os.Exit(2)
	}
	if o.tags != "" { // for packages.Load and for go vet
		os.Setenv("GOFLAGS", os.Getenv("GOFLAGS")+" -tags="+o.tags)
	}
	patterns := flag.Args()
	if len(patterns) == 0 {
		patterns = []string{"./..."}
	}
	if err := run(patterns, o); err != nil {
		fmt.Fprintln(os.Stderr, "ulid-migrate:", err)
		os.Exit(1)
	}
}

// areValid reports whether the flags make sense together.
func (o options) areValid() bool {
	if o.write {
		return !(o.asBinary && o.asUUID) && !o.check
	}
	return !o.asBinary && !o.asUUID && !o.force
}

func isFlag(arg string) bool { return strings.HasPrefix(arg, "-") }

// run lists what the packages have. With -write it first changes their modules, and lists what is left.
func run(patterns []string, o options) error {
	p, err := load(patterns)
	if err != nil {
		return err
	}
	if o.write {
		return p.writeAndList(patterns, o)
	}
	p.print(false)
	if o.check && len(p.findings) > 0 {
		return errors.New(plural(len(p.findings), "line") + " left: change what it lists, or mark it //" + checkedMark)
	}
	return nil
}

// writeAndList changes the modules of the packages, lists what is left, and then runs go vet, because
// what is left explains most of what it says.
func (p *program) writeAndList(patterns []string, o options) error {
	vets, err := p.write(o)
	if err != nil {
		return err
	}
	left, err := load(patterns)
	if err != nil {
		return err
	}
	left.print(true)
	if o.wrapper() != "" && slices.ContainsFunc(p.findings, finding.changesSchema) {
		fmt.Println("schemas of ent have changed: run go generate, then list again")
	}
	for _, v := range vets {
		if err := v.again(); err != nil {
			return err
		}
	}
	return nil
}
