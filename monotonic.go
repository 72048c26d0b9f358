package ulid

import (
	"crypto/rand"
	"encoding/binary"
	"errors"
	"io"
	"math/bits"
	mathrand "math/rand/v2"
	"reflect"
	"runtime"
	"sync"
	"time"
)

// A Generator makes ULIDs with the current time. Each is greater than every ID that the
// Generator returned, in any goroutine, before the call began. The zero value works like
// [Make], in a separate order. Use one Generator per goroutine to scale across cores, if
// order matters only within each.
//
// If the clock has not passed the last ID's millisecond, the next ID is the last one plus a
// step. If that overflows the random bits, the timestamp moves one millisecond ahead and the
// bits are drawn anew.
//
// A Generator must not be copied or changed after its first use. In a [testing/synctest]
// bubble, use a new one.
type Generator struct {
	// Entropy is the source of random bits: 10 bytes for the first ID of a millisecond, and 16
	// for each step unless MaxStep is 1. It is read under a lock, so it must not call the
	// Generator.
	//
	// Nil means crypto/rand for the first ID of a millisecond, and a ChaCha8 seeded by it for
	// the steps. So does [crypto/rand.Reader], unless the program has replaced it.
	Entropy io.Reader

	// Clock returns the current time. Nil means [time.Now]. Make calls it once, and Fill
	// more often for a long slice. No other clock is read. A time before 1970 counts as 1970.
	Clock func() time.Time

	// MaxStep is the greatest step. Steps between IDs of one millisecond are uniform in [1,
	// MaxStep]. 0 means 2³², which makes neighbors hard to guess. 1 is the increment of the
	// specification.
	MaxStep uint32

	// Unless After is zero, every ID has a later millisecond than After. A process that
	// restarts sets it to the last ID that it stored, and several may begin after the same ID.
	// Refuse an After far ahead of the clock.
	After ULID

	// UUIDv7 makes every ID a UUID of version 7 as well (RFC 9562, section 6.2, method 2),
	// with 74 random bits.
	UUIDv7 bool

	// wall stands in for time.Now in the tests that set the wall clock and the monotonic
	// clock apart.
	wall func() time.Time

	mu sync.Mutex

	// Until the monotonic clock is window past opened, the wall clock is in the millisecond
	// in which it was last read, unless it was set. It need not be read again. The window
	// stays shut if the Clock or the Entropy is the caller's.
	opened, window time.Duration // since start

	last    uint128 // the last ID made
	random  random  // its steps come from the system while the window is open
	started bool    // last is set
}

// start is the origin of the monotonic clock. time.Since(start) takes half the time of
// time.Now.
var start = time.Now()

// Make returns a new ULID. The error is [ErrBigTime] if the next ID would be past [MaxTime],
// and otherwise Entropy's, as in [New].
func (g *Generator) Make() (id ULID, err error) {
	err = g.next(&id)
	return id, err
}

// pieceSize is how many IDs Fill makes under one lock: few enough that others wait for some
// microseconds only, and enough that the lock and the clock cost nothing.
const pieceSize = 1024

// Fill is like the function [Fill]. On error every element is zero, and the IDs already made
// are lost.
func (g *Generator) Fill(ids []ULID) error {
	for rest := ids; len(rest) > 0; {
		piece := rest[:min(pieceSize, len(rest))]
		if err := g.fill(piece); err != nil {
			clear(ids)
			return err
		}
		if rest = rest[len(piece):]; len(rest) > 0 {
			// A goroutine that waits for the lock would mostly find it taken again.
			runtime.Gosched()
		}
	}
	return nil
}

// fill is Fill under one lock, for one reading of the clock.
func (g *Generator) fill(ids []ULID) error {
	now := g.now()
	g.mu.Lock()
	defer g.mu.Unlock() // Entropy may panic
	for len(ids) > 0 {
		if err := g.advance(now); err != nil {
			return err
		}
		g.last.put(&ids[0])
		ids = ids[1:]
		if !g.random.system {
			continue
		}
		// The others, until the entropy overflows. The local variable saves a tenth.
		last := g.last
		for len(ids) > 0 {
			next, ok := g.increment(last, g.random.systemStep(uint64(g.MaxStep)))
			if !ok {
				break
			}
			last = next
			last.put(&ids[0])
			ids = ids[1:]
		}
		g.last = last
	}
	return nil
}

// next is Make with a pointer, so that both functions Make can be inlined. Returning a ULID
// through two functions costs a tenth of the time of Make.
//
// It is the quick path, one straight function, for an ID of the millisecond in which the
// clock was last read.
func (g *Generator) next(id *ULID) error {
	if g.Clock != nil || !isSystem(g.Entropy) {
		return g.nextAt(id, g.now(), 0)
	}
	// Before the lock, so that others do not wait for it. A goroutine that is overtaken here
	// finds a window that opened later, and reads the clock.
	elapsed := time.Since(start)
	g.mu.Lock()
	// Unsigned, so that a clock behind opened is outside the window too. The clock of a
	// testing/synctest bubble begins in the year 2000.
	if uint64(elapsed-g.opened) < uint64(g.window) {
		if next, ok := g.increment(g.last, g.random.systemStep(uint64(g.MaxStep))); ok {
			g.last = next
			g.mu.Unlock() // not deferred: nothing above belongs to the caller
			next.put(id)
			return nil
		}
	}
	g.mu.Unlock()
	return g.nextAt(id, g.now(), elapsed)
}

// nextAt is next for a reading of the clock that was taken when the monotonic clock stood at
// elapsed, or later.
func (g *Generator) nextAt(id *ULID, now time.Time, elapsed time.Duration) error {
	g.mu.Lock()
	defer g.mu.Unlock() // Entropy may panic
	if err := g.advance(now); err != nil {
		return err
	}
	g.last.put(id)
	g.window = 0
	if g.Clock == nil && g.random.system {
		g.opened = elapsed // a little early, so that the window never shuts too late
		// On the stroke of a millisecond it stays shut: a clock that shows whole
		// milliseconds only, as in JavaScript, may stand anywhere within one.
		g.window = (time.Millisecond - time.Duration(now.Nanosecond())%time.Millisecond) % time.Millisecond
	}
	return nil
}

func (g *Generator) now() time.Time {
	switch {
	case g.Clock != nil:
		return g.Clock()
	case g.wall != nil:
		return g.wall()
	}
	return time.Now()
}

// advance moves last to the next ID for a reading of the clock. On error no ID was made.
func (g *Generator) advance(now time.Time) error {
	ms := uint64(0)
	if now.Unix() >= 0 {
		ms = Timestamp(now)
	}
	switch {
	case g.started && ms <= g.last.ms():
		step, err := g.random.step(g.Entropy, uint64(g.MaxStep))
		if err != nil {
			return err
		}
		if next, ok := g.increment(g.last, step); ok {
			g.last = next
			return nil
		}
		ms = g.last.ms() + 1
	case !g.started && !g.After.IsZero():
		// Not by a step: Generators with the same After would walk the same line.
		ms = max(ms, g.After.Time()+1)
	}
	if ms > maxTime {
		return ErrBigTime
	}
	fresh, err := g.random.fresh(g.Entropy)
	if err != nil {
		return err
	}
	fresh.hi |= ms << 16
	if g.UUIDv7 {
		fresh = fresh.setUUIDv7()
	}
	g.last, g.started = fresh, true
	return nil
}

// increment adds step to the random bits of n, with carry. It reports false if they overflow.
func (g *Generator) increment(n uint128, step uint64) (next uint128, ok bool) {
	next, ok = n.add(step)
	if g.UUIDv7 && ok {
		next, ok = next.carryUUIDv7()
	}
	return next, ok
}

// A MonotonicReader is a source of entropy that increases within a millisecond. [New] calls
// MonotonicRead, with a p of 10 bytes, instead of Read.
type MonotonicReader interface {
	io.Reader
	MonotonicRead(ms uint64, p []byte) error
}

// MonotonicEntropy is the monotonic source of entropy of the ULID specification, for [New].
// The zero value is Monotonic(nil, 0). It must not be copied after its first use.
type MonotonicEntropy struct {
	// Reader is the source of random bits, as in [Monotonic]. It must not be changed after the
	// first use, nor call the MonotonicEntropy.
	Reader io.Reader

	inc     uint64 // the greatest step
	mu      sync.Mutex
	started bool    // not last != 0: entropy may be zero
	ms      uint64  // of the last read
	last    uint128 // the 80 bits of the last read; those above are zero
	full    bool    // last could not be incremented, and is not to be until ms changes
	random  random
}

// Monotonic returns a source that reads 10 bytes from entropy when ms changes, and otherwise
// adds a step to them. Steps are uniform in [1, inc], and read 16 bytes unless inc is 1, the
// increment of the specification. An inc of 0 means 2³². After an overflow every call gives
// [ErrMonotonicOverflow] until ms changes.
//
// IDs increase as long as ms does not decrease. A [Generator] keeps order whatever its clock
// does. A nil or crypto/rand.Reader entropy means the same as in Generator.Entropy.
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

// Read reads from Reader once. The bytes are not monotonic.
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
		step, err := m.random.step(m.Reader, m.inc)
		if err != nil {
			return uint128{}, err
		}
		next, ok := m.last.add(step)
		if !ok {
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
	half   uint64 // the unused half of a word of chacha, with bit 32 set; 0 if there is none
	system bool   // whether the last fresh bits came from the system, as steps then do
	seeded bool   // whether chacha is seeded
	chacha mathrand.ChaCha8
	buf    [16]byte // what a reader writes to, here so that it is not allocated each time
}

// systemReader is crypto/rand.Reader as the program starts. It is nil if a package that was
// initialized earlier has put a value there that cannot be compared, so that isSystem cannot
// panic. What is put in its place later may fail, so it is a reader like any other.
var systemReader = func() io.Reader {
	if !reflect.ValueOf(rand.Reader).Comparable() {
		return nil
	}
	return rand.Reader
}()

// isSystem reports whether entropy means rand.Read, which cannot fail. It does not mean the
// reader that was passed if the program has replaced rand.Reader since.
func isSystem(entropy io.Reader) bool {
	return entropy == nil || entropy == systemReader && rand.Reader == systemReader
}

// fresh returns 80 fresh bits, and prepares for the steps that follow them. The bits are never
// buffered, so that a machine that is cloned or resumed cannot repeat them.
func (r *random) fresh(reader io.Reader) (uint128, error) {
	p := r.buf[:entropySize]
	system := isSystem(reader)
	if system {
		rand.Read(p)
		if !r.seeded {
			var seed [32]byte
			rand.Read(seed[:])
			r.chacha.Seed(seed)
			r.seeded = true
		}
	} else if err := readFull(reader, p); err != nil {
		return uint128{}, err
	}
	r.system = system
	return uint128{
		hi: uint64(binary.BigEndian.Uint16(p[:2])),
		lo: binary.BigEndian.Uint64(p[2:]),
	}, nil
}

// step returns a number that is uniform in [1, maxStep], where 0 means 2³².
func (r *random) step(reader io.Reader, maxStep uint64) (uint64, error) {
	if r.system {
		return r.systemStep(maxStep), nil
	}
	switch maxStep {
	case 0:
		maxStep = 1 << 32
	case 1:
		return 1, nil
	}
	if err := readFull(reader, r.buf[:]); err != nil {
		return 0, err
	}
	return 1 + scale(binary.BigEndian.Uint64(r.buf[:8]), binary.BigEndian.Uint64(r.buf[8:]), maxStep), nil
}

// systemStep is step for the system's entropy, after fresh. It calls nothing that a program
// can replace, so it cannot fail, block or panic.
func (r *random) systemStep(maxStep uint64) uint64 {
	switch maxStep {
	case 0:
		// Both halves of a word are used. This saves a quarter of the time of Fill.
		half := r.half
		r.half = 0
		if half == 0 {
			half = r.chacha.Uint64()
			r.half = half>>32 | 1<<32
		}
		return 1 + uint64(uint32(half))
	case 1:
		return 1
	}
	return 1 + scale(r.chacha.Uint64(), r.chacha.Uint64(), maxStep)
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

// subOne returns n - 1, and wraps around.
func (n uint128) subOne() uint128 {
	lo, borrow := bits.Sub64(n.lo, 1, 0)
	return uint128{n.hi - borrow, lo}
}

// add adds step to the 80 bits of entropy, with carry. It reports false if they overflow.
func (n uint128) add(step uint64) (sum uint128, ok bool) {
	lo, carry := bits.Add64(n.lo, step, 0)
	hi := n.hi + carry
	return uint128{hi, lo}, hi>>16 == n.hi>>16
}

// setUUIDv7 sets the bits of a UUIDv7: 0111 for the version, above the first 12 random bits, and
// 10 for the variant, above the other 62.
func (n uint128) setUUIDv7() uint128 {
	return uint128{n.hi&^0xF000 | 0x7000, n.lo&^(3<<62) | 1<<63}
}

// carryUUIDv7 mends a UUIDv7 after a step of at most 2⁶² was added to it. A carry out of the 62
// bits has turned the variant into 11, and belongs to the 12 bits. If it turns the version into 8,
// they have overflowed, and it reports false.
func (n uint128) carryUUIDv7() (mended uint128, ok bool) {
	n.hi += n.lo >> 62 & 1
	n.lo &^= 1 << 62
	return n, n.hi&0x8000 == 0
}
