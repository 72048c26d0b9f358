package ulid

import (
	"crypto/rand"
	"encoding/binary"
	"io"
	"math/bits"
	mathrand "math/rand/v2"
	"sync"
	"time"
)

// A Generator makes ULIDs with the current time, each greater than the one before. Its
// zero value is ready to use and makes what [Make] does. Give each goroutine a Generator
// of its own where making IDs must scale with the number of cores and order need hold
// within the goroutine only; set a field where IDs must be reproducible, denser, or
// continue after a restart.
//
// The IDs of one Generator are always strictly increasing, in whichever goroutine they are
// made: when the clock has not moved past the millisecond of the last ID, be it that it
// stands, was set back, or another goroutine came first, the entropy of the last ID is
// incremented; when that would overflow 80 bits, the timestamp moves one millisecond
// ahead, with fresh random bits.
//
// A Generator may be used by several goroutines at once. The fields must be set before the
// first use and not be changed after it, and a Generator must not be copied.
type Generator struct {
	// Entropy is the source of all random bits: 10 bytes for the first ID of a
	// millisecond and 16 for each step, or none if MaxStep is 1. It is read under the lock
	// of the Generator.
	//
	// If it is nil or [crypto/rand.Reader], the 10 bytes come straight from crypto/rand,
	// and the steps from a ChaCha8 that crypto/rand seeded. What a program puts in the place
	// of crypto/rand.Reader is used too, where Entropy is nil through [crypto/rand.Read],
	// which ends the process if it fails.
	Entropy io.Reader

	// Clock returns the current time; nil means [time.Now]. It may be called by several
	// goroutines at once if the Generator is. A time before 1970 counts as 1970.
	Clock func() time.Time

	// MaxStep is the greatest step between two IDs of the same millisecond; the steps
	// are uniform in [1, MaxStep]. 0 means 2³², which makes neighbours hard to guess; 1 is
	// the increment of the ULID specification.
	MaxStep uint64

	// After is a floor: if it is not zero, every ID is greater. A process that is
	// started again sets it to the last ID it has stored.
	After ULID

	// UUIDv7 makes every ID a UUID of version 7 as well (RFC 9562, section 5.7), which UUID
	// tools accept. Its version and variant take 6 of the 80 random bits. The steps carry
	// over them, the RFC's "Monotonic Random" (section 6.2, method 2); a MaxStep above 2⁶²
	// counts as 2⁶². After may be a plain ULID; the first ID then stands in a later
	// millisecond than After.
	UUIDv7 bool

	// wall stands in for time.Now in the tests that set the wall clock and the monotonic
	// clock apart.
	wall func() time.Time

	// What every ID reads and writes stands together: goroutines on several cores then
	// hand fewer cache lines to and fro.

	mu sync.Mutex

	// While the monotonic clock is less than window past opened, the wall clock stands in
	// the millisecond in which it was last read, and need not be read again. The window
	// stays shut if the Clock or the Entropy is the caller's.
	opened, window time.Duration // since start

	last    uint128 // the last ID made
	random  random
	started bool // last is an ID that was made
}

// start is the origin of the monotonic clock: time.Since(start) takes half of the time of
// time.Now.
var start = time.Now()

// New returns a new ULID, greater than all that the Generator has returned before, and
// than After.
//
// The error is that of Entropy: [io.EOF] or [io.ErrUnexpectedEOF] if it ended early,
// [io.ErrNoProgress] if it kept returning nothing; or [ErrBigTime] past the year 10889, or
// when no ULID greater than After is left. With an error the ULID is zero and the Generator
// as it was.
func (g *Generator) New() (id ULID, err error) {
	err = g.next(&id)
	return id, err
}

// Fill sets every element of ids to a new ULID, in increasing order, with one reading of
// the clock and one lock. The errors are those of [Generator.New]; with an error every
// element is zero and the Generator as it was.
func (g *Generator) Fill(ids []ULID) error {
	now := g.now()
	g.mu.Lock()
	defer g.mu.Unlock()
	started, before := g.started, g.last
	for rest := ids; len(rest) > 0; {
		if err := g.advance(now); err != nil {
			g.started, g.last = started, before
			clear(ids)
			return err
		}
		g.last.put(&rest[0])
		rest = rest[1:]
		if !isSystem(g.Entropy) {
			continue
		}
		// The others, until the entropy overflows. The local variable saves a tenth.
		last := g.last
		for next := last; len(rest) > 0 && g.add(&next, g.random.quickStep(g.maxStep())); {
			last = next
			last.put(&rest[0])
			rest = rest[1:]
		}
		g.last = last
	}
	return nil
}

// next is New, with a pointer so that New and Make can be inlined: returning a ULID through
// two functions costs a tenth of the time of Make.
//
// It is the quick path, one straight function, for an ID of the millisecond in which the
// clock was last read.
func (g *Generator) next(id *ULID) error {
	// Outside the lock, where others need not wait for it. A goroutine that is overtaken
	// between here and the lock finds the window of a later time, and reads the clock.
	elapsed := time.Since(start)
	g.mu.Lock()
	last := g.last
	// Unsigned, so that a clock behind opened is outside the window too: such as that
	// of a testing/synctest bubble, which stands in the year 2000.
	if uint64(elapsed-g.opened) < uint64(g.window) && g.add(&last, g.random.quickStep(g.maxStep())) {
		g.last = last
		g.mu.Unlock()
		last.put(id)
		return nil
	}
	g.mu.Unlock()
	return g.nextByClock(id, elapsed)
}

// nextByClock is next when the wall clock must be read, elapsed after start or later.
func (g *Generator) nextByClock(id *ULID, elapsed time.Duration) error {
	now := g.now()
	g.mu.Lock()
	defer g.mu.Unlock() // whatever Entropy does
	if err := g.advance(now); err != nil {
		return err
	}
	g.last.put(id)
	if g.Clock == nil && isSystem(g.Entropy) {
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

// advance moves last to the next ID for a reading of the clock. With an error it has
// changed nothing.
func (g *Generator) advance(now time.Time) error {
	clock := unixMilli(now)
	if clock > maxTime {
		return ErrBigTime
	}
	ms := uint64(max(clock, 0))

	last, ordered := g.last, g.started
	if !g.started && !g.After.IsZero() {
		last, ordered = g.After.uint128(), true
		if g.UUIDv7 && !g.After.IsUUIDv7() {
			// The last UUIDv7 of its millisecond overflows, as nothing less would be
			// sure to lead above After.
			last.hi |= 0xFFFF
			last.lo = 1<<64 - 1
			last.setUUIDv7()
		}
	}
	if ordered && ms <= last.ms() {
		step, err := g.random.step(g.Entropy, g.maxStep())
		if err != nil {
			return err
		}
		if g.add(&last, step) {
			g.last, g.started = last, true
			return nil
		}
		ms = last.ms() + 1
		if ms > maxTime {
			return ErrBigTime
		}
	}
	fresh, err := g.random.entropy(g.Entropy)
	if err != nil {
		return err
	}
	fresh.hi |= ms << 16
	if g.UUIDv7 {
		fresh.setUUIDv7()
	}
	g.last, g.started = fresh, true
	return nil
}

// add adds step to the random bits of n, with carry, and reports whether they did not overflow.
// If they did, of n the time alone is still good.
func (g *Generator) add(n *uint128, step uint64) bool {
	return n.add(step) && (!g.UUIDv7 || n.carryUUIDv7())
}

// maxStep is MaxStep, no greater than carryUUIDv7 can take.
func (g *Generator) maxStep() uint64 {
	if g.UUIDv7 {
		return min(g.MaxStep, 1<<62)
	}
	return g.MaxStep
}

// A MonotonicReader is a source of entropy that knows for which millisecond it is read.
// [New] calls MonotonicRead, instead of Read, with a p of 10 bytes; what it writes there
// should grow from call to call while ms stays the same.
type MonotonicReader interface {
	io.Reader
	MonotonicRead(ms uint64, p []byte) error
}

// MonotonicEntropy is the monotonic source of entropy of the ULID specification, for a
// caller who owns the clock and calls [New]. Its zero value is Monotonic(nil, 0). It may
// be used by several goroutines at once, and must not be copied.
type MonotonicEntropy struct {
	mu      sync.Mutex
	reader  io.Reader
	maxStep uint64
	started bool    // a flag of its own, since zero entropy is a value like any other
	ms      uint64  // of the last read
	last    uint128 // the 80 bits of the last read; those above are zero
	full    bool    // last could not be incremented, and is not to be until ms changes
	random  random
}

// Monotonic returns a source that reads 10 bytes from entropy for the first ULID of a
// millisecond, and for each further one of the same millisecond increments the 80 bits,
// with carry, by a step that is uniform in [1, inc]. An inc of 0 means 2³²; 1 is the
// increment of the specification.
//
// If entropy is nil or [crypto/rand.Reader], the 10 bytes come straight from crypto/rand,
// and the steps from a ChaCha8 that crypto/rand seeded. Any other reader also gives 16
// bytes for each step, unless inc is 1.
func Monotonic(entropy io.Reader, inc uint64) *MonotonicEntropy {
	return &MonotonicEntropy{reader: entropy, maxStep: inc}
}

// MonotonicRead writes the entropy for a ULID of the given millisecond to p, which must be
// 10 bytes long, or else the error is [ErrBufferSize].
//
// When the 80 bits cannot take the next step, the error is [ErrMonotonicOverflow], and
// stays so until ms changes. Any other error is that of the reader. With an error p and the
// source are as they were.
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

// Read reads from the underlying reader; what it returns is not monotonic.
func (m *MonotonicEntropy) Read(p []byte) (int, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if isSystem(m.reader) {
		return rand.Read(p)
	}
	return m.reader.Read(p)
}

// next returns the 80 bits for a ULID of the given millisecond.
func (m *MonotonicEntropy) next(ms uint64) (uint128, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.started && ms == m.ms {
		if m.full {
			return uint128{}, ErrMonotonicOverflow
		}
		step, err := m.random.step(m.reader, m.maxStep)
		if err != nil {
			return uint128{}, err
		}
		if !m.last.add(step) {
			m.full = true
			return uint128{}, ErrMonotonicOverflow
		}
		return m.last, nil
	}
	fresh, err := m.random.entropy(m.reader)
	if err != nil {
		return uint128{}, err
	}
	m.started, m.ms, m.last, m.full = true, ms, fresh, false
	return fresh, nil
}

// random draws the random bits of a Generator or a MonotonicEntropy: from the caller's
// reader, or from the system if it has none.
type random struct {
	half   uint64 // the unused half of a word of chacha, marked by bit 32; or 0
	seeded bool
	chacha mathrand.ChaCha8
	buf    [16]byte // what a reader writes to, here so that it is not allocated each time
}

// systemReader is crypto/rand.Reader as the program starts. What a test puts in its place may
// fail, so it is a reader like any other.
var systemReader = rand.Reader

// isSystem reports whether entropy is that of the system, which cannot fail.
func isSystem(entropy io.Reader) bool { return entropy == nil || entropy == systemReader }

// entropy returns 80 fresh bits. They are never buffered, so that a machine that is cloned or
// resumed cannot repeat them, once its clock has passed the last ID.
func (r *random) entropy(reader io.Reader) (uint128, error) {
	p := r.buf[:entropySize]
	if isSystem(reader) {
		rand.Read(p)
	} else if err := readFull(reader, p); err != nil {
		return uint128{}, err
	}
	return uint128{
		hi: uint64(binary.BigEndian.Uint16(p[:2])),
		lo: binary.BigEndian.Uint64(p[2:]),
	}, nil
}

// step returns a number that is uniform in [1, maxStep], where 0 means 2³².
func (r *random) step(reader io.Reader, maxStep uint64) (uint64, error) {
	switch {
	case isSystem(reader):
		return r.quickStep(maxStep), nil
	case maxStep == 0:
		maxStep = 1 << 32
	case maxStep == 1:
		return 1, nil
	}
	if err := readFull(reader, r.buf[:]); err != nil {
		return 0, err
	}
	return 1 + scale(binary.BigEndian.Uint64(r.buf[:8]), binary.BigEndian.Uint64(r.buf[8:]), maxStep), nil
}

// quickStep is step for the system's entropy, which cannot fail.
func (r *random) quickStep(maxStep uint64) uint64 {
	if maxStep == 1 {
		return 1
	}
	if !r.seeded {
		var seed [32]byte
		rand.Read(seed[:])
		r.chacha.Seed(seed)
		r.seeded = true
	}
	if maxStep != 0 {
		return 1 + scale(r.chacha.Uint64(), r.chacha.Uint64(), maxStep)
	}
	// Both halves of a word are used: this saves a quarter of the time of Fill.
	half := r.half
	r.half = 0
	if half == 0 {
		half = r.chacha.Uint64()
		r.half = half>>32 | 1<<32
	}
	return 1 + uint64(uint32(half))
}

// scale maps the 128 random bits of hi and lo to [0, n): they are a binary fraction, and the
// result is the whole part of n times it. No value is more likely than another by more than
// 2⁻⁶⁴, and nothing is rejected, so a reader that repeats itself for ever cannot hold it up.
func scale(hi, lo, n uint64) uint64 {
	whole, fraction := bits.Mul64(hi, n)
	low, _ := bits.Mul64(lo, n)
	_, carry := bits.Add64(fraction, low, 0)
	return whole + carry
}

// readFull is io.ReadFull for readers that may be broken: it gives up with io.ErrNoProgress
// on one that keeps returning nothing, and believes no impossible count.
func readFull(r io.Reader, p []byte) error {
	const maxEmpty = 100
	size, empty := len(p), 0
	for len(p) > 0 {
		n, err := r.Read(p)
		p = p[min(max(n, 0), len(p)):]
		switch {
		case len(p) == 0:
		case err == io.EOF && len(p) < size:
			return io.ErrUnexpectedEOF
		case err != nil:
			return err
		case n <= 0:
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

// add adds step to the 80 bits of entropy, with carry. If they overflow it reports false and
// changes nothing.
func (n *uint128) add(step uint64) bool {
	lo, carry := bits.Add64(n.lo, step, 0)
	hi := n.hi + carry
	if hi>>16 != n.hi>>16 {
		return false
	}
	n.hi, n.lo = hi, lo
	return true
}

// setUUIDv7 sets the bits of a UUIDv7: 0111 for the version, above the first 12 random bits, and
// 10 for the variant, above the other 62.
func (n *uint128) setUUIDv7() {
	n.hi = n.hi&^0xF000 | 0x7000
	n.lo = n.lo&^(3<<62) | 1<<63
}

// carryUUIDv7 mends a UUIDv7 after a step of at most 2⁶² was added to it: a carry out of the 62
// bits has turned the variant into 11, and belongs to the 12 bits. If it turns the version into 8,
// they have overflowed, and it reports false.
func (n *uint128) carryUUIDv7() bool {
	n.hi += n.lo >> 62 & 1
	n.lo &^= 1 << 62
	return n.hi&0x8000 == 0
}
