package main

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/seed-961d0905/ulid/interop/page"
)

const (
	file = "docs/consumers.md"
	name = "other projects' tests"
)

var head = []string{
	"project",
	"packages",
	"Go",
	"passed",
	"skipped or failed",
	"unsteady",
	"date",
}

// row returns the row of a project.
func row(p project, all comparisons, goVersion string, now time.Time) []string {
	arguments := slices.Concat(p.packages, p.args)
	return []string{
		p.name,
		"`" + strings.TrimPrefix(p.module, "github.com/") + "`: `" + strings.Join(arguments, "` `") + "`",
		strings.TrimPrefix(goVersion, "go"),
		strconv.Itoa(all.count("pass")),
		strconv.Itoa(all.count("skip") + all.count("fail")),
		strconv.Itoa(len(all.unsteady())),
		now.Format(time.DateOnly),
	}
}

// renew puts the row of a project into the table of the page, whose other rows stay.
func renew(row []string) error {
	text, err := page.Read(file)
	if err != nil {
		return err
	}
	rows := [][]string{head}
	for _, p := range projects {
		if p.name == row[0] {
			rows = append(rows, row)
		} else if old := rowOf(text, p.name); old != nil {
			rows = append(rows, old)
		}
	}
	text, err = page.Fill(text, map[string]string{name: page.Table("llrrrrl", rows...)})
	if err != nil {
		return err
	}
	return page.Write(file, text)
}

// rowOf returns the row of a project on the page, or nil.
func rowOf(text, project string) []string {
	_, rest, ok := strings.Cut(text, "\n| "+project+" | ")
	if !ok {
		return nil
	}
	line, _, _ := strings.Cut(rest, " |\n")
	return append([]string{project}, strings.Split(line, " | ")...)
}
