package guides

import (
	"crypto/aes"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/seed-961d0905/ulid"
	"github.com/seed-961d0905/ulid/interop/db"
	"github.com/seed-961d0905/ulid/interop/page"
)

const recipes = "docs/recipes.md"

// page: sameIDs

// sameIDs returns a Generator that generates the same IDs in every run, a millisecond apart
// from start on. Goroutines may share it, but their IDs then vary from run to run.
func sameIDs(start time.Time) *ulid.Generator {
	var n atomic.Int64
	return &ulid.Generator{
		Clock: func() time.Time {
			return start.Add(time.Duration(n.Add(1)) * time.Millisecond)
		},
		Source: rand.NewChaCha8([32]byte{}), // of math/rand/v2
	}
}

// page: end

var sameStart = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

func TestSameIDs(t *testing.T) {
	var runs [2][3]ulid.ULID
	for run := range runs {
		next := sameIDs(sameStart).Make
		for i := range runs[run] {
			id := next()
			want := sameStart.Add(time.Duration(i+1) * time.Millisecond)
			if !id.Time().Equal(want) {
				t.Errorf("ID %d has the time %v, want %v", i, id.Time(), want)
			}
			runs[run][i] = id
		}
	}
	if runs[0] != runs[1] || runs[0][0] == runs[0][1] {
		t.Errorf("the IDs of two runs are %v and %v", runs[0], runs[1])
	}
}

// Handlers that run at once share its Clock, which loses no millisecond. With -race it must be no race either.
func TestSameIDsAtOnce(t *testing.T) {
	const goroutines, each = 8, 50_000
	g := sameIDs(sameStart)
	var done sync.WaitGroup
	for range goroutines {
		done.Go(func() {
			for range each {
				g.Make()
			}
		})
	}
	done.Wait()
	want := sameStart.Add((goroutines*each + 1) * time.Millisecond)
	if id := g.Make(); !id.Time().Equal(want) {
		t.Errorf("the ID after %d others has the time %v, want %v", goroutines*each, id.Time(), want)
	}
}

func TestHide(t *testing.T) {
	block, err := aes.NewCipher([]byte("0123456789abcdef"))
	db.Check(t, err)
	id := ulid.Make()
	hidden := Hide(block, id)
	if hidden == id || Reveal(block, hidden) != id {
		t.Errorf("%s is hidden as %s, which is revealed as %s", id, hidden, Reveal(block, hidden))
	}
}

// Old rows get UUIDs of version 7 with their times, in their order if one Generator counts on, and no ID twice.
func TestOldRows(t *testing.T) {
	const n = 100_000
	start := time.Date(2024, 3, 1, 0, 0, 0, 0, time.UTC)
	random := rand.New(rand.NewChaCha8([32]byte{1}))
	rows := map[string][]time.Time{"seconds": nil, "microseconds": nil, "no order": nil}
	at := start
	for i := range n {
		at = at.Add(time.Duration(1+random.IntN(40)) * time.Microsecond) // about 50 in a millisecond
		rows["microseconds"] = append(rows["microseconds"], at)
		rows["seconds"] = append(rows["seconds"], start.Add(time.Duration(i/100)*time.Second))
		rows["no order"] = append(rows["no order"], start.Add(time.Duration(random.Int64N(1e15))))
	}
	anyOrder := func(i int, created time.Time) (ulid.ULID, error) { return ulid.MakeAt(created) }
	for name, created := range rows {
		ids := checkOldRows(t, name+", MakeAt", created, anyOrder, time.Millisecond)
		if out := outOfOrder(ids); name == "microseconds" && out > 0 {
			t.Errorf("MakeAt of rows a microsecond apart: %d are out of order", out)
		}
		if name == "no order" {
			continue
		}
		var runs [2][]ulid.ULID
		for run := range runs {
			g := &ulid.Generator{Source: rand.NewChaCha8([32]byte{2})}
			next := inOrder(g)
			inTurn := func(i int, created time.Time) (ulid.ULID, error) { return next(created) }
			runs[run] = checkOldRows(t, name+", inOrder", created, inTurn, 3*time.Millisecond)
			if out := outOfOrder(runs[run]); out > 0 {
				t.Errorf("inOrder of rows of %s: %d are out of order", name, out)
			}
		}
		if !slices.Equal(runs[0], runs[1]) {
			t.Errorf("inOrder of rows of %s: a second run generates other IDs", name)
		}
	}
}

// checkOldRows generates the IDs of rows, and checks all but their order.
func checkOldRows(
	t *testing.T, name string, rows []time.Time, newID func(int, time.Time) (ulid.ULID, error), late time.Duration,
) []ulid.ULID {
	t.Helper()
	ids := make([]ulid.ULID, len(rows))
	distinct := map[ulid.ULID]bool{}
	for i, created := range rows {
		id, err := newID(i, created)
		db.Check(t, err)
		after := id.Time().Sub(created.Truncate(time.Millisecond))
		if after < 0 || after >= late || id[6]>>4 != 7 || id[8]>>6 != 2 || distinct[id] {
			t.Fatalf("%s: row %d of %v has the ID %s of %v", name, i, created, id, id.Time())
		}
		ids[i], distinct[id] = id, true
	}
	return ids
}

// outOfOrder returns how many of the IDs are not greater than the one before.
func outOfOrder(ids []ulid.ULID) (n int) {
	for i := 1; i < len(ids); i++ {
		if ids[i].Compare(ids[i-1]) <= 0 {
			n++
		}
	}
	return n
}

// No way takes a time before 1970 or after the year 10889, and inOrder none after which all would have a wrong time.
func TestOldRowsFail(t *testing.T) {
	page.Contains(t, recipes, "`g.AdvancePast(last, math.MaxInt64)`")
	created := time.Date(2019, 5, 6, 7, 8, 9, 10e6, time.UTC)
	g := new(ulid.Generator)
	next := inOrder(g)
	for _, at := range []time.Time{{}, time.Unix(0, -1), time.UnixMilli(1 << 48)} {
		_, err := ulid.MakeAt(at)
		_, errInTurn := next(at)
		for _, err := range []error{err, errInTurn} {
			if !errors.Is(err, ulid.ErrTimeRange) {
				t.Errorf("at %v: %v, want %v", at, err, ulid.ErrTimeRange)
			}
		}
	}
	last, err := ulid.MakeAt(created)
	db.Check(t, err)
	db.Check(t, g.AdvancePast(last, math.MaxInt64))
	id, err := next(created)
	if err != nil || id.Compare(last) <= 0 || !id.Time().Equal(created) {
		t.Errorf("after %s: %s, %v", last, id, err)
	}
	if _, err := next(time.Date(9999, 12, 31, 0, 0, 0, 0, time.UTC)); err != nil {
		t.Error(err)
	}
	if id, err := next(created); err == nil {
		t.Errorf("after a row of 9999, one of %v has the ID %s", created, id)
	}
}
