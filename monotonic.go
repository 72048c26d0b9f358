package ulid

import (
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
// An ID has 48 bits of time, 16 bits of a counter and 64 random bits. The counter begins each
// millisecond at a random number from 1 to 2¹⁵. If the clock has not passed the last ID's
// millisecond, the counter goes on, and carries into the time after 2¹⁵ to 2¹⁶ IDs. With Fill,
// and without an Entropy, these are 256 times as many.
//
// A Generator must not be copied or changed after its first use. In a [testing/synctest]
// bubble, use a new one.
type Generator struct {
	// Entropy is the source of random bits. Nil means crypto/rand for the first two IDs of a
	// millisecond, and a ChaCha8 seeded by it for the others and for Fill. crypto/rand.Reader
	// means the same, unless the program has replaced it.
	//
	// Any other reader is read for 10 bytes an ID, of which the first two count only at the first
	// ID of a millisecond. This happens under a lock, so it must not call the Generator.
	Entropy io.Reader

	// Clock returns the current time. Nil means the system's. Make calls Clock once, Fill once
	// for up to 256 IDs, or for each with an Entropy, and AdvancePast once for an ID that is not
	// passed yet. A time before 1970 counts as 1970.
	Clock func() time.Time

	// UUIDv7 makes every ID a UUID of version 7 as well (RFC 9562, section 6.2, method 1), with
	// the same counter and 58 random bits.
	UUIDv7 bool

	wall func() time.Time // stands in for time.Now in the tests that set the clocks apart

	// until is the time since start up to which the clock is known not to have passed last's
	// millisecond. It is a hint, which spares reading the wall clock.
	until atomic.Int64

	// salt is the sum of all fresh bits (see fresh). The bits of later IDs are salted with it, so
	// that they differ in copies of a virtual machine, whose ChaCha8s give the same bits.
	salt atomic.Uint64

	// spare has the bits of the second ID of a millisecond, or 0 once they are taken. Often there
	// is no third ID, and on a cold cache a ChaCha8 would cost a quarter of the time of the two.
	spare atomic.Uint64

	mu  sync.Mutex        // held while Entropy is read
	buf [entropySize]byte // what Entropy writes to, here so that it is not allocated each time

	_ [64]byte // keeps last, which all calls write, off the cache line of what all read

	// last is the number of the last ID: its time and its counter, which are its upper 64 bits,
	// or with UUIDv7 those without the version and the variant. 0 means that there is none yet.
	//
	// The order of the IDs is the order in which last changed. Every call takes its number by
	// changing last once, in one atomic step, and last only increases.
	last atomic.Uint64

	_ [64]byte
}

const (
	// maxStart is the greatest counter of a first ID. It leaves half of the numbers to the others.
	maxStart = 1 << 15

	// endOfTime is the number from which on there are no IDs, a minute before MaxTime. Calls that
	// find out too late still add to last, but not 2³² times, so it never wraps.
	endOfTime = math.MaxUint64 - 1<<32

	// pieceSize is how many IDs of a Fill share a number, and a reading of the clock.
	pieceSize = 256
)

// start is the origin of the monotonic clock. time.Since(start) takes half the time of
// time.Now.
var start = time.Now()

// Make returns a new ULID. It returns [ErrBigTime] in about the last 66 seconds before [MaxTime].
// An error of Entropy comes back as it is, or as [io.ErrUnexpectedEOF] if it
// ends early. Make returns [io.ErrNoProgress] if Entropy repeatedly returns 0, nil, and an error
// without a name if it returns an impossible count.
func (g *Generator) Make() (id ULID, err error) {
	_, err = g.makeTo(&id)
	return id, err
}

// makeTo is Make with a pointer, so that Make, MakeUUIDv7 and Generator.Make can be inlined. It
// also returns the number of the ID.
func (g *Generator) makeTo(id *ULID) (number uint64, err error) {
	var elapsed time.Duration
	if g.Clock == nil && isSystem(g.Entropy) {
		elapsed = time.Since(start)
		// If until is of a testing/synctest bubble or from outside, it is decades off.
		left := time.Duration(g.until.Load()) - elapsed
		if 0 < left && left <= time.Millisecond {
			if number := g.last.Add(1); number < endOfTime {
				g.put(number, g.random(), id)
				return number, nil
			}
		}
	}
	return g.makeByClock(elapsed, id)
}

// makeByClock is makeTo with a reading of the clock. elapsed was read before, so that until is
// never too late.
func (g *Generator) makeByClock(elapsed time.Duration, id *ULID) (number uint64, err error) {
	now := g.now()
	ms := millisecond(now)
	if ms > maxTime {
		return 0, ErrBigTime
	}
	var random uint128
	system := isSystem(g.Entropy)
	if !system {
		if random, err = g.readEntropy(); err != nil {
			return 0, err
		}
	}
	for {
		last := g.last.Load()
		number = last + 1
		isFirst := last>>16 < ms || last == 0
		if isFirst {
			if system {
				random = g.fresh()
			}
			number = ms<<16 + random.hi%maxStart + 1
		}
		if number >= endOfTime {
			return 0, ErrBigTime
		}
		if g.last.CompareAndSwap(last, number) {
			if system && !isFirst {
				random.lo = g.random()
			}
			break
		}
	}
	if system && g.Clock == nil {
		// A clock of whole milliseconds, as in JavaScript, always seems to be at the start of one,
		// so nobody knows when that millisecond ends.
		if part := time.Duration(now.Nanosecond()) % time.Millisecond; part != 0 {
			g.until.Store(int64(elapsed + time.Millisecond - part))
		}
	}
	g.put(number, random.lo, id)
	return number, nil
}

// Fill is like the function [Fill]. On error every element is zero, and the IDs already made
// are lost.
func (g *Generator) Fill(ids []ULID) error {
	size := pieceSize
	if !isSystem(g.Entropy) {
		size = 1 // because Entropy supplies all random bits
	}
	for rest := ids; len(rest) > 0; {
		piece := rest[:min(size, len(rest))]
		number, err := g.makeTo(&piece[0])
		if err != nil {
			clear(ids)
			return err
		}
		if len(piece) > 1 {
			g.spread(number, piece)
		}
		rest = rest[len(piece):]
	}
	return nil
}

// spread makes IDs with one number. In place of the uppermost random bits they have their index,
// in as few bits as it needs.
func (g *Generator) spread(number uint64, ids []ULID) {
	step := uint64(1) << (64 - bits.Len(uint(len(ids)-1)))
	index, mask, salt := uint64(0), step-1, g.salt.Load()
	c := chachas.Get().(*mathrand.ChaCha8)
	for i := range ids {
		g.put(number, index|(c.Uint64()^salt)&mask, &ids[i])
		index += step
	}
	chachas.Put(c)
}

// fresh returns 80 bits from crypto/rand, never buffered, and renews the salt and the spare bits.
// It is called before last changes, so that nobody takes a later number with the old salt.
func (g *Generator) fresh() uint128 {
	var p [entropySize + 8]byte
	rand.Read(p[:])
	fresh := entropyNumber(p[:entropySize])
	g.salt.Add(fresh.lo)
	g.spare.Store(binary.BigEndian.Uint64(p[entropySize:]))
	return fresh
}

// random returns 64 random bits for a number that the caller has already taken.
func (g *Generator) random() uint64 {
	if g.spare.Load() != 0 {
		if x := g.spare.Swap(0); x != 0 {
			return x ^ g.salt.Load()
		}
	}
	c := chachas.Get().(*mathrand.ChaCha8)
	x := c.Uint64()
	chachas.Put(c)
	return x ^ g.salt.Load()
}

// readEntropy reads the bits of an ID from Entropy.
func (g *Generator) readEntropy() (uint128, error) {
	g.mu.Lock()
	defer g.mu.Unlock() // Entropy may panic
	return entropyFrom(g.Entropy, g.buf[:])
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

// millisecond returns the timestamp for a reading of the clock, or more than maxTime.
func millisecond(now time.Time) uint64 {
	seconds := now.Unix()
	if seconds < 0 {
		return 0
	}
	const late = 1 << 40 // past MaxTime
	return uint64(min(seconds, late))*1000 + uint64(now.Nanosecond())/1e6
}

// put writes the ID with the given number and random bits:
//
//	        hi: 48 bits                     16    lo: 2               4        58
//	ULID           time                counter                    random
//	UUIDv7         time    0111, 12 of counter       10    4 of counter    random
func (g *Generator) put(number, random uint64, id *ULID) {
	n := uint128{number, random}
	if g.UUIDv7 {
		n.hi = number&^0xFFFF | 7<<12 | number&0xFFFF>>4
		n.lo = 2<<62 | number&15<<58 | random>>6
	}
	n.put(id)
}

// AdvancePast makes g continue after id: once it has returned nil, every call of g.Make or g.Fill
// that begins later returns only IDs greater than id, even if the clock is behind id. It does not
// affect the functions [Make] and [Fill], or other Generators. Call it with the last stored ID
// when a process restarts, or with the ID of each message that the process receives.
//
// A Generator never goes back, so an id from a wrong clock would give its time to all IDs until
// the clock has caught up. If the timestamp of id is more than limit ahead of the clock,
// AdvancePast therefore returns [ErrAhead], its only error, and g does not change. A minute is
// a good limit among clocks that are synchronized. A limit is rounded down to whole
// milliseconds; 0 accepts every id up to the clock's millisecond, and [math.MaxInt64] every id.
// If g has already returned or advanced past id, or a greater ID, AdvancePast returns nil whatever
// the limit.
//
// If the clock has not passed the millisecond of id when the next ID is made, the counter goes
// on 1 to 256 above that of id, at random, so that several processes can advance past the same
// id. With an Entropy it goes on at the next number. In about the last 66 seconds before
// [MaxTime] there is none, and Make returns [ErrBigTime].
func (g *Generator) AdvancePast(id ULID, limit time.Duration) error {
	number, ok := g.numberFor(id)
	number = min(number, endOfTime)
	if !ok || number <= g.last.Load() {
		return nil
	}
	isAhead := isAhead(id.Time(), g.now(), limit)
	for {
		last := g.last.Load()
		if number <= last {
			return nil
		}
		if isAhead {
			return ErrAhead
		}
		next := number
		if isSystem(g.Entropy) {
			next += g.fresh().hi % 256
		}
		if g.last.CompareAndSwap(last, next) {
			return nil
		}
	}
}

// numberFor returns the greatest number whose IDs can be at most id, which with UUIDv7 need not
// be one of them. It reports false if all IDs are greater.
func (g *Generator) numberFor(id ULID) (number uint64, ok bool) {
	number = id.uint128().hi
	if !g.UUIDv7 {
		return number, true
	}
	first, version := number&^0xFFFF, id[6]>>4
	switch {
	case version > 7: // above all UUIDv7s of its millisecond
		return first | 0xFFFF, true
	case version < 7: // below them
		return first - 1, first > 0
	}
	first, variant := first|number&0xFFF<<4, id[8]>>6
	switch {
	case variant > 2: // above all that have the same 12 bits after the version
		return first | 15, true
	case variant < 2: // below them
		return first - 1, first > 0
	}
	return first | uint64(id[8]>>2&15), true
}

// isAhead reports whether a timestamp is more than limit ahead of the clock.
func isAhead(ms uint64, now time.Time, limit time.Duration) bool {
	if limit == math.MaxInt64 {
		return false // not even if it is 292 years ahead
	}
	ahead := int64(ms) - int64(millisecond(now))
	most := limit.Milliseconds()
	if limit%time.Millisecond < 0 {
		most-- // rounded down
	}
	return ahead > most
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

	chacha *mathrand.ChaCha8 // of the system's steps; nil before the first of them
	buf    [16]byte          // what Reader writes to, here so that it is not allocated each time
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
func (m *MonotonicEntropy) next(ms uint64) (next uint128, err error) {
	m.mu.Lock()
	defer m.mu.Unlock() // Reader may panic
	if !m.started || ms != m.ms {
		next, err = m.fresh()
	} else {
		next, err = m.increment()
	}
	if err != nil {
		return uint128{}, err
	}
	m.started, m.ms, m.last, m.full = true, ms, next, false
	return next, nil
}

// fresh returns 80 random bits.
func (m *MonotonicEntropy) fresh() (uint128, error) {
	if isSystem(m.Reader) {
		return systemEntropy(), nil
	}
	return entropyFrom(m.Reader, m.buf[:entropySize])
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
	if sum.ms() != 0 { // the time's bits, which are not in last
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
	if isSystem(m.Reader) {
		if m.chacha == nil {
			m.chacha = newChaCha8()
		}
		return scale(m.chacha.Uint64(), m.chacha.Uint64(), inc) + 1, nil
	}
	if err := readFull(m.Reader, m.buf[:]); err != nil {
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

func (n uint128) ms() uint64 { return n.hi >> 16 }

// add returns n + m, and wraps around.
func (n uint128) add(m uint64) uint128 {
	lo, carry := bits.Add64(n.lo, m, 0)
	return uint128{n.hi + carry, lo}
}
