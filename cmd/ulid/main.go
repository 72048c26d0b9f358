// Ulid makes ULIDs and says what an ID is.
//
//	ulid [-n N] [-v7]       make new ULIDs, without reading standard input
//	ulid -at TIME [-last]   print the bound of a time range
//	ulid [-lenient] ID...   explain each ID: formats, time, age, version
//	ulid [-lenient] -       explain the ID on each line of standard input
//
// Run ulid -h for all flags. An ID is a ULID in either case, a UUID, or 32 hexadecimal digits. To
// convert IDs, add -uuid, -lower or -json.
//
// A prefix that ends in an underscore, as in user_01h455vb4pex5vsknk084sn02q, is printed before the
// ULID, which is then in lower case, as in a TypeID. -uuid leaves it out. -json has it in a field.
//
// Explanations of several IDs are separated by a blank line. With -json each is one line. ULIDs
// that one call makes are in increasing order. Those of different calls sort by time only.
//
// Without an ID or - nothing reads standard input, which may be that of the calling script or of cron.
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
	"runtime"
	"runtime/debug"
	"strings"
	"syscall"
	"time"

	"github.com/seed-961d0905/ulid"
)

// usage fits on a screen of 80 by 24.
const usage = `usage: ulid [-n N] [-v7]       make new ULIDs, without reading standard input
       ulid -at TIME [-last]   print the bound of a time range
       ulid [-lenient] ID...   explain each ID: formats, time, age, version
       ulid [-lenient] -       explain the ID on each line of standard input

An ID is a ULID in either case, a UUID, or 32 hexadecimal digits. Spaces around
it and blank lines are skipped. Bad IDs are reported, and the status is then 1.
A prefix such as user_ stays. The ULID after it is printed in lower case.

  -at TIME   the smallest ULID of TIME, such as 2026-11-21T10:00:05.123+01:00,
             2026-11-21T10:00Z, or 2026-11-21; in UTC unless it has a zone
  -json      write one JSON object per line
  -last      with -at: the largest ULID of the same millisecond
  -lenient   read I and L as 1 and O as 0, and ignore hyphens
  -lower     write the ID alone, in lower case
  -n N       make N ULIDs, in increasing order
  -uuid      write the ID alone, in UUID format
  -v7        make ULIDs that are UUIDs of version 7 as well
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
		fmt.Fprintf(stderr, "ulid: %v\nRun ulid -h for help.\n", err)
		return 2
	case o.version:
		info, _ := debug.ReadBuildInfo() // it is there in every program that the go command built
		fmt.Fprintln(p.out, "ulid", info.Main.Version)
	case len(ids) > 0:
		err = p.explainAll(ids, stdin)
	case o.last:
		p.writeID("", ulid.LastAt(o.at))
	case o.set["-at"]:
		p.writeID("", ulid.FirstAt(o.at))
	default:
		err = p.makeIDs()
	}
	flushErr := p.out.Flush() // also after an error: what came before it is good
	if err == nil {
		err = flushErr
	}
	if err != nil && !isClosedPipe(err) {
		fmt.Fprintf(stderr, "ulid: %s\n", trimPackage(err))
	}
	if err != nil || p.bad {
		return 1
	}
	return 0
}

// isClosedPipe reports whether the reader of standard output has gone. On Unix SIGPIPE has ended
// the process before.
func isClosedPipe(err error) bool {
	const brokenPipe, noData = syscall.Errno(109), syscall.Errno(232)
	return runtime.GOOS == "windows" && (errors.Is(err, brokenPipe) || errors.Is(err, noData))
}

// options are the flags. Those that are set are also in set, with their hyphen.
type options struct {
	at                                            time.Time
	n                                             int
	json, last, lenient, lower, uuid, v7, version bool
	set                                           map[string]bool
}

// conflicts are the pairs of arguments that make no sense together.
var conflicts = [][2]string{
	{"-at", "an ID"}, {"-n", "an ID"}, {"-v7", "an ID"},
	{"-at", "-n"}, {"-at", "-v7"}, {"-json", "-uuid"}, {"-json", "-lower"},
}

// parseArgs returns the flags and the IDs, which may stand in any order.
func parseArgs(args []string) (o options, ids []string, err error) {
	flags := flag.NewFlagSet("ulid", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.Func("at", "", func(s string) error {
		var err error
		o.at, err = parseTime(s)
		return err
	})
	flags.IntVar(&o.n, "n", 1, "")
	flags.BoolVar(&o.json, "json", false, "")
	flags.BoolVar(&o.last, "last", false, "")
	flags.BoolVar(&o.lenient, "lenient", false, "")
	flags.BoolVar(&o.lower, "lower", false, "")
	flags.BoolVar(&o.uuid, "uuid", false, "")
	flags.BoolVar(&o.v7, "v7", false, "")
	flags.BoolVar(&o.version, "version", false, "")

	// Package flag stops at the first argument that is none, and so at each ID.
	for err = flags.Parse(args); err == nil && flags.NArg() > 0; err = flags.Parse(flags.Args()[1:]) {
		ids = append(ids, flags.Arg(0))
	}
	if err != nil {
		return o, ids, err
	}

	o.set = map[string]bool{"an ID": len(ids) > 0}
	flags.Visit(func(f *flag.Flag) { o.set["-"+f.Name] = f.Value.String() != "false" })
	for _, pair := range conflicts {
		if o.set[pair[0]] && o.set[pair[1]] {
			return o, ids, fmt.Errorf("%s and %s do not go together", pair[0], pair[1])
		}
	}
	switch {
	case o.n < 0:
		err = errors.New("-n must not be negative")
	case o.last && !o.set["-at"]:
		err = errors.New("-last needs -at")
	case o.lenient && len(ids) == 0:
		err = errors.New("-lenient needs an ID, or - for standard input")
	}
	return o, ids, err
}

// parseTime reads RFC 3339 and shorter forms, and what psql prints. A time without a zone is in
// UTC. A fraction of a second is read although no layout has one.
func parseTime(s string) (time.Time, error) {
	s = strings.Replace(s, " ", "T", 1)
	for _, layout := range []string{
		time.RFC3339, "2006-01-02T15:04:05Z07", "2006-01-02T15:04:05",
		"2006-01-02T15:04Z07:00", "2006-01-02T15:04", "2006-01-02",
	} {
		if t, err := time.Parse(layout, s); err == nil {
			return t, nil
		}
	}
	return time.Time{}, errors.New("want a time such as 2026-11-21T10:00:05Z, 2026-11-21T10:00Z, or 2026-11-21")
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

// makeIDs writes n new IDs, in pieces so that memory does not grow with n.
func (p *printer) makeIDs() error {
	g := ulid.Generator{UUIDv7: p.v7}
	ids := make([]ulid.ULID, min(p.n, 1024))
	for left := p.n; left > 0; left -= len(ids) {
		ids = ids[:min(left, len(ids))]
		if err := g.Fill(ids); err != nil {
			return err
		}
		for _, id := range ids {
			p.writeID("", id)
		}
		if err := p.out.Flush(); err != nil {
			return err
		}
	}
	return nil
}

// explainAll explains the arguments. The argument - stands for the lines of standard input.
func (p *printer) explainAll(args []string, stdin io.Reader) error {
	for i, arg := range args {
		if arg != "-" {
			p.explain("argument", i+1, arg)
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
	p.bad = true
	p.out.Flush()
	fmt.Fprintf(p.stderr, "ulid: %s %d: %.40q: %s\n", kind, number, text, trimPackage(err))
}

// writeID writes an ID on one line.
func (p *printer) writeID(prefix string, id ulid.ULID) {
	text := prefix + id.String()
	switch {
	case p.json:
		json.NewEncoder(p.out).Encode(describe(prefix, id, time.Now()))
		return
	case p.uuid:
		text = id.UUIDString()
	case p.lower:
		text = prefix + strings.ToLower(id.String())
	}
	p.out.WriteString(text)
	p.out.WriteByte('\n')
}

// trimPackage returns the text of err without the "ulid: " of the package, which is the
// command's name as well.
func trimPackage(err error) string {
	return strings.TrimPrefix(err.Error(), "ulid: ")
}

// parsePrefixed reads an ID that may follow a prefix. The prefix ends in the last underscore.
func parsePrefixed(s string, lenient bool) (prefix string, id ulid.ULID, err error) {
	n := strings.LastIndexByte(s, '_') + 1
	prefix = s[:n]
	// A terminal would obey other characters where the ID is printed.
	if i := strings.IndexFunc(prefix, notInPrefix); i >= 0 {
		return "", id, ulid.InvalidCharacterError{Offset: i, Char: s[i]}
	}
	id, err = parse(s[n:], lenient)
	var wrong ulid.InvalidCharacterError
	if errors.As(err, &wrong) {
		wrong.Offset += n
		err = wrong
	} else if err != nil && n > 0 {
		err = fmt.Errorf("after the underscore: %s", trimPackage(err))
	}
	return prefix, id, err
}

// notInPrefix reports whether a prefix may not have the character.
func notInPrefix(c rune) bool {
	return c != '_' && c != '-' && (c < '0' || c > '9') && (c|0x20 < 'a' || c|0x20 > 'z')
}

// parse reads an ID in any format. The formats have different lengths.
func parse(s string, lenient bool) (id ulid.ULID, err error) {
	const hexSize = 2 * len(id)
	size := len(s)
	if lenient {
		size -= strings.Count(s, "-")
	}
	switch {
	case size == ulid.EncodedSize && lenient:
		id, err = ulid.ParseLenient(s)
	case size == ulid.EncodedSize:
		id, err = ulid.Parse(s)
	case size == hexSize:
		id, err = parseHex(s, lenient)
	case size == hexSize+4:
		id, err = ulid.ParseUUID(s)
	default:
		err = fmt.Errorf("its length is %d, not 26 (ULID), 36 (UUID) or 32 (hexadecimal)", size)
	}
	if errors.Is(err, ulid.ErrOverflow) {
		err = errors.New("greater than the largest ULID, 7ZZZZZZZZZZZZZZZZZZZZZZZZZ")
	}
	return id, err
}

var typedHex = strings.NewReplacer("-", "", "I", "1", "i", "1", "L", "1", "l", "1", "O", "0", "o", "0")

// parseHex reads 32 hexadecimal digits. If lenient, it reads a UUID too, whose hyphens it ignores.
func parseHex(s string, lenient bool) (id ulid.ULID, err error) {
	digits := s
	allowed := "0123456789abcdefABCDEF"
	if lenient {
		digits = typedHex.Replace(s)
		allowed += "-IiLlOo"
	}
	if _, err := hex.Decode(id[:], []byte(digits)); err != nil {
		// The error of package hex does not say where.
		wrong := strings.IndexFunc(s, func(r rune) bool { return !strings.ContainsRune(allowed, r) })
		return ulid.ULID{}, ulid.InvalidCharacterError{Offset: wrong, Char: s[wrong]}
	}
	return id, nil
}

// description is what there is to say about an ID.
type description struct {
	Prefix string    `json:"prefix,omitempty"` // with its underscore
	ULID   ulid.ULID `json:"ulid"`
	UUID   string    `json:"uuid"`
	Hex    string    `json:"hex"`
	*times           // nil if it has no time
	V7     bool      `json:"v7"`
}

// times are texts, because time.Time does not marshal after the year 9999.
type times struct {
	Time  string `json:"time"`
	Local string `json:"local"`
	MS    uint64 `json:"unix_ms"`
	Age   int64  `json:"age_ms"`
}

func describe(prefix string, id ulid.ULID, now time.Time) description {
	const layout = "2006-01-02T15:04:05.000Z07:00" // RFC 3339, always with milliseconds
	d := description{
		Prefix: prefix,
		ULID:   id,
		UUID:   id.UUIDString(),
		Hex:    hex.EncodeToString(id[:]),
		V7:     id.IsUUIDv7(),
	}
	t := id.Timestamp()
	if !isUUIDv4(id) || t.Before(now.AddDate(0, 0, 1)) {
		d.times = &times{
			Time:  t.UTC().Format(layout),
			Local: t.Format(layout),
			MS:    id.Time(),
			Age:   now.UnixMilli() - t.UnixMilli(),
		}
	}
	return d
}

// isUUIDv4 reports whether the ID has the bits of a random UUID. One plain ULID in 64 has them too, by
// chance. Its time tells them apart: that of a random UUID is in the future, but for one in 150.
func isUUIDv4(id ulid.ULID) bool { return id[6]>>4 == 4 && id[8]>>6 == 2 }

// String returns the description as people read it.
func (d description) String() string {
	text := d.ULID.String()
	if d.Prefix != "" {
		text = d.Prefix + strings.ToLower(text)
	}
	at := "time   none: this is a random UUID (version 4)"
	if d.times != nil {
		at = fmt.Sprintf("time   %s\nlocal  %s\nage    %s", d.Time, d.Local, ageText(d.Age))
	}
	v7 := "no"
	if d.V7 {
		v7 = "yes"
	}
	return fmt.Sprintf("ulid   %s\nuuid   %s\nhex    %s\n%s\nv7     %s\n", text, d.UUID, d.Hex, at, v7)
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
