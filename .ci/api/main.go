// Api compares the exported API of each module with the API of its last release, which .ci/api.txt
// holds as text, so that a review shows what a release changes.
//
//	go run ./.ci/api                  # compares
//	go run ./.ci/api write            # writes .ci/api.txt, but only until the first release
//	go run ./.ci/api release 1.1.0    # dates the section of CHANGELOG.md and writes .ci/api.txt
//
// CHANGELOG.md must name each change in backticks: `Make`, `Generator.Fill`, `typed.ID.Compare`. It
// must name what has changed or gone under "### Changed" or "### Removed". The place is the section of
// the version that has no date yet, or else [Unreleased]. Before the first release nobody relies on a
// name, so .ci/api.txt only has to be up to date.
package main

import (
	"cmp"
	"fmt"
	"log"
	"os"
	"strings"
	"time"
)

const (
	apiFile       = ".ci/api.txt"
	changelogFile = "CHANGELOG.md"
)

func main() {
	log.SetFlags(0)
	if err := run(os.Args[1:]); err != nil {
		log.Fatal(err)
	}
}

func run(args []string) error {
	text := read(changelogFile)
	changes, err := parseChangelog(text)
	if err != nil {
		return err
	}
	now, err := modulesAPI()
	if err != nil {
		return err
	}
	switch {
	case len(args) == 0:
		return compare(changes, read(apiFile), now)
	case len(args) == 1 && args[0] == "write":
		if version := changes.released(); version != "" {
			return fmt.Errorf("%s is the API of v%s: name what has changed in %s instead", apiFile, version, changelogFile)
		}
		return write(apiFile, apiText("", now))
	case len(args) == 2 && args[0] == "release":
		return release(args[1], text, changes, now)
	}
	return fmt.Errorf("usage: go run ./.ci/api [write | release VERSION]")
}

// compare prints the lines that differ, and fails if the changelog lacks one.
func compare(changes changelog, recorded string, now []string) error {
	version := changes.released()
	body, ok := strings.CutPrefix(recorded, head(version))
	if !ok {
		return fmt.Errorf("%s must begin with %q, which go run ./.ci/api write or .ci/release writes", apiFile, head(version))
	}
	d := difference(lines(body), now)
	for _, line := range d.gone {
		fmt.Print("- ", line)
	}
	for _, line := range d.added {
		fmt.Print("+ ", line)
	}
	if missing := changes.lacks(d); missing != nil {
		return fmt.Errorf("%s", strings.Join(missing, "\n"))
	}
	fmt.Printf("%d names, %d lines differ from %s\n", len(now), len(d.gone)+len(d.added), cmp.Or(version, "the record"))
	return nil
}

// release writes what a release of the library, or of pgxulid alone, changes in the two files.
func release(version, text string, changes changelog, now []string) error {
	if strings.HasPrefix(version, "pgxulid/v") {
		if !strings.Contains(text, version) {
			return fmt.Errorf("%s does not name %s", changelogFile, version)
		}
		body := strings.TrimPrefix(read(apiFile), head(changes.released()))
		return write(apiFile, apiText(changes.released(), withModule("pgxulid.", lines(body), now)))
	}
	dated, err := changes.date(text, version, time.Now().Format(time.DateOnly))
	if err != nil {
		return err
	}
	if err := write(changelogFile, dated); err != nil {
		return err
	}
	return write(apiFile, apiText(version, now))
}

func read(file string) string {
	text, err := os.ReadFile(file)
	if err != nil {
		log.Fatal(err)
	}
	return string(text)
}

func write(file, text string) error { return os.WriteFile(file, []byte(text), 0o666) }
