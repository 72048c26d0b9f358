package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/seed-961d0905/ulid"
)

const (
	text = "01ARYZ6S41TSV4RRFFQ69G5FAV"
	low  = "01aryz6s41tsv4rrffq69g5fav"
	uuid = "01563df3-6481-d676-4c61-efb99302bd5b"
	hexa = "01563df36481d6764c61efb99302bd5b"

	uuidV7  = "017F22E2-79B0-7CC3-98C4-DC0C0C07398F" // the example of RFC 9562, A.6
	lowV7   = "01fwhe4ydgfk1shh6w1g60eecf"
	largest = "7ZZZZZZZZZZZZZZZZZZZZZZZZZ"
)

// ulidCommand runs the command with this standard input.
func ulidCommand(stdin string, args ...string) (status int, stdout, stderr string) {
	var out, errs strings.Builder
	status = run(args, strings.NewReader(stdin), &out, &errs)
	return status, out.String(), errs.String()
}

// inZone sets the zone of local time for a test.
func inZone(t *testing.T, hours int) {
	local := time.Local
	t.Cleanup(func() { time.Local = local })
	time.Local = time.FixedZone("", hours*60*60)
}

// TestOutput has calls that succeed, with what they print.
func TestOutput(t *testing.T) {
	inZone(t, 5) // in which no test wants a time
	first, last := "01ARYZ6S410000000000000000\n", "01ARYZ6S41ZZZZZZZZZZZZZZZZ\n"
	ten := "01M7YRRT800000000000000000\n" // of 2026-11-21T10:00Z
	for _, test := range []struct{ args, want string }{
		// Every notation of an ID.
		{"-uuid " + text, uuid + "\n"},
		{"-uuid " + low, uuid + "\n"},
		{"-uuid " + uuid, uuid + "\n"},
		{"-uuid " + strings.ToUpper(uuid), uuid + "\n"},
		{"-uuid " + hexa, uuid + "\n"},
		{"-uuid " + strings.ToUpper(hexa), uuid + "\n"},
		{"-uuid {" + uuid + "}", uuid + "\n"},
		{"-uuid urn:uuid:" + uuid, uuid + "\n"},
		{"-uuid URN:UUID:" + uuid, uuid + "\n"},
		{"-uuid 0x" + hexa, uuid + "\n"},
		{"-uuid 0X" + strings.ToUpper(hexa), uuid + "\n"},
		{`-uuid \x` + hexa, uuid + "\n"},
		{"-lower 0XARYZ6S41TSV4RRFFQ69G5FAV", "0xaryz6s41tsv4rrffq69g5fav\n"},
		{text + " -lower", low + "\n"}, // a flag may follow an ID
		{"-lenient -uuid oiaryz6s4l-tsv4rrffq6-9g5fav", uuid + "\n"},
		{"-lenient -uuid " + uuid, uuid + "\n"},
		{"-lenient -uuid " + hexa, uuid + "\n"},
		{"-json=false -uuid -last=false -lenient=false " + text, uuid + "\n"},

		// What stands before the last underscore is kept, but not in a UUID.
		{"-lower user_" + text, "user_" + low + "\n"},
		{"-lower Big-Order_9_" + uuid, "Big-Order_9_" + low + "\n"},
		{"-lower AZaz_09_" + hexa, "AZaz_09_" + low + "\n"},
		{"-lenient -lower user_oiaryz6s4l-tsv4rrffq6-9g5fav", "user_" + low + "\n"},
		{"-uuid user_" + low, uuid + "\n"},

		// Bounds.
		{"-at 2016-07-30T22:36:16.385Z", first},
		{"-at 2016-07-30T22:36:16.385Z -last", last},
		{"-last -at 2016-07-31T00:36:16.385+02:00", last},
		{"-at 2016-07-30T22:36:16.385999999Z", first},
		{"-at 2016-07-30T22:36:16.385", first},
		{"-at 2016-07-31_00:36:16.385+02", first}, // as psql prints it
		{"-at 2016-07-31_04:06:16.385+05:30", first},
		{"-at 1469918176385", first},
		{"-at 1469918176", "01ARYZ6RR00000000000000000\n"},
		{"-at 9999999999", "093177570R0000000000000000\n"}, // seconds after 2038
		{"-json -at 99999999999", `{"ulid":"002X47DSZZ0000000000000000","uuid":"00174876-e7ff-0000-0000-000000000000",` +
			`"hex":"00174876e7ff00000000000000000000","time":"1973-03-03T09:46:39.999Z",` +
			`"local":"1973-03-03T14:46:39.999+05:00","unix_ms":99999999999,"age_ms":N,"v7":false}` + "\n"},
		{"-at 2026-11-21T10:00Z", ten},
		{"-at 2026-11-21T11:00+01:00", ten},
		{"-at 2026-11-21T10:00", ten},
		{"-at 2026-11-21_10:00", ten},
		{"-at 2026-11-21T10:00:00", ten},
		{"-at 2026-11-21", "01M7XPE6000000000000000000\n"},
		{"-at 2026-11-21 -uuid", "01a1fb67-1800-0000-0000-000000000000\n"},
		{"-at 2026-11-21 -last -lower", "01m7xpe600zzzzzzzzzzzzzzzz\n"},
		{"-at 2026-11-21 -prefix user", "user_01m7xpe6000000000000000000\n"},
		{"-at 2026-11-21 -last -prefix user", "user_01m7xpe600zzzzzzzzzzzzzzzz\n"},
		{"-at 1969-12-31", "00000000000000000000000000\n"}, // no ULID is before 1970

		// JSON, one object for each ID.
		{"-json user_" + text + " " + uuidV7, `{"prefix":"user","ulid":"` + text + `","uuid":"` + uuid + `","hex":"` + hexa +
			`","time":"2016-07-30T22:36:16.385Z","local":"2016-07-31T03:36:16.385+05:00","unix_ms":1469918176385,"age_ms":N,` +
			`"v7":false}` + "\n" +
			`{"ulid":"01FWHE4YDGFK1SHH6W1G60EECF","uuid":"017f22e2-79b0-7cc3-98c4-dc0c0c07398f",` +
			`"hex":"017f22e279b07cc398c4dc0c0c07398f","time":"2022-02-22T19:22:22.000Z",` +
			`"local":"2022-02-23T00:22:22.000+05:00","unix_ms":1645557742000,"age_ms":N,"v7":true}` + "\n"},
		// A year of five digits, which is no time for time.Time's JSON.
		{"-json " + largest, `{"ulid":"7ZZZZZZZZZZZZZZZZZZZZZZZZZ","uuid":"ffffffff-ffff-ffff-ffff-ffffffffffff",` +
			`"hex":"ffffffffffffffffffffffffffffffff","time":"10889-08-02T05:31:50.655Z",` +
			`"local":"10889-08-02T10:31:50.655+05:00","unix_ms":281474976710655,"age_ms":-N,"v7":false}` + "\n"},
		// A UUID of another version has no time.
		{"-json f47ac10b-58cc-4372-a567-0e02b2c3d479", `{"ulid":"7MFB0GPP6C8DSAASRE0ASC7N3S",` +
			`"uuid":"f47ac10b-58cc-4372-a567-0e02b2c3d479","hex":"f47ac10b58cc4372a5670e02b2c3d479","v7":false}` + "\n"},

		{"-n 0", ""}, // which a script may have computed
		{"-h", usage},
		{"--help", usage},
		{text + " -h", usage},
	} {
		args := strings.Fields(test.args)
		for i, arg := range args {
			if strings.Contains(arg, ":") { // a time that psql prints has a space
				args[i] = strings.Replace(arg, "_", " ", 1)
			}
		}
		status, out, errs := ulidCommand(text+"\n", args...)
		out = regexp.MustCompile(`"age_ms":(-?)\d+`).ReplaceAllString(out, `"age_ms":${1}N`)
		if status != 0 || out != test.want || errs != "" {
			t.Errorf("ulid %s: status %d, stderr %q, stdout\n%swant\n%s", test.args, status, errs, out, test.want)
		}
	}
}

// TestArgumentErrors has calls that fail before they print anything.
func TestArgumentErrors(t *testing.T) {
	for _, test := range []struct {
		args []string
		want string
	}{
		{[]string{"-nonsense"}, "flag provided but not defined: -nonsense"},
		{[]string{"-\x1b[31m\u009b\xff"}, "flag provided but not defined: -\ufffd[31m\ufffd\ufffd"},
		{[]string{"-v7"}, "flag provided but not defined: -v7"},
		{[]string{"-at", "1969-12-31T23:59:59.999Z", "-n", "1"}, "-n needs a time from 1970 on"},
		{[]string{"-at", "yesterday"}, `invalid value "yesterday" for flag -at: want a time such as `},
		{[]string{"-at", ""}, `invalid value "" for flag -at: `},
		{[]string{"-at", "2026-02-30"}, `invalid value "2026-02-30" for flag -at: `},
		{[]string{"-at", "2026-11-21T24:00"}, `invalid value "2026-11-21T24:00" for flag -at: `},
		{[]string{"-at", "2026-11-21Z"}, `invalid value "2026-11-21Z" for flag -at: `},
		{[]string{"-at", "2026"}, `invalid value "2026" for flag -at: `},                     // no second of 1970
		{[]string{"-at", "123456789"}, `invalid value "123456789" for flag -at: `},           // neither seconds nor ms
		{[]string{"-at", "20261121"}, `invalid value "20261121" for flag -at: `},             // nor this
		{[]string{"-at", "20261121100005"}, `invalid value "20261121100005" for flag -at: `}, // nor of 2612
		{[]string{"-at", "0x6a000000"}, `invalid value "0x6a000000" for flag -at: `},
		{[]string{"-at"}, "flag needs an argument: -at"},
		{[]string{"-at", "--", text}, `invalid value "--" for flag -at: `},
		{[]string{"-at", "-1795255205"}, `invalid value "-1795255205" for flag -at: `},
		{[]string{"-prefix", "user2"}, `invalid value "user2" for flag -prefix: `},
		{[]string{"-n", "-1"}, `invalid value "-1" for flag -n: want a decimal number, not negative`},
		{[]string{"-n", "1e6"}, `invalid value "1e6" for flag -n: `},
		{[]string{"-n", "0x10"}, `invalid value "0x10" for flag -n: `},
		{[]string{"-prefix", "user_"}, `invalid value "user_" for flag -prefix: want 1 to 63 letters a to z, and `},
		{[]string{"-prefix", "User"}, `invalid value "User" for flag -prefix: `},
		{[]string{"-prefix", "a\x1b"}, `invalid value "a\x1b" for flag -prefix: `},
		{[]string{"-prefix", strings.Repeat("a", 64)}, `invalid value "aaa`},
		{[]string{"-json=perhaps"}, `invalid boolean value "perhaps" for -json`},
		{[]string{"-at", "2026-11-21", text}, "-at and an ID do not go together"},
		{[]string{"-n", "2", text}, "-n and an ID do not go together"},
		{[]string{"-prefix", "user", text}, "-prefix and an ID do not go together"},
		{[]string{"-prefix", "user", "-uuid"}, "-prefix and -uuid do not go together"},
		{[]string{"-at", "2026-11-21", "-last", "-n", "2"}, "-last and -n do not go together"},
		{[]string{"-json", "-uuid"}, "-json and -uuid do not go together"},
		{[]string{"-json", "-lower", "-"}, "-json and -lower do not go together"},
		{[]string{"-last"}, "-last needs -at"},
		{[]string{"-last", text}, "-last needs -at"},
		{[]string{"-lenient"}, "-lenient needs an ID, or - for standard input"},
	} {
		status, out, errs := ulidCommand(text, test.args...)
		if status != 2 || out != "" || !strings.HasPrefix(errs, "ulid: "+test.want) ||
			!strings.HasSuffix(errs, "\nRun ulid -h for help.\n") || strings.Count(errs, "\n") != 2 {
			t.Errorf("%q: status %d, stdout %q, stderr\n%swant\nulid: %s", test.args, status, out, errs, test.want)
		}
	}
	if _, _, err := parseArgs([]string{"-prefix", strings.Repeat("a", 63)}); err != nil {
		t.Error("the longest prefix:", err)
	}
}

// TestBadIDs has IDs that are reported. Offsets count what stands before the ID.
func TestBadIDs(t *testing.T) {
	const wrongLength = "its length is %d, not 26 (ULID), 36 (UUID) or 32 (hexadecimal)"
	const tooGreat = "greater than 7ZZZZZZZZZZZZZZZZZZZZZZZZZ, the largest ULID"
	long := strings.Repeat("a", 100)
	for _, test := range []struct{ id, quoted, want string }{
		{"", `""`, fmt.Sprintf(wrongLength, 0)}, // such as a variable that is not set: no new ID
		{text[1:], "", fmt.Sprintf(wrongLength, 25)},
		{long, "", fmt.Sprintf(wrongLength, 100)},
		{long + "b", `"` + long + `"…`, fmt.Sprintf(wrongLength, 101)},
		{text[:25] + "U", "", "invalid character 'U' at offset 25"},
		{"8" + text[1:], "", tooGreat},
		{hexa[:31] + "g", "", "invalid character 'g' at offset 31"},
		{"abcdefABCDEF0123456789abcdefABCG", "", "invalid character 'G' at offset 31"},
		{uuid[:23] + "+" + uuid[24:], "", "invalid character '+' at offset 23"},
		{"01ARYZ6S41-TSV4RRFFQ69G5FAV", "", fmt.Sprintf(wrongLength, 27)}, // without -lenient
		{"O1ARYZ6S41TSV4RRFFQ69G5FAV", "", "invalid character 'O' at offset 0"},

		{"{" + uuid + ")", "", fmt.Sprintf(wrongLength, 38)},
		{"{" + uuid, "", fmt.Sprintf(wrongLength, 37)},
		{"{" + uuid[:35] + "g}", "", "invalid character 'g' at offset 36"},
		{"urn:uuid:" + hexa, "", fmt.Sprintf(wrongLength, 41)},
		{"0x" + uuid, "", fmt.Sprintf(wrongLength, 38)},
		{"0x" + hexa[:31] + "x", "", "invalid character 'x' at offset 33"},
		{hexa[:31] + "@", "", "invalid character '@' at offset 31"},
		{hexa[:31] + "/", "", "invalid character '/' at offset 31"},
		{hexa[:31] + ":", "", "invalid character ':' at offset 31"},
		{hexa[:31] + "`", "", "invalid character '`' at offset 31"},

		{"order_" + low[:25] + "u", "", "invalid character 'u' at offset 31"},
		{"user_01aryz", "", "after the underscore: " + fmt.Sprintf(wrongLength, 6)},
		{"user_", "", "after the underscore: " + fmt.Sprintf(wrongLength, 0)},
		{"order_8" + low[1:], "", "after the underscore: " + tooGreat},
		{"_" + low, "", fmt.Sprintf(wrongLength, 27)},
		{"us er_" + low, "", "invalid character ' ' at offset 2"},
		{"user{_" + low, "", "invalid character '{' at offset 4"},
		{"user@_" + low, "", "invalid character '@' at offset 4"},
		{"user/_" + low, "", "invalid character '/' at offset 4"},
		{"user:_" + low, "", "invalid character ':' at offset 4"},
		{"user`_" + low, "", "invalid character '`' at offset 4"},
		{"us\x1ber_" + low, `"us\x1ber_` + low + `"`, `invalid character '\x1b' at offset 2`},
		{"préfix_" + low, "", `invalid character '\xc3' at offset 2`},

		// Whatever comes, a message is one line of text.
		{"\x00\xff\x1b\r\u202e" + text[7:], `"\x00\xff\x1b\r\u202e` + text[7:] + `"`, `invalid character '\x00' at offset 0`},
	} {
		quoted := test.quoted
		if quoted == "" {
			quoted = `"` + test.id + `"`
		}
		status, out, errs := ulidCommand("", "-lower", "--", text, test.id)
		want := fmt.Sprintf("ulid: argument 2: %s: %s\n", quoted, test.want)
		if status != 1 || out != low+"\n" || errs != want {
			t.Errorf("%q: status %d, stdout %q, stderr\n%swant\n%s", test.id, status, out, errs, want)
		}
	}
	_, _, errs := ulidCommand("", "-lenient", "01ARYZ6S41-TSV4RRFFQ69G5FAU")
	if !strings.HasSuffix(errs, "invalid character 'U' at offset 26\n") {
		t.Errorf("with -lenient: %s", errs)
	}
	if status, out, _ := ulidCommand("", ""); status != 1 || out != "" {
		t.Errorf("the ID \"\" alone: status %d, stdout %q", status, out)
	}
}

// TestDashes shows that nothing is a flag or standard input after two hyphens.
func TestDashes(t *testing.T) {
	status, out, errs := ulidCommand(uuidV7, "-lower", "-", text, "--", "-n", text, "-h", "-", "--")
	want := regexp.MustCompile(`^ulid: argument 3: "-n": .*
ulid: argument 5: "-h": .*
ulid: argument 6: "-": .*
ulid: argument 7: "--": .*
$`)
	if status != 1 || out != lowV7+"\n"+low+"\n"+low+"\n" || !want.MatchString(errs) {
		t.Errorf("status %d, stdout %q, stderr %q", status, out, errs)
	}
	for _, args := range [][]string{{"--", "-"}, {"-lower", "--", "-"}, {"-lenient", "--", "-"}} {
		var out, errs strings.Builder
		status := run(args, unreadable{}, &out, &errs)
		if status != 1 || out.Len() > 0 || !strings.HasPrefix(errs.String(), `ulid: argument 1: "-": its length is 1`) {
			t.Errorf("%q: status %d, stdout %q, stderr %q", args, status, &out, &errs)
		}
	}
}

// TestLines has lines that are blank, end in CRLF, have spaces around the ID, are bad or too long, or lack the end.
func TestLines(t *testing.T) {
	long := strings.Repeat(" ", 2*bufferSize)
	stdin := "\r\n  " + text + "\t\r\nbad\n\n \n" + long + text + "\n" + uuidV7
	status, out, errs := ulidCommand(stdin, "-lower", text, "-", "nothing", "-")
	if want := low + "\n" + low + "\n" + lowV7 + "\n"; status != 1 || out != want {
		t.Errorf("status %d, stdout %q, want %q", status, out, want)
	}
	want := regexp.MustCompile(`^ulid: line 3: "bad": its length is 3, .*
ulid: line 6: " {100}"…: the line is too long
ulid: argument 3: "nothing": .*
$`)
	if !want.MatchString(errs) {
		t.Errorf("stderr\n%swant\n%s", errs, want)
	}
	if status, out, errs := ulidCommand("", "-"); status != 0 || out != "" || errs != "" {
		t.Errorf("no lines: status %d, stdout %q, stderr %q", status, out, errs)
	}
}

// TestGenerate has calls that print new IDs. Nothing reads standard input, which would be an error.
func TestGenerate(t *testing.T) {
	old := time.UnixMilli(1469918176385)
	const thatMillisecond = `01ARYZ6S41[0-9A-Z]{16}`
	for _, test := range []struct {
		args string
		want string
		time time.Time // of the first ID; zero for now
	}{
		{"", `01[0-9A-HJKMNP-TV-Z]{24}`, time.Time{}},
		{"-n 5000", `01[0-9A-HJKMNP-TV-Z]{24}`, time.Time{}},
		{"-uuid", `01[0-9a-f]{6}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}`, time.Time{}},
		{"-lower", `01[0-9a-hjkmnp-tv-z]{24}`, time.Time{}},
		{"-n 3 -lower", `01[0-9a-hjkmnp-tv-z]{24}`, time.Time{}},
		{"-n 3000 -uuid", `01[0-9a-f]{6}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}`, time.Time{}},
		{"-n 2 -json", `\{"ulid":"01[0-9A-Z]{24}",.*,"v7":true\}`, time.Time{}},
		{"-prefix user", `user_01[0-9a-hjkmnp-tv-z]{24}`, time.Time{}},
		{"-n 010", `01[0-9A-HJKMNP-TV-Z]{24}`, time.Time{}}, // ten, not eight
		{"-prefix a__z", `a__z_01[0-9a-hjkmnp-tv-z]{24}`, time.Time{}},
		{"-prefix a -n 9", `a_01[0-9a-hjkmnp-tv-z]{24}`, time.Time{}},
		{"-prefix false -n 2 -json", `\{"prefix":"false","ulid":"01.*\}`, time.Time{}},
		{"-at now -n 2", `01[0-9A-HJKMNP-TV-Z]{24}`, time.Time{}},
		{"-at 2016-07-30T22:36:16.385Z -n 1", thatMillisecond, old},
		{"-n 5104 -at 1469918176385", `01ARYZ6S41E[0-4][0-9A-Z]{14}`, old}, // a tick apart, in at most 5,120 ticks
		{"-at 1970-01-01 -n 1", `0{10}E.{15}`, time.UnixMilli(0)},
		{"-at 9999-12-31 -n 1", `76EZ.{22}`, time.Date(9999, 12, 31, 0, 0, 0, 0, time.UTC)},
		{"-at 1469918176385 -n 2 -prefix user", `user_01aryz6s41.{16}`, old},
	} {
		n := 1
		if m := regexp.MustCompile(`-n (\d+)`).FindStringSubmatch(test.args); m != nil {
			n, _ = strconv.Atoi(m[1])
		}
		var out, errs strings.Builder
		status := run(strings.Fields(test.args), unreadable{}, &out, &errs)
		lines := strings.Split(out.String(), "\n")
		if status != 0 || errs.Len() > 0 || len(lines) != n+1 {
			t.Fatalf("ulid %s: status %d, stderr %q, %d lines", test.args, status, &errs, len(lines)-1)
		}
		last := ""
		for _, line := range lines[:n] {
			if line <= last || !regexp.MustCompile("^"+test.want+"$").MatchString(line) {
				t.Fatalf("ulid %s: %s comes after %s, want an increasing %s", test.args, line, last, test.want)
			}
			last = line
		}
		id := regexp.MustCompile(`01[0-9a-zA-Z]{24}`).FindString(lines[0])
		if id == "" {
			continue // a UUID
		}
		want := test.time
		if want.IsZero() {
			want = time.Now()
		}
		if got, err := ulid.Parse(id); err != nil || got.Time().Sub(want).Abs() > time.Minute {
			t.Errorf("ulid %s: the first is %s, %v, want one of %v", test.args, id, err, want)
		}
	}
	_, one, _ := ulidCommand("", "-at", "2026-11-21", "-n", "1")
	_, other, _ := ulidCommand("", "-at", "2026-11-21", "-n", "1")
	if one == other {
		t.Errorf("two calls generate the same ID for a time: %s", one)
	}
	if _, out, _ := ulidCommand("", "-at", "now"); !strings.HasSuffix(out, strings.Repeat("0", 16)+"\n") {
		t.Errorf("the bound of now is %s", out)
	}
}

type unreadable struct{}

func (unreadable) Read([]byte) (int, error) { panic("standard input is read") }

func TestVersion(t *testing.T) {
	if status, out, _ := ulidCommand("", "-version"); status != 0 || !strings.HasPrefix(out, "ulid ") {
		t.Errorf("status %d, stdout %q", status, out)
	}
}

// The usage and a prompt fit on a screen of 80 by 24.
func TestUsage(t *testing.T) {
	wide := regexp.MustCompile(`.{80,}`).FindString(usage)
	if lines := strings.Count(usage, "\n"); lines > 23 || wide != "" {
		t.Errorf("the usage has %d lines, want 23 at most; too wide is %q", lines, wide)
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

// TestExplanation has the texts that people read. They are separated by a blank line, also where a bad ID was.
func TestExplanation(t *testing.T) {
	inZone(t, 2)
	status, out, errs := ulidCommand("", "bad", "user_"+text, "bad", uuidV7, "bad", "c232ab00-9414-11ec-b3c8-9f6bdeced846")
	out = regexp.MustCompile(`(?m)^age    \d+\.\d years ago$`).ReplaceAllString(out, "age    N years ago")
	const want = `ulid   user_01aryz6s41tsv4rrffq69g5fav
uuid   01563df3-6481-d676-4c61-efb99302bd5b
hex    01563df36481d6764c61efb99302bd5b
time   2016-07-30T22:36:16.385Z
local  2016-07-31T00:36:16.385+02:00
age    N years ago
v7     no

ulid   01FWHE4YDGFK1SHH6W1G60EECF
uuid   017f22e2-79b0-7cc3-98c4-dc0c0c07398f
hex    017f22e279b07cc398c4dc0c0c07398f
time   2022-02-22T19:22:22.000Z
local  2022-02-22T21:22:22.000+02:00
age    N years ago
v7     yes

ulid   626ANG150M27PB7J4ZDFFCXP26
uuid   c232ab00-9414-11ec-b3c8-9f6bdeced846
hex    c232ab00941411ecb3c89f6bdeced846
time   none: this is a UUID of version 1, not 7
v7     no
`
	if status != 1 || out != want || strings.Count(errs, `"bad": its length is 3,`) != 3 {
		t.Errorf("status %d, stderr %q, stdout\n%swant\n%s", status, errs, out, want)
	}
}

// TestTimeOfUUID shows which IDs have a time. A day is more than clocks differ by, so only a UUID of another version
// is so far ahead.
func TestTimeOfUUID(t *testing.T) {
	now := time.Date(2026, 11, 21, 10, 0, 0, 0, time.UTC)
	for version := range byte(16) {
		for variant := range byte(4) {
			for _, ahead := range []time.Duration{-time.Hour, 23 * time.Hour, 25 * time.Hour} {
				id := ulid.FirstAt(now.Add(ahead))
				id[6], id[8] = version<<4, variant<<6
				other := variant == 2 && 1 <= version && version <= 8 && version != 7
				d := describe("", id, now)
				if want := ahead < 24*time.Hour || !other; (d.times != nil) != want {
					t.Errorf("version %d, variant %d, %v ahead: has a time is %t", version, variant, ahead, !want)
				}
				if d.times != nil && d.Age != -ahead.Milliseconds() {
					t.Errorf("%v ahead: the age is %d ms", ahead, d.Age)
				}
				if d.V7 != (variant == 2 && version == 7) {
					t.Errorf("version %d, variant %d: v7 is %t", version, variant, d.V7)
				}
			}
		}
	}
}

// TestAnswersAtOnce shows that a pipe that stays open gets the answer to a line before the next line.
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
		io.WriteString(toIn, text+"\n")
		answer := make(chan string)
		go func() {
			line, _ := answers.ReadString('\n')
			answer <- line
		}()
		select {
		case line := <-answer:
			if line != uuid+"\n" {
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

// TestFullDisk shows that every error of writing is reported, and ends what would go on for ever.
func TestFullDisk(t *testing.T) {
	for _, args := range [][]string{
		{}, {"-h"}, {"-version"}, {"-at", "2026-11-21"}, {text}, {"-n", strconv.Itoa(math.MaxInt)}, {"-"},
	} {
		var errs strings.Builder
		status := run(args, endless{}, fullDisk{}, &errs)
		if status != 1 || errs.String() != "ulid: disk full\n" {
			t.Errorf("%q: status %d, stderr %q", args, status, &errs)
		}
	}
}

type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, errors.New("disk full") }

// endless reads as the same ID on line after line.
type endless struct{}

func (endless) Read(p []byte) (int, error) { return copy(p, text+"\n"), nil }

// TestUnreadable shows that an error of reading is reported after the IDs that came before it.
func TestUnreadable(t *testing.T) {
	var out, errs strings.Builder
	stdin := io.MultiReader(strings.NewReader(text+"\n"), brokenDisk{})
	status := run([]string{"-lower", "-"}, stdin, &out, &errs)
	if status != 1 || out.String() != low+"\n" || errs.String() != "ulid: broken disk\n" {
		t.Errorf("status %d, stdout %q, stderr %q", status, &out, &errs)
	}
}

type brokenDisk struct{}

func (brokenDisk) Read([]byte) (int, error) { return 0, errors.New("broken disk") }

// TestOrderOnAScreen shows that the message about a bad ID stands where the ID would.
func TestOrderOnAScreen(t *testing.T) {
	var screen strings.Builder
	run([]string{"-lower", "-"}, strings.NewReader(text+"\nbad\n"+uuidV7), &screen, &screen)
	lines := strings.Split(screen.String(), "\n")
	if len(lines) != 4 || lines[0] != low || !strings.Contains(lines[1], "line 2") {
		t.Errorf("got\n%s", &screen)
	}
}
