package speed

import (
	_ "embed"
	"encoding/xml"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/seed-961d0905/ulid/interop/page"
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
	return page.Card{
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

// TestPicture reads the bars of a picture. xid takes 100, ksuid more than twice that, the others 10, 20 and so on.
func TestPicture(t *testing.T) {
	for _, test := range []struct {
		ksuid, full float64 // nanoseconds, those of the longest bar
		cut         bool
	}{{200, 200, false}, {201, 130, true}} {
		text := "cpu: Some & Processor\n"
		for _, c := range compared {
			for i, lib := range []string{"ulid", "oklog", "ulid-v7", "std-v7", "google-v7", "gofrs-v7"} {
				text += fmt.Sprintf("Benchmark%s/lib=%s-2 1 %d ns/op\n", c.operation, lib, 10*(i+1))
			}
			text += fmt.Sprintf("Benchmark%s/lib=xid-2 1 100 ns/op\nBenchmark%[1]s/lib=ksuid-2 1 %v ns/op\n", c.operation, test.ksuid)
		}
		text = strings.ReplaceAll(text, "Parse/lib=oklog-2", "Parse/lib=oklog-strict-2")
		r, err := read(text)
		if err != nil {
			t.Fatal(err)
		}
		svg, err := r.picture()
		if err != nil {
			t.Fatal(err)
		}
		var picture struct {
			Lines []struct {
				Class string `xml:"class,attr"`
				Bars  []struct {
					Rect struct {
						Width float64 `xml:"width,attr"`
					} `xml:"rect"`
					Gap  *struct{} `xml:"path"`
					Text float64   `xml:"text"`
				} `xml:"g"`
			} `xml:"g>g"`
			Texts []string `xml:"text"`
		}
		if err := xml.Unmarshal([]byte(svg), &picture); err != nil {
			t.Fatal(err)
		}
		if note := picture.Texts[len(picture.Texts)-1]; !strings.HasPrefix(note, "Some & Processor, ") {
			t.Errorf("the picture does not name the processor: %q", note)
		}
		bars := 0
		for _, line := range picture.Lines {
			for _, bar := range line.Bars {
				bars++
				if want := math.Floor(longest * min(1, bar.Text/test.full)); bar.Rect.Width != want {
					t.Errorf("the bar of %v is %v long, want %v", bar.Text, bar.Rect.Width, want)
				}
				if got, want := line.Class == "own", bar.Text == 10 || bar.Text == 30; got != want {
					t.Errorf("the line of %v is drawn as this library's: %v, want %v", bar.Text, got, want)
				}
				if got, want := bar.Gap != nil, test.cut && bar.Text == test.ksuid; got != want {
					t.Errorf("the bar of %v is cut: %v, want %v", bar.Text, got, want)
				}
			}
		}
		if bars != 3*8 {
			t.Errorf("the picture has %d bars, want %d", bars, 3*8)
		}
	}
}
