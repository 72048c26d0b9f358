package recipes

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/seed-961d0905/ulid"
)

func TestNextDay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := new(ulid.Generator) // made in the bubble, whose clock it reads
		first, err := g.Make()
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(24 * time.Hour) // takes no time
		second, err := g.Make()
		if err != nil {
			t.Fatal(err)
		}
		if d := second.Timestamp().Sub(first.Timestamp()); d != 24*time.Hour {
			t.Errorf("the IDs are %v apart", d)
		}
	})
}
