package main

import (
	"bytes"
	"fmt"
	"image/color"
	"os"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

// machine says what the command ran on.
func machine() string {
	processor := runtime.GOARCH
	if data, err := os.ReadFile("/proc/cpuinfo"); err == nil { // where there is one
		if match := regexp.MustCompile(`model name\s*: (.*)`).FindSubmatch(data); match != nil {
			processor = string(match[1])
		}
	}
	return fmt.Sprintf("%s, %s, %s, %d cores", runtime.Version(), runtime.GOOS, processor, runtime.NumCPU())
}

// markdown returns what ran, and a table for each database.
func (r report) markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "`%s` on %s, %s\n", r.Command, time.Now().UTC().Format(time.DateOnly), r.Machine)
	for _, settings := range r.Settings {
		fmt.Fprintf(&b, "\n- %s", settings)
	}
	b.WriteString("\n")
	for _, database := range r.databases() {
		fmt.Fprintf(&b, "\n| %s | column | rows/s, last fifth | table, MB | index of the key, MB | index of the child, MB | log, MB | pages written, MB | 10,000 look-ups | 1%% by time |\n", database)
		b.WriteString("|---|---|--:|--:|--:|--:|--:|--:|--:|--:|\n")
		for _, k := range r.of(database) {
			scan := ""
			if k.Scan {
				scan = " (scan)"
			}
			fmt.Fprintf(&b, "| %s | `%s` | %s | %s | %s | %s | %s | %s | %.2f s | %.1f ms%s |\n",
				k.Kind, k.Column, thousands(int(k.Last)), megabytes(k.Sizes.Table), megabytes(k.Sizes.Key), megabytes(k.Sizes.Entry),
				megabytes(k.Written.Log), megabytes(k.Written.Pages), k.Lookups.Seconds(), k.Range.Seconds()*1e3, scan)
		}
	}
	return b.String()
}

// databases returns the databases in their order.
func (r report) databases() (names []string) {
	for _, k := range r.Results {
		if len(names) == 0 || names[len(names)-1] != k.Database {
			names = append(names, k.Database)
		}
	}
	return names
}

func (r report) of(database string) (results []result) {
	for _, k := range r.Results {
		if k.Database == database {
			results = append(results, k)
		}
	}
	return results
}

// names returns the kinds that any database has, in their order.
func (r report) names() (names []string) {
	for _, k := range r.Results {
		if !slices.Contains(names, k.Kind) {
			names = append(names, k.Kind)
		}
	}
	return names
}

func megabytes(n int64) string {
	if n == 0 {
		return "–"
	}
	return fmt.Sprintf("%.1f", float64(n)/1e6)
}

func thousands(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// looks are the line of each kind: dark enough for a white background, and told apart by
// their dashes too.
var looks = map[string]draw.LineStyle{
	bigint:   {Color: color.RGBA{0x55, 0x55, 0x55, 0xff}, Width: 1.5},
	random:   {Color: color.RGBA{0xd6, 0x27, 0x28, 0xff}, Width: 2.5},
	asUUID:   {Color: color.RGBA{0x1f, 0x77, 0xb4, 0xff}, Width: 1.5},
	uuidV7:   {Color: color.RGBA{0x2c, 0x8a, 0x2c, 0xff}, Width: 1.5, Dashes: []vg.Length{6, 2}},
	asBinary: {Color: color.RGBA{0x94, 0x5d, 0xc0, 0xff}, Width: 1.5, Dashes: []vg.Length{3, 2}},
	asText:   {Color: color.RGBA{0xc2, 0x70, 0x00, 0xff}, Width: 1.5, Dashes: []vg.Length{1, 2}},
}

// picture draws the rate of each kind as its tables grow, one database beside the other. Its
// background is white, so that it reads the same on a page of any color.
func picture(r report) ([]byte, error) {
	const width, height, line = 300, 260, 16
	databases, names := r.databases(), r.names()
	columns := len(databases)
	legend := vg.Length((len(names)+columns-1)/columns*line + 14)
	canvas := vgsvg.New(vg.Length(width*columns), height+legend)
	all := draw.New(canvas)
	all.FillPolygon(color.White, []vg.Point{all.Min, {X: all.Max.X, Y: all.Min.Y}, all.Max, {X: all.Min.X, Y: all.Max.Y}})

	plots := [][]*plot.Plot{nil}
	for i, database := range databases {
		p, err := panel(database, r.Rows, r.of(database))
		if err != nil {
			return nil, err
		}
		if i == 0 {
			p.Y.Label.Text = "rows per second"
		}
		plots[0] = append(plots[0], p)
	}
	tiles := draw.Tiles{Rows: 1, Cols: columns, PadX: 16, PadLeft: 8, PadRight: 16, PadTop: 8}
	for i, c := range plot.Align(plots, tiles, draw.Crop(all, 0, 0, legend, 0))[0] {
		plots[0][i].Draw(c)
	}
	drawLegend(draw.Crop(all, 60, 0, 8, -height-6), names, columns)

	var b bytes.Buffer
	_, err := canvas.WriteTo(&b)
	// Liberation Sans is as wide as these, which more systems have.
	svg := bytes.ReplaceAll(b.Bytes(), []byte("font-family:Liberation Sans"), []byte("font-family:Liberation Sans,Arial,Helvetica,sans-serif"))
	return svg, err
}

func panel(title string, rows int, results []result) (*plot.Plot, error) {
	p := plot.New()
	p.Title.Text = title
	p.X.Label.Text = "rows in the table"
	p.X.Tick.Marker, p.Y.Tick.Marker = ticks{}, ticks{}
	for _, style := range []*text.Style{&p.Title.TextStyle, &p.X.Label.TextStyle, &p.Y.Label.TextStyle, &p.X.Tick.Label, &p.Y.Tick.Label} {
		style.Font.Variant = "Sans"
	}
	p.Add(plotter.NewGrid())
	for _, k := range results {
		points := make(plotter.XYs, len(k.Rates))
		for i, rate := range k.Rates {
			points[i] = plotter.XY{X: float64(rows*(i+1)) / float64(len(k.Rates)), Y: rate}
		}
		line, err := plotter.NewLine(points)
		if err != nil {
			return nil, err
		}
		line.LineStyle = looks[k.Kind]
		p.Add(line)
	}
	p.X.Min, p.X.Max, p.Y.Min = 0, float64(rows), 0
	p.Y.Max *= 1.05
	return p, nil
}

// drawLegend draws the names of the kinds beside their lines.
func drawLegend(c draw.Canvas, names []string, columns int) {
	rows := (len(names) + columns - 1) / columns
	tiles := draw.Tiles{Rows: rows, Cols: columns}
	for i, name := range names {
		l := plot.NewLegend()
		l.Left, l.Top = true, true
		l.TextStyle.Font.Variant = "Sans"
		l.Add("  "+strings.ReplaceAll(name, "`", ""), &plotter.Line{LineStyle: looks[name]})
		l.Draw(tiles.At(c, i%columns, i/columns))
	}
}

// ticks are those of plot.DefaultTicks, with thousands and millions written short.
type ticks struct{}

func (ticks) Ticks(low, high float64) []plot.Tick {
	all := plot.DefaultTicks{}.Ticks(low, high)
	for i, t := range all {
		switch {
		case t.IsMinor():
		case t.Value >= 1e6:
			all[i].Label = strconv.FormatFloat(t.Value/1e6, 'g', 4, 64) + " M"
		case t.Value >= 1e3:
			all[i].Label = strconv.FormatFloat(t.Value/1e3, 'g', 4, 64) + " k"
		}
	}
	return all
}
