package guides

import (
	"crypto/aes"
	"errors"
	"math"
	"math/rand/v2"
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

// Old rows get UUIDs of version 7 with their times, and no ID twice. One Generator that counts on gives them in their
// order too, and the same again in a second run.
func TestOldRows(t *testing.T) {
	rows := make([]time.Time, 10_000)
	for i := range rows { // in each second 50 at once, and 50 in two milliseconds
		rows[i] = time.Date(2024, 3, 1, 0, 0, i/100, max(0, i%100-50)*40_000, time.UTC)
	}
	next := inOrder(&ulid.Generator{Source: rand.NewChaCha8([32]byte{2})})
	again := inOrder(&ulid.Generator{Source: rand.NewChaCha8([32]byte{2})})
	var last ulid.ULID
	distinct := map[ulid.ULID]bool{}
	for _, created := range rows {
		anyOrder, err := ulid.MakeAt(created)
		db.Check(t, err)
		id, err := next(created)
		db.Check(t, err)
		same, err := again(created)
		db.Check(t, err)
		if id.Compare(last) <= 0 || same != id {
			t.Fatalf("after %s comes %s, and in a second run %s", last, id, same)
		}
		last = id
		for _, id := range []ulid.ULID{anyOrder, id} {
			if !id.Time().Equal(created.Truncate(time.Millisecond)) || id[6]>>4 != 7 || id[8]>>6 != 2 || distinct[id] {
				t.Fatalf("a row of %v has the ID %s of %v", created, id, id.Time())
			}
			distinct[id] = true
		}
	}
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
	if _, err := next(created.Add(2 * time.Minute)); err != nil {
		t.Error(err)
	}
	if id, err := next(created); err == nil {
		t.Errorf("two minutes after its row, one of %v has the ID %s", created, id)
	}
}
