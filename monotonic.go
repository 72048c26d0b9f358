package ulid

import (
	"cmp"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"math/bits"
	mathrand "math/rand/v2"
	"reflect"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// A Generator generates ULIDs with the current time. Each is greater than every ID that the
// Generator returned, in any goroutine, before the call began. The zero value works like
// [Make], but its IDs are ordered among themselves, not with those of Make. Use one Generator
// per goroutine to scale across cores, if order matters only within each.
//
// If the clock has not passed the last ID's millisecond, the next ID lies a random distance
// above the last one (see Spacing). If the millisecond has no room left, the timestamp moves
// one millisecond ahead and the random bits are drawn anew.
//
// A Generator must not be copied or changed after its first use. In a [testing/synctest]
// bubble, use a new one.
type Generator struct {
	// Entropy is the source of random bits. Nil means crypto/rand for the first ID of a
	// millisecond, and a ChaCha8 seeded by it for the others. So does crypto/rand.Reader, unless
	// the program has assigned another reader to it.
	//
	// Any other reader is read for 10 bytes at the first ID of a millisecond and at the one after
	// AdvancePast, and for 16 at each other ID unless Spacing is 1. This happens under a lock, so
	// it must not call the Generator.
	Entropy io.Reader

	// Clock returns the current time. Nil means the system's. Make calls Clock once, and Fill
	// more often for a long slice. A time before 1970 counts as 1970.
	Clock func() time.Time

	// Spacing is the size of a range of numbers. Within a millisecond each ID after the first lies
	// at a random place in a range of its own, one range after the other, so neighbors are 1 to
	// 2·Spacing-1 apart. 0 means 2⁴⁸, which makes neighbors hard to guess. 1 is the increment of
	// the specification.
	//
	// The larger the ranges, the fewer a millisecond has, and when they are used up, the timestamp
	// runs ahead of the clock: on average after half a million IDs in one millisecond at 2⁶⁰, or
	// at 2⁵⁴ with UUIDv7.
	Spacing uint64

	// UUIDv7 makes every ID a UUID of version 7 as well (RFC 9562, section 6.2, method 2),
	// with 74 random bits.
	UUIDv7 bool

	// wall stands in for time.Now in the tests that set the wall clock and the monotonic
	// clock apart.
	wall func() time.Time

	// epoch gives IDs without the lock. It is nil after AdvancePast, and after a first ID that
	// opened none (see fillLocked).
	epoch atomic.Pointer[epoch]

	mu      sync.Mutex // guards what follows, and opening and shutting epochs
	last    uint128    // the last number that is used up, if epoch is nil
	started bool       // last is set
	leaps   bool       // last came from AdvancePast, so the next ID lies far above it
	random  random
}

// An epoch is a run of IDs that goroutines take side by side, without a lock: each takes the
// next ranges by adding to taken. Nobody waits, and a goroutine that loses its processor holds
// up no other.
//
// The order holds because an epoch is shut before the next one opens, and the next one begins
// above all that was taken. A late goroutine adds to taken as well, but sees from the sum that
// the epoch is shut, and takes the lock instead. TestEverySchedule runs this code under every
// schedule of a few goroutines.
type epoch struct {
	until   time.Duration // the time since start when the wall clock must be reread; unused with a Clock
	end     time.Time     // of its millisecond, for a Clock
	first   uint128       // the last number below the ranges
	count   uint64        // how many ranges there are, at most maxRanges
	spacing uint64        // how many numbers a range has
	_       [56]byte      // keeps taken, which all write, off the cache line of what all read
	taken   atomic.Uint64 // how many ranges are taken; from count on there are no more
}

const (
	defaultSpacing = 1 << 48
	maxRanges      = 1 << 62 // in an epoch; another follows if a Clock stands still for so long
	shut           = 1 << 63 // the value of taken that shuts an epoch, with room for what late goroutines add
)

// start is the origin of the monotonic clock. time.Since(start) takes half the time of
// time.Now.
var start = time.Now()

// Make returns a new ULID. It returns [ErrBigTime] if the next ID would be past [MaxTime]. An
// error of Entropy comes back as it is, or as [io.ErrUnexpectedEOF] if it ends early. Make
// returns [io.ErrNoProgress] if Entropy repeatedly returns 0, nil, and an error without a name
// if it returns an impossible count.
func (g *Generator) Make() (id ULID, err error) {
	err = g.makeTo(&id)
	return id, err
}

// Fill is like the function [Fill]. On error every element is zero, and the IDs already made
// are lost.
func (g *Generator) Fill(ids []ULID) error {
	for rest := ids; len(rest) > 0; {
		n, err := g.fillSome(rest[:min(pieceSize, len(rest))])
		if err != nil {
			clear(ids)
			return err
		}
		rest = rest[n:]
	}
	return nil
}

// AdvancePast makes g return only IDs greater than id: once it has returned nil, so does every
// call of g.Make or g.Fill that begins later, even if the clock is behind id. It does not
// affect the functions [Make] and [Fill], or other Generators. Call it with the last stored ID
// when a process restarts, or with the ID of each message that the process receives.
//
// A Generator never goes back, so an id from a wrong clock would give its time to all IDs until
// the clock has caught up. If the timestamp of id is more than limit ahead of the clock,
// AdvancePast therefore returns [ErrAhead], its only error, and g does not change. A minute is
// a good limit among clocks that are synchronized. It is rounded down to whole milliseconds.
// 0 accepts every id up to the clock's millisecond, and [math.MaxInt64] every id. If g
// has already returned or advanced past id, or a greater ID, AdvancePast returns nil whatever
// the limit.
//
// If the clock has not passed the millisecond of id when the next ID is made, that ID lies at a
// random place among the 2⁷² numbers above id (2⁶⁶ with UUIDv7), whatever the Spacing, so that
// several processes can advance past the same id. If the millisecond has fewer left, the next
// ID has the millisecond after it and fresh random bits. After [MaxTime] there is none, and
// Make returns [ErrBigTime].
func (g *Generator) AdvancePast(id ULID, limit time.Duration) error {
	n, ok := g.numberFor(id)
	if !ok {
		return nil // every ID of this Generator is greater
	}
	if e := g.epoch.Load(); e != nil {
		taken := e.taken.Load()
		if taken >= shut {
			taken = 0 // nobody knows here how many there were
		}
		if n.compare(g.usedUp(e, taken)) <= 0 {
			return nil
		}
	}
	var now time.Time
	if g.Clock != nil {
		now = g.Clock()
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	last := g.last
	if e := g.epoch.Load(); e != nil {
		last = g.usedUp(e, e.taken.Load())
	}
	if g.started && n.compare(last) <= 0 {
		return nil
	}
	if g.Clock == nil {
		now = g.wallClock()
	}
	if isAhead(id.Time(), now, limit) {
		return ErrAhead
	}
	g.shutEpoch()
	if !g.started || n.compare(g.last) > 0 {
		g.last, g.started, g.leaps = n, true, true
	}
	return nil
}

// isAhead reports whether a timestamp is more than limit ahead of the clock.
func isAhead(ms uint64, now time.Time, limit time.Duration) bool {
	if limit == math.MaxInt64 {
		return false // not even if it is 292 years ahead
	}
	ahead := int64(ms) - int64(min(millisecond(now), maxTime))
	most := limit.Milliseconds()
	if limit%time.Millisecond < 0 {
		most-- // rounded down
	}
	return ahead > most
}

// Fill makes pieceSize IDs for one reading of the clock: so many that the clock costs next to
// nothing, and so few that their time is right. With an Entropy of the caller it makes
// lockedSize, because others wait while it is read.
const (
	pieceSize  = 1024
	lockedSize = 16
)

// fillSome makes the first n of ids, at least one, for one reading of the clock.
func (g *Generator) fillSome(ids []ULID) (n int, err error) {
	var now time.Time
	if g.Clock != nil {
		now = g.Clock()
	}
	if e := g.epoch.Load(); e != nil && g.lasts(e, now) {
		if n := g.take(e, ids); n > 0 {
			return n, nil
		}
	}
	return g.fillLocked(ids, now)
}

// makeTo is Make with a pointer, so that Make, MakeUUIDv7 and Generator.Make can be inlined. It
// is fillSome for one ID, without the calls and loops.
func (g *Generator) makeTo(id *ULID) error {
	var now time.Time
	if g.Clock != nil {
		now = g.Clock()
	}
	if e := g.epoch.Load(); e != nil && g.lasts(e, now) {
		if taken := e.taken.Add(1); taken <= e.count {
			c := chachas.Get().(*mathrand.ChaCha8)
			var place uint64
			if e.spacing == defaultSpacing {
				place = c.Uint64() >> 16
			} else {
				place = uniform(c, e.spacing)
			}
			chachas.Put(c)
			g.put(e.first.add(multiply(taken-1, e.spacing)).add(uint128{0, place + 1}), id)
			return nil
		}
	}
	var ids [1]ULID
	if _, err := g.fillLocked(ids[:], now); err != nil {
		return err
	}
	*id = ids[0]
	return nil
}

// lasts reports whether the clock is still at or before the millisecond of e.
func (g *Generator) lasts(e *epoch, now time.Time) bool {
	if g.Clock != nil {
		return now.Before(e.end)
	}
	// The clock of a testing/synctest bubble is decades off, so inside a bubble an epoch from
	// outside, or outside one from inside, seems to be long over, or to last for decades.
	left := e.until - time.Since(start)
	return 0 < left && left <= time.Millisecond
}

// take makes the first n of ids from e, by a single addition. If e is shut or used up, n is 0.
func (g *Generator) take(e *epoch, ids []ULID) (n int) {
	taken := e.taken.Add(uint64(len(ids))) - uint64(len(ids))
	if taken >= e.count {
		return 0
	}
	n = int(min(uint64(len(ids)), e.count-taken))
	rest := ids[:n]
	below, step := g.usedUp(e, taken), uint128{0, e.spacing}
	c := chachas.Get().(*mathrand.ChaCha8)
	if e.spacing == defaultSpacing {
		// Three words of ChaCha8 have the bits for four places, and drawing them is what takes time.
		for ; len(rest) >= 4; rest = rest[4:] {
			x, y, z := c.Uint64(), c.Uint64(), c.Uint64()
			g.put(below.add(uint128{0, x>>16 + 1}), &rest[0])
			below = below.add(step)
			g.put(below.add(uint128{0, y>>16 + 1}), &rest[1])
			below = below.add(step)
			g.put(below.add(uint128{0, z>>16 + 1}), &rest[2])
			below = below.add(step)
			left := x<<48>>16 | y<<48>>32 | z<<48>>48
			g.put(below.add(uint128{0, left + 1}), &rest[3])
			below = below.add(step)
		}
	}
	for i := range rest {
		g.put(below.add(uint128{0, uniform(c, e.spacing) + 1}), &rest[i])
		below = below.add(step)
	}
	chachas.Put(c)
	return n
}

// usedUp returns the last number of the first ranges of e.
func (g *Generator) usedUp(e *epoch, ranges uint64) uint128 {
	return e.first.add(multiply(min(ranges, e.count), g.spacing()))
}

// fillLocked is fillSome under the lock. It shuts the epoch, makes the first ID by the clock,
// and opens another epoch if more are likely.
func (g *Generator) fillLocked(ids []ULID, now time.Time) (n int, err error) {
	g.mu.Lock()
	defer g.mu.Unlock() // Entropy may panic
	if e := g.epoch.Load(); e != nil && g.lasts(e, now) {
		if n := g.take(e, ids); n > 0 {
			return n, nil // another goroutine had the lock before, and opened e
		}
	}
	system := isSystem(g.Entropy)
	var elapsed time.Duration
	if g.Clock == nil {
		if system {
			elapsed = time.Since(start) // before the wall clock, so that until is never too late
		}
		now = g.wallClock()
	}
	taken := g.shutEpoch()
	before := g.ms(g.last)
	if err := g.advance(now, &ids[0]); err != nil {
		return 0, err
	}
	// An epoch costs an allocation, so the first ID of a millisecond opens one only if its call
	// makes more, or if IDs were taken from the epoch before.
	isBusy := len(ids) > 1 || taken > 0 || g.ms(g.last) == before
	if isBusy && system && g.random.system {
		return 1 + g.openEpoch(elapsed, now, ids[1:]), nil
	}
	for n = 1; n < min(len(ids), lockedSize); n++ {
		if err := g.advance(now, &ids[n]); err != nil {
			return 0, err
		}
	}
	return n, nil
}

// shutEpoch shuts the epoch, if there is one, and returns how many ranges were taken from it.
func (g *Generator) shutEpoch() (taken uint64) {
	e := g.epoch.Load()
	if e == nil {
		return 0
	}
	taken = e.taken.Swap(shut)
	g.last = g.usedUp(e, taken)
	g.epoch.Store(nil)
	return taken
}

// openEpoch opens an epoch above last, and makes the first n of ids from it.
func (g *Generator) openEpoch(elapsed time.Duration, now time.Time, ids []ULID) (n int) {
	part := time.Duration(now.Nanosecond()) % time.Millisecond
	if part == 0 && g.Clock == nil {
		if len(ids) == 0 {
			return 0
		}
		// A clock of whole milliseconds, as in JavaScript, always seems to be at the start of one,
		// so nobody knows when that millisecond ends. The epoch serves only ids.
		var e epoch
		g.layRanges(&e)
		n = g.take(&e, ids)
		g.last = g.usedUp(&e, e.taken.Load())
		return n
	}
	e := &epoch{until: elapsed + time.Millisecond - part}
	g.layRanges(e)
	n = g.take(e, ids) // before the others
	g.epoch.Store(e)
	return n
}

// layRanges lays the ranges of e above last.
func (g *Generator) layRanges(e *epoch) {
	e.first, e.count, e.spacing = g.last, g.ranges(), g.spacing()
	e.end = Time(g.ms(g.last) + 1)
}

func (g *Generator) wallClock() time.Time {
	if g.wall != nil {
		return g.wall()
	}
	return time.Now()
}

// advance makes the next ID for a reading of the clock. On error no ID was made.
func (g *Generator) advance(now time.Time, id *ULID) error {
	ms := millisecond(now)
	if g.started && ms <= g.ms(g.last) {
		switch {
		case g.leaps && g.room().hi >= g.leap():
			fresh, err := g.random.fresh(g.Entropy)
			if err != nil {
				return err
			}
			distance := g.number(fresh)
			distance.hi %= g.leap()
			g.last, g.leaps = g.last.add(distance).add(uint128{0, 1}), false
			g.put(g.last, id)
			return nil
		case !g.leaps && g.ranges() > 0:
			place, err := g.random.uniform(g.Entropy, g.spacing())
			if err != nil {
				return err
			}
			g.put(g.last.add(uint128{0, place + 1}), id)
			g.last = g.last.add(uint128{0, g.spacing()})
			return nil
		}
		ms = g.ms(g.last) + 1
	}
	if ms > maxTime {
		return ErrBigTime
	}
	fresh, err := g.random.fresh(g.Entropy)
	if err != nil {
		return err
	}
	fresh.hi |= ms << 16
	g.last, g.started, g.leaps = g.number(fresh), true, false
	g.put(g.last, id)
	return nil
}

// millisecond returns the timestamp for a reading of the clock.
func millisecond(now time.Time) uint64 {
	if now.Unix() < 0 {
		return 0
	}
	return Timestamp(now)
}

// The numbers of a Generator are its ULIDs, or with UUIDv7 its ULIDs without the bits of the
// version and the variant, so that all bits below the time are random and carry like one
// number.

// randomBits returns how many bits below the time are in the upper half of a number.
func (g *Generator) randomBits() uint {
	if g.UUIDv7 {
		return 10
	}
	return 16
}

// ms returns the millisecond of a number.
func (g *Generator) ms(n uint128) uint64 { return n.hi >> g.randomBits() }

// number returns the number of an ID.
func (g *Generator) number(id uint128) uint128 {
	if g.UUIDv7 {
		return id.withoutVersion()
	}
	return id
}

// put writes the ID with the number n.
func (g *Generator) put(n uint128, id *ULID) {
	if g.UUIDv7 {
		n = n.withVersion()
	}
	n.put(id)
}

// numberFor returns the largest number whose ID is at most id, which with UUIDv7 may lie
// between two IDs of g. It reports false if all IDs are greater.
func (g *Generator) numberFor(id ULID) (n uint128, ok bool) {
	n = id.uint128()
	if !g.UUIDv7 || id.IsUUIDv7() {
		return g.number(n), true
	}
	ms := id.Time()
	switch version := id[6] >> 4; {
	case version > 7: // above all UUIDv7s of its millisecond
		return uint128{(ms+1)<<10 - 1, math.MaxUint64}, true
	case version < 7: // below them
		return uint128{ms<<10 - 1, math.MaxUint64}, ms > 0
	}
	n = n.withoutVersion()
	n.lo |= 1<<62 - 1
	if variant := id[8] >> 6; variant > 2 { // above all that have the same 12 bits after the version
		return n, true
	}
	lo, borrow := bits.Sub64(n.lo, 1<<62, 0) // below them
	hi, borrow := bits.Sub64(n.hi, 0, borrow)
	return uint128{hi, lo}, borrow == 0
}

// spacing returns the size of a range.
func (g *Generator) spacing() uint64 {
	if g.Spacing == 0 {
		return defaultSpacing
	}
	return g.Spacing
}

// leap returns how far above an ID from elsewhere the next one may lie, divided by 2⁶⁴: far
// enough that processes which advance past the same ID are unlikely to meet, and a 256th of a
// millisecond.
func (g *Generator) leap() uint64 { return 1 << (g.randomBits() - 8) }

// room returns how many numbers of last's millisecond lie above it.
func (g *Generator) room() uint128 {
	mask := uint64(1)<<g.randomBits() - 1
	return uint128{^g.last.hi & mask, ^g.last.lo}
}

// ranges returns how many ranges of last's millisecond lie above it, at most maxRanges.
func (g *Generator) ranges() uint64 {
	room, spacing := g.room(), g.spacing()
	if room.hi >= spacing {
		return maxRanges // or else the quotient may not fit into 64 bits
	}
	count, _ := bits.Div64(room.hi, room.lo, spacing)
	return min(count, maxRanges)
}

// A MonotonicReader is a source of entropy that increases within a millisecond. [New] calls
// its MonotonicRead, with the timestamp and a 10-byte p, instead of Read.
type MonotonicReader interface {
	io.Reader
	MonotonicRead(ms uint64, p []byte) error
}

// MonotonicEntropy is a monotonic source of entropy for [New], as the ULID specification has
// one, but by default with random steps.
// The zero value is ready to use, as Monotonic(nil, 0) is. It must not be copied after its
// first use.
type MonotonicEntropy struct {
	// Reader is the source of random bits, as in the function Monotonic. It must not be changed
	// after the first use, nor call the MonotonicEntropy.
	Reader io.Reader

	inc     uint64 // the greatest step; 0 means 2³²
	mu      sync.Mutex
	started bool    // not last != 0: entropy may be zero
	ms      uint64  // of the last read
	last    uint128 // the 80 bits of the last read; those above are zero
	full    bool    // the last step overflowed; stays so until ms changes
	random  random
}

// Monotonic returns a source for [New]. For the first ID of a millisecond it reads 10 bytes
// from entropy. For each later one it adds a random step, uniform in [1, inc], for which it
// reads 16 bytes, or none if inc is 1, as in the specification. An inc of 0 means 2³². If a
// step would overflow, New returns [ErrMonotonicOverflow] until its ms changes.
//
// IDs increase as long as ms does not decrease. A [Generator] keeps order whatever its clock
// does. If entropy is nil or crypto/rand.Reader, bits come from crypto/rand, and steps from a
// ChaCha8 seeded by it.
func Monotonic(entropy io.Reader, inc uint64) *MonotonicEntropy {
	return &MonotonicEntropy{Reader: entropy, inc: inc}
}

// MonotonicRead writes the entropy for a ULID of the given millisecond to p, which must have
// 10 bytes. On error p is unchanged.
func (m *MonotonicEntropy) MonotonicRead(ms uint64, p []byte) error {
	if len(p) != entropySize {
		return ErrBufferSize
	}
	n, err := m.next(ms)
	if err != nil {
		return err
	}
	var id ULID
	n.put(&id)
	copy(p, id[6:])
	return nil
}

// Read calls Reader's Read. The bytes are not monotonic.
func (m *MonotonicEntropy) Read(p []byte) (int, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if isSystem(m.Reader) {
		return rand.Read(p)
	}
	return m.Reader.Read(p)
}

// next returns the 80 bits for a ULID with the given millisecond.
func (m *MonotonicEntropy) next(ms uint64) (uint128, error) {
	m.mu.Lock()
	defer m.mu.Unlock() // Reader may panic
	if m.started && ms == m.ms {
		if m.full {
			return uint128{}, ErrMonotonicOverflow
		}
		inc := m.inc
		if inc == 0 {
			inc = 1 << 32
		}
		step, err := m.random.uniform(m.Reader, inc)
		if err != nil {
			return uint128{}, err
		}
		next := m.last.add(uint128{0, step + 1})
		if next.ms() != 0 { // the time's bits, which are not in last
			m.full = true
			return uint128{}, ErrMonotonicOverflow
		}
		m.last = next
		return next, nil
	}
	fresh, err := m.random.fresh(m.Reader)
	if err != nil {
		return uint128{}, err
	}
	m.started, m.ms, m.last, m.full = true, ms, fresh, false
	return fresh, nil
}

// random draws the random bits of a Generator or a MonotonicEntropy: from the caller's
// reader, or from the system if there is none.
type random struct {
	system bool     // whether the last fresh bits came from the system, as steps then do
	buf    [16]byte // what a reader writes to, here so that it is not allocated each time
}

// chachas holds about one ChaCha8 for each processor, each seeded by crypto/rand, so that
// goroutines draw side by side.
var chachas = sync.Pool{New: func() any {
	var seed [32]byte
	rand.Read(seed[:])
	return mathrand.NewChaCha8(seed)
}}

// systemReader is crypto/rand.Reader as the program starts, or nil if a package that was
// initialized earlier has already replaced it.
var systemReader = ifSystem(rand.Reader)

// ifSystem returns r if its type is one of Go's own, and otherwise nil, because only such a
// reader is sure to be comparable and never to fail.
func ifSystem(r io.Reader) io.Reader {
	t := reflect.TypeOf(r)
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if !isGoCrypto(t.PkgPath()) {
		return nil
	}
	return r
}

func isGoCrypto(path string) bool { return strings.HasPrefix(path, "crypto/") }

// isSystem reports whether entropy means rand.Read, which cannot fail: nil does, and the
// original rand.Reader as long as the program has not replaced it.
func isSystem(entropy io.Reader) bool {
	return entropy == nil || entropy == systemReader && rand.Reader == systemReader
}

// systemEntropy returns 80 fresh bits from crypto/rand. They are never buffered, so that a
// machine that is cloned or resumed cannot repeat them.
func systemEntropy() uint128 {
	var p [entropySize]byte
	rand.Read(p[:])
	return entropyNumber(p[:])
}

// readEntropy returns 80 bits from a reader.
func readEntropy(r io.Reader) (uint128, error) {
	if isSystem(r) {
		return systemEntropy(), nil
	}
	var p [entropySize]byte
	if err := readFull(r, p[:]); err != nil {
		return uint128{}, err
	}
	return entropyNumber(p[:]), nil
}

// entropyNumber returns 10 bytes as a number.
func entropyNumber(p []byte) uint128 {
	return uint128{uint64(binary.BigEndian.Uint16(p[:2])), binary.BigEndian.Uint64(p[2:10])}
}

// fresh returns 80 fresh bits.
func (r *random) fresh(reader io.Reader) (uint128, error) {
	if isSystem(reader) {
		n := systemEntropy() // may panic
		r.system = true
		return n, nil
	}
	p := r.buf[:entropySize]
	if err := readFull(reader, p); err != nil {
		return uint128{}, err
	}
	r.system = false
	return entropyNumber(p), nil
}

// uniform returns a number in [0, n), each as likely as the others. For an n of 1 it reads
// nothing.
func (r *random) uniform(reader io.Reader, n uint64) (uint64, error) {
	if n == 1 {
		return 0, nil
	}
	if r.system {
		c := chachas.Get().(*mathrand.ChaCha8)
		x := c.Uint64()
		if n&(n-1) == 0 {
			x >>= 1 + bits.LeadingZeros64(n)
		} else {
			x = scale(x, c.Uint64(), n)
		}
		chachas.Put(c)
		return x, nil
	}
	if err := readFull(reader, r.buf[:]); err != nil {
		return 0, err
	}
	return scale(binary.BigEndian.Uint64(r.buf[:8]), binary.BigEndian.Uint64(r.buf[8:]), n), nil
}

// uniform returns a number in [0, n), each as likely as the others.
func uniform(c *mathrand.ChaCha8, n uint64) uint64 {
	switch {
	case n == 1:
		return 0
	case n&(n-1) == 0:
		return c.Uint64() >> (1 + bits.LeadingZeros64(n)) // a power of two needs no more bits
	}
	return scale(c.Uint64(), c.Uint64(), n)
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

func (n uint128) ms() uint64 { return n.hi >> 16 }

// addOne returns n + 1, and wraps around.
func (n uint128) addOne() uint128 {
	lo, carry := bits.Add64(n.lo, 1, 0)
	return uint128{n.hi + carry, lo}
}

// add returns n + m, and wraps around.
func (n uint128) add(m uint128) uint128 {
	lo, carry := bits.Add64(n.lo, m.lo, 0)
	return uint128{n.hi + m.hi + carry, lo}
}

// multiply returns a · b.
func multiply(a, b uint64) uint128 {
	hi, lo := bits.Mul64(a, b)
	return uint128{hi, lo}
}

func (n uint128) compare(m uint128) int {
	if n.hi != m.hi {
		return cmp.Compare(n.hi, m.hi)
	}
	return cmp.Compare(n.lo, m.lo)
}

// A UUIDv7 has 74 random bits, of which 12 stand between its version and its variant:
//
//	            hi: 48 bits      4     12      lo: 2    62
//	ULID            time      0111    bits        10  bits
//	number  000000  time              bits             bits     shifted together
//
// withoutVersion returns the number of a UUIDv7, whose bits of version and variant it ignores.
func (n uint128) withoutVersion() uint128 {
	return uint128{n.hi>>16<<10 | n.hi&0xFFF>>2, n.hi<<62 | n.lo&(1<<62-1)}
}

// withVersion returns the UUIDv7 of a number.
func (n uint128) withVersion() uint128 {
	w := n.hi<<2 | n.lo>>62
	return uint128{w<<4&^0xFFFF | 0x7000 | w&0xFFF, n.lo<<2>>2 | 1<<63}
}
