package main

import (
	"fmt"
	"regexp"
	"strings"
)

// A section of CHANGELOG.md begins with a line such as "## [Unreleased]", "## [1.1.0] - unreleased" or
// "## [1.0.0] - 2026-11-24".
type section struct {
	version string // or Unreleased
	date    string // empty before the release
	text    string
}

// A changelog is its sections, the newest first.
type changelog []section

var (
	heading    = regexp.MustCompile(`(?m)^## \[([^]]+)\](?: - (.*))?\n`)
	isDate     = regexp.MustCompile(`^\d{4}-\d\d-\d\d$`)
	compareURL = regexp.MustCompile(`(?m)^\[Unreleased\]: (.*/)compare/.*\n`)
	link       = regexp.MustCompile(`(?m)^\[[^]]+\]: .*\n?`)
)

// parseChangelog fails if it is not clear where changes belong.
func parseChangelog(text string) (c changelog, err error) {
	places := heading.FindAllStringSubmatchIndex(text, -1)
	for i, place := range places {
		end := len(text)
		if i+1 < len(places) {
			end = places[i+1][0]
		}
		s := section{version: text[place[2]:place[3]], text: link.ReplaceAllString(text[place[1]:end], "")}
		if place[4] >= 0 && isDate.MatchString(text[place[4]:place[5]]) {
			s.date = text[place[4]:place[5]]
		}
		c = append(c, s)
	}
	if len(c) == 0 || c[0].version != "Unreleased" {
		return nil, fmt.Errorf("the first section of %s must be [Unreleased]", changelogFile)
	}
	if open := c.open(); open.version != "Unreleased" && !c[0].isEmpty() {
		return nil, fmt.Errorf("[%s] has no date yet: move what stands under [Unreleased] there", open.version)
	}
	for _, s := range c[min(2, len(c)):] {
		if s.date == "" {
			return nil, fmt.Errorf("[%s] has no date, although there is a section above it", s.version)
		}
	}
	return c, nil
}

func (s section) isEmpty() bool { return strings.TrimSpace(s.text) == "" }

// open returns the section for changes: that of the newest version if it has no date, or else [Unreleased].
func (c changelog) open() section {
	if len(c) > 1 && c[1].date == "" {
		return c[1]
	}
	return c[0]
}

// released returns the newest version that has a date, or "" before the first release.
func (c changelog) released() string {
	for _, s := range c {
		if s.date != "" {
			return s.version
		}
	}
	return ""
}

// breaking returns what stands under "### Changed" and "### Removed".
func (s section) breaking() (text string) {
	for part := range strings.SplitSeq(s.text, "\n### ") {
		if strings.HasPrefix(part, "Changed\n") || strings.HasPrefix(part, "Removed\n") {
			text += part
		}
	}
	return text
}

// lacks says for each line of the difference what CHANGELOG.md lacks.
func (c changelog) lacks(d diff) (missing []string) {
	if c.released() == "" {
		if len(d.gone)+len(d.added) > 0 {
			return []string{"nothing is released, so " + apiFile + " may change: run  go run ./.ci/api write"}
		}
		return nil
	}
	open := c.open()
	for _, line := range d.gone {
		if name := nameOf(line); !strings.Contains(open.breaking(), name) {
			missing = append(missing, fmt.Sprintf(
				`%s must name %s under "## [%s]", in "### Changed" or "### Removed"`, changelogFile, name, open.version))
		}
	}
	for _, line := range d.added {
		if name := nameOf(line); !strings.Contains(open.text, name) {
			missing = append(missing, fmt.Sprintf(`%s must name %s under "## [%s]"`, changelogFile, name, open.version))
		}
	}
	return missing
}

// nameOf returns the name of a line of the API in backticks.
func nameOf(line string) string {
	name, _, _ := strings.Cut(line, ": ")
	return "`" + name + "`"
}

// date returns the text of the changelog with this date for a version. If the version has no section,
// [Unreleased] becomes it.
func (c changelog) date(text, version, today string) (string, error) {
	dated := "## [" + version + "] - " + today + "\n"
	switch {
	case len(c) > 1 && c[1].version == version:
		if !c[0].isEmpty() {
			return "", fmt.Errorf("%s has changes above [%s]", changelogFile, version)
		}
		if c[1].isEmpty() {
			return "", fmt.Errorf("[%s] of %s is empty", version, changelogFile)
		}
		old := heading.FindAllString(text, 2)[1]
		text = strings.Replace(text, old, dated, 1)
	case c.open().version != "Unreleased":
		return "", fmt.Errorf("[%s], the version below %s, is unreleased", c.open().version, version)
	case c[0].isEmpty():
		return "", fmt.Errorf("%s has nothing for %s: [Unreleased] is empty", changelogFile, version)
	default:
		text = strings.Replace(text, "## [Unreleased]\n", "## [Unreleased]\n\n"+dated, 1)
	}
	links := "[Unreleased]: ${1}compare/v" + version + "...HEAD\n"
	if !strings.Contains(text, "\n["+version+"]: ") {
		links += "[" + version + "]: ${1}releases/tag/v" + version + "\n"
	}
	return compareURL.ReplaceAllString(text, links), nil
}
