package ulid

import (
	"crypto/rand"
	"encoding/binary"
	"errors"
	"io"
	"math/bits"
	mathrand "math/rand/v2"
	"reflect"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// A Generator makes ULIDs with the current time. Each is greater than every ID that the
// Generator returned, in any goroutine, before the call began. The zero value works like
// [Make], but its IDs are ordered among themselves, not with those of Make. Use one Generator
// per goroutine to scale across cores, if order matters only within each.
//
// If the clock has not passed the last ID's millisecond, the next ID is the last one plus a
// random step (see MaxStep). If that overflows the random bits, the timestamp moves one
// millisecond ahead and the bits are drawn anew.
//
// A Generator must not be copied or changed after its first use. In a [testing/synctest]
// bubble, use a new one.
type Generator struct {
	// Entropy is the source of random bits. Nil means crypto/rand for the first ID of a
	// millisecond, and a ChaCha8 seeded by it for the steps. [crypto/rand.Reader] means the
	// same, unless the program has assigned another reader to it.
	//
	// Any other reader is read for 10 bytes at the first ID of a millisecond, and for 16 at each
	// step unless MaxStep is 1. This happens under a lock, so it must not call the Generator.
	Entropy io.Reader

	// Clock returns the current time. Nil means the system's. Make calls Clock once, and Fill
	// more often for a long slice. A time before 1970 counts as 1970.
	Clock func() time.Time

	// MaxStep is the greatest step. Steps between IDs of one millisecond are uniform in [1,
	// MaxStep]. 0 means 2³², which makes neighbors hard to guess. 1 is the increment of the
	// specification.
	MaxStep uint32

	// If After is not zero, every ID is from a later millisecond. Set it to the last stored ID
	// when a process restarts; several processes may use the same one. Check that it is not far
	// in the future, because all IDs would be too.
	After ULID

	// UUIDv7 makes every ID a UUID of version 7 as well (RFC 9562, section 6.2, method 2),
	// with 74 random bits.
	UUIDv7 bool

	// wall stands in for time.Now in the tests that set the wall clock and the monotonic
	// clock apart.
	wall func() time.Time

	// epoch gives IDs without the lock. It is nil after a first ID that opened none (see slow),
	// and in a millisecond that can have none (see open).
	epoch atomic.Pointer[epoch]

	mu      sync.Mutex // guards what follows, and opening and shutting epochs
	last    uint128    // the last ID, if epoch is nil
	random  random
	started bool // last is set
}

// An epoch is a run of IDs that goroutines take side by side, without a lock: each adds its steps
// to taken, and the sum says how far its IDs lie above first. Nobody waits, and a goroutine that
// loses its processor holds up no other.
//
// The order holds because an epoch is shut before the next one opens, and the next one begins
// above all that was taken. A late goroutine adds to taken as well, but sees from the sum that
// the epoch is shut, and takes the lock instead. Nothing overflows in an epoch.
type epoch struct {
	until time.Duration // the time since start when the wall clock must be reread; unused with a Clock
	first uint128       // the ID that opened the epoch; those taken from it are greater
	_     [64]byte      // keeps taken, which all write, off the cache line of what all read
	taken atomic.Uint64 // the sum of all steps; from shut/2 on nothing can be taken
}

// shut is the sum that shuts an epoch. A goroutine that gets half of it or more takes the lock,
// which leaves room for what late goroutines add. If a Clock stands still, its epoch is used up
// after at least 2²⁹ IDs, and another follows.
const shut = 1 << 62

// start is the origin of the monotonic clock. time.Since(start) takes half the time of
// time.Now.
var start = time.Now()

// Make returns a new ULID. The error is [ErrBigTime] if the next ID would be past [MaxTime].
// Otherwise it is the error of Entropy, [io.ErrUnexpectedEOF] or [io.ErrNoProgress].
func (g *Generator) Make() (id ULID, err error) {
	err = g.next(&id)
	return id, err
}

// Fill is like the function [Fill]. On error every element is zero, and the IDs already made
// are lost.
func (g *Generator) Fill(ids []ULID) error {
	for rest := ids; len(rest) > 0; {
		n, err := g.fill(rest[:min(pieceSize, len(rest))])
		if err != nil {
			clear(ids)
			return err
		}
		rest = rest[n:]
	}
	return nil
}

// Fill makes pieceSize IDs for one reading of the clock: so many that the clock costs next to
// nothing, and so few that their time is right. Without an epoch it makes lockedSize, because
// others wait while it reads the caller's Entropy.
const (
	pieceSize  = 1024
	lockedSize = 16
)

// fill makes the first n of ids, at least one, for one reading of the clock.
func (g *Generator) fill(ids []ULID) (n int, err error) {
	var now time.Time
	if g.Clock != nil {
		now = g.Clock()
	}
	if e := g.epoch.Load(); e != nil && g.lasts(e, now) && g.take(e, ids) {
		return len(ids), nil
	}
	return g.slow(ids, now)
}

// next is Make with a pointer, so that both functions Make can be inlined. It is fill for one
// ID, without the calls and loops.
func (g *Generator) next(id *ULID) error {
	var now time.Time
	if g.Clock != nil {
		now = g.Clock()
	}
	if e := g.epoch.Load(); e != nil && g.lasts(e, now) {
		s := steppers.Get().(*stepper)
		step := s.step(uint64(g.MaxStep))
		steppers.Put(s)
		if taken := e.taken.Add(step); taken < shut/2 {
			n, _ := g.increment(e.first, taken)
			n.put(id)
			return nil
		}
	}
	var ids [1]ULID
	if _, err := g.slow(ids[:], now); err != nil {
		return err
	}
	*id = ids[0]
	return nil
}

// lasts reports whether the clock is still at or before the millisecond of e.
func (g *Generator) lasts(e *epoch, now time.Time) bool {
	if g.Clock != nil {
		return millisecond(now) <= e.first.ms()
	}
	// The clock of a testing/synctest bubble is decades off, so inside a bubble an epoch from
	// outside, or outside one from inside, seems to be long over, or to last for decades.
	left := e.until - time.Since(start)
	return 0 < left && left <= time.Millisecond
}

// take makes ids from e, by a single addition. It reports false if e is shut or used up.
func (g *Generator) take(e *epoch, ids []ULID) bool {
	// Where these IDs begin is known only after the addition, so until then ids hold their
	// distances from there.
	sum := uint64(0)
	s := steppers.Get().(*stepper)
	rest := ids
	if g.MaxStep == 0 {
		if s.half != 0 && len(rest) > 0 {
			sum = s.step(0)
			binary.NativeEndian.PutUint64(rest[0][:], sum)
			rest = rest[1:]
		}
		for len(rest) >= 2 {
			word := s.chacha.Uint64() // both halves at once, which is faster than one by one
			sum += 1 + uint64(uint32(word))
			binary.NativeEndian.PutUint64(rest[0][:], sum)
			sum += 1 + word>>32
			binary.NativeEndian.PutUint64(rest[1][:], sum)
			rest = rest[2:]
		}
	}
	for i := range rest {
		sum += s.step(uint64(g.MaxStep))
		binary.NativeEndian.PutUint64(rest[i][:], sum)
	}
	steppers.Put(s)
	taken := e.taken.Add(sum)
	if taken >= shut/2 {
		clear(ids)
		return false
	}
	for i := range ids {
		n, _ := g.increment(e.first, taken-sum+binary.NativeEndian.Uint64(ids[i][:]))
		n.put(&ids[i])
	}
	return true
}

// slow is fill under the lock. It shuts the epoch, makes the first ID by the clock, and opens
// another epoch if more are likely.
func (g *Generator) slow(ids []ULID, now time.Time) (n int, err error) {
	g.mu.Lock()
	defer g.mu.Unlock() // Entropy may panic
	if e := g.epoch.Load(); e != nil && g.lasts(e, now) && g.take(e, ids) {
		return len(ids), nil // another goroutine had the lock before, and opened e
	}
	var elapsed time.Duration
	if g.Clock == nil {
		if isSystem(g.Entropy) {
			elapsed = time.Since(start) // before the wall clock, so that until is never too late
		}
		now = g.wallClock()
	}
	taken := uint64(0)
	if e := g.epoch.Load(); e != nil {
		taken = e.taken.Swap(shut)
		g.last, _ = g.increment(e.first, taken)
		g.epoch.Store(nil)
	}
	before := g.last.ms()
	if err := g.advance(now); err != nil {
		return 0, err
	}
	g.last.put(&ids[0])
	// An epoch costs an allocation, so the first ID of a millisecond opens one only if its call
	// makes more, or if IDs were taken from the epoch before.
	if len(ids) > 1 || taken > 0 || g.last.ms() == before {
		if g.open(elapsed, now, ids[1:]) {
			return len(ids), nil
		}
	}
	for n = 1; n < min(len(ids), lockedSize); n++ {
		if err := g.advance(now); err != nil {
			return 0, err
		}
		g.last.put(&ids[n])
	}
	return n, nil
}

// open opens an epoch after last, and takes rest from it. It reports false if there can be none.
func (g *Generator) open(elapsed time.Duration, now time.Time, rest []ULID) bool {
	// Steps come from where the first bits did. If the program has replaced crypto/rand.Reader
	// since, elapsed was not read.
	if !g.random.system || !isSystem(g.Entropy) {
		return false
	}
	// An epoch must not overflow, so one millisecond in 2¹⁸ has none, and with UUIDv7 one in 2¹².
	if _, ok := g.increment(g.last, shut); !ok {
		return false
	}
	part := time.Duration(now.Nanosecond()) % time.Millisecond
	if part != 0 || g.Clock != nil {
		e := &epoch{until: elapsed + time.Millisecond - part, first: g.last}
		g.take(e, rest) // while nobody else can use it up
		g.epoch.Store(e)
	} else if len(rest) > 0 {
		// A clock of whole milliseconds, as in JavaScript, always seems to be at the start of
		// one, so nobody knows when that millisecond ends. The epoch serves only rest.
		e := epoch{first: g.last}
		g.take(&e, rest)
		g.last, _ = g.increment(e.first, e.taken.Load())
	}
	return true
}

func (g *Generator) wallClock() time.Time {
	if g.wall != nil {
		return g.wall()
	}
	return time.Now()
}

// advance moves last to the next ID for a reading of the clock. On error no ID was made.
func (g *Generator) advance(now time.Time) error {
	ms := millisecond(now)
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
		// Not by a step: Generators with the same After would produce the same sequence.
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

// millisecond returns the timestamp for a reading of the clock.
func millisecond(now time.Time) uint64 {
	if now.Unix() < 0 {
		return 0
	}
	return Timestamp(now)
}

// increment adds step to the random bits of n, with carry. It reports false if they overflow.
func (g *Generator) increment(n uint128, step uint64) (next uint128, ok bool) {
	next, ok = n.add(step)
	if g.UUIDv7 {
		next, ok = next.carryUUIDv7()
	}
	return next, ok
}

// A MonotonicReader is a source of entropy that increases within a millisecond. [New] calls
// its MonotonicRead, with the timestamp and a 10-byte p, instead of Read.
type MonotonicReader interface {
	io.Reader
	MonotonicRead(ms uint64, p []byte) error
}

// MonotonicEntropy is the monotonic source of entropy of the ULID specification, for [New].
// The zero value is ready to use, as Monotonic(nil, 0) is. It must not be copied after its
// first use.
type MonotonicEntropy struct {
	// Reader is the source of random bits, as in [Monotonic]. It must not be changed after the
	// first use, nor call the MonotonicEntropy.
	Reader io.Reader

	inc     uint64 // the greatest step
	mu      sync.Mutex
	started bool    // not last != 0: entropy may be zero
	ms      uint64  // of the last read
	last    uint128 // the 80 bits of the last read; those above are zero
	full    bool    // the last step overflowed; stays so until ms changes
	random  random
}

// Monotonic returns a source that reads 10 bytes from entropy when ms changes, and otherwise
// adds a step to them. Each step reads 16 bytes and is uniform in [1, inc]. An inc of 0 means
// 2³². With an inc of 1, as the specification has it, a step reads nothing. After an overflow
// every call returns [ErrMonotonicOverflow] until ms changes.
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
	system bool     // whether the last fresh bits came from the system, as steps then do
	buf    [16]byte // what a reader writes to, here so that it is not allocated each time
}

// A stepper draws steps from a ChaCha8 that crypto/rand has seeded.
type stepper struct {
	half   uint64 // the unused half of a word of chacha, with bit 32 set; 0 if there is none
	chacha mathrand.ChaCha8
}

// steppers holds about one stepper for each processor, so that goroutines draw side by side.
var steppers = sync.Pool{New: func() any {
	var seed [32]byte
	rand.Read(seed[:])
	s := new(stepper)
	s.chacha.Seed(seed)
	return s
}}

// systemReader is crypto/rand.Reader as the program starts, or nil if a package that was
// initialized earlier has already replaced it.
var systemReader = ifSystem(rand.Reader)

// ifSystem returns r if its type is one of Go's own, and otherwise nil, because only such a reader
// is sure to be comparable and never to fail.
func ifSystem(r io.Reader) io.Reader {
	t := reflect.TypeOf(r)
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if !strings.HasPrefix(t.PkgPath(), "crypto/") {
		return nil
	}
	return r
}

// isSystem reports whether entropy means rand.Read, which cannot fail: nil does, and the original
// rand.Reader as long as the program has not replaced it.
func isSystem(entropy io.Reader) bool {
	return entropy == nil || entropy == systemReader && rand.Reader == systemReader
}

// fresh returns 80 fresh bits. They are never buffered, so that a machine that is cloned or
// resumed cannot repeat them.
func (r *random) fresh(reader io.Reader) (uint128, error) {
	p := r.buf[:entropySize]
	system := isSystem(reader)
	if system {
		rand.Read(p)
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
	if maxStep == 1 {
		return 1, nil
	}
	if r.system {
		s := steppers.Get().(*stepper)
		step := s.step(maxStep)
		steppers.Put(s)
		return step, nil
	}
	if maxStep == 0 {
		maxStep = 1 << 32
	}
	if err := readFull(reader, r.buf[:]); err != nil {
		return 0, err
	}
	return 1 + scale(binary.BigEndian.Uint64(r.buf[:8]), binary.BigEndian.Uint64(r.buf[8:]), maxStep), nil
}

// step returns a number that is uniform in [1, maxStep], where 0 means 2³².
func (s *stepper) step(maxStep uint64) uint64 {
	switch maxStep {
	case 0:
		// Both halves of a word are used, because drawing a word is what costs time.
		half := s.half
		s.half = 0
		if half == 0 {
			half = s.chacha.Uint64()
			s.half = half>>32 | 1<<32
		}
		return 1 + uint64(uint32(half))
	case 1:
		return 1
	}
	return 1 + scale(s.chacha.Uint64(), s.chacha.Uint64(), maxStep)
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

// carryUUIDv7 mends a UUIDv7 after at most 2⁶² was added to it. A carry out of the 62
// bits has turned the variant into 11, and belongs to the 12 bits. If it turns the version into 8,
// they have overflowed, and it reports false.
func (n uint128) carryUUIDv7() (mended uint128, ok bool) {
	n.hi += n.lo >> 62 & 1
	n.lo &^= 1 << 62
	return n, n.hi&0x8000 == 0
}
