package main

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/seed-961d0905/ulid"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"ulid": main})
}

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata",
		// No zone of a machine that runs this, so that local time in the place of UTC shows.
		Setup: func(env *testscript.Env) error {
			env.Setenv("TZ", "Asia/Kathmandu")
			readme, err := filepath.Abs("README.md")
			env.Setenv("README", readme)
			return err
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits":      exits,
			"increasing": increasing,
			"write":      write,
		},
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
	})
}

// exits STATUS COMMAND ARGUMENT... runs the command, which must end with this status.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits STATUS COMMAND ARGUMENT...")
	}
	status := 0
	err := ts.Exec(args[1], args[2:]...)
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		status = exit.ExitCode()
	} else {
		ts.Check(err)
	}
	if strconv.Itoa(status) != args[0] {
		ts.Fatalf("status %d, want %s", status, args[0])
	}
}

// increasing COUNT REGEXP requires as many lines of standard output, each greater than the one
// before it. Each must match.
func increasing(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: increasing COUNT REGEXP")
	}
	form := regexp.MustCompile("^(" + args[1] + ")$")
	last, count := "", 0
	for line := range strings.Lines(ts.ReadFile("stdout")) {
		line = strings.TrimSuffix(line, "\n")
		if line <= last {
			ts.Fatalf("%s does not stand after %s", line, last)
		}
		if !form.MatchString(line) {
			ts.Fatalf("%q does not match %s", line, form)
		}
		last, count = line, count+1
	}
	if strconv.Itoa(count) != args[0] {
		ts.Fatalf("%d lines, want %s", count, args[0])
	}
}

// write FILE TEXT writes a file whose text has escapes: \r, \n, \x00.
func write(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: write FILE TEXT")
	}
	text, err := strconv.Unquote(`"` + args[1] + `"`)
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(text), 0o600))
}

func TestUsageFitsOnAScreen(t *testing.T) {
	const rows, columns = 24, 80
	lines := strings.Split(usage, "\n") // the last is empty, where the prompt is
	if len(lines) > rows {
		t.Errorf("%d lines, want %d at most", len(lines), rows)
	}
	for _, line := range lines {
		if utf8.RuneCountInString(line) >= columns {
			t.Errorf("a line is wider than %d: %s", columns-1, line)
		}
	}
}

func TestAgeText(t *testing.T) {
	const day = 24 * 60 * 60 * 1000
	for _, test := range []struct {
		ms   int64
		want string
	}{
		{0, "0.0 milliseconds ago"},
		{999, "999.0 milliseconds ago"},
		{1000, "1.0 seconds ago"},
		{-1500, "1.5 seconds ahead"},
		{90 * 1000, "1.5 minutes ago"},
		{90 * 60 * 1000, "1.5 hours ago"},
		{36 * 60 * 60 * 1000, "1.5 days ago"},
		{365 * day, "365.0 days ago"},
		{366 * day, "1.0 years ago"},
		{-3652425 * day, "10000.0 years ahead"},
	} {
		if got := ageText(test.ms); got != test.want {
			t.Errorf("ageText(%d) = %s, want %s", test.ms, got, test.want)
		}
	}
}

// The scripts cannot set the clock, so this test gives the time from which the age is counted.
func TestDescription(t *testing.T) {
	defer func(local *time.Location) { time.Local = local }(time.Local)
	time.Local = time.FixedZone("", 2*60*60)

	now := time.Date(2026, 11, 21, 10, 0, 0, 0, time.UTC)
	d := describe("", ulid.MustParse("01ARYZ6S41TSV4RRFFQ69G5FAV"), now)
	const want = `ulid   01ARYZ6S41TSV4RRFFQ69G5FAV
uuid   01563df3-6481-d676-4c61-efb99302bd5b
hex    01563df36481d6764c61efb99302bd5b
time   2016-07-30T22:36:16.385Z
local  2016-07-31T00:36:16.385+02:00
age    10.3 years ago
v7     no
`
	if got := d.String(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if want := now.Sub(time.UnixMilli(1469918176385)).Milliseconds(); d.Age != want {
		t.Errorf("age %d ms, want %d", d.Age, want)
	}

	// A day is more than clocks differ by, so that only a random UUID is so far ahead.
	for ahead, want := range map[time.Duration]bool{-time.Hour: true, 23 * time.Hour: true, 25 * time.Hour: false} {
		id := ulid.FirstAt(now.Add(ahead))
		id[6], id[8] = 0x40, 0x80
		if got := describe("", id, now).times != nil; got != want {
			t.Errorf("version 4 and %v ahead: has a time is %t, want %t", ahead, got, want)
		}
	}
}

// A reader that has had enough closes the pipe, as head does.
func TestClosedPipe(t *testing.T) {
	for _, args := range [][]string{
		{"-n", strconv.Itoa(1 << 30)},
		{"-"},
		{"-json", "-"},
	} {
		t.Run(strings.Join(args, " "), func(t *testing.T) { testClosedPipe(t, args) })
	}
}

func testClosedPipe(t *testing.T, args []string) {
	cmd := exec.Command("ulid", args...)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	// It has far more to write than it can within this time.
	overdue := time.AfterFunc(30*time.Second, func() { cmd.Process.Kill() })
	go writeForever(stdin)
	first, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		t.Error(err)
	}
	stdout.Close()
	err = cmd.Wait()
	if !overdue.Stop() {
		t.Error("still running after 30 seconds")
	}
	if len(first) < ulid.EncodedSize || stderr.Len() > 0 {
		t.Errorf("stdout %q, stderr %q, %v", first, &stderr, err)
	}
}

// writeForever writes IDs until nobody reads them.
func writeForever(w io.Writer) {
	ids := strings.Repeat("01ARYZ6S41TSV4RRFFQ69G5FAV\n", 1000)
	for {
		if _, err := io.WriteString(w, ids); err != nil {
			return
		}
	}
}

// A pipe that stays open gets the answer to a line before the next line.
func TestAnswersAtOnce(t *testing.T) {
	in, toIn := io.Pipe()
	fromOut, out := io.Pipe()
	done := make(chan int)
	go func() {
		status := run([]string{"-uuid", "-"}, in, out, io.Discard)
		out.Close()
		done <- status
	}()
	answers := bufio.NewReader(fromOut)
	for range 3 {
		io.WriteString(toIn, "01ARYZ6S41TSV4RRFFQ69G5FAV\n")
		answer := make(chan string)
		go func() {
			line, _ := answers.ReadString('\n')
			answer <- line
		}()
		select {
		case line := <-answer:
			if line != "01563df3-6481-d676-4c61-efb99302bd5b\n" {
				t.Errorf("answer %q", line)
			}
		case <-time.After(10 * time.Second):
			t.Fatal("no answer within 10 seconds")
		}
	}
	toIn.Close()
	if status := <-done; status != 0 {
		t.Errorf("status %d", status)
	}
}

// Every error of writing is reported, except a closed pipe. It ends what would go on forever.
func TestWriteError(t *testing.T) {
	for _, args := range [][]string{
		{}, {"-h"}, {"-version"}, {"-at", "2026-11-21"}, {"01ARYZ6S41TSV4RRFFQ69G5FAV"},
		{"-n", strconv.Itoa(math.MaxInt)}, {"-"},
	} {
		var stderr strings.Builder
		stdin := &repeated{text: "01ARYZ6S41TSV4RRFFQ69G5FAV\n", left: math.MaxInt, sample: func() {}}
		status := run(args, stdin, fullDisk{}, &stderr)
		if status != 1 || stderr.String() != "ulid: disk full\n" {
			t.Errorf("%q: status %d, stderr %q", args, status, &stderr)
		}
	}
}

// On a screen the message about a bad ID stands where the ID would.
func TestOrderOnAScreen(t *testing.T) {
	var screen strings.Builder
	stdin := strings.NewReader("01ARYZ6S41TSV4RRFFQ69G5FAV\nbad\n7ZZZZZZZZZZZZZZZZZZZZZZZZZ\n")
	run([]string{"-lower", "-"}, stdin, &screen, &screen)
	lines := strings.Split(screen.String(), "\n")
	if len(lines) != 4 || lines[0] != "01aryz6s41tsv4rrffq69g5fav" || !strings.Contains(lines[1], "line 2") {
		t.Errorf("got\n%s", &screen)
	}
}

type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, errors.New("disk full") }

// Memory does not grow with the lines, nor with one line.
func TestConstantMemory(t *testing.T) {
	const lines = 1_000_000
	const good, bad = "01ARYZ6S41TSV4RRFFQ69G5FAV\n", "01ARYZ6S41TSV4RRFFQ69G5FAU\n"
	for _, test := range []struct {
		name   string
		args   []string
		text   string // which is read many times
		rest   string // which is read once after it
		lines  int    // that are written
		badIDs int
		status int
	}{
		{name: "explained", args: []string{"-"}, text: good, lines: lines*8 - 1},
		{name: "JSON", args: []string{"-json", "-"}, text: good, lines: lines},
		{name: "bad", args: []string{"-uuid", "-"}, text: bad, badIDs: lines, status: 1},
		{
			name:   "one line",
			args:   []string{"-uuid", "-"},
			text:   strings.TrimSuffix(good, "\n"),
			rest:   "\n" + good,
			lines:  1,
			badIDs: 1,
			status: 1,
		},
		{name: "made", args: []string{"-n", strconv.Itoa(lines)}, lines: lines},
	} {
		t.Run(test.name, func(t *testing.T) {
			heap := heapRange{least: math.MaxUint64}
			stdin := io.MultiReader(
				&repeated{text: test.text, left: lines, sample: heap.sample},
				strings.NewReader(test.rest),
			)
			out := lineCounter{sample: heap.sample}
			errs := lineCounter{sample: func() {}}
			status := run(test.args, stdin, &out, &errs)
			if status != test.status || out.lines != test.lines || errs.lines != test.badIDs {
				t.Errorf("status %d, %d lines, %d on stderr, want %d, %d, %d",
					status, out.lines, errs.lines, test.status, test.lines, test.badIDs)
			}
			if grown := heap.most - heap.least; grown > 1<<20 || heap.most == 0 {
				t.Errorf("memory has grown by %d KiB", grown>>10)
			}
		})
	}
}

// A heapRange has the least and the most memory of its samples.
type heapRange struct{ least, most uint64 }

func (r *heapRange) sample() {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	r.least = min(r.least, m.HeapAlloc)
	r.most = max(r.most, m.HeapAlloc)
}

// repeated reads as a text that comes many times, and samples ten times in a million.
type repeated struct {
	text   string
	left   int
	unread string
	sample func()
}

func (r *repeated) Read(p []byte) (int, error) {
	if r.unread == "" {
		if r.left == 0 {
			return 0, io.EOF
		}
		if r.left%100_000 == 0 {
			r.sample()
		}
		n := min(r.left, 1000)
		r.unread = strings.Repeat(r.text, n)
		r.left -= n
	}
	n := copy(p, r.unread)
	r.unread = r.unread[n:]
	return n, nil
}

// lineCounter counts the lines that are written to it, and samples once in 200 writes.
type lineCounter struct {
	lines, writes int
	sample        func()
}

func (c *lineCounter) Write(p []byte) (int, error) {
	if c.writes%200 == 0 {
		c.sample()
	}
	c.writes++
	c.lines += bytes.Count(p, []byte("\n"))
	return len(p), nil
}
