package main

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"github.com/seed-961d0905/ulid/interop/page"
)

//go:embed picture.svg
var pictureText string

// kinds are in the order of the legend. The first has the class k0, and so on.
var kinds = []string{bigint, random, asUUID, uuidV7, asBinary, asText}

// The measures of the picture, in pixels.
const (
	width, height = 196, 180 // of a diagram
	top, bottom   = 84, top + height
	left, step    = 68, 248 // the first diagram, and the distance to the next
)

type diagram struct {
	X           int
	Title       string
	Rates, Rows []tick
	Lines       []line
}

type tick struct {
	At   int
	Text string
}

type line struct{ Class, Points string }

type entry struct {
	X, Y        int
	Class, Name string
}

// picture draws the rate of each kind as its tables grow, one database beside the other.
func (r report) picture() (string, error) {
	var panels []diagram
	for i, database := range r.databases() {
		d := r.diagram(database)
		d.X = left + i*step
		panels = append(panels, d)
	}
	var legend []entry
	for i, kind := range kinds {
		x, y := 24+i%3*step, bottom+52+i/3*22
		legend = append(legend, entry{x, y, class(kind), strings.ReplaceAll(kind, "`", "")})
	}
	return page.Card{
		Width: 24 + 3*step + 32, Height: bottom + 126,
		Title:    "Rows per second",
		Subtitle: "as the table grows, higher is better",
		Note:     fmt.Sprintf("%s, %s, %s rows in each table", r.Machine, r.Date, thousands(r.Rows)),
		Body:     map[string]any{"Panels": panels, "Legend": legend, "Width": width, "Bottom": bottom},
	}.Draw(pictureText)
}

func class(kind string) string { return fmt.Sprintf("k%d", slices.Index(kinds, kind)) }

// diagram draws the lines of one database.
func (r report) diagram(database string) diagram {
	d := diagram{Title: database}
	most := 0.0
	for _, k := range r.of(database) {
		most = max(most, slices.Max(k.Rates))
	}
	for i := range 3 {
		d.Rows = append(d.Rows, tick{i * width / 2, short(i * r.Rows / 2)})
	}
	y := func(rate float64) int { return bottom - int(height*rate/most+0.5) }
	for rate := 0; rate <= int(most); rate += interval(most) {
		d.Rates = append(d.Rates, tick{y(float64(rate)), short(rate)})
	}
	for _, k := range r.of(database) {
		var points []string
		for i, rate := range k.Rates {
			points = append(points, fmt.Sprintf("%d,%d", (i+1)*width/len(k.Rates), y(rate)))
		}
		d.Lines = append(d.Lines, line{class(k.Kind), strings.Join(points, " ")})
	}
	return d
}

// interval returns a round number of which the most has two to five.
func interval(most float64) int {
	for unit := 1; ; unit *= 10 {
		for _, n := range []int{unit, 2 * unit, 5 * unit} {
			if most/float64(n) <= 5 {
				return n
			}
		}
	}
}

// short writes thousands and millions as k and M.
func short(n int) string {
	switch {
	case n >= 1e6:
		return fmt.Sprintf("%g M", float64(n)/1e6)
	case n >= 1e3:
		return fmt.Sprintf("%g k", float64(n)/1e3)
	}
	return fmt.Sprint(n)
}
