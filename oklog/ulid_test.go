package ulid

import (
	"bytes"
	crand "crypto/rand"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"math/rand"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
)

// What is tested here is what differs from oklog/ulid. For the rest, interop/oklog compares both, call by call.

// increasing fails the test unless the IDs of each of many goroutines increase, and no two of all are equal.
func increasing(t *testing.T, next func() ULID) {
	t.Helper()
	const goroutines, count = 8, 2_000
	var all [goroutines][]ULID
	var group sync.WaitGroup
	for i := range goroutines {
		group.Go(func() {
			for range count {
				all[i] = append(all[i], next())
			}
		})
	}
	group.Wait()
	for _, ids := range all {
		if !slices.IsSortedFunc(ids, ULID.Compare) {
			t.Error("the IDs of a goroutine do not increase")
		}
	}
	ids := slices.SortedFunc(slices.Values(slices.Concat(all[:]...)), ULID.Compare)
	if len(slices.Compact(ids)) != goroutines*count {
		t.Error("there are equal IDs")
	}
}

func TestMake(t *testing.T) {
	increasing(t, Make)
	before, id, after := Now(), Make(), Now()
	if version, variant := id[6]>>4, id[8]>>6; version != 7 || variant != 2 {
		t.Errorf("%x is no UUID of version 7", id)
	}
	if id.Time() < before-10 || id.Time() > after+10 { // many IDs at once are ahead of the clock
		t.Errorf("Make has the time %d, between %d and %d", id.Time(), before, after)
	}
}

// replaceReader gives crypto/rand other bytes during a test.
func replaceReader(t *testing.T, r io.Reader) {
	old := crand.Reader
	t.Cleanup(func() { crand.Reader = old })
	crand.Reader = r
}

func TestDefaultEntropyIsCrypto(t *testing.T) {
	replaceReader(t, strings.NewReader("0123456789abcd"))
	entropy := new(recent)
	first, second := MustNew(1, entropy), MustNew(1, entropy)
	sum := first
	sum[15] += 'a' + 1
	sum[14] += 'b'
	sum[13] += 'c'
	sum[12] += 'd'
	if string(first.Entropy()) != "0123456789" || second != sum {
		t.Errorf("the IDs are %x and %x, want the second to be %x", first, second, sum)
	}
}

func TestDefaultEntropy(t *testing.T) {
	if _, isLocked := DefaultEntropy().(*LockedMonotonicReader); !isLocked {
		t.Errorf("DefaultEntropy is a %T", DefaultEntropy()) // oklog/ulid's type, which programs assert
	}
	increasing(t, func() ULID { return MustNew(5, DefaultEntropy()) })
	p := make([]byte, 1000)
	n, err := io.ReadFull(DefaultEntropy(), p)
	if n != len(p) || err != nil || bytes.Count(p, []byte{0}) > 100 {
		t.Errorf("DefaultEntropy reads %x, %v", p, err)
	}
}

// Goroutines that have read the clock before others are late for their milliseconds.
func TestDefaultEntropyLate(t *testing.T) {
	last := map[uint64]ULID{}
	for range 10_000 {
		ms := uint64(1_000_000 + rand.Intn(256))
		id := MustNewDefault(Time(ms))
		if id.Compare(last[ms]) <= 0 {
			t.Fatalf("%s after %s", id, last[ms])
		}
		last[ms] = id
	}
	entropies := map[string]bool{}
	for ms := range uint64(10_000) { // a new millisecond begins anew, with other random bits
		id := MustNewDefault(Time(ms))
		entropies[string(id[6:11])] = true
	}
	if len(entropies) < 9_990 {
		t.Errorf("10000 milliseconds have %d entropies", len(entropies))
	}
}

// A source that a program shares without a mutex.
func TestMonotonicShared(t *testing.T) {
	for _, inc := range []uint64{0, 1, 1 << 40} {
		shared := Monotonic(nil, inc)
		increasing(t, func() ULID { return MustNew(5, shared) })
	}
	locked := &LockedMonotonicReader{MonotonicReader: new(unsafeCounter)}
	increasing(t, func() ULID { return MustNew(5, locked) })
}

// An unsafeCounter is a MonotonicReader of a program's own, which needs the mutex.
type unsafeCounter struct {
	io.Reader
	n uint64
}

func (c *unsafeCounter) MonotonicRead(_ uint64, p []byte) error {
	n := c.n + 1
	runtime.Gosched()
	c.n = n
	binary.BigEndian.PutUint64(p, n)
	return nil
}

func TestMonotonicOverflow(t *testing.T) {
	const close = "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xfd"
	entropy := Monotonic(strings.NewReader(close+"0123456789"), 1)
	var ids []ULID
	for range 3 {
		ids = append(ids, MustNew(7, entropy))
	}
	if !slices.IsSortedFunc(ids, ULID.Compare) || ids[2].String() != "0000000007ZZZZZZZZZZZZZZZZ" {
		t.Errorf("the last IDs are %s", ids)
	}
	for range 3 {
		id, err := New(7, entropy)
		if err != ErrMonotonicOverflow || id != ids[2] {
			t.Errorf("then there is %s, %v", id, err)
		}
	}
	next, err := New(8, entropy)
	if err != nil || string(next.Entropy()) != "0123456789" {
		t.Errorf("in the next millisecond there is %s, %v", next, err)
	}
}

// oklog/ulid panics with these.
func TestMonotonicPanics(t *testing.T) {
	for name, entropy := range map[string]MonotonicReader{
		"steps above an int64": Monotonic(rand.New(rand.NewSource(1)), math.MaxInt64+1),
		"the greatest steps":   Monotonic(rand.New(rand.NewSource(1)), math.MaxUint64),
		"no reader":            new(MonotonicEntropy),
		"a nil reader":         Monotonic(nil, 3),
	} {
		first, err := New(5, entropy)
		second, err2 := New(5, entropy)
		if errors.Join(err, err2) != nil || first.Compare(second) >= 0 {
			t.Errorf("%s: %s and %s, %v, %v", name, first, second, err, err2)
		}
		short := make([]byte, 9)
		err = entropy.MonotonicRead(5, short)
		if err != ErrBufferSize || !bytes.Equal(short, make([]byte, 9)) {
			t.Errorf("%s: 9 bytes are read as %x, %v", name, short, err)
		}
	}
}

// A server may recover from the panic of a program's reader, and go on.
func TestReaderPanics(t *testing.T) {
	entropy := Monotonic(struct{ io.Reader }{}, 1) // a nil Reader
	locked := &LockedMonotonicReader{MonotonicReader: entropy}
	func() {
		defer func() { recover() }()
		New(5, locked)
	}()
	if !entropy.mu.TryLock() || !locked.mu.TryLock() {
		t.Error("a mutex stays locked")
	}
}
