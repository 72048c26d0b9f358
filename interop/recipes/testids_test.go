package recipes

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/seed-961d0905/ulid"
)

func TestNewService(t *testing.T) {
	if a, b := NewService().Order(), NewService().Order(); a >= b {
		t.Errorf("%s, then %s", a, b)
	}
}

// What the page warns of: Make keeps the latest time that it has seen outside of the bubble.
func TestMakeInBubble(t *testing.T) {
	before := ulid.Make()
	synctest.Test(t, func(t *testing.T) {
		if id := ulid.Make(); id.Time() < before.Time() || time.Now().Year() != 2000 {
			t.Errorf("%s shows %v in %v", id, id.Timestamp(), time.Now())
		}
	})
}
