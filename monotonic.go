package ulid

import (
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"math/bits"
	mathrand "math/rand/v2"
	"sync"
	"sync/atomic"
	"time"
)

// MonotonicEntropy is the monotonic source of entropy of the ULID specification, for [New]. Pass
// it to New directly: reading it is an error, so that IDs never lose their order unnoticed. The
// zero value is Monotonic(nil, 0). It must not be copied after its first use.
type MonotonicEntropy struct {
	reader io.Reader // nil means crypto/rand
	inc    uint64    // the greatest step; 0 means 2³²

	mu      sync.Mutex // held while reader is read
	started bool       // not last != ULID{}, because the zero ULID may be the first ID
	last    ULID       // the greatest ID so far
	full    bool       // a step overflowed the entropy of last's millisecond

	buf [16]byte // what reader writes to, here so that it is not allocated each time
}

// Monotonic returns a source with which each call of [New] returns a greater ID than every call
// that had returned before it began, in any goroutine.
//
// The first ID of a millisecond has 10 bytes of entropy, or of crypto/rand if entropy is nil. Each
// later one has the 80 bits of the last ID plus a random step, uniform in [1, inc], for which 16
// bytes are read. An inc of 1 is the increment of the specification and reads nothing; an inc of 0
// means 2³².
//
// A time before the last ID's counts as the last ID's, so the order holds when the clock is set
// back. There is no limit to this: one time far in the future gives its time to every later ID of
// the source. Use a source with the times of your own clock only, and not with times that come from
// outside or from old rows.
//
// If a step would overflow the 80 bits, New returns [ErrMonotonicOverflow] until it is called with
// a later millisecond than the last ID's. With crypto/rand and an inc of up to 2³², a billion IDs
// in one millisecond overflow with a probability below 1 in 250,000. [Make] cannot overflow.
//
// The source reads entropy while it holds a mutex, so entropy must not use the source. If entropy
// fails, the source stays as it was.
func Monotonic(entropy io.Reader, inc uint64) *MonotonicEntropy {
	return &MonotonicEntropy{reader: entropy, inc: inc}
}

// Read makes the source an [io.Reader], as New takes one. It always returns an error, which wraps
// [errors.ErrUnsupported].
func (m *MonotonicEntropy) Read([]byte) (int, error) { return 0, errPassToNew }

// errPassToNew means that something other than New reads a MonotonicEntropy.
var errPassToNew = fmt.Errorf("ulid: MonotonicEntropy cannot be read, pass it to New: %w", errors.ErrUnsupported)

// next returns the next ID. Its millisecond is ms, or that of the last ID if ms is not later.
func (m *MonotonicEntropy) next(ms uint64) (id ULID, err error) {
	m.mu.Lock()
	defer m.mu.Unlock() // the reader may panic
	if m.started && ms <= m.last.ms() {
		id, err = m.increment()
	} else {
		id, err = m.begin(ms)
	}
	if err != nil {
		return ULID{}, err
	}
	m.started, m.last, m.full = true, id, false
	return id, nil
}

// begin returns the first ID of a millisecond.
func (m *MonotonicEntropy) begin(ms uint64) (id ULID, err error) {
	entropy := m.buf[:entropySize]
	if err := m.read(entropy); err != nil {
		return ULID{}, err
	}
	return newID(ms, entropy), nil
}

// increment returns the ID that is a step above the last.
func (m *MonotonicEntropy) increment() (id ULID, err error) {
	if m.full {
		return ULID{}, ErrMonotonicOverflow
	}
	step, err := m.step()
	if err != nil {
		return ULID{}, err
	}
	m.last.uint128().add(step).put(&id)
	if id.ms() != m.last.ms() {
		m.full = true
		return ULID{}, ErrMonotonicOverflow
	}
	return id, nil
}

// step returns a random number in [1, inc].
func (m *MonotonicEntropy) step() (uint64, error) {
	inc := m.inc
	if inc == 0 {
		inc = 1 << 32
	}
	if inc == 1 {
		return 1, nil
	}
	if err := m.read(m.buf[:]); err != nil {
		return 0, err
	}
	hi, lo := binary.BigEndian.Uint64(m.buf[:8]), binary.BigEndian.Uint64(m.buf[8:])
	return uniform(hi, lo, inc) + 1, nil
}

// read fills p, which must be in buf.
func (m *MonotonicEntropy) read(p []byte) error {
	if m.reader == nil {
		rand.Read(p) // which never fails
		return nil
	}
	return readFull(m.reader, p)
}

// uniform maps the 128 random bits of hi and lo to [0, n). They are a binary fraction, and the
// result is the whole part of n times it. No value is more likely than another by more than
// 2⁻⁶⁴. Nothing is rejected, so a reader that repeats itself forever cannot hold it up.
func uniform(hi, lo, n uint64) uint64 {
	whole, fraction := bits.Mul64(hi, n)
	low, _ := bits.Mul64(lo, n)
	_, carry := bits.Add64(fraction, low, 0)
	return whole + carry
}

// A Generator generates ULIDs with the current time. Each is a UUID of version 7 as well, and
// greater than every ID that the Generator returned, in any goroutine, before the call began. The
// zero value works like [Make], but its IDs are ordered among themselves, not with those of Make.
// Use one Generator per goroutine to scale across cores, if order matters only within each.
//
// An ID has 64 bits of time and 58 random bits (RFC 9562, section 6.2, method 3). The time counts
// ticks of 2⁻¹⁶ milliseconds, about 15 ns, and no two IDs of a Generator have the same tick. A call
// begins with the tick that the clock shows during it, with 4 random bits at its end unless there
// is an Entropy, so it is off by up to 15 ticks or 229 ns. If the clock has not passed the last ID,
// the call begins with the tick after it. Each further ID of a Fill has the next tick.
//
// A Generator must not be copied or changed after its first use. In a [testing/synctest] bubble,
// whose clock begins in 2000, use a new one.
type Generator struct {
	// Entropy is the source of random bits. Nil means ChaCha8s that crypto/rand seeded, and
	// crypto/rand itself for the lowest 4 bits of the time and for the first IDs of a millisecond.
	//
	// Any other reader, such as crypto/rand.Reader, is read for 8 bytes an ID, of which the first
	// 58 bits count. This happens under a lock, so it must not call the Generator.
	Entropy io.Reader

	// Clock returns the current time. Nil means the system's. Make and Fill call Clock once, and
	// AdvancePast once for an ID that is not passed yet. A time before 1970 counts as 1970.
	Clock func() time.Time

	// seen has the millisecond that the clock last showed, plus 1, above its lowest bit, which the
	// second call of the millisecond sets. It only decides when crypto/rand is read.
	seen atomic.Uint64

	// salt is added to in every millisecond of the clock. All bits of a ChaCha8 are salted with it,
	// so that they differ in copies of a virtual machine, whose ChaCha8s are alike, from the first
	// addition on. Whoever knows the salt knows of the next ID only 4 bits of its time.
	salt atomic.Uint64

	mu  sync.Mutex // held while Entropy is read
	buf [8]byte    // what Entropy writes to, here so that it is not allocated each time

	_ [64]byte // keeps last, which all calls write, off the cache line of what all read

	// last is the last tick that was taken or advanced past, or 0.
	//
	// The order of the IDs is the order in which last changed. Every call takes its ticks by
	// changing last once, in one atomic step, and last only increases.
	last atomic.Uint64

	_ [64]byte
}

// Make returns a new ULID. The error is [ErrBigTime] if the time of a ULID has ended, in August
// 10889, and otherwise that of Entropy, as [New] returns it.
func (g *Generator) Make() (id ULID, err error) {
	err = g.makeTo(&id)
	return id, err
}

// makeTo is Make with a pointer, so that Make can be inlined. It sets id unless it fails.
func (g *Generator) makeTo(id *ULID) error {
	tick, random, err := g.take(1)
	if err != nil {
		return err
	}
	switch {
	case g.Entropy != nil:
		if random, err = g.readEntropy(); err != nil {
			return err
		}
	case random == 0: // A ChaCha8 costs much on a cold cache, so it is used only if take has read nothing.
		c := chachas.Get().(*mathrand.ChaCha8)
		random = c.Uint64() ^ g.salt.Load()
		chachas.Put(c) // last: the race detector does not see that two goroutines use one
	}
	layout(tick, random, id[:])
	return nil
}

// Fill is like the function [Fill]. On error every element is zero.
func (g *Generator) Fill(ids []ULID) error { return fill(g, ids) }

func fill[ID ~[16]byte](g *Generator, ids []ID) error {
	if len(ids) == 0 {
		return nil
	}
	tick, fresh, err := g.take(uint64(len(ids)))
	if err != nil {
		clear(ids)
		return err
	}
	if g.Entropy != nil {
		return fillFromEntropy(g, ids, tick)
	}
	if fresh != 0 {
		layout(tick, fresh, ids[0][:])
		tick++
		ids = ids[1:]
	}
	if len(ids) == 0 {
		return nil
	}
	// The salt is loaded after the ticks were taken, so it is not that of a millisecond before.
	c, salt := chachas.Get().(*mathrand.ChaCha8), g.salt.Load()
	for i := range ids {
		layout(tick+uint64(i), c.Uint64()^salt, ids[i][:])
	}
	chachas.Put(c) // last, as in makeTo
	return nil
}

// fillFromEntropy is fill with the bits of Entropy. If it fails, the ticks are not given back,
// because another call may have taken the next.
func fillFromEntropy[ID ~[16]byte](g *Generator, ids []ID, tick uint64) error {
	for i := range ids {
		random, err := g.readEntropy()
		if err != nil {
			clear(ids)
			return err
		}
		layout(tick+uint64(i), random, ids[i][:])
	}
	return nil
}

// layout writes the ID with the given tick and random bits:
//
//	hi: 48 bits   4      12                   lo: 2    4                   58
//	    time      0111   fraction of the ms       10   rest of fraction    random
func layout(tick, random uint64, id []byte) {
	binary.BigEndian.PutUint64(id[:8], tick&^0xFFFF|7<<12|tick>>4&0xFFF)
	binary.BigEndian.PutUint64(id[8:], 2<<62|tick&15<<58|random>>6)
}

// take returns the first of n ticks in a row, which no other call gets. If it has read crypto/rand,
// it also returns what it read, which is in no ID yet, and otherwise 0.
//
// Whatever other calls do meanwhile, the time is right. A call reads the clock itself, and what it
// reads is in no variable that others write. Of what they write, last can only move the tick to the
// one after a tick that was taken or advanced past, and salt and seen decide its lowest 4 bits. A
// late write to seen costs another read of crypto/rand, and one to salt is not lost, as it adds.
func (g *Generator) take(n uint64) (first, fresh uint64, err error) {
	now, ok := tickAt(g.now())
	if !ok {
		return 0, 0, ErrBigTime
	}
	if g.Entropy == nil {
		fresh = g.beginMilli(now >> 16)
		// Two processes with the same clock then begin with the same tick in one case of 16.
		now = now&^15 | g.salt.Load()&15
	}
	for {
		last := g.last.Load()
		first = max(now, last+1)
		if first <= last || first-1 > math.MaxUint64-n { // last+1 may wrap
			return 0, 0, ErrBigTime
		}
		if g.last.CompareAndSwap(last, first+n-1) {
			return first, fresh, nil
		}
	}
}

// now reads the clock.
func (g *Generator) now() time.Time {
	if g.Clock != nil {
		return g.Clock()
	}
	return time.Now()
}

// tickAt returns the tick of a time, or false after the last of a ULID. A time before 1970 counts
// as 1970.
func tickAt(t time.Time) (tick uint64, ok bool) {
	ms, ok := unixMilli(t)
	if !ok {
		return 0, ms == 0 // before 1970
	}
	return ms<<16 | uint64(t.Nanosecond())%1e6<<16/1e6, true
}

// beginMilli renews the salt if the clock last showed another millisecond. It does so before it
// changes seen, so whoever finds the millisecond in seen has the new salt. It returns what it has
// read of crypto/rand, in the first and the second call of a millisecond. Two IDs then need no
// ChaCha8, whose code and state are rarely in the cache: that saves a quarter of their time.
func (g *Generator) beginMilli(ms uint64) (fresh uint64) {
	seen := g.seen.Load()
	switch {
	case seen>>1 != ms+1:
		fresh = g.renewSalt()
		g.seen.Store((ms + 1) << 1)
	case seen&1 == 0 && g.seen.CompareAndSwap(seen, seen|1):
		fresh = systemBits()
	}
	return fresh
}

// renewSalt adds 64 bits of crypto/rand to the salt, and returns them. As it adds, a late call does
// not bring an earlier salt back.
func (g *Generator) renewSalt() uint64 {
	fresh := systemBits()
	g.salt.Add(fresh)
	return fresh
}

// systemBits returns 64 bits of crypto/rand.
func systemBits() uint64 {
	var p [8]byte
	rand.Read(p[:])
	return binary.BigEndian.Uint64(p[:])
}

// readEntropy reads the bits of an ID from Entropy.
func (g *Generator) readEntropy() (uint64, error) {
	g.mu.Lock()
	defer g.mu.Unlock() // Entropy may panic
	if err := readFull(g.Entropy, g.buf[:]); err != nil {
		return 0, err
	}
	return binary.BigEndian.Uint64(g.buf[:]), nil
}

// AdvancePast makes g continue after id: once it has returned nil, every call of g.Make or g.Fill
// that begins later returns only IDs greater than id, even if the clock is behind id. It does not
// affect the functions [Make] and [Fill], or other Generators. Call it with the last stored ID
// when a process restarts, or with the ID of each message that the process receives.
//
// A Generator never goes back, so an id from a wrong clock would give its time to all IDs until
// the clock has caught up. If the time of id is more than limit ahead of the clock,
// AdvancePast therefore returns [ErrAhead], its only error, and g does not change. A minute is
// a good limit among clocks that are synchronized. A limit is rounded down to whole
// milliseconds; 0 accepts every id up to the clock's millisecond, and [math.MaxInt64] every id.
// If g has already reached the tick of id, AdvancePast returns nil whatever the limit.
//
// If the clock has not passed id when the next ID is made, that ID is 1 to 256 ticks above it, at
// random, so that several processes can advance past the same id. With an Entropy it has the next
// tick. An id that is not a UUIDv7 counts as the last tick of its millisecond. If there is no
// greater tick, Make returns [ErrBigTime].
func (g *Generator) AdvancePast(id ULID, limit time.Duration) error {
	tick := greatestTick(id)
	if tick <= g.last.Load() {
		return nil
	}
	if err := checkAhead(id.ms(), g.now(), limit); err != nil {
		return err
	}
	next := tick
	if g.Entropy == nil {
		next += min(g.renewSalt()%256, math.MaxUint64-tick)
	}
	for {
		last := g.last.Load()
		if tick <= last || g.last.CompareAndSwap(last, next) {
			return nil
		}
	}
}

// greatestTick returns the tick of id, or if it is not a UUIDv7 the last one of its millisecond. IDs
// with a greater tick are greater than id.
func greatestTick(id ULID) uint64 {
	n := id.uint128()
	if n.hi>>12&15 != 7 || n.lo>>62 != 2 {
		return n.hi | 0xFFFF
	}
	return n.hi&^0xFFFF | n.hi&0xFFF<<4 | n.lo>>58&15
}

// checkAhead returns an error if a time in milliseconds is more than limit ahead of the clock.
func checkAhead(ms uint64, now time.Time, limit time.Duration) error {
	if limit == math.MaxInt64 {
		return nil // not even if it is 292 years ahead
	}
	clock, _ := unixMilli(now)
	ahead := int64(ms) - int64(clock)
	most := limit.Milliseconds()
	if limit%time.Millisecond < 0 {
		most-- // rounded down
	}
	if ahead <= most {
		return nil
	}
	return fmt.Errorf("%w: %d ms, limit %d ms", ErrAhead, ahead, most)
}

// chachas holds about one ChaCha8 for each processor, so that goroutines draw side by side.
var chachas = sync.Pool{New: func() any { return newChaCha8() }}

// newChaCha8 returns a ChaCha8 seeded by crypto/rand.
func newChaCha8() *mathrand.ChaCha8 {
	var seed [32]byte
	rand.Read(seed[:])
	return mathrand.NewChaCha8(seed)
}
