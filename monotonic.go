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

// A Generator generates ULIDs with the current time. Each is a UUID of version 7 as well, and
// greater than every ID that the Generator returned, in any goroutine, before the call began. The
// zero value works like [Make], but its IDs are ordered among themselves, not with those of Make.
// Use one Generator per goroutine to scale across cores, if order matters only within each.
//
// An ID has 64 bits of time, in ticks of 2⁻¹⁶ milliseconds, and 58 random bits (RFC 9562, section
// 6.2, method 3). No two IDs of a Generator have the same tick. It is the clock's, with 4 random
// bits at its end unless there is an Entropy, or the one after the last if the clock has not
// passed that.
//
// A Generator must not be copied or changed after its first use. In a [testing/synctest]
// bubble, use a new one.
type Generator struct {
	// Entropy is the source of random bits. Nil means a ChaCha8 seeded by crypto/rand, and
	// crypto/rand itself for the first ID of a millisecond, mostly also for the second, and to choose
	// the lowest 4 bits of the time's 64.
	//
	// Any other reader, such as crypto/rand.Reader, is read for 8 bytes an ID, of which the first
	// 58 bits count. This happens under a lock, so it must not call the Generator.
	Entropy io.Reader

	// Clock returns the current time. Nil means the system's. Make and Fill call Clock once, and
	// AdvancePast once for an ID that is not passed yet. A time before 1970 counts as 1970.
	Clock func() time.Time

	wall func() time.Time // stands in for time.Now in tests, as no Clock can, with which there is no hint

	// seen is the millisecond that the clock last showed, as seenIn returns it. With hinted added,
	// offset tells the time until that millisecond ends, so a hint never outlives it.
	seen atomic.Uint64

	// offset is the wall clock less the time since start, in ns, as they were first read in a
	// millisecond. It spares reading the wall clock again. It varies by the time between the two
	// readings, and more if one of the clocks is set. A goroutine may read it together with an earlier
	// or later seen: the tick is then still of the millisecond in seen.
	offset atomic.Int64

	// salt is added to in every millisecond of the clock. All bits of a ChaCha8 are salted with it,
	// so that from then on they differ in copies of a virtual machine, whose ChaCha8s give the same
	// bits. Who knows it knows nothing of the next ID but 4 bits of its time.
	salt atomic.Uint64

	mu  sync.Mutex // held while Entropy is read
	buf [8]byte    // what Entropy writes to, here so that it is not allocated each time

	_ [64]byte // keeps last, which all calls write, off the cache line of what all read

	// last is the last tick that was taken, or 0.
	//
	// The order of the IDs is the order in which last changed. Every call takes its ticks by
	// changing last once, in one atomic step, and last only increases.
	last atomic.Uint64

	_ [64]byte
}

// start is the origin of the monotonic clock. time.Since(start) takes half the time of time.Now.
var start = time.Now()

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
	case random == 0: // Otherwise a ChaCha8, which costs much on a cold cache, is not needed.
		c := chachas.Get().(*mathrand.ChaCha8)
		random = c.Uint64() ^ g.salt.Load()
		chachas.Put(c)
	}
	put(tick, random, id[:])
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
		put(tick, fresh, ids[0][:])
		tick++
		ids = ids[1:]
	}
	if len(ids) == 0 {
		return nil
	}
	// The salt is loaded after the ticks were taken, so it is not that of a millisecond before.
	c, salt := chachas.Get().(*mathrand.ChaCha8), g.salt.Load()
	for i := range ids {
		put(tick+uint64(i), c.Uint64()^salt, ids[i][:])
	}
	chachas.Put(c)
	return nil
}

// fillFromEntropy is fill with the bits of Entropy. If it fails, the ticks are lost, which nobody
// sees.
func fillFromEntropy[ID ~[16]byte](g *Generator, ids []ID, tick uint64) error {
	for i := range ids {
		random, err := g.readEntropy()
		if err != nil {
			clear(ids)
			return err
		}
		put(tick+uint64(i), random, ids[i][:])
	}
	return nil
}

// put writes the ID with the given tick and random bits:
//
//	hi: 48 bits   4      12                   lo: 2    4                   58
//	    time      0111   fraction of the ms       10   rest of fraction    random
func put(tick, random uint64, id []byte) {
	binary.BigEndian.PutUint64(id[:8], tick&^0xFFFF|7<<12|tick>>4&0xFFF)
	binary.BigEndian.PutUint64(id[8:], 2<<62|tick&15<<58|random>>6)
}

// take returns the first of n ticks in a row, which no other call gets. If it has read crypto/rand,
// it also returns what it read, which is in no ID yet, and otherwise 0.
func (g *Generator) take(n uint64) (first, fresh uint64, err error) {
	now, ok := g.hint()
	if !ok {
		now, fresh, err = g.readClock()
		if err != nil {
			return 0, 0, err
		}
	}
	if g.Entropy == nil {
		// Two processes with the same clock then rarely begin with the same tick.
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

// hint returns the tick of the clock without reading the wall clock, which costs more.
func (g *Generator) hint() (tick uint64, ok bool) {
	seen := g.seen.Load()
	if seen&hinted == 0 {
		return 0, false
	}
	ms := seen>>1 - 1
	part := uint64(g.offset.Load()+int64(time.Since(start))) - ms*1e6
	return ms<<16 | fraction(part), part < 1e6 // and not negative
}

// hinted is the lowest bit of Generator.seen.
const hinted = 1

// seenIn returns what seen is in a millisecond. It is never 0.
func seenIn(ms uint64) uint64 { return (ms + 1) << 1 }

// readClock returns the tick of the clock, and what it has read of crypto/rand, or 0. Without an
// Entropy, the salt is renewed before anyone gets a tick of a new millisecond.
func (g *Generator) readClock() (tick, fresh uint64, err error) {
	now, elapsed := g.clocks()
	ms, ok := unixMilli(now)
	if !ok && ms > 0 {
		return 0, 0, ErrBigTime
	}
	isFirst := g.seen.Load()|hinted != seenIn(ms)|hinted
	if isFirst {
		if g.Entropy == nil {
			fresh = g.renewSalt()
		}
		g.seen.Store(seenIn(ms))
	}
	part := now.Nanosecond() % 1e6
	// A clock of whole milliseconds, as in JavaScript, always seems to be at the start of one, so
	// nobody knows when that millisecond ends.
	if g.Clock == nil && part != 0 && g.giveHint(now, elapsed, ms, isFirst) && g.Entropy == nil {
		fresh = systemBits() // so that two IDs need no ChaCha8, whose state and code may not be cached
	}
	if !ok {
		part = 0 // before 1970
	}
	return ms<<16 | fraction(uint64(part)), fresh, nil
}

// giveHint lets later calls in the millisecond do without the wall clock, if this is not its first
// reading. So a lone ID does not read the monotonic clock in vain.
func (g *Generator) giveHint(now time.Time, elapsed time.Duration, ms uint64, isFirst bool) (given bool) {
	offset := now.Unix()*1e9 + int64(now.Nanosecond()) - int64(elapsed) // modulo 2⁶⁴
	if isFirst {
		g.offset.Store(offset)
		return false
	}
	// A goroutine that loses its processor between the two clocks gets a wrong offset, but not one
	// that agrees with another.
	const maxDrift = 1000 // ns
	drift := offset - g.offset.Load()
	return -maxDrift < drift && drift < maxDrift && g.seen.CompareAndSwap(seenIn(ms), seenIn(ms)|hinted)
}

// clocks reads the clock, and the time since start if there is no Clock.
func (g *Generator) clocks() (now time.Time, elapsed time.Duration) {
	switch {
	case g.Clock != nil:
		return g.Clock(), 0
	case g.wall != nil:
		return g.wall(), time.Since(start)
	}
	now = time.Now()
	return now, now.Sub(start)
}

// fraction converts less than a millisecond, in ns, to ticks.
func fraction(ns uint64) uint64 { return ns << 16 / 1e6 }

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
// If g has already returned or advanced past id, or a greater ID, AdvancePast returns nil whatever
// the limit.
//
// If the clock has not passed id when the next ID is made, that ID is 1 to 256 ticks of 15 ns
// above it, at random, so that several processes can advance past the same id. With an Entropy it
// has the next tick. An id that is not a UUIDv7 has no tick, so g continues in the millisecond
// after it. If there is no greater tick, Make returns [ErrBigTime].
func (g *Generator) AdvancePast(id ULID, limit time.Duration) error {
	tick := greatestTick(id)
	if tick <= g.last.Load() {
		return nil
	}
	now, _ := g.clocks()
	err := checkAhead(id.ms(), now, limit)
	next := tick
	if err == nil && g.Entropy == nil {
		next += min(g.renewSalt()%256, math.MaxUint64-tick)
	}
	for {
		last := g.last.Load()
		if tick <= last {
			return nil // because another call has passed id meanwhile
		}
		if err != nil {
			return err
		}
		if g.last.CompareAndSwap(last, next) {
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

// MonotonicEntropy is a monotonic source of entropy for [New], as the ULID specification has
// one, but by default with random steps. The zero value is Monotonic(nil, 0). It must not be
// copied after its first use.
type MonotonicEntropy struct {
	reader io.Reader
	inc    uint64 // the greatest step; 0 means 2³²

	mu      sync.Mutex
	started bool    // not last != 0: entropy may be zero
	ms      uint64  // of the last ID
	last    uint128 // its 80 bits; those above are zero
	full    bool    // the last step overflowed; stays so until ms changes

	buf [16]byte // what the reader writes to, here so that it is not allocated each time
}

// Monotonic returns a source for [New]. For the first ID of a millisecond it reads 10 bytes
// from entropy. For each later one it adds a random step, uniform in [1, inc], for which it
// reads 16 bytes, or none if inc is 1, as in the specification. An inc of 0 means 2³². If a
// step would overflow, New returns [ErrMonotonicOverflow] until the millisecond changes. A nil
// entropy means crypto/rand.
//
// IDs increase as long as the times that New is called with do not decrease. A [Generator] keeps
// order whatever its clock does. The source has a mutex, under which it reads entropy, so entropy
// must not use the source.
func Monotonic(entropy io.Reader, inc uint64) *MonotonicEntropy {
	return &MonotonicEntropy{reader: entropy, inc: inc}
}

// Read reads from the entropy that was passed to Monotonic, for what takes an [io.Reader]. The
// bytes are not monotonic.
func (m *MonotonicEntropy) Read(p []byte) (int, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.reader == nil {
		return rand.Read(p)
	}
	return m.reader.Read(p)
}

// next returns the 80 bits for a ULID with the given millisecond.
func (m *MonotonicEntropy) next(ms uint64) (next uint128, err error) {
	m.mu.Lock()
	defer m.mu.Unlock() // the reader may panic
	switch {
	case m.started && ms == m.ms:
		next, err = m.increment()
	case m.reader == nil:
		next = systemEntropy()
	default:
		next, err = entropyFrom(m.reader, m.buf[:entropySize])
	}
	if err != nil {
		return uint128{}, err
	}
	m.started, m.ms, m.last, m.full = true, ms, next, false
	return next, nil
}

// increment returns the sum of last and a step.
func (m *MonotonicEntropy) increment() (uint128, error) {
	if m.full {
		return uint128{}, ErrMonotonicOverflow
	}
	step, err := m.step()
	if err != nil {
		return uint128{}, err
	}
	sum := m.last.add(step)
	if sum.hi > 0xFFFF { // the time's bits, which are not in last
		m.full = true
		return uint128{}, ErrMonotonicOverflow
	}
	return sum, nil
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
	if m.reader == nil {
		rand.Read(m.buf[:])
	} else if err := readFull(m.reader, m.buf[:]); err != nil {
		return 0, err
	}
	hi, lo := binary.BigEndian.Uint64(m.buf[:8]), binary.BigEndian.Uint64(m.buf[8:])
	return scale(hi, lo, inc) + 1, nil
}

// chachas holds about one ChaCha8 for each processor, so that goroutines draw side by side.
var chachas = sync.Pool{New: func() any { return newChaCha8() }}

// newChaCha8 returns a ChaCha8 seeded by crypto/rand.
func newChaCha8() *mathrand.ChaCha8 {
	var seed [32]byte
	rand.Read(seed[:])
	return mathrand.NewChaCha8(seed)
}

// systemEntropy returns 80 bits from crypto/rand.
func systemEntropy() uint128 {
	var p [entropySize]byte
	rand.Read(p[:])
	return entropyNumber(p[:])
}

// entropyFrom returns 80 bits from a reader, which writes them to the 10 bytes of p.
func entropyFrom(r io.Reader, p []byte) (uint128, error) {
	if err := readFull(r, p); err != nil {
		return uint128{}, err
	}
	return entropyNumber(p), nil
}

// entropyNumber returns 10 bytes as a number.
func entropyNumber(p []byte) uint128 {
	return uint128{uint64(binary.BigEndian.Uint16(p[:2])), binary.BigEndian.Uint64(p[2:10])}
}

// scale maps the 128 random bits of hi and lo to [0, n). They are a binary fraction, and the
// result is the whole part of n times it. No value is more likely than another by more than
// 2⁻⁶⁴. Nothing is rejected, so a reader that repeats itself forever cannot hold it up.
func scale(hi, lo, n uint64) uint64 {
	whole, fraction := bits.Mul64(hi, n)
	low, _ := bits.Mul64(lo, n)
	_, carry := bits.Add64(fraction, low, 0)
	return whole + carry
}

// errRead means that a reader broke the contract of io.Reader.
var errRead = errors.New("ulid: entropy returned an impossible count of bytes")

// readFull is io.ReadFull for readers that may be broken. It refuses an impossible count, and
// gives up with io.ErrNoProgress on a reader that keeps returning nothing.
func readFull(r io.Reader, p []byte) error {
	const maxEmpty = 100
	size, empty := len(p), 0
	for len(p) > 0 {
		n, err := r.Read(p)
		if n < 0 || n > len(p) {
			return errRead
		}
		p = p[n:]
		switch {
		case len(p) == 0:
		case err == io.EOF && len(p) < size:
			return io.ErrUnexpectedEOF
		case err != nil:
			return err
		case n > 0:
			empty = 0
		default:
			if empty++; empty == maxEmpty {
				return io.ErrNoProgress
			}
		}
	}
	return nil
}

// uint128 is a ULID as a number: 48 bits of time, 16 and 64 of entropy.
type uint128 struct{ hi, lo uint64 }

// largest is the largest ULID.
var largest = uint128{1<<64 - 1, 1<<64 - 1}

func (id *ULID) uint128() uint128 {
	return uint128{binary.BigEndian.Uint64(id[:8]), binary.BigEndian.Uint64(id[8:])}
}

func (n uint128) put(id *ULID) {
	binary.BigEndian.PutUint64(id[:8], n.hi)
	binary.BigEndian.PutUint64(id[8:], n.lo)
}

// add returns n + m, and wraps around.
func (n uint128) add(m uint64) uint128 {
	lo, carry := bits.Add64(n.lo, m, 0)
	return uint128{n.hi + carry, lo}
}
