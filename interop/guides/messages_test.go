package guides

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/seed-961d0905/ulid"
	"github.com/seed-961d0905/ulid/interop/page"
	"github.com/seed-961d0905/ulid/typed"
)

// UserKind is that of the messages on the page.
type UserKind struct{ typed.UUIDColumn }

func (UserKind) Prefix() string { return "user" }

type capitalKind struct{ typed.UUIDColumn }

func (capitalKind) Prefix() string { return "User" }

// TestMessages compares the table of messages with those of the library, each row once.
func TestMessages(t *testing.T) {
	const text = "01M7ZPQKK9EYA9HNHQEYD33WCP"
	lower, uuid := strings.ToLower(text), ulid.MustParse(text).UUIDString()
	parse := func(s string) error { return second(ulid.Parse(s)) }
	parseUser := func(s string) error { return second(typed.Parse[UserKind](s)) }
	now := time.Now()
	g := &ulid.Generator{Clock: func() time.Time { return now }}
	exhausted := ulid.NewMonotonic(strings.NewReader(strings.Repeat("\xff", 10)), 1)
	first := second(exhausted.New(now))
	var id ulid.ULID
	var bytes ulid.AsBinary

	want := messages(t)
	for _, err := range []error{
		parse(text[1:]),
		parse(uuid),
		second(ulid.ParseUUID(text)),
		second(ulid.ParseLenient(uuid)),
		parse(text[:3] + "U" + text[4:]),
		parse("8" + text[1:]),
		parseUser("order_" + lower),
		parseUser("useful_" + lower[2:]),
		parseUser("user_" + text),
		id.Scan(uuid),
		id.Scan(int64(1)),
		bytes.Scan(text[:16]),
		second(ulid.MakeAt(time.Time{})),
		g.AdvancePast(ulid.FirstAt(now.Add(time.Minute)), 3*time.Second),
		errors.Join(first, second(exhausted.New(now))),
		panicOf(func() { (&ulid.Generator{Entropy: strings.NewReader("")}).Make() }),
		second(ulid.New(now, brokenReader{})),
		panicOf(func() { typed.Make[capitalKind]() }),
	} {
		message := regexp.MustCompile(`^(ulid|typed|user ID): `).ReplaceAllString(fmt.Sprint(err), "")
		if !want[message] {
			t.Errorf("the page lacks %q", message)
		}
		delete(want, message)
	}
	for message := range want {
		t.Errorf("the page has %q, which no error of this test says", message)
	}
}

// messages returns the messages of the page's table.
func messages(t *testing.T) map[string]bool {
	_, table, _ := strings.Cut(page.Text(t, "docs/guarantees.md"), "| message | meaning |\n")
	table, _, _ = strings.Cut(table, "\n\n")
	list := map[string]bool{}
	for _, m := range regexp.MustCompile("(?m)^\\| `(.*?)` \\|").FindAllStringSubmatch(table, -1) {
		list[strings.ReplaceAll(m[1], "main.UserKind", "guides.capitalKind")] = true
	}
	return list
}

func second[T any](_ T, err error) error { return err }

// panicOf returns what f panics with, as an error.
func panicOf(f func()) (err error) {
	defer func() { err = fmt.Errorf("%v", recover()) }()
	f()
	return nil
}

// A brokenReader says that it has read more than it could.
type brokenReader struct{}

func (brokenReader) Read(p []byte) (int, error) { return len(p) + 1, nil }
