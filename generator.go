package ulid

// The Generator, which makes the IDs of Make.

import (
	cryptorand "crypto/rand"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2" // for the type of a Source only
	"sync"
	"sync/atomic"
	"time"
)

// A Generator generates ULIDs with the current time. Each is a UUID of version 7 as well, and
// greater than every ID that the Generator returned, in any goroutine, before the call began. The
// zero value works like [Make], but its IDs are ordered among themselves, not with those of Make.
// Use one Generator per goroutine to scale across cores, if order matters only within each.
//
// An ID has 64 bits of time and 58 random bits (RFC 9562, section 6.2, method 3, with 4 more bits of
// time). The time counts ticks of 2⁻¹⁶ milliseconds, about 15 ns, and no two IDs of a Generator have the
// same tick. The first ID of a call has the clock's tick, but the lowest 4 bits of it are random, so its time is
// up to 244 ns from the clock's. If the Generator has already reached that tick, by an ID or by AdvancePast, the
// ID has the tick after the last. Each further ID of a FillFrom has the tick after the ID before.
//
// With a Clock that repeats its times and a seeded Source, a program of one goroutine generates the same IDs
// in every run. Another version of this package may generate others.
//
// A Generator must not be copied or changed after its first use. In a [testing/synctest] bubble,
// whose clock begins in 2000, use a new one.
type Generator struct {
	// Source is the source of random bits. Nil means crypto/rand, which is right in production. Set a Source, such
	// as a ChaCha8 of math/rand/v2, for IDs that repeat, as in tests. IDs are only as hard to guess as its numbers,
	// and those of a PCG are easy. For an io.Reader use [New] or a [Monotonic], which return its errors.
	//
	// Make, FillFrom and AdvancePast call Source under a lock, so it must not call the Generator.
	Source rand.Source

	// Clock returns the current time. Nil means the system's. Make and FillFrom call Clock once, and
	// AdvancePast once for an ID that is not passed yet. A time before 1970 counts as 1970. After the last
	// millisecond of a ULID, in August 10889, Make and FillFrom panic with [ErrTimeRange]. For a time that
	// comes from outside use [MakeAt], which returns an error for both.
	Clock func() time.Time

	mu sync.Mutex // held while Source is called

	_ [64]byte // keeps last, which all calls write, off the cache line of what all read

	// last is the last tick that was taken or skipped, or 0, so that the first tick is 1.
	//
	// The order of the IDs is the order in which last changed. Only take and AdvancePast change it, each
	// in one atomic step, and it only increases.
	last atomic.Uint64

	_ [64]byte
}

// Make returns a new ULID. It has the type of the function [Make]: a program can declare
// var newID = ulid.Make, and its tests set newID to g.Make.
//
// It panics with [ErrTimeRange] when the time of a ULID ends, in August 10889. It panics too if Clock or
// Source does, and the Generator then remains usable and keeps its order.
func (g *Generator) Make() ULID {
	var id ULID
	g.makeTo(&id)
	return id
}

// makeTo is Make with a pointer, so that Make can be inlined.
func (g *Generator) makeTo(id *ULID) {
	random := g.bits()
	layout(g.take(random, 1), random, id[:])
}

// FillFrom sets every element of ids to a new ID of g, in increasing order, as the function [Fill]
// does with IDs of Make. It panics where g.Make does, or if there is no time left for so many IDs, and
// every element is zero then. The element type may be any [16]byte type, such as [AsUUID].
func FillFrom[ID ~[16]byte](g *Generator, ids []ID) {
	if len(ids) == 0 {
		return
	}
	filled := false
	defer func() {
		if !filled { // Clock or Source panicked, or ended the goroutine
			clear(ids)
		}
	}()
	var buf [64 * bitsSize]byte // because a read takes longer than the bits of many IDs
	random := buf[:min(len(ids)*bitsSize, len(buf))]
	g.read(random)
	tick := g.take(binary.BigEndian.Uint64(random), len(ids))
	for i := range ids {
		if len(random) == 0 {
			random = buf[:min(len(ids[i:])*bitsSize, len(buf))]
			g.read(random)
		}
		layout(tick+uint64(i), binary.BigEndian.Uint64(random), ids[i][:])
		random = random[bitsSize:]
	}
	filled = true
}

// layout writes the ID with the given tick and random bits:
//
//	hi: 48 bits   4      12                   lo: 2    4                   58
//	    time      0111   fraction of the ms       10   rest of fraction    random
func layout(tick, random uint64, id []byte) {
	binary.BigEndian.PutUint64(id[:8], (tick&^0xFFFF)|(7<<12)|((tick>>4)&0xFFF))
	binary.BigEndian.PutUint64(id[8:], (2<<62)|((tick&15)<<58)|(random>>6))
}

// bitsSize is how many random bytes are read for an ID. The first 58 bits are its random part. The last 4 end the
// clock's tick, so that two processes with the same clock take the same tick in one call of 16.
const bitsSize = 8

func (g *Generator) bits() uint64 {
	var p [bitsSize]byte
	g.read(p[:])
	return binary.BigEndian.Uint64(p[:])
}

// read fills p, whose length is a multiple of 8, with random bits.
func (g *Generator) read(p []byte) {
	if g.Source == nil {
		cryptorand.Read(p) // which never fails
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock() // Source may panic
	for ; len(p) > 0; p = p[8:] {
		binary.BigEndian.PutUint64(p, g.Source.Uint64())
	}
}

// take returns the first of n ticks in a row, which no other call gets: the clock's, with the lowest 4 bits of random,
// or last+1 if that is greater. It panics with ErrTimeRange if fewer are left.
func (g *Generator) take(random uint64, n int) (first uint64) {
	now, ok := tickAt(g.now())
	if !ok && now > 0 { // after 10889: a time before 1970 counts as 1970
		panic(ErrTimeRange)
	}
	now = (now &^ 15) | (random & 15)
	for {
		last := g.last.Load()
		first = max(now, last+1)
		end := first + uint64(n) - 1
		if last == math.MaxUint64 || end < first { // last+1 or end has wrapped around
			panic(ErrTimeRange)
		}
		if g.last.CompareAndSwap(last, end) {
			return first
		}
	}
}

func (g *Generator) now() time.Time {
	if g.Clock != nil {
		return g.Clock()
	}
	return time.Now() // not a start plus time.Since, which ignores that the clock is set
}

// tickAt returns the tick of t, or false for a time that no ULID can have, with a tick of 0 only before 1970.
func tickAt(t time.Time) (tick uint64, ok bool) {
	ms, ok := unixMilli(t)
	if !ok {
		return ms << 16, false
	}
	fraction := uint64(t.Nanosecond()) % 1e6 // of the millisecond, in nanoseconds
	return (ms << 16) | ((fraction << 16) / 1e6), true
}

// AdvancePast makes g continue after id: once it has returned nil, every call of g.Make or FillFrom
// that begins later returns only IDs greater than id, even if the clock is behind id. It does not
// affect the functions [Make] and [Fill], or other Generators. Call it with the greatest stored ID
// when a process restarts, or with the ID of each message that the process receives.
//
// A Generator never goes back: after an id from a wrong clock, all IDs would have its time until the
// clock has caught up. If the time of id is more than limit ahead of the clock, AdvancePast therefore
// returns an error that wraps [ErrAhead], its only one, and g does not change. A minute is a good limit
// among clocks that are synchronized. Times are compared in whole milliseconds: a limit of 0 accepts
// every id up to the clock's millisecond, and [math.MaxInt64] every id. If g has already reached the
// tick of id, AdvancePast returns nil whatever the limit.
//
// Otherwise the next ID has a tick 1 to 256 above that of id, chosen at random so that several processes can
// advance past the same id, or the clock's tick if that is later. It may thus be up to 4 µs ahead of a clock that has
// passed id. An id that is not a UUIDv7 counts as the last tick of its millisecond. If no ULID has the next tick,
// Make panics with [ErrTimeRange].
func (g *Generator) AdvancePast(id ULID, limit time.Duration) error {
	tick := greatestTick(id)
	if tick <= g.last.Load() {
		return nil
	}
	if err := checkAhead(id, g.now(), limit); err != nil {
		return err
	}
	next := tick + min(g.bits()%256, math.MaxUint64-tick)
	for {
		last := g.last.Load()
		if last >= tick || g.last.CompareAndSwap(last, next) {
			return nil // also if another call has passed id: otherwise many calls take the greatest of their draws
		}
	}
}

// greatestTick returns the tick of id, or if it is not a UUIDv7 the last one of its millisecond. IDs
// with a greater tick are greater than id.
func greatestTick(id ULID) uint64 {
	n := id.uint128()
	if (n.hi>>12)&15 != 7 || n.lo>>62 != 2 {
		return n.hi | 0xFFFF
	}
	return (n.hi &^ 0xFFFF) | ((n.hi & 0xFFF) << 4) | ((n.lo >> 58) & 15)
}

// checkAhead returns an error if the time of id is more than limit ahead of the clock.
func checkAhead(id ULID, now time.Time, limit time.Duration) error {
	clock, _ := unixMilli(now)
	// If this is more than 292 years, Sub returns the longest Duration, and only that limit accepts it.
	ahead := id.Time().Sub(time.UnixMilli(int64(clock)))
	if ahead <= limit {
		return nil
	}
	return fmt.Errorf("%w: %v, limit %v", ErrAhead, ahead, limit)
}
