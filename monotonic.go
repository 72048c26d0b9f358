package ulid

// Monotonic, the specification's own source.

import (
	"cmp"
	"encoding/binary"
	"io"
	"math/bits"
	"sync"
	"time"
)

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
