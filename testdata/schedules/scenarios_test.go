package ulid

import (
	"errors"
	"fmt"
	"io"
	"math"
	"testing"
	"time"
)

// A scenario is a Generator, the calls of goroutines, and what happens to the clocks meanwhile.
type scenario struct {
	name      string
	generator Generator // its fields that a user sets
	entropy   randomness
	warm      int // IDs that are made before
	threads   [][]call
	clocks    []time.Duration // see moveClocks
	ahead     uint64          // by how many milliseconds IDs may be ahead of the clock
}

// A call makes that many IDs, one by Make and others by Fill, or is one of those below.
type call int

const (
	advanceToNext call = -iota - 1 // AdvancePast the next ID, which others may make meanwhile
	advanceLow                     // AdvancePast an ID in the lower half of this millisecond
	advanceHigh                    // and in the upper half
	advanceLater                   // AdvancePast an ID of the next millisecond
	advancePassed                  // AdvancePast the greatest ID that was made, which must not fail
)

const (
	half     = 600 * time.Microsecond
	whole    = 2 * half
	stroke   = 700 * time.Microsecond // the end of the first millisecond
	backward = -5 * time.Millisecond
)

// The Spacing of most scenarios is 1, so that two goroutines with the same range have the same ID.
var scenarios = []scenario{
	{
		name: "three goroutines", generator: Generator{Spacing: 1}, warm: 3,
		threads: [][]call{{1}, {1}, {2}}, clocks: []time.Duration{half, backward, half},
	},
	{
		name: "two calls each", generator: Generator{Spacing: 1}, warm: 3,
		threads: [][]call{{1, 1}, {1, 1}}, clocks: []time.Duration{half, half},
	},
	{
		name: "the first IDs", generator: Generator{Spacing: 1},
		threads: [][]call{{1, 1}, {1, 2}}, clocks: []time.Duration{half, backward},
	},
	{
		name: "Fill", generator: Generator{Spacing: 1}, warm: 1,
		threads: [][]call{{2, 1}, {2, 1}}, clocks: []time.Duration{whole},
	},
	{
		name: "the end of a millisecond", generator: Generator{Spacing: 1}, warm: 3,
		threads: [][]call{{1, 1}, {1}}, clocks: []time.Duration{stroke},
	},
	{
		name: "set back", generator: Generator{Spacing: 1}, warm: 3,
		threads: [][]call{{1, 1}, {1}, {1}}, clocks: []time.Duration{backward, whole},
	},
	{
		name: "default Spacing", warm: 3,
		threads: [][]call{{1, 1}, {2}}, clocks: []time.Duration{whole, backward},
	},
	{
		name: "UUIDv7", generator: Generator{Spacing: 1, UUIDv7: true}, warm: 3,
		threads: [][]call{{1, 1}, {2}}, clocks: []time.Duration{whole, backward},
	},
	{
		name: "Clock", generator: Generator{Spacing: 1, Clock: schedNow}, warm: 3,
		threads: [][]call{{1, 1}, {2}}, clocks: []time.Duration{whole, backward},
	},
	{
		name: "ranges run out", generator: Generator{Spacing: 1, Clock: schedNow}, entropy: room3,
		warm: 2, ahead: 4,
		threads: [][]call{{1, 2}, {2}, {1}},
	},
	{
		name: "ranges run out beside the system's clock", generator: Generator{Spacing: 1},
		entropy: room2, warm: 2, ahead: 4,
		threads: [][]call{{3}, {1, 1}}, clocks: []time.Duration{half},
	},
	{
		name: "Entropy", generator: Generator{Spacing: 1, Entropy: reader{}}, warm: 1,
		threads: [][]call{{1, 1}, {2}}, clocks: []time.Duration{whole, backward},
	},
	{
		name: "AdvancePast", generator: Generator{Spacing: 1}, warm: 3, ahead: 3,
		threads: [][]call{{advanceLater, 1}, {1, 1}}, clocks: []time.Duration{whole},
	},
	{
		name: "AdvancePast in this millisecond", generator: Generator{Spacing: 1}, warm: 3, ahead: 1,
		threads: [][]call{{advanceLow, 1}, {2, 1}}, clocks: []time.Duration{half},
	},
	{
		name: "AdvancePast the next ID", generator: Generator{Spacing: 1, Clock: schedNow},
		entropy: zero, warm: 3,
		threads: [][]call{{advanceToNext, 1}, {1, 1}},
	},
	{
		name: "AdvancePast an ID that was passed", generator: Generator{Spacing: 1}, warm: 3,
		threads: [][]call{{advancePassed, 1}, {1, 2}}, clocks: []time.Duration{whole},
	},
	{
		name: "AdvancePast different IDs", generator: Generator{Clock: schedNow}, warm: 3,
		threads: [][]call{{advanceLow}, {advanceHigh, 1}},
	},
	{
		name: "AdvancePast twice", generator: Generator{Spacing: 1, Clock: schedNow}, warm: 2, ahead: 3,
		threads: [][]call{{advanceLater, 1}, {advanceLater}, {1}},
	},
	{
		name: "AdvancePast for UUIDv7", generator: Generator{Spacing: 1, UUIDv7: true}, warm: 2, ahead: 3,
		threads: [][]call{{advanceLater, 2}, {1, 1}}, clocks: []time.Duration{whole},
	},
}

// reader is an Entropy that others see.
type reader struct{}

func (reader) Read(p []byte) (int, error) {
	yield()
	return schedRead(p)
}

func TestScenarios(t *testing.T) {
	total := 0
	for _, s := range scenarios {
		schedules, err := explore(2, s.run)
		total += schedules
		if err != nil {
			t.Errorf("%s, schedule %d: %v", s.name, schedules, err)
		}
	}
	t.Log(total, "schedules")
}

// TestExplore finds the one lost update of two goroutines, and two preemptions where they are needed.
func TestExplore(t *testing.T) {
	for _, test := range []struct {
		bound  int
		writes int // of each
		want   int
	}{
		{bound: 0, writes: 1, want: 2},
		{bound: 1, writes: 1, want: 1},
		{bound: 1, writes: 2, want: 2},
		{bound: 2, writes: 2, want: 2},
	} {
		least := math.MaxInt
		schedules, err := explore(test.bound, func(choose func([]int, int) int) error {
			var n schedUint64
			add := func() {
				for range test.writes {
					n.Store(n.Load() + 1)
				}
			}
			err := runThreads(choose, add, add)
			least = min(least, int(n.value))
			return err
		})
		if err != nil || least != test.want {
			t.Errorf("%+v: at least %d in %d schedules, %v", test, least, schedules, err)
		}
	}
}

// TestExploreDeadlock finds the schedule in which each of two goroutines has a lock of the other.
func TestExploreDeadlock(t *testing.T) {
	if _, err := explore(1, func(choose func([]int, int) int) error {
		var a, b schedMutex
		lock := func(first, second *schedMutex) {
			first.Lock()
			second.Lock()
			second.Unlock()
			first.Unlock()
		}
		return runThreads(choose, func() { lock(&a, &b) }, func() { lock(&b, &a) })
	}); err == nil {
		t.Error("no schedule ends in the deadlock")
	}
}

// run runs the scenario under one schedule. Each ID must be new, greater than all that calls had
// returned and AdvancePast had passed before the call began, and of the right millisecond.
func (s scenario) run(choose func([]int, int) int) error {
	monotonic, setBack, drawn, drawing = time.Hour, 0, 0, s.entropy
	r := record{scenario: s, seen: map[ULID]bool{}}
	r.generator = &Generator{
		Entropy: s.generator.Entropy, Clock: s.generator.Clock,
		Spacing: s.generator.Spacing, UUIDv7: s.generator.UUIDv7,
	}
	for range s.warm {
		r.make(make([]ULID, 1))
	}
	var functions []func()
	for _, calls := range s.threads {
		functions = append(functions, func() {
			for _, c := range calls {
				yield()
				r.call(c)
			}
		})
	}
	functions = append(functions, s.moveClocks)
	err := runThreads(choose, functions...)
	return errors.Join(err, r.failed)
}

// moveClocks lets time pass, or sets the wall clock back where a step is negative.
func (s scenario) moveClocks() {
	for _, step := range s.clocks {
		yield()
		monotonic += max(step, 0)
		setBack += max(-step, 0)
	}
}

// A record has what the calls of one schedule returned.
type record struct {
	scenario
	generator *Generator
	seen      map[ULID]bool
	floor     ULID // later calls must return greater IDs
	failed    error
}

func (r *record) fail(format string, args ...any) {
	if r.failed == nil {
		r.failed = fmt.Errorf(format, args...)
	}
}

func (r *record) call(c call) {
	if c < 0 {
		r.advance(c)
	} else {
		r.make(make([]ULID, c))
	}
}

func (r *record) advance(c call) {
	id, limit := FirstAt(wallTime()), time.Duration(math.MaxInt64)
	switch c {
	case advanceToNext:
		id, _ = r.floor.Next()
	case advanceLow:
		id[6] = 0x20
	case advanceHigh:
		id[6] = 0xc0
	case advanceLater:
		id = LastAt(wallTime().Add(time.Millisecond))
		id[6] = 0x0f
	case advancePassed:
		id, limit = r.floor, math.MinInt64
	}
	if err := r.generator.AdvancePast(id, limit); err != nil {
		r.fail("AdvancePast(%s, %v) = %v", id, limit, err)
	}
	r.raise(id)
}

// make checks IDs that it makes.
func (r *record) make(ids []ULID) {
	before, earliest := r.floor, uint64(wallTime().UnixMilli())
	wasSetBack := setBack
	if err := r.fill(ids); err != nil {
		r.fail("%v", err)
	}
	for _, id := range ids {
		if id.Compare(before) <= 0 {
			r.fail("%s after %s", id, before)
		}
		if r.seen[id] {
			r.fail("%s again", id)
		}
		if wasSetBack == 0 && setBack == 0 && id.Time() < earliest {
			r.fail("%s is %d ms late", id, earliest-id.Time())
		}
		if latest := uint64(base.Add(monotonic).UnixMilli()) + r.ahead; id.Time() > latest {
			r.fail("%s is %d ms too far ahead", id, id.Time()-latest)
		}
		r.seen[id], before = true, id
	}
	r.raise(before)
}

func (r *record) fill(ids []ULID) (err error) {
	if len(ids) == 1 {
		ids[0], err = r.generator.Make()
		return err
	}
	return r.generator.Fill(ids)
}

func (r *record) raise(id ULID) {
	if id.Compare(r.floor) > 0 {
		r.floor = id
	}
}

var _ io.Reader = reader{}
