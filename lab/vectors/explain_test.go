package vectors

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// An explanation says what some peers get wrong. Each was tried by hand.
type explanation struct {
	peers string // a pattern for the peer's key
	cases string // a pattern for section/name
	words string
	show  string // the name of the case that is the example; the first one otherwise
	bare  bool   // no example: the words say what comes out, or it changes
}

var explanations = []explanation{
	{peers: "oklog/ulid Parse", cases: "invalid/.*", show: "garbage",
		words: "`Parse` checks the length and the first character only, as documented"},
	{peers: "oklog/ulid .*", cases: "monotonic/(no-carry|zero-twice)", bare: true,
		words: "`Monotonic` treats zero entropy as none, so it draws fresh bits for the next ID"},
	{peers: "oklog/ulid .*", cases: "monotonic/.*overflow.*", bare: true,
		words: "after an overflow `Monotonic` goes on with an ID that is less than the one before"},
	{peers: "npm ulid ulidToUUID", cases: "times/epoch", bare: true,
		words: "`ulid(0)` returns an ID with the current time"},
	{peers: "npm ulid ulidToUUID", cases: "monotonic/time-zero.*", bare: true,
		words: "`monotonicFactory` returns an ID with the current time if the time is 0"},
	{peers: "npm ulidx ulidToUUID", cases: "monotonic/time-zero.*", bare: true,
		words: "the function that `monotonicFactory` returns throws a TypeError if the first time is 0"},
	{peers: "npm ulidx? isValid", cases: "invalid/(first-.*|greatest.*)",
		words: "`isValid` does not look for an overflow, but `ulidToUUID` does"},
	{peers: "npm ulidx? isValid", cases: "invalid/.*-26-characters",
		words: "`isValid` accepts letters beyond ASCII whose upper case is in the alphabet, but `ulidToUUID` rejects them"},
	{peers: "npm ulidx? decodeTime", cases: "invalid/.*", show: "slash",
		words: "`decodeTime` checks the length and the first ten characters only"},
	{peers: "npm id128 .*", cases: "invalid/u-.*",
		words: "`Ulid.fromCanonical` reads U as V, which Crockford's rules reject"},
}

// explain returns a line for each thing that peers get wrong. A failure that nothing explains is an
// error. What a peer has mended needs no explanation.
func explain(results []result) ([]string, error) {
	explained := map[string]bool{} // by peer and case
	var lines []string
	for _, e := range explanations {
		lines = append(lines, e.lines(results, explained)...)
	}
	var errs []error
	for _, r := range results {
		for _, f := range r.failures {
			if !explained[r.caseKey(f)] {
				errs = append(errs, fmt.Errorf("%s gets %s wrong, and explain_test.go says nothing of it: %+q gives %+v",
					r, f.key(), f.input, f.got))
			}
		}
	}
	return lines, errors.Join(errs...)
}

// lines returns a line for each group of peers of which the same is said.
func (e explanation) lines(results []result, explained map[string]bool) []string {
	peers := map[string][]string{} // by what is wrong
	var wrongs []string            // in the order of the table
	for _, r := range results {
		wrong := e.wrong(r, explained)
		if wrong == "" {
			continue
		}
		if peers[wrong] == nil {
			wrongs = append(wrongs, wrong)
		}
		who := r.name + " " + r.version
		if !slices.Contains(peers[wrong], who) {
			peers[wrong] = append(peers[wrong], who)
		}
	}
	var lines []string
	for _, wrong := range wrongs {
		lines = append(lines, wrap("- "+strings.Join(peers[wrong], ", ")+", "+wrong+".", "  "))
	}
	return lines
}

// caseKey names a case and the peer that fails it.
func (r result) caseKey(f failure) string { return r.key() + r.version + f.key() }

// wrong returns what the explanation says of the failures of a peer that no other has explained, and
// nothing if there are none.
func (e explanation) wrong(r result, explained map[string]bool) string {
	if !matches(e.peers, r.key()) {
		return ""
	}
	var failures []failure
	for _, f := range r.failures {
		if matches(e.cases, f.key()) && !explained[r.caseKey(f)] {
			explained[r.caseKey(f)] = true
			failures = append(failures, f)
		}
	}
	if failures == nil {
		return ""
	}
	count := fmt.Sprintf("%d cases of", len(failures))
	if len(failures) == 1 {
		count = "1 case of"
	}
	words := fmt.Sprintf("%s `%s`: %s", count, failures[0].section, e.words)
	if e.bare {
		return words
	}
	shown := slices.IndexFunc(failures, func(f failure) bool { return f.name == e.show })
	example := failures[max(0, shown)]
	got := "returns `" + example.got.Value + "`"
	if example.got.Error != "" {
		got = "is refused"
	}
	return words + ". `" + strconv.QuoteToASCII(example.input) + "` " + got
}

// matches reports whether pattern matches all of s.
func matches(pattern, s string) bool { return regexp.MustCompile("^(" + pattern + ")$").MatchString(s) }
