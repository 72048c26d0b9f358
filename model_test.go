package ulid

import (
	"cmp"
	"slices"
	"testing"
)

// A model of Generator, small enough to try every interleaving of three calls of Make and a Fill of
// two IDs across the end of a millisecond. The wall clock may be set back at any moment. A millisecond
// has two ticks. An ID is 100 times its millisecond plus random bits, which begin at 10 and grow by 1.
type model struct {
	tick, back      int16 // what the monotonic clock shows, and how far the wall clock is behind it
	epochs          [6]struct{ until, first, taken int16 }
	opened, current int8      // how many epochs there are, and which is the current one; 0 means none
	locked          bool      // the mutex
	last, newest    int16     // the last ID as the Generator knows it, and the newest that was returned
	made            [2]uint32 // the random bits of all IDs, a set for each millisecond
	calls           [4]modelCall
}

type modelCall struct {
	step, left   int8  // the next step, or -1, and how many IDs are to be made
	e            int8  // the epoch that the call looks at
	busy         bool  // whether it opens an epoch
	elapsed, now int16 // what it has read of the clocks
	begun, floor int16 // the tick when it began, and the newest ID then; its IDs must be greater
}

// A modelStep of a call is atomic. If do returns true, the call goes on at the step next.
type modelStep struct {
	name, next string
	do         func(m *model, c *modelCall) bool
}

var modelSteps = []modelStep{
	{"load", "", func(m *model, c *modelCall) bool { c.e, c.floor, c.begun = m.current, m.newest, m.tick; return false }},
	{"read", "lock", func(m *model, c *modelCall) bool { return !m.lasts(c.e) }},
	{"add", "return", func(m *model, c *modelCall) bool { return m.take(c) }},
	{"lock", "", func(m *model, c *modelCall) bool { c.e, m.locked = 0, true; return false }},
	{"look again", "unlock", func(m *model, c *modelCall) bool { c.e = m.current; return m.lasts(c.e) && m.take(c) }},
	{"read the monotonic clock", "", func(m *model, c *modelCall) bool { c.elapsed = m.tick; return false }},
	{"read the wall clock", "", func(m *model, c *modelCall) bool { c.now = m.tick - m.back; return false }},
	{"shut", "", func(m *model, c *modelCall) bool { return m.leave(c, 1000) }},
	{"forget", "", func(m *model, c *modelCall) bool { m.current = 0; return false }},
	{"advance", "unlock", func(m *model, c *modelCall) bool {
		ms := c.now / 2
		c.busy = c.busy || c.left > 1 || m.last > 0 && ms <= m.last/100
		if m.last++; ms > m.last/100 || m.last == 1 {
			m.last = 100*ms + 10
		}
		m.make(c, m.last)
		return !c.busy
	}},
	{"open", "unlock", func(m *model, c *modelCall) bool {
		m.opened++
		c.e, m.current = m.opened, m.opened
		m.epochs[c.e].until, m.epochs[c.e].first = c.elapsed+2-c.now%2, m.last
		return m.take(c)
	}},
	{"unlock", "", func(m *model, c *modelCall) bool { m.locked = false; return false }},
	{"return", "", func(m *model, c *modelCall) bool {
		m.newest, *c = max(m.newest, c.floor), modelCall{step: -1}
		return false
	}},
	{"leave open", "", func(m *model, c *modelCall) bool { return m.leave(c, 0) }}, // a fault
}

func (m *model) lasts(e int8) bool { return e != 0 && m.tick < m.epochs[e].until }

func (m *model) leave(c *modelCall, taken int16) bool {
	if e := &m.epochs[m.current]; m.current != 0 {
		m.last, c.busy, e.taken = e.first+e.taken, e.taken > 0, max(e.taken, taken)
	}
	return false
}

// take makes what is left of a call, unless the epoch is shut.
func (m *model) take(c *modelCall) bool {
	e := &m.epochs[c.e]
	if e.taken += int16(c.left); e.taken >= 500 {
		return false
	}
	for c.left > 0 {
		m.make(c, e.first+e.taken-int16(c.left)+1)
	}
	return true
}

func (m *model) make(c *modelCall, id int16) {
	made, bit := &m.made[id/100], uint32(1)<<(id%100)
	if *made&bit != 0 || id <= c.floor || id/100 < c.begun/2 && m.back == 0 {
		panic("an ID is made twice, not greater than one before, or of a millisecond that was over")
	}
	*made, c.floor, c.left = *made|bit, id, c.left-1
}

// interleave tries every order of the steps. A fault maps a step to what it does instead, or to "".
func interleave(fault map[string]string) (states int, wrong any) {
	at := func(name string) int8 {
		return int8(slices.IndexFunc(modelSteps, func(s modelStep) bool { return s.name == name }))
	}
	defer func() { wrong = recover() }()
	seen := map[model]bool{}
	var try func(m model)
	try = func(m model) {
		slices.SortFunc(m.calls[:3], func(a, b modelCall) int { // they are alike
			return cmp.Or(int(a.step-b.step), int(a.e-b.e), int(a.floor-b.floor), int(a.begun-b.begun))
		})
		if seen[m] {
			return
		}
		seen[m] = true
		for i, c := range m.calls {
			if c.step < 0 || m.locked && c.step == at("lock") {
				continue
			}
			after, step := m, c.step
			if other, ok := fault[modelSteps[step].name]; ok {
				step = at(other)
			}
			if after.calls[i].step++; step >= 0 && modelSteps[step].do(&after, &after.calls[i]) {
				after.calls[i].step = at(modelSteps[step].next)
			}
			try(after)
		}
		later, set := m, m
		later.tick, set.back = 2, 1
		try(later)
		try(set)
	}
	try(model{tick: 1, calls: [4]modelCall{{left: 1}, {left: 1}, {left: 1}, {left: 2}}})
	return len(seen), nil
}

func TestEveryInterleaving(t *testing.T) {
	if states, wrong := interleave(nil); wrong != nil || states < 100_000 {
		t.Errorf("%d states, and %v", states, wrong)
	}
	for _, fault := range []map[string]string{
		{"read": ""}, {"lock": ""}, {"shut": ""}, {"forget": ""}, {"shut": "leave open"},
		{"read the wall clock": "read the monotonic clock", "read the monotonic clock": "read the wall clock"},
		{"shut": "advance", "advance": "shut"}, {"forget": "shut", "shut": "forget"}, {"open": "forget", "forget": "open"},
	} {
		if states, wrong := interleave(fault); wrong == nil {
			t.Errorf("nothing goes wrong in %d states with the fault %q", states, fault)
		}
	}
}
