package keycost

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/seed-961d0905/ulid/lab/picture"
)

// The measures of the diagrams in docs/keycost.svg, in pixels.
const (
	width, height = 104, 150
	bottom        = 292
	highest       = 125 // percent
)

// picture returns docs/keycost.svg with these results: the rate of random keys, and the range of the
// rates of ordered ones, in percent of the rate of a bigint.
func (r report) picture(t *testing.T, svg string) string {
	var ticks, bands, randoms []string
	for _, database := range r.databases() {
		d := r.of(database)
		rows := d[0].Rows
		ticks = append(ticks, "0", short(rows/2), short(rows))
		bands = append(bands, d.band())
		randoms = append(randoms, d.random())
	}
	svg = picture.Caption(t, svg, r.finding(), fmt.Sprintf("%s, %s", r[0].Machine, r[0].Date))
	svg = picture.Renew(t, svg, `class="head"[^>]*>([^<]*)`, r.databases()...)
	svg = picture.Renew(t, svg, `dy="18">([^<]*)`, ticks...)
	svg = picture.Renew(t, svg, `class="band" points="([^"]*)"`, bands...)
	return picture.Renew(t, svg, `class="random" points="([^"]*)"`, randoms...)
}

// finding is the title of the picture, and what the page says of it to those who do not see it. Differences among the
// other kinds are noise.
func (r report) finding() string {
	return fmt.Sprintf("Random UUIDs slow inserts to %s", r.span(is(random)).text("–"))
}

var titled = regexp.MustCompile(`!\[.*\]\(keycost\.svg\)`)

// retitle returns a page with the finding as the text of the picture.
func (r report) retitle(text string) string {
	return titled.ReplaceAllString(text, "!["+r.finding()+"](keycost.svg)")
}

// y returns where a rate stands in a diagram.
func y(percent float64) int { return bottom - int(height*percent/highest+0.5) }

// point returns the point of a rate at the end of a window, counted from the first fifth of the rows
// on. It stands in the middle of the fifth that it averages.
func point(i int, percent float64) string {
	x := (2*i + fifth) * width / (2 * windows)
	return fmt.Sprintf("%d,%d", x, y(percent))
}

// random returns the points of the rate of random keys.
func (r report) random() string {
	var points []string
	for i := range windows - fifth + 1 {
		points = append(points, point(i, r.share(random, fifth+i)))
	}
	return strings.Join(points, " ")
}

// band returns the points of the range of ordered keys: there along its upper side, back along its
// lower.
func (r report) band() string {
	least, most := r.bounds()
	var points []string
	for i, percent := range most {
		points = append(points, point(i, percent))
	}
	for i, percent := range slices.Backward(least) {
		points = append(points, point(i, percent))
	}
	return strings.Join(points, " ")
}

// bounds returns the least and the greatest share of all ordered kinds at the end of each window
// from the fifth of the rows on.
func (r report) bounds() (least, most []float64) {
	for end := fifth; end <= windows; end++ {
		low, high := math.Inf(1), 0.0
		for _, k := range r {
			if ordered(k.Kind) {
				share := r.share(k.Kind, end)
				low, high = min(low, share), max(high, share)
			}
		}
		least, most = append(least, low), append(most, high)
	}
	return least, most
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
