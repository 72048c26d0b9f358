// This file is compiled into a copy of the library for TestEverySchedule. There, monotonic.go uses
// the types and functions below in place of sync.Mutex, sync/atomic, time.Now, time.Since and
// rand.Read. One goroutine runs at a time. Before each operation that others can observe, the
// scheduler chooses which one goes on.
package ulid

import (
	"errors"
	"slices"
	"time"
)

// A thread is a goroutine under the scheduler.
type thread struct {
	resume  chan struct{}
	done    bool
	waitsOn *schedMutex
}

func (t *thread) isEnabled() bool { return !t.done && (t.waitsOn == nil || !t.waitsOn.locked) }

// A scheduler runs threads in the order that choose gives it.
type scheduler struct {
	threads []*thread
	enabled []int // a buffer
	current int
	choose  func(enabled []int, current int) (next int)
	end     chan struct{}
	failed  error
}

// running is the scheduler of the goroutines that run now, and nil while a scenario is prepared.
var running *scheduler

// runThreads runs the functions side by side until all have returned, or none can go on.
func runThreads(choose func(enabled []int, current int) int, functions ...func()) error {
	s := &scheduler{current: -1, choose: choose, end: make(chan struct{})}
	for _, function := range functions {
		t := &thread{resume: make(chan struct{})}
		s.threads = append(s.threads, t)
		go func() {
			<-t.resume
			function()
			t.done = true
			if next := s.next(); next != nil {
				next.resume <- struct{}{}
			}
		}()
	}
	running = s
	s.next().resume <- struct{}{}
	<-s.end
	running = nil
	return s.failed
}

// next returns the thread that goes on, or ends the run and returns nil if there is none.
func (s *scheduler) next() *thread {
	isDone := true
	s.enabled = s.enabled[:0]
	for i, t := range s.threads {
		isDone = isDone && t.done
		if t.isEnabled() {
			s.enabled = append(s.enabled, i)
		}
	}
	if len(s.enabled) == 0 {
		if !isDone {
			s.failed = errors.New("deadlock")
		}
		close(s.end)
		return nil
	}
	s.current = s.choose(s.enabled, s.current)
	return s.threads[s.current]
}

// yield lets another thread go on here.
func yield() {
	s := running
	if s == nil {
		return
	}
	me := s.threads[s.current]
	next := s.next()
	if next == me {
		return
	}
	if next != nil {
		next.resume <- struct{}{}
	}
	<-me.resume // forever after a deadlock
}

type schedMutex struct{ locked bool }

func (m *schedMutex) Lock() {
	yield()
	for m.locked {
		me := running.threads[running.current]
		me.waitsOn = m
		yield()
		me.waitsOn = nil
	}
	m.locked = true
}

func (m *schedMutex) Unlock() {
	yield()
	m.locked = false
}

type schedUint64 struct{ value uint64 }

func (u *schedUint64) Load() uint64 {
	yield()
	return u.value
}

func (u *schedUint64) Store(value uint64) {
	yield()
	u.value = value
}

func (u *schedUint64) Add(delta uint64) uint64 {
	yield()
	u.value += delta
	return u.value
}

func (u *schedUint64) Swap(value uint64) (old uint64) {
	yield()
	old, u.value = u.value, value
	return old
}

type schedPointer[T any] struct{ value *T }

func (p *schedPointer[T]) Load() *T {
	yield()
	return p.value
}

func (p *schedPointer[T]) Store(value *T) {
	yield()
	p.value = value
}

// The clocks. A scenario moves them.
var (
	monotonic time.Duration // since start
	setBack   time.Duration // how far the wall clock is behind what it would be if nobody had set it
	base      = time.Unix(1790000000, 300_000)
)

func wallTime() time.Time { return base.Add(monotonic - setBack) }

func schedSince(time.Time) time.Duration {
	yield()
	return monotonic
}

func schedNow() time.Time {
	yield()
	return wallTime()
}

// The random bits are the same in every schedule.
var (
	drawing randomness
	drawn   byte // how many 80 bits were drawn
)

// A randomness is what 80 bits from crypto/rand are. With bits of 0 the next ID after AdvancePast is
// the least possible.
type randomness int

const (
	low   randomness = iota // with plenty of room above them, and different each time
	zero                    // all are 0
	room2                   // there are 2 numbers above them
	room3                   // or 3
)

func schedRead(p []byte) (int, error) {
	clear(p)
	if len(p) == 32 || drawing == zero {
		// A seed is not counted in drawn, because the pool may or may not still have a ChaCha8, and
		// what is drawn later must be the same.
		return len(p), nil
	}
	drawn++
	for i := range p {
		p[i] = 0xff
	}
	switch drawing {
	case low:
		p[0], p[1] = 0, drawn
	case room2:
		p[len(p)-1] -= 2
	case room3:
		p[len(p)-1] -= 3
	}
	return len(p), nil
}

// A schedule is a list of choices. explore runs body under every schedule with at most bound
// preemptions, which are switches from a thread that could have gone on, until one fails.
func explore(
	bound int, body func(choose func(enabled []int, current int) int) error,
) (schedules int, err error) {
	var path []choice
	for {
		depth, spent, diverged := 0, 0, false
		choose := func(enabled []int, current int) int {
			if depth == len(path) {
				path = append(path, newChoice(enabled, current, spent))
			}
			c := path[depth]
			if !slices.Contains(enabled, c.options[c.taken]) || len(c.options) != len(enabled) {
				diverged = true
				return enabled[0]
			}
			depth++
			spent = c.spent + c.cost(c.taken)
			return c.options[c.taken]
		}
		schedules++
		if err := body(choose); err != nil {
			return schedules, err
		}
		if diverged || depth < len(path) {
			return schedules, errors.New("the code does not run in the same way twice")
		}
		for len(path) > 0 && !path[len(path)-1].next(bound) {
			path = path[:len(path)-1]
		}
		if len(path) == 0 {
			return schedules, nil
		}
	}
}

// A choice is a point of a schedule at which a thread was chosen, perhaps the only one.
type choice struct {
	options []int // the current thread first, if it can go on
	canGoOn bool
	taken   int // index of options
	spent   int // preemptions before
}

func newChoice(enabled []int, current, spent int) choice {
	c := choice{spent: spent, canGoOn: slices.Contains(enabled, current)}
	if c.canGoOn {
		c.options = append(c.options, current)
	}
	for _, i := range enabled {
		if i != current {
			c.options = append(c.options, i)
		}
	}
	return c
}

// cost returns how many preemptions an option is.
func (c choice) cost(option int) int {
	if c.canGoOn && option > 0 {
		return 1
	}
	return 0
}

// next takes the next option, and reports false if there is none within the bound.
func (c *choice) next(bound int) bool {
	c.taken++
	return c.taken < len(c.options) && c.spent+c.cost(c.taken) <= bound
}
