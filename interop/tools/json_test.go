package tools

import (
	"encoding/json"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/seed-961d0905/ulid"
	"github.com/seed-961d0905/ulid/interop/page"
	"github.com/seed-961d0905/ulid/typed"
)

const text = "01ARYZ6S41TSV4RRFFQ69G5FAV"

func TestOrder(t *testing.T) {
	id := ulid.MustParse(text)
	for want, order := range map[string]Order{
		`{"id":"` + text + `","parent_id":null}`:                                      {ID: id},
		`{"id":"` + text + `","parent_id":"` + text + `","coupon_id":"` + text + `"}`: {id, &id, id},
	} {
		got, err := json.Marshal(order)
		if err != nil || string(got) != want {
			t.Errorf("%+v is %s, %v; want %s", order, got, err, want)
		}
		var back Order
		err = json.Unmarshal(got, &back)
		if err != nil || !reflect.DeepEqual(back, order) {
			t.Errorf("%s came back as %+v, %v", got, back, err)
		}
	}
	used := Order{id, &id, id}
	err := json.Unmarshal([]byte(`{"id":null,"parent_id":null}`), &used)
	if want := (Order{ID: id, CouponID: id}); err != nil || used != want {
		t.Errorf("null and no field leave %+v, %v; want %+v, as the page says", used, err, want)
	}
	err = json.Unmarshal([]byte(`{"id":""}`), &used)
	if err == nil || !strings.Contains(err.Error(), "length 0, want 26") {
		t.Errorf("an empty string is read with the error %v", err)
	}
	empty, err := json.Marshal(struct {
		ID ulid.AsUUID `json:"id,omitempty"`
	}{})
	if want := `{"id":"` + strings.Repeat("0", 26) + `"}`; err != nil || string(empty) != want {
		t.Errorf("omitempty writes %s, %v; want %s, as the page says", empty, err, want)
	}
}

// TestPatterns compares the patterns of the pages with Parse, on strings that differ from an ID in one place.
func TestPatterns(t *testing.T) {
	for _, c := range []struct {
		pages   []string
		pattern string
		id      string
		parse   func(string) error
		ids     int // of the strings below
	}{
		{
			[]string{toolsPage, "docs/guarantees.md"},
			`^[0-7][0-9A-HJKMNP-TV-Za-hjkmnp-tv-z]{25}$`, text,
			func(s string) error { _, err := ulid.Parse(s); return err },
			8 + 25*(10+2*22) + 2,
		},
		{
			[]string{toolsPage},
			`^user_[0-7][0-9a-hjkmnp-tv-z]{25}$`, "user_" + strings.ToLower(text),
			func(s string) error { _, err := typed.Parse[UUIDKind](s); return err },
			5 + 8 + 25*32 + 1,
		},
	} {
		for _, name := range c.pages {
			page.Contains(t, name, "`"+c.pattern+"`")
		}
		pattern := regexp.MustCompile(c.pattern)
		strs := []string{"", c.id[1:], c.id[:len(c.id)-1], c.id + "0", c.id + "\n", " " + c.id, strings.ToUpper(c.id), c.id}
		for i := range c.id {
			for char := range rune(256) {
				strs = append(strs, c.id[:i]+string(char)+c.id[i+1:])
			}
		}
		found := 0
		for _, s := range strs {
			err := c.parse(s)
			if pattern.MatchString(s) != (err == nil) {
				t.Errorf("%q: the pattern says %v, Parse %v", s, pattern.MatchString(s), err)
			}
			if err == nil {
				found++
			}
		}
		if found != c.ids {
			t.Errorf("%s: %d strings are IDs, want %d", c.pattern, found, c.ids)
		}
	}
}
