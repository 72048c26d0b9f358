package main

import (
	"fmt"
	"os"
	"strings"
	"time"
)

// The table stands between these lines of the page.
const (
	begin = "<!-- go run -C interop ./consumers -->\n"
	end   = "<!-- end -->\n"
	head  = `| project | packages | changed in the code | Go | passed with oklog | skipped or failed with oklog | unsteady | other results with this library | date |
|---|---|---|---|--:|--:|--:|---|---|
`
)

// tableRow returns the row of a project.
func tableRow(p project, v verdict, goVersion string, now time.Time) string {
	edits := make([]string, len(p.edits))
	for i, e := range p.edits {
		edits[i] = fmt.Sprintf("`%s` is `%s`", strings.Trim(e.old, `"`), strings.Trim(e.new, `"`))
	}
	differs := make([]string, len(p.differs))
	for i, d := range p.differs {
		differs[i] = fmt.Sprintf("`%s`: %s", d.test, d.why)
	}
	return rowStart(p.name) + strings.Join([]string{
		"`" + p.module + "`: `" + strings.Join(append(p.packages, p.args...), "` `") + "`",
		cell(edits),
		strings.TrimPrefix(goVersion, "go"),
		fmt.Sprint(count(v.theirs, "pass")),
		fmt.Sprint(count(v.theirs, "skip") + count(v.theirs, "fail")),
		fmt.Sprint(len(v.unsteady)),
		cell(differs),
		now.Format(time.DateOnly),
	}, " | ") + " |"
}

func rowStart(name string) string { return "| " + name + " | " }

func cell(lines []string) string {
	if len(lines) == 0 {
		return "none"
	}
	return strings.Join(lines, "<br>")
}

// replaceRow puts the row of a project into the table of the page, whose other rows stay.
func replaceRow(file, name, row string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	before, rest, ok := strings.Cut(string(text), begin)
	old, after, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		return fmt.Errorf("%s lacks the lines around its table", file)
	}
	return os.WriteFile(file, []byte(before+begin+table(old, name, row)+end+after), 0o644)
}

// table returns a table with all projects in their order: the given row, and those that old has.
func table(old, name, row string) string {
	rows := head
	for _, p := range projects {
		for line := range strings.Lines(old) {
			if p.name != name && strings.HasPrefix(line, rowStart(p.name)) {
				rows += line
			}
		}
		if p.name == name {
			rows += row + "\n"
		}
	}
	return rows
}
