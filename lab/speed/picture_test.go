package speed

import (
	_ "embed"
	"fmt"
	"slices"

	"github.com/seed-961d0905/ulid/lab/card"
)

//go:embed picture.svg
var pictureText string

// The measures of the picture, in pixels.
const (
	firstLine  = 96 // the middle of the first line
	lineHeight = 24
	groupGap   = 12
	labels     = 206 // to the left of the first panel
	panelWidth = 194
	longest    = 136 // a bar; its number needs the rest of the panel
)

// A line is what the picture shows of a library. Group is set in the first line of a group.
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
	group, y := "", firstLine-lineHeight-groupGap
	for _, l := range libraries {
		if l.group == "" {
			continue
		}
		y += lineHeight
		drawn := line{Name: l.title, Own: l.own()}
		if l.own() {
			drawn.Name = "this library"
		}
		if l.group != group {
			y += groupGap
			group, drawn.Group = l.group, l.group
		}
		drawn.Y = y
		for i, c := range compared {
			ns, full := r.perOp(c.operation, l.lib), r.full(c.operation)
			drawn.Bars = append(drawn.Bars, bar{labels + i*panelWidth, int(longest * min(1, ns/full)), number(ns), ns > full})
		}
		lines = append(lines, drawn)
	}
	heads := map[int]string{}
	for i, c := range compared {
		heads[labels+i*panelWidth] = c.title
	}
	return card.Card{
		Width: 800, Height: y + lineHeight + groupGap + 28,
		Title:    "Nanoseconds for one ID",
		Subtitle: "lower is better",
		Note:     fmt.Sprintf("%s, %s, %s, one goroutine, medians of %d", r.config["cpu"], r.config["go"], r.config["date"], r.count()),
		Body:     map[string]any{"Heads": heads, "Lines": lines},
	}.Draw(pictureText)
}

// full returns the nanoseconds that the longest bar of a panel stands for. A single bar of more than twice the next one
// would leave no length for the others, and is cut off.
func (r *results) full(operation string) float64 {
	var all []float64
	for _, l := range libraries {
		if l.group != "" {
			all = append(all, r.perOp(operation, l.lib))
		}
	}
	slices.Sort(all)
	most, next := all[len(all)-1], all[len(all)-2]
	if most > 2*next {
		return 1.3 * next
	}
	return most
}
