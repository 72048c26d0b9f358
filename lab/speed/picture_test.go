package speed

import (
	"fmt"
	"math"
	"regexp"
	"testing"

	"github.com/seed-961d0905/ulid/lab/picture"
)

// longest is the length of the longest bar of docs/speed.svg, in pixels.
const longest = 160

// panels are the operations of the picture, by their title.
var panels = []struct{ operation, title string }{
	{"Make", "generate an ID"},
	{"Parse", "parse its string"},
}

// picture returns docs/speed.svg with these results: a bar and a number for each library and
// operation, all to one scale.
func (r *results) picture(t *testing.T, svg string) string {
	var heads, names, numbers, lengths []string
	most := r.most()
	for _, p := range panels {
		heads = append(heads, p.title)
		for _, l := range libraries {
			ns := r.perOp(p.operation, l.lib)
			names = append(names, l.inPicture())
			numbers = append(numbers, twoDigits(ns)+" ns")
			lengths = append(lengths, fmt.Sprint(math.Round(longest*ns/most)))
		}
	}
	note := fmt.Sprintf("Tight loop, one goroutine, %s, %s, %s", r.config["cpu"], r.config["go"], r.config["date"])
	svg = picture.Caption(t, svg, r.finding(), note)
	svg = picture.Renew(t, svg, `class="head"[^>]*>([^<]*)`, heads...)
	svg = picture.Renew(t, svg, `class="name"[^>]*>([^<]*)`, names...)
	svg = picture.Renew(t, svg, `class="bar"[^>]* width="(\d+)"`, lengths...)
	svg = picture.Renew(t, svg, `<text x="(\d+)" dx="6">`, lengths...) // the numbers stand at the ends
	return picture.Renew(t, svg, `dx="6">([^<]*)`, numbers...)
}

// most returns the longest time in the picture.
func (r *results) most() float64 {
	most := 0.0
	for _, l := range libraries {
		for _, p := range panels {
			most = max(most, r.perOp(p.operation, l.lib))
		}
	}
	return most
}

// finding is the title of the picture, and what pages say of it to those who do not see it.
func (r *results) finding() string {
	ratio := r.perOp("Make", "oklog") / r.perOp("Make", "ulid")
	return fmt.Sprintf("oklog/ulid takes %.1f times as long", ratio)
}

var titled = regexp.MustCompile(`!\[.*\]\((docs/)?speed\.svg\)`)

// retitle returns a page with the finding as the text of the picture.
func (r *results) retitle(text string) string {
	return titled.ReplaceAllString(text, "!["+r.finding()+"](${1}speed.svg)")
}

// twoDigits returns nanoseconds as exactly as they can be measured again.
func twoDigits(ns float64) string {
	if ns < 9.95 {
		return fmt.Sprintf("%.1f", ns)
	}
	unit := math.Pow(10, math.Floor(math.Log10(ns))-1)
	return fmt.Sprint(math.Round(ns/unit) * unit)
}
