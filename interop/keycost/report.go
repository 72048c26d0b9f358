package main

import (
	"fmt"
	"os"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-961d0905/ulid/interop/page"
)

// A report is what a run has shown.
type report struct {
	Command  string
	Date     string // of the measurement
	Machine  string
	Rows     int
	Settings []string // a line for each database, with its version
	Results  []result
}

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
	fmt.Fprintf(&b, "`%s`, %s, %s\n\n", r.Command, r.Date, r.Machine)
	for _, settings := range r.Settings {
		fmt.Fprintf(&b, "- %s\n", settings)
	}
	for _, database := range r.databases() {
		rows := [][]string{{database, "column", "rows/s, last fifth", "table, MB", "index of the key, MB", "index of the child, MB",
			"log, MB", "pages written, MB", "10,000 look-ups", "1% by time"}}
		for _, k := range r.of(database) {
			span := fmt.Sprintf("%.1f ms", k.Range.Seconds()*1e3)
			if k.Scan {
				span += " (scan)"
			}
			rows = append(rows, []string{k.Kind, "`" + k.Column + "`", thousands(int(k.Last)), megabytes(k.Sizes.Table), megabytes(k.Sizes.Key),
				megabytes(k.Sizes.Entry), megabytes(k.Written.Log), megabytes(k.Written.Pages), fmt.Sprintf("%.2f s", k.Lookups.Seconds()), span})
		}
		b.WriteString("\n" + page.Table("llr", rows...))
	}
	return b.String()
}

// databases returns the databases in their order.
func (r report) databases() (names []string) {
	for _, k := range r.Results {
		if !slices.Contains(names, k.Database) {
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
