package ulid

// The Generator, which makes the IDs of Make. Below it Monotonic, the specification's own source.

import (
	"cmp"
	"crypto/rand"
	"encoding/binary"
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
// An ID has 64 bits of time and 58 random bits (RFC 9562, section 6.2, method 3, with 4 more bits of
// time). The time counts ticks of 2⁻¹⁶ milliseconds, about 15 ns, and no two IDs of a Generator have the
// same tick. The first ID of a call has the clock's tick, or if that is not after the last ID's, the tick
// after it. Each further ID of a FillFrom has the next tick. Without an Entropy, random bits take the
// place of the lowest 4 bits of the clock's tick, others in each millisecond, so the time is wrong by up
// to 229 ns.
//
// With a Clock and a seeded Entropy, such as a ChaCha8 of math/rand/v2, a goroutine gets the same IDs in
// every run.
//
// A Generator must not be copied or changed after its first use. In a [testing/synctest] bubble,
// whose clock begins in 2000, use a new one.
type Generator struct {
	// Entropy is the source of random bits. Nil means ChaCha8s that crypto/rand seeded, and
	// crypto/rand itself for the lowest 4 bits of the time and for the random bits of the first IDs that
	// Make returns in a millisecond.
	//
	// Any other reader, such as crypto/rand.Reader, is read for 8 bytes an ID, of which the first
	// 58 bits count. This happens under a lock, so it must not call the Generator.
	//
	// If Entropy fails, Make panics. crypto/rand.Reader and a ChaCha8 of math/rand/v2 never fail. If
	// yours can, such as a device or a network, use [New] or [Monotonic], which return an error. In an
	// HTTP handler, which survives a panic, a mutex that is not unlocked by defer would stay locked.
	Entropy io.Reader

	// Clock returns the current time. Nil means the system's. Make and FillFrom call Clock once, and
	// AdvancePast once for an ID that is not passed yet. A time before 1970 counts as 1970. After the last
	// millisecond of a ULID, in August 10889, Make and FillFrom panic with [ErrTimeRange]. For a time that
	// comes from outside use [MakeAt], which returns an error for both.
	Clock func() time.Time

	// seen is (ms+1)<<1 | b: ms is the millisecond that the clock last showed, and b is 1 once a Make
	// other than the call that began it has read crypto/rand. It only decides when that is read.
	seen atomic.Uint64

	// salt changes in every millisecond of the clock, by the addition of 64 random bits. All bits of a
	// ChaCha8 are salted with it. Copies of a virtual machine have the same ChaCha8s, and their IDs
	// differ from the first addition on. The salt is no secret: the first ID of a millisecond shows what
	// was added, and each ID's time the lowest 4 bits.
	salt atomic.Uint64

	mu  sync.Mutex // held while Entropy is read
	buf [8]byte    // what Entropy writes to, here so that it is not allocated each time

	_ [64]byte // keeps last, which all calls write, off the cache line of what all read

	// last is the last tick that was taken or advanced past, or 0, so that the first tick is 1.
	//
	// The order of the IDs is the order in which last changed. Only reserve changes it, in one atomic
	// step, and it only increases.
	last atomic.Uint64

	_ [64]byte
}

// Make returns a new ULID. It has the type of the function [Make]: a program can declare
// var newID = ulid.Make, and its tests set newID to g.Make.
//
// It panics with [ErrTimeRange] when the time of a ULID ends, in August 10889. If Entropy fails, it
// panics with an error that wraps the one that [New] returns. The Generator then remains usable, and
// keeps its order.
func (g *Generator) Make() ULID {
	var id [1]ULID // an array, because fillFromSystem takes a slice
	g.makeTo(&id)
	return id[0]
}

// makeTo is Make with a pointer, so that Make can be inlined.
func (g *Generator) makeTo(id *[1]ULID) {
	tick, random := g.take(1)
	switch {
	case g.Entropy != nil:
		random = g.mustReadEntropy()
	case random != 0: // read by take
	case g.isSecond():
		random = systemBits()
	default:
		fillFromSystem(g, id[:], tick)
		return
	}
	layout(tick, random, id[0][:])
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
		if !filled { // Clock or Entropy panicked, or ended the goroutine
			clear(ids)
		}
	}()
	tick, _ := g.take(uint64(len(ids)))
	if g.Entropy != nil {
		fillFromEntropy(g, ids, tick)
	} else {
		fillFromSystem(g, ids, tick)
	}
	filled = true
}

// fillFromSystem sets ids, from a tick on, with the bits of a ChaCha8.
func fillFromSystem[ID ~[16]byte](g *Generator, ids []ID, tick uint64) {
	// The salt is loaded after the ticks were taken, so it is not that of a millisecond before.
	c, salt := chachas.Get().(*mathrand.ChaCha8), g.salt.Load()
	for i := range ids {
		layout(tick+uint64(i), c.Uint64()^salt, ids[i][:])
	}
	chachas.Put(c) // last: another goroutine may get it at once
}

// fillFromEntropy is fillFromSystem with the bits of Entropy. If that fails, the ticks are not given back, because
// another call may have taken the next.
func fillFromEntropy[ID ~[16]byte](g *Generator, ids []ID, tick uint64) {
	for i := range ids {
		layout(tick+uint64(i), g.mustReadEntropy(), ids[i][:])
	}
}

// layout writes the ID with the given tick and random bits:
//
//	hi: 48 bits   4      12                   lo: 2    4                   58
//	    time      0111   fraction of the ms       10   rest of fraction    random
func layout(tick, random uint64, id []byte) {
	binary.BigEndian.PutUint64(id[:8], tick&^0xFFFF|7<<12|tick>>4&0xFFF)
	binary.BigEndian.PutUint64(id[8:], 2<<62|tick&15<<58|random>>6)
}

// take returns the first of n ticks in a row, which no other call gets. It panics with ErrTimeRange if fewer are left.
// In a new millisecond it also returns 64 bits of crypto/rand that are in no ID yet, and otherwise 0.
//
// Other calls may run at any point of it. Each still has the tick of its own reading of the clock. If another changes
// last meanwhile, the tick may be a later one. If another changes the salt, the lowest 4 bits of the tick are
// different. If another changes seen, crypto/rand is read once more.
func (g *Generator) take(n uint64) (first, fresh uint64) {
	now, ok := tickAt(g.now())
	if !ok {
		panic(ErrTimeRange)
	}
	if g.Entropy == nil {
		fresh = g.beginMilli(now >> 16)
		// Two processes with the same clock then begin with the same tick in one case of 16.
		now = now&^15 | g.salt.Load()&15
	}
	first, ok = g.reserve(now, n)
	if !ok {
		panic(ErrTimeRange)
	}
	return first, fresh
}

// reserve returns the first of n ticks in a row: from, or last+1 if that is greater. It returns false if fewer than n
// are left.
func (g *Generator) reserve(from, n uint64) (first uint64, ok bool) {
	for {
		last := g.last.Load()
		first = max(from, last+1)
		end := first + n - 1
		if last == math.MaxUint64 || end < first { // last+1 or end has wrapped around
			return 0, false
		}
		if g.last.CompareAndSwap(last, end) {
			return first, true
		}
	}
}

func (g *Generator) now() time.Time {
	if g.Clock != nil {
		return g.Clock()
	}
	return time.Now() // not a start plus time.Since, which ignores that the clock is set
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

// beginMilli renews the salt if the clock last showed another millisecond. Then it returns the bits of crypto/rand that
// it has added, for the first ID of the millisecond. With a ChaCha8 instead, whose code and state are rarely in the
// cache, one ID after a sleep would take 1.4 times as long.
//
// The salt changes before seen, so a call that finds its millisecond in seen has the new salt.
func (g *Generator) beginMilli(ms uint64) (fresh uint64) {
	if g.seen.Load()>>1 != ms+1 {
		fresh = g.renewSalt()
		g.seen.Store((ms + 1) << 1)
	}
	return fresh
}

// isSecond returns true once in a millisecond, to the first Make after the call that began it. Services often make two
// IDs in a request. Without a ChaCha8 the two take a sixth less time.
func (g *Generator) isSecond() bool {
	seen := g.seen.Load()
	return seen&1 == 0 && g.seen.CompareAndSwap(seen, seen|1)
}

// renewSalt adds 64 bits of crypto/rand to the salt, and returns them. With a Store in place of the addition, a late
// call could bring an earlier salt back.
func (g *Generator) renewSalt() uint64 {
	fresh := systemBits()
	g.salt.Add(fresh)
	return fresh
}

func systemBits() uint64 {
	var p [8]byte
	rand.Read(p[:])
	return binary.BigEndian.Uint64(p[:])
}

// mustReadEntropy reads the bits of an ID from Entropy. If that fails, it panics once the lock is released, because the
// error's text comes from other people's code, which may make an ID.
func (g *Generator) mustReadEntropy() uint64 {
	random, err := g.readEntropy()
	if err != nil {
		panic(fmt.Errorf("ulid: Entropy of a Generator failed: %w", err))
	}
	return random
}

func (g *Generator) readEntropy() (uint64, error) {
	g.mu.Lock()
	defer g.mu.Unlock() // Entropy may panic
	if err := readFull(g.Entropy, g.buf[:]); err != nil {
		return 0, err
	}
	return binary.BigEndian.Uint64(g.buf[:]), nil
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
// The next ID has a tick 1 to 256 above that of id, chosen at random so that several processes can
// advance past the same id, or the clock's if that is later. It may thus be up to 4 µs ahead of a clock
// that has passed id. With an Entropy the tick is the one after that of id. An id that is not a UUIDv7
// counts as the last tick of its millisecond. If there is no greater tick, Make panics with
// [ErrTimeRange].
func (g *Generator) AdvancePast(id ULID, limit time.Duration) error {
	tick := greatestTick(id)
	if tick <= g.last.Load() {
		return nil
	}
	if err := checkAhead(id, g.now(), limit); err != nil {
		return err
	}
	next := tick
	if g.Entropy == nil {
		next += min(g.renewSalt()%256, math.MaxUint64-tick)
	}
	g.reserve(next, 1) // false if the last tick was taken meanwhile, which is not before that of id
	return nil
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

// chachas holds about one ChaCha8 for each processor, so that goroutines draw side by side.
var chachas = sync.Pool{New: func() any {
	var seed [32]byte
	rand.Read(seed[:])
	return mathrand.NewChaCha8(seed)
}}

// A Monotonic is the monotonic source of entropy of the ULID specification, guarded by a mutex: the first
// ID of a millisecond has 80 bits of entropy, and each later one the 80 bits of the last ID plus a step. The
// zero value is ready to use, as NewMonotonic(nil, 0) is. A Monotonic must not be copied after its first use.
type Monotonic struct {
	entropy io.Reader // nil means crypto/rand
	maxStep uint64    // 0 means 2³²

	mu      sync.Mutex // held while entropy is read
	started bool       // not last != ULID{}, because the zero ULID may be the first ID
	last    ULID       // the greatest ID so far
	full    bool       // a step overflowed the entropy of last's millisecond

	buf [16]byte // what entropy writes to, here so that it is not allocated each time
}

// NewMonotonic returns a Monotonic that reads entropy, or crypto/rand if entropy is nil: 10 bytes for the
// first ID of a millisecond.
//
// A maxStep of 1 is the step of the ULID specification, which lets anybody who has an ID guess the next
// one. With any other maxStep a step is random, uniform in [1, maxStep], and 16 bytes are read for it. A
// maxStep of 0, the default, means 2³².
//
// If a step would overflow the 80 bits, New returns [ErrMonotonicOverflow] until it is called with
// a later millisecond than the last ID's. With crypto/rand and a maxStep of up to 2³², a billion IDs
// in one millisecond overflow with a probability below 1 in 250,000. [Make] cannot overflow.
//
// Entropy is read under a lock, so it must not use the Monotonic.
func NewMonotonic(entropy io.Reader, maxStep uint64) *Monotonic {
	return &Monotonic{entropy: entropy, maxStep: maxStep}
}

// New returns a ULID with the millisecond of t, or of the last ID if that is later. It is greater than
// every one that m.New returned, in any goroutine, before the call began.
//
// The order holds however far the clock is set back. One time far in the future gives its millisecond
// to all later IDs of m, so pass the times of your own clock, and not those that come from outside or
// from old rows.
//
// The errors are those of the function [New] and [ErrMonotonicOverflow]. An error leaves the last ID
// as it was.
func (m *Monotonic) New(t time.Time) (ULID, error) {
	ms, ok := unixMilli(t)
	if !ok {
		return ULID{}, ErrTimeRange
	}
	m.mu.Lock()
	defer m.mu.Unlock() // the entropy may panic
	id, err := m.next(ms)
	if err != nil {
		return ULID{}, err
	}
	m.started, m.last, m.full = true, id, false
	return id, nil
}

func (m *Monotonic) next(ms uint64) (ULID, error) {
	if m.started && ms <= m.last.ms() {
		return m.increment()
	}
	entropy := m.buf[:entropySize]
	if err := readFrom(m.entropy, entropy); err != nil {
		return ULID{}, err
	}
	return newID(ms, entropy), nil
}

func (m *Monotonic) increment() (id ULID, err error) {
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

// step returns a random number in [1, maxStep].
func (m *Monotonic) step() (uint64, error) {
	maxStep := cmp.Or(m.maxStep, 1<<32)
	if maxStep == 1 {
		return 1, nil
	}
	if err := readFrom(m.entropy, m.buf[:]); err != nil {
		return 0, err
	}
	hi, lo := binary.BigEndian.Uint64(m.buf[:8]), binary.BigEndian.Uint64(m.buf[8:])
	return uniform(hi, lo, maxStep) + 1, nil
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
