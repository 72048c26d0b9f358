package main

import (
	"encoding/xml"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

func readDoc(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile("../../docs/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// TestDocs compares the page and the picture with what the text gives.
func TestDocs(t *testing.T) {
	page := readDoc(t, "speed.md")
	newPage, svg, err := generate(page, strings.NewReader(readDoc(t, "speed.txt")))
	if err != nil {
		t.Fatal(err)
	}
	if newPage != page {
		t.Errorf("docs/speed.md is not what docs/speed.txt gives; run\n\tgo run -C interop ./speed")
	}
	if svg != readDoc(t, "speed.svg") {
		t.Errorf("docs/speed.svg is not what docs/speed.txt gives; run\n\tgo run -C interop ./speed")
	}
}

// TestMissing leaves each benchmark out of the text, which must name what the page then lacks.
func TestMissing(t *testing.T) {
	page, text := readDoc(t, "speed.md"), readDoc(t, "speed.txt")
	lines := map[string]bool{}
	for line := range strings.Lines(text) {
		if name, _, ok := strings.Cut(line, " "); ok && strings.HasPrefix(name, "Benchmark") {
			lines[name] = true
		}
	}
	if len(lines) < 80 {
		t.Fatalf("the text has only %d benchmarks", len(lines))
	}
	for name := range lines {
		t.Run(strings.ReplaceAll(name, "/", " "), func(t *testing.T) {
			short := regexp.MustCompile(`(?m)^`+regexp.QuoteMeta(name)+`\s.*\n`).ReplaceAllString(text, "")
			_, _, err := generate(page, strings.NewReader(short))
			operation, _, _ := strings.Cut(strings.TrimPrefix(name, "Benchmark"), "/lib=")
			operation = regexp.MustCompile(`-\d+$`).ReplaceAllString(operation, "")
			if err == nil || !strings.Contains(err.Error(), "the text has no "+operation+" of ") {
				t.Errorf("without %s the error is %v", name, err)
			}
		})
	}
}

func TestRefuses(t *testing.T) {
	page, text := readDoc(t, "speed.md"), readDoc(t, "speed.txt")
	without := func(line string) string {
		return regexp.MustCompile(`(?m)^`+line+`.*\n`).ReplaceAllString(text, "")
	}
	for _, test := range []struct{ name, page, text, want string }{
		{"a run of Go 1.26, which has no uuid", page, without(`Benchmark\w+/lib=std-v7`), "the text has no Make of std-v7"},
		{"no result", page, without("Benchmark"), "the text has no Make of ulid"},
		{"no date", page, without("date:"), `the text has no line "date:"`},
		{"no Go version", page, without("go:"), `the text has no line "go:"`},
		{"no processor", page, without("cpu:"), `the text has no line "cpu:"`},
		{"two processors", page, strings.Replace(text, "cpu: ", "cpu: another ", 1), `the text has the lines "cpu: another `},
		{"a peer that no table shows", page, text + "BenchmarkMake/lib=sonyflake-2 1 40.0 ns/op\n", "no table shows Make of sonyflake"},
		{"a line cut off", page, text + "BenchmarkMake/lib=ulid-2 1 40.0\n", "speed.txt:"},
		{"no table of latencies", strings.Replace(page, "<!-- latency -->", "", 1), text, "the page has the blocks"},
		{"two tables of latencies", page + "<!-- latency -->\n<!-- end -->", text, "the page has the blocks"},
		{"an unknown table", page + "<!-- weather -->\n<!-- end -->", text, "the page has the blocks"},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, _, err := generate(test.page, strings.NewReader(test.text))
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("the error is %v, not %s", err, test.want)
			}
		})
	}
}

func TestFigure(t *testing.T) {
	for _, test := range []struct {
		name, unit string
		values     []float64
		want       float64
	}{
		{"one", "ns/op", []float64{40}, 40},
		{"odd", "ns/op", []float64{900, 40, 50}, 50},
		{"even", "ns/op", []float64{60, 900, 40, 50}, 55},
		{"median of a percentile", "p99-ns", []float64{7, 9000, 8}, 8},
		{"largest maximum", "max-ns", []float64{7, 9000, 8}, 9000},
	} {
		t.Run(test.name, func(t *testing.T) {
			var text strings.Builder
			for _, v := range test.values {
				fmt.Fprintf(&text, "BenchmarkX/part=1/lib=oklog-8 100 %g %s 16 B/op\n", v, test.unit)
			}
			r, err := read(strings.NewReader(text.String()))
			if err != nil {
				t.Fatal(err)
			}
			unit := strings.Replace(strings.Replace(test.unit, "ns/", "sec/", 1), "-ns", "-sec", 1)
			if got := r.figure(key{"X/part=1", "oklog", 8, unit}); number(got) != number(test.want) {
				t.Errorf("of %v it is %v, not %v; the text has %v", test.values, got, test.want, slices.Collect(maps.Keys(r.values)))
			}
		})
	}
}

func TestNumbers(t *testing.T) {
	for _, test := range []struct {
		ns               float64
		number, duration string
	}{
		{6.27, "6.3", "6.27 ns"},
		{22.9999999, "23.0", "23 ns"},
		{99.96, "100", "100 ns"},
		{402.6, "403", "403 ns"},
		{999.6, "1000", "1 µs"},
		{93_400, "93400", "93.4 µs"},
		{999_600, "999600", "1 ms"},
		{728_118_771, "728118771", "728 ms"},
		{1_530_000_000, "1530000000", "1.53 s"},
	} {
		if n, d := number(test.ns), duration(test.ns); n != test.number || d != test.duration {
			t.Errorf("%v is %s and %s, not %s and %s", test.ns, n, d, test.number, test.duration)
		}
	}
}

// TestPicture reads the bars of a picture. xid takes 100, ksuid more than twice that, the others
// 10, 20 and so on.
func TestPicture(t *testing.T) {
	for _, test := range []struct {
		name  string
		ksuid int
		cut   bool
		full  float64 // nanoseconds of the longest bar
	}{
		{"all fit", 200, false, 200},
		{"one is cut off", 201, true, 130},
	} {
		t.Run(test.name, func(t *testing.T) {
			var text strings.Builder
			for _, operation := range []string{"Make", "MakeString", "Parse"} {
				for i, lib := range []string{"ulid", "oklog", "ulid-v7", "std-v7", "google-v7", "gofrs-v7"} {
					if operation == "Parse" && lib == "oklog" {
						lib = "oklog-strict"
					}
					fmt.Fprintf(&text, "Benchmark%s/lib=%s-2 1 %d ns/op\n", operation, lib, 10*(i+1))
				}
				fmt.Fprintf(&text, "Benchmark%s/lib=xid-2 1 100 ns/op\nBenchmark%s/lib=ksuid-2 1 %d ns/op\n", operation, operation, test.ksuid)
			}
			r, err := read(strings.NewReader("date: d\ngo: go\ngoos: s\ngoarch: a\ncpu: Some & Processor\n" + text.String()))
			if err != nil {
				t.Fatal(err)
			}
			svg, err := r.picture()
			if err != nil {
				t.Fatal(err)
			}
			if err := r.check(); err != nil {
				t.Error(err)
			}
			var picture struct {
				Lines []struct {
					Class string `xml:"class,attr"`
					Bars  []struct {
						Rect struct {
							Width float64 `xml:"width,attr"`
						} `xml:"rect"`
						Gap  *struct{} `xml:"path"`
						Text string    `xml:"text"`
					} `xml:"g"`
				} `xml:"g>g"`
				Texts []string `xml:"text"`
			}
			if err := xml.Unmarshal([]byte(svg), &picture); err != nil {
				t.Fatal(err)
			}
			if len(picture.Texts) != 1 || !strings.Contains(picture.Texts[0], "Some & Processor") {
				t.Errorf("the picture does not name the processor: %q", picture.Texts)
			}
			bars := 0
			for _, line := range picture.Lines {
				for _, bar := range line.Bars {
					bars++
					ns, err := strconv.ParseFloat(bar.Text, 64)
					if err != nil {
						t.Fatal(err)
					}
					if want := longest * min(1, ns/test.full); bar.Rect.Width < want-1 || bar.Rect.Width > want {
						t.Errorf("the bar of %v is %v long, not %v", ns, bar.Rect.Width, want)
					}
					if own := line.Class == "own"; own != (ns == 10 || ns == 30) {
						t.Errorf("the line of %v is of class %q", ns, line.Class)
					}
					if cut := bar.Gap != nil; cut != (test.cut && int(ns) == test.ksuid) {
						t.Errorf("the bar of %v is cut: %v", ns, cut)
					}
				}
			}
			if bars != 3*8 {
				t.Errorf("the picture has %d bars", bars)
			}
		})
	}
}
