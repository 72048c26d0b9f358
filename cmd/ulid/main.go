// Ulid generates ULIDs and says what an ID is. Run ulid -h for its flags.
//
// Without an ID or - it never reads standard input, which may be that of the calling script or of cron.
//
// The exit status is 0, or 1 if an ID was bad or if reading or writing failed, or 2 if the
// arguments were wrong. Other IDs are still explained after a bad one.
package main

import (
	"bufio"
	"encoding/hex"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"regexp"
	"runtime/debug"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/seed-961d0905/ulid"
)

// usage fits on a screen of 80 by 24.
const usage = `usage: ulid [-n N] [-prefix P]            generate IDs, 1 without -n
       ulid -at TIME -n N [-prefix P]    generate N IDs from that time on
       ulid -at TIME [-last]             print the bound of a time range
       ulid ID...                        explain each ID
       ulid -                            explain the ID on each line of input

An ID is a ULID in either case, a UUID, also in {} or after urn:uuid:, or 32
hexadecimal digits, also after 0x or \x. A prefix such as user_ is kept. Bad
IDs are reported, and the status is then 1. What follows -- is an ID.

  -at TIME   such as 2026-11-21T10:00:05.123+01:00, 2026-11-21T10:00Z,
             2026-11-21, in UTC unless it has a zone, now, or Unix
             seconds (10 digits) or milliseconds (11 to 13)
  -json      write one JSON object per line
  -last      with -at: the last ID of the millisecond, not the first
  -lenient   in a ULID read I and L as 1 and O as 0, and ignore hyphens
  -lower     write the ID alone, in lower case
  -n N       generate N IDs in order, with -at 15 ns apart
  -prefix P  generate IDs such as P_01h455vb4pex5vsknk084sn02q
  -uuid      write the ID alone, in UUID format
  -version   print the version of this command
`

func main() {
	os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// run is the command, and returns its exit status.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	o, ids, err := parseArgs(args)
	p := &printer{options: o, out: bufio.NewWriterSize(stdout, bufferSize), stderr: stderr}
	switch {
	case errors.Is(err, flag.ErrHelp):
		_, err = p.out.WriteString(usage)
	case err != nil:
		fmt.Fprintf(stderr, "ulid: %s\nRun ulid -h for help.\n", printable(err.Error()))
		return 2
	case o.version:
		info, _ := debug.ReadBuildInfo() // it is there in every program that the go command built
		fmt.Fprintln(p.out, "ulid", info.Main.Version)
	case len(ids) > 0:
		err = p.explainAll(ids, stdin)
	case o.last:
		p.writeID(o.prefix, ulid.LastAt(o.at))
	case o.set["-at"] && !o.set["-n"]:
		p.writeID(o.prefix, ulid.FirstAt(o.at))
	default:
		err = p.generate()
	}
	if err == nil {
		err = p.out.Flush()
	}
	if err != nil {
		fmt.Fprintf(stderr, "ulid: %s\n", trimPackage(err))
	}
	if err != nil || p.bad {
		return 1
	}
	return 0
}

// printable returns s with a mark in the place of each character that a terminal could obey.
func printable(s string) string {
	return strings.Map(func(c rune) rune {
		if unicode.IsPrint(c) {
			return c
		}
		return unicode.ReplacementChar
	}, s)
}

// options are the flags. Those that are set are also in set, with their hyphen.
type options struct {
	at                                        time.Time
	n                                         int
	prefix                                    string
	json, last, lenient, lower, uuid, version bool
	set                                       map[string]bool
}

// conflicts are the pairs of arguments that make no sense together.
var conflicts = [][2]string{
	{"-at", "an ID"}, {"-n", "an ID"}, {"-prefix", "an ID"},
	{"-last", "-n"}, {"-json", "-uuid"}, {"-json", "-lower"}, {"-prefix", "-uuid"},
}

// prefixes are those that package typed and the specification of TypeIDs allow.
var prefixes = regexp.MustCompile(`^[a-z]([a-z_]{0,61}[a-z])?$`)

// An argument is an ID, or the hyphen that stands for the lines of standard input.
type argument struct {
	text    string
	isStdin bool
}

// parseArgs returns the flags and the IDs, which may stand in any order.
func parseArgs(args []string) (o options, ids []argument, err error) {
	flags := flag.NewFlagSet("ulid", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	o.n = 1
	flags.Func("n", "", func(s string) error {
		n, err := strconv.Atoi(s) // flags.IntVar would read 010 as eight
		if err != nil || n < 0 {
			return errors.New("want a decimal number, not negative")
		}
		o.n = n
		return nil
	})
	flags.Func("at", "", func(s string) error {
		var err error
		o.at, err = parseTime(s)
		return err
	})
	flags.Func("prefix", "", func(s string) error {
		if !prefixes.MatchString(s) {
			return errors.New("want 1 to 63 letters a to z, and underscores between them")
		}
		o.prefix = s
		return nil
	})
	flags.BoolVar(&o.json, "json", false, "")
	flags.BoolVar(&o.last, "last", false, "")
	flags.BoolVar(&o.lenient, "lenient", false, "")
	flags.BoolVar(&o.lower, "lower", false, "")
	flags.BoolVar(&o.uuid, "uuid", false, "")
	flags.BoolVar(&o.version, "version", false, "")

	// Package flag stops at the first argument that is none, and so at each ID. It also stops after
	// "--", which is no value of a flag that has passed.
	for rest := args; ; rest = flags.Args()[1:] {
		if err := flags.Parse(rest); err != nil {
			return o, ids, err
		}
		if flags.NArg() == 0 {
			break
		}
		if read := len(rest) - flags.NArg(); read > 0 && rest[read-1] == "--" {
			for _, text := range flags.Args() {
				ids = append(ids, argument{text: text})
			}
			break
		}
		ids = append(ids, argument{flags.Arg(0), flags.Arg(0) == "-"})
	}

	o.set = map[string]bool{"an ID": len(ids) > 0}
	flags.Visit(func(f *flag.Flag) { o.set["-"+f.Name] = f.Value.String() != "false" })
	for _, pair := range conflicts {
		if o.set[pair[0]] && o.set[pair[1]] {
			return o, ids, fmt.Errorf("%s and %s do not go together", pair[0], pair[1])
		}
	}
	switch {
	case o.set["-at"] && o.set["-n"] && o.at.Unix() < 0:
		err = errors.New("-n needs a time from 1970 on")
	case o.last && !o.set["-at"]:
		err = errors.New("-last needs -at")
	case o.lenient && len(ids) == 0:
		err = errors.New("-lenient needs an ID, or - for standard input")
	}
	return o, ids, err
}

// parseTime reads RFC 3339 and shorter forms, what psql prints, and Unix times, but not a year or a
// date as one. A time without a zone is in UTC. A fraction of a second is read although no layout
// has one.
func parseTime(s string) (time.Time, error) {
	if s == "now" {
		return time.Now(), nil
	}
	const seconds, most = len("1795255205"), len("1795255205000")
	if n, err := strconv.ParseUint(s, 10, 63); err == nil && seconds <= len(s) && len(s) <= most {
		if len(s) == seconds {
			n *= 1000
		}
		return time.UnixMilli(int64(n)), nil
	}
	s = strings.Replace(s, " ", "T", 1)
	for _, layout := range []string{
		time.RFC3339, "2006-01-02T15:04:05Z07", "2006-01-02T15:04:05",
		"2006-01-02T15:04Z07:00", "2006-01-02T15:04", "2006-01-02",
	} {
		if t, err := time.Parse(layout, s); err == nil {
			return t, nil
		}
	}
	return time.Time{}, errors.New("want a time such as 2026-11-21T10:00:05Z, 2026-11-21, 1795255205 or now")
}

// bufferSize bounds the memory: the length of a line, and what is written at a time.
const bufferSize = 64 << 10

// printer writes IDs in the form that the flags ask for. Its out keeps the first error of writing
// and returns it when it is flushed.
type printer struct {
	options
	out       *bufio.Writer
	stderr    io.Writer
	explained bool // something was explained, so that a blank line comes before the next
	bad       bool // an ID was bad
}

// generate writes n new IDs, in pieces so that memory does not grow with n.
func (p *printer) generate() error {
	g := ulid.Generator{}
	if p.set["-at"] {
		g.Clock = func() time.Time { return p.at }
	}
	ids := make([]ulid.ULID, min(p.n, 1024))
	for left := p.n; left > 0; left -= len(ids) {
		ids = ids[:min(left, len(ids))]
		ulid.FillFrom(&g, ids) // does not panic, as no time that -at reads has a year of five digits
		for _, id := range ids {
			p.writeID(p.prefix, id)
		}
		if err := p.out.Flush(); err != nil {
			return err
		}
	}
	return nil
}

func (p *printer) explainAll(args []argument, stdin io.Reader) error {
	for i, arg := range args {
		if !arg.isStdin {
			p.explain("argument", i+1, arg.text)
		} else if err := p.explainLines(stdin); err != nil {
			return err
		}
	}
	return nil
}

func (p *printer) explainLines(stdin io.Reader) error {
	in := bufio.NewReaderSize(stdin, bufferSize)
	for number := 1; ; number++ {
		// Whoever sends a line and waits for its answer gets it before the next line.
		if in.Buffered() == 0 {
			if err := p.out.Flush(); err != nil {
				return err
			}
		}
		line, err := in.ReadSlice('\n')
		switch text := string(line); {
		case err == bufio.ErrBufferFull:
			p.report("line", number, text, errors.New("the line is too long"))
			for err == bufio.ErrBufferFull {
				_, err = in.ReadSlice('\n')
			}
		case strings.TrimSpace(text) != "":
			p.explain("line", number, text)
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// explain explains the ID in text, or reports that it is bad. Kind and number say where it stands.
func (p *printer) explain(kind string, number int, text string) {
	text = strings.TrimSpace(text)
	prefix, id, err := parsePrefixed(text, p.lenient)
	switch {
	case err != nil:
		p.report(kind, number, text, err)
	case p.json || p.uuid || p.lower:
		p.writeID(prefix, id)
	default:
		if p.explained {
			p.out.WriteByte('\n')
		}
		p.explained = true
		p.out.WriteString(describe(prefix, id, time.Now()).String())
	}
}

// report says that an ID is bad. On a screen it says so after the IDs that came before it.
func (p *printer) report(kind string, number int, text string, err error) {
	const most = 100 // longer than every ID with a prefix that TypeIDs allow
	p.bad = true
	p.out.Flush()
	shown := strconv.Quote(text)
	if len(text) > most {
		shown = strconv.Quote(text[:most]) + "…"
	}
	fmt.Fprintf(p.stderr, "ulid: %s %d: %s: %s\n", kind, number, shown, trimPackage(err))
}

// writeID writes an ID on one line.
func (p *printer) writeID(prefix string, id ulid.ULID) {
	text := withPrefix(prefix, id)
	switch {
	case p.json:
		json.NewEncoder(p.out).Encode(describe(prefix, id, time.Now()))
		return
	case p.uuid:
		text = id.UUIDString()
	case p.lower && prefix == "":
		text = strings.ToLower(text)
	}
	p.out.WriteString(text)
	p.out.WriteByte('\n')
}

// withPrefix returns the text of an ID: after a prefix in lower case, as a TypeID has to be.
func withPrefix(prefix string, id ulid.ULID) string {
	if prefix == "" {
		return id.String()
	}
	return prefix + "_" + strings.ToLower(id.String())
}

// trimPackage returns the text of err without the "ulid: " of the package, which is the
// command's name as well.
func trimPackage(err error) string {
	return strings.TrimPrefix(err.Error(), "ulid: ")
}

// parsePrefixed reads an ID that may follow a prefix. The prefix ends before the last underscore.
func parsePrefixed(s string, lenient bool) (prefix string, id ulid.ULID, err error) {
	at := strings.LastIndexByte(s, '_')
	if at <= 0 {
		id, err = parseWrapped(s, lenient)
		return "", id, err
	}
	prefix = s[:at]
	// A terminal would obey other characters where the ID is printed.
	if i := strings.IndexFunc(prefix, notInPrefix); i >= 0 {
		return "", id, ulid.InvalidCharacterError{Offset: i, Char: s[i]}
	}
	id, err = parse(s[at+1:], lenient)
	var wrong ulid.InvalidCharacterError
	switch {
	case errors.As(err, &wrong): // which has an offset
		err = shift(err, at+1)
	case err != nil:
		err = fmt.Errorf("after the underscore: %s", trimPackage(err))
	}
	return prefix, id, err
}

// notInPrefix reports whether a prefix may not have the character.
func notInPrefix(c rune) bool {
	return c != '_' && c != '-' && (c < '0' || c > '9') && (c|0x20 < 'a' || c|0x20 > 'z')
}

// wrappers are what programs write around a UUID, and before 32 hexadecimal digits.
var wrappers = []struct {
	before, after string
	size          int // of what is inside
}{
	{"{", "}", uuidSize},
	{"urn:uuid:", "", uuidSize},
	{"0x", "", hexSize},
	{`\x`, "", hexSize},
}

const (
	hexSize  = 32
	uuidSize = 36
)

// parseWrapped reads an ID with or without one of the wrappers.
func parseWrapped(s string, lenient bool) (ulid.ULID, error) {
	for _, w := range wrappers {
		end := len(w.before) + w.size
		if len(s) != end+len(w.after) || !strings.EqualFold(s[:len(w.before)], w.before) || s[end:] != w.after {
			continue
		}
		id, err := parse(s[len(w.before):end], lenient)
		return id, shift(err, len(w.before))
	}
	return parse(s, lenient)
}

// shift moves the offset of an error about a character by n.
func shift(err error, n int) error {
	var wrong ulid.InvalidCharacterError
	if errors.As(err, &wrong) {
		wrong.Offset += n
		return wrong
	}
	return err
}

// parse reads an ID in any format. The formats have different lengths.
func parse(s string, lenient bool) (ulid.ULID, error) {
	switch {
	case lenient && len(s)-strings.Count(s, "-") == ulid.EncodedSize:
		return ulid.ParseLenient(s)
	case len(s) == ulid.EncodedSize:
		return ulid.Parse(s)
	case len(s) == hexSize:
		return parseHex(s)
	case len(s) == uuidSize:
		u, err := ulid.ParseUUID(s)
		return ulid.ULID(u), err
	}
	return ulid.ULID{}, fmt.Errorf("its length is %d, not 26 (ULID), 36 (UUID) or 32 (hexadecimal)", len(s))
}

// parseHex reads 32 hexadecimal digits. An error of package hex would not say where it is.
func parseHex(s string) (id ulid.ULID, err error) {
	if i := strings.IndexFunc(s, isNoHexDigit); i >= 0 {
		return id, ulid.InvalidCharacterError{Offset: i, Char: s[i]}
	}
	_, err = hex.Decode(id[:], []byte(s))
	return id, err
}

func isNoHexDigit(c rune) bool { return (c < '0' || c > '9') && (c|0x20 < 'a' || c|0x20 > 'f') }

// description is what there is to say about an ID.
type description struct {
	Prefix  string    `json:"prefix,omitempty"` // without its underscore
	ULID    ulid.ULID `json:"ulid"`
	UUID    string    `json:"uuid"`
	Hex     string    `json:"hex"`
	*times            // nil if it has no time
	V7      bool      `json:"v7"`
	version int
}

// times are texts, because time.Time does not marshal after the year 9999.
type times struct {
	Time  string `json:"time"`
	Local string `json:"local"`
	MS    int64  `json:"unix_ms"`
	Age   int64  `json:"age_ms"`
}

func describe(prefix string, id ulid.ULID, now time.Time) description {
	const layout = "2006-01-02T15:04:05.000Z07:00" // RFC 3339, always with milliseconds
	d := description{
		Prefix:  prefix,
		ULID:    id,
		UUID:    id.UUIDString(),
		Hex:     hex.EncodeToString(id[:]),
		version: uuidVersion(id),
	}
	d.V7 = d.version == 7
	t := id.Time()
	if d.V7 || d.version == 0 || t.Before(now.AddDate(0, 0, 1)) {
		d.times = &times{
			Time:  t.UTC().Format(layout),
			Local: t.Format(layout),
			MS:    t.UnixMilli(),
			Age:   now.UnixMilli() - t.UnixMilli(),
		}
	}
	return d
}

// uuidVersion returns the version of a UUID, or 0 if no version that exists stands there. A plain ULID
// has one by chance, 1 in 8. Its time tells it from a UUID of another version than 7, whose time
// would be in the future, but for one in 150.
func uuidVersion(id ulid.ULID) int {
	version := int(id[6] >> 4)
	if id[8]>>6 != 2 || version > 8 {
		return 0
	}
	return version
}

// String returns the description as people read it.
func (d description) String() string {
	at := fmt.Sprintf("time   none: this is a UUID of version %d, not 7", d.version)
	if d.times != nil {
		at = fmt.Sprintf("time   %s\nlocal  %s\nage    %s", d.Time, d.Local, ageText(d.Age))
	}
	v7 := "no"
	if d.V7 {
		v7 = "yes"
	}
	return fmt.Sprintf("ulid   %s\nuuid   %s\nhex    %s\n%s\nv7     %s\n",
		withPrefix(d.Prefix, d.ULID), d.UUID, d.Hex, at, v7)
}

// units are those of an age, after the millisecond.
var units = []struct {
	size float64 // in the unit before
	name string
}{
	{1000, "seconds"},
	{60, "minutes"},
	{60, "hours"},
	{24, "days"},
	{365.2425, "years"},
}

// ageText says how long ago ms milliseconds are, or how far ahead if they are negative.
func ageText(ms int64) string {
	size, unit := math.Abs(float64(ms)), "milliseconds"
	for _, next := range units {
		if size < next.size {
			break
		}
		size, unit = size/next.size, next.name
	}
	if ms < 0 {
		return fmt.Sprintf("%.1f %s ahead", size, unit)
	}
	return fmt.Sprintf("%.1f %s ago", size, unit)
}
