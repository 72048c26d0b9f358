package ulid

import (
	"bufio"
	"crypto/rand"
	"encoding/binary"
	"io"
	"math"
	"math/bits"
	"sync"
)

// A MonotonicReader is a source of entropy that increases within a millisecond. [New] calls its MonotonicRead instead
// of Read, with 10 bytes for p.
type MonotonicReader interface {
	io.Reader
	MonotonicRead(ms uint64, p []byte) error
}

// defaultStep is the greatest step of a source that does not say another.
const defaultStep = math.MaxUint32

// defaultEntropy is what DefaultEntropy returns, of the same type as in oklog/ulid.
var defaultEntropy = &LockedMonotonicReader{MonotonicReader: new(recent)}

// DefaultEntropy returns a [LockedMonotonicReader] that the process shares. The IDs of a millisecond increase in all
// goroutines, also if some of them read the clock up to 255 milliseconds before they call [New].
func DefaultEntropy() io.Reader { return defaultEntropy }

// recent has a source for each of the last 256 milliseconds, so that a call which is late by some of them does not
// begin a millisecond anew.
type recent [256]MonotonicEntropy

func (r *recent) MonotonicRead(ms uint64, p []byte) error {
	m := &r[ms%uint64(len(r))]
	m.inc = defaultStep
	return m.MonotonicRead(ms, p)
}

func (r *recent) Read(p []byte) (int, error) { return rand.Read(p) }

// LockedMonotonicReader calls a MonotonicReader's MonotonicRead under a mutex. A [MonotonicEntropy] needs none.
type LockedMonotonicReader struct {
	mu sync.Mutex
	MonotonicReader
}

// MonotonicRead calls the MonotonicReader's MonotonicRead under the mutex.
func (r *LockedMonotonicReader) MonotonicRead(ms uint64, p []byte) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.MonotonicReader.MonotonicRead(ms, p)
}

// MonotonicEntropy is a source of entropy that increases within a millisecond. [Monotonic] returns one.
// A nil Reader means crypto/rand.
//
// Several goroutines may call MonotonicRead, as [New] does, but not Read.
type MonotonicEntropy struct {
	io.Reader
	random mathRand // what Reader reads from, if it is one
	inc    uint64   // the greatest step; 0 means 1

	mu     sync.Mutex
	ms     uint64  // of the last read
	hi, lo uint64  // the 80 bits of the last read, of which hi has 16; zero before the first
	buf    [8]byte // a step, here so that it is not allocated each time
}

// A mathRand is a math/rand.Rand, which oklog/ulid asks for steps instead of reading them.
type mathRand interface{ Int63n(n int64) int64 }

// Monotonic returns a source for [New]. For the first ID of a millisecond it reads 10 bytes from entropy, which are
// those of crypto/rand if entropy is nil. For each later ID it adds a random step from 1 to inc, or to 2³²-1 if inc is
// 0. If the sum needs more than 80 bits, New returns [ErrMonotonicOverflow]. With a seeded entropy the IDs are those of
// oklog/ulid.
func Monotonic(entropy io.Reader, inc uint64) *MonotonicEntropy {
	if inc == 0 {
		inc = defaultStep
	}
	if entropy == nil {
		entropy = rand.Reader
	}
	random, _ := entropy.(mathRand)
	return &MonotonicEntropy{Reader: bufio.NewReader(entropy), random: random, inc: inc}
}

// MonotonicRead writes the entropy of a ULID with the time ms to p. The error is [ErrBufferSize] if p has less than 10
// bytes, [ErrMonotonicOverflow], or that of the Reader.
func (m *MonotonicEntropy) MonotonicRead(ms uint64, p []byte) error {
	if len(p) < entropySize {
		return ErrBufferSize
	}
	m.mu.Lock()
	defer m.mu.Unlock() // Reader may panic
	if m.Reader == nil {
		m.Reader = rand.Reader
	}
	if ms != m.ms || m.hi|m.lo == 0 {
		return m.begin(ms, p)
	}
	err := m.increase()
	binary.BigEndian.PutUint16(p, uint16(m.hi))
	binary.BigEndian.PutUint64(p[2:], m.lo)
	return err
}

// begin reads all of p for the first ID of a millisecond.
func (m *MonotonicEntropy) begin(ms uint64, p []byte) error {
	_, err := io.ReadFull(m.Reader, p)
	if err != nil {
		return err
	}
	m.ms = ms
	m.hi, m.lo = uint64(binary.BigEndian.Uint16(p)), binary.BigEndian.Uint64(p[2:])
	return nil
}

// increase adds a step to the last read, or leaves it as it is.
func (m *MonotonicEntropy) increase() error {
	step, err := m.step()
	if err != nil {
		return err
	}
	lo, carry := bits.Add64(m.lo, step, 0)
	hi := m.hi + carry
	if hi > math.MaxUint16 {
		return ErrMonotonicOverflow
	}
	m.hi, m.lo = hi, lo
	return nil
}

// step returns a random number from 1 to inc. Programs may expect the IDs that a seed gave them with oklog/ulid, so it
// reads the same bytes and makes the same numbers of them.
func (m *MonotonicEntropy) step() (uint64, error) {
	if m.inc <= 1 {
		return 1, nil
	}
	if m.random != nil && m.inc <= math.MaxInt64 {
		return 1 + uint64(m.random.Int63n(int64(m.inc))), nil
	}
	width := bits.Len64(m.inc)
	for {
		_, err := io.ReadFull(m.Reader, m.buf[:(width+7)/8])
		if err != nil {
			return 0, err
		}
		// oklog/ulid clears the bits above inc's highest one, but in the lowest byte.
		m.buf[0] &= 0xFF >> (-width & 7)
		n := binary.LittleEndian.Uint64(m.buf[:])
		if 0 < n && n < m.inc {
			return 1 + n, nil
		}
	}
}
