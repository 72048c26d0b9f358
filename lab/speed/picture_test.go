package speed

import (
	_ "embed"
	"fmt"
	"math"

	"github.com/seed-961d0905/ulid/lab/card"
)

//go:embed picture.svg
var pictureText string

// The measures of the picture, in pixels. It is as wide as a column of text, so that nothing shrinks.
const (
	firstLine  = 110 // the base of the first line
	lineHeight = 23
	groupGap   = 10
	names      = 188 // where they end
	longest    = 160 // a bar; its number needs the rest of the panel
	panelWidth = 222
)

// panels are the operations of the picture, by their title.
var panels = []struct{ operation, title string }{{"Make", "make an ID"}, {"Parse", "parse its text"}}

type panel struct {
	X     int
	Title string
}

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
}

// picture draws a bar for each library and operation, all to one scale.
func (r *results) picture() (string, error) {
	most := 0.0
	for _, l := range libraries {
		for _, p := range panels {
			if l.group != "" {
				most = max(most, r.perOp(p.operation, l.lib))
			}
		}
	}
	var heads []panel
	for i, p := range panels {
		heads = append(heads, panel{names + 12 + i*panelWidth, p.title})
	}
	var lines []line
	group, y := "", firstLine-lineHeight-groupGap
	for _, l := range libraries {
		if l.group == "" {
			continue
		}
		y += lineHeight
		drawn := line{Name: l.title, Own: l.own()}
		if l.own() {
			drawn.Name = "ulid"
		}
		if l.group != group {
			y += groupGap
			group, drawn.Group = l.group, l.group
		}
		drawn.Y = y
		for i, p := range panels {
			ns := r.perOp(p.operation, l.lib)
			drawn.Bars = append(drawn.Bars, bar{heads[i].X, int(math.Round(longest * ns / most)), twoDigits(ns) + " ns"})
		}
		lines = append(lines, drawn)
	}
	return card.Card{
		Width: 640, Height: y + lineHeight + 34,
		Title:    r.finding(),
		Subtitle: "Nanoseconds on one goroutine, all bars to one scale: shorter is better",
		Note:     fmt.Sprintf("%s, %s, %s, medians of %d", r.config["cpu"], r.config["go"], r.config["date"], r.count()),
		Body:     map[string]any{"Panels": heads, "Lines": lines, "Names": names},
	}.Draw(pictureText)
}

// finding is the title of the picture, and what pages say of it to those who do not see it.
func (r *results) finding() string {
	return fmt.Sprintf("oklog/ulid takes %.1f times as long as ulid to make an ID", r.perOp("Make", "oklog")/r.perOp("Make", "ulid"))
}

// twoDigits returns nanoseconds as exactly as they can be measured again.
func twoDigits(ns float64) string {
	if ns < 9.95 {
		return fmt.Sprintf("%.1f", ns)
	}
	unit := math.Pow(10, math.Floor(math.Log10(ns))-1)
	return fmt.Sprint(math.Round(ns/unit) * unit)
}
