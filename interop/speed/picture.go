package main

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"text/template"
)

// A panel is a column of the picture.
type panel struct {
	operation, title string
}

var panels = []panel{{"Make", "make"}, {"MakeString", "make and print"}, {"Parse", "parse"}}

// A peer is a line of the picture.
type peer struct {
	lib, title string
	own        bool
}

// name returns the peer's name in the benchmark. oklog's strict parser does what the others do.
func (p peer) name(of panel) string {
	if of.operation == "Parse" && p.lib == "oklog" {
		return "oklog-strict"
	}
	return p.lib
}

// groups are the lines that stand together. own is what their ratios are taken to.
var groups = []struct {
	title, own string
	libs       []peer
}{
	{"ULID", "ulid", []peer{{"ulid", "this library", true}, {"oklog", "oklog/ulid", false}}},
	{"UUIDv7", "ulid-v7", []peer{
		{"ulid-v7", "this library", true}, {"std-v7", "Go 1.27 uuid", false},
		{"google-v7", "google/uuid", false}, {"gofrs-v7", "gofrs/uuid", false},
	}},
	{"others", "ulid", []peer{{"xid", "rs/xid", false}, {"ksuid", "segmentio/ksuid", false}}},
}

//go:embed picture.svg
var pictureText string

var pictureTemplate = template.Must(template.New("").Parse(pictureText))

// The measures of the picture, in pixels.
const (
	width      = 800
	firstLine  = 96 // the middle of the first line
	lineHeight = 24
	groupGap   = 12
	labels     = 206 // to the left of the first panel
	panelWidth = 194
	longest    = 136 // a bar; its number needs the rest of the panel
)

// A line is what the picture shows of a peer. Group is set in the first line of a group.
type line struct {
	Y           int
	Group, Name string
	Own         bool
	Bars        []bar
}

type bar struct {
	X, Width int
	Number   string
	Cut      bool
}

// picture draws a bar for each library and operation.
func (r *results) picture() (string, error) {
	var lines []line
	y := firstLine
	for _, g := range groups {
		group := g.title
		for _, p := range g.libs {
			l := line{Y: y, Group: group, Name: p.title, Own: p.own}
			for i, panel := range panels {
				ns, full := r.perOp(panel.operation, p.name(panel)), r.full(panel)
				l.Bars = append(l.Bars, bar{panelX(i), int(longest * min(1, ns/full)), number(ns), ns > full})
			}
			lines = append(lines, l)
			group = ""
			y += lineHeight
		}
		y += groupGap
	}
	heads := map[int]string{}
	for i, p := range panels {
		heads[panelX(i)] = p.title
	}
	var b strings.Builder
	err := pictureTemplate.Execute(&b, map[string]any{
		"Width": width, "Height": y + 28, "Heads": heads, "Lines": lines,
		"Machine": fmt.Sprintf("%s, %s, %s, one goroutine, medians of %d", r.config["cpu"], r.config["go"], r.config["date"], r.counts()),
	})
	return b.String(), err
}

func panelX(i int) int { return labels + i*panelWidth }

// full returns the nanoseconds that the longest bar of a panel stands for. A single bar of more
// than twice the next one would leave no length for the others, and is cut off.
func (r *results) full(p panel) float64 {
	var all []float64
	for _, g := range groups {
		for _, l := range g.libs {
			all = append(all, r.perOp(p.operation, l.name(p)))
		}
	}
	slices.Sort(all)
	most, next := all[len(all)-1], all[len(all)-2]
	if most > 2*next {
		return 1.3 * next
	}
	return most
}
