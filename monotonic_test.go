package ulid

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"math/big"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/iotest"
	"time"
)

// Goroutines that share a Monotonic take every number of a millisecond once, and leave none out.
func TestSharedMonotonic(t *testing.T) {
	calls := 100_000 // of each goroutine
	if testing.Short() {
		calls /= 10
	}
	m := NewMonotonic(nil, 1)
	var ids [8][]ULID
	var group sync.WaitGroup
	for w := range ids {
		group.Go(func() {
			for range calls {
				id, err := m.New(time.Now())
				if err != nil {
					t.Error(err)
					return
				}
				ids[w] = append(ids[w], id)
			}
		})
	}
	group.Wait()
	all := slices.SortedFunc(slices.Values(slices.Concat(ids[:]...)), ULID.Compare)
	for i, id := range all[1:] {
		if next, _ := all[i].Next(); id != next && id.ms() == all[i].ms() {
			t.Fatalf("after %s comes %s, want %s", all[i], id, next)
		}
	}
}

// The first ID of a millisecond from a Monotonic has ten bytes that are read for it. Every other one
// lies a step above the ID before, for which 16 bytes are read. Nothing else is read.
func TestEveryBitOfMonotonic(t *testing.T) {
	system := record(t)
	system.Reader = seeded(2) // a random start may lie so high that 20 great steps overflow
	for _, inc := range []uint64{0, 1, 2, 3, 256, 1<<32 - 1, 1 << 32, 1 << 48, 1<<63 + 12345, math.MaxUint64} {
		for name, reader := range map[string]*recorder{
			"nil":          nil,
			"a reader":     {Reader: seeded(1)},
			"all zeros":    {Reader: constant(0)},
			"great steps":  {Reader: readerFunc(greatSteps)},
			"near the end": {Reader: readerFunc(nearTheEnd)},
		} {
			t.Run(fmt.Sprintf("inc=%d, %s", inc, name), func(t *testing.T) {
				if reader == nil {
					testEveryBitOfMonotonic(t, NewMonotonic(nil, inc), system, inc)
					return
				}
				testEveryBitOfMonotonic(t, NewMonotonic(reader, inc), reader, inc)
			})
		}
	}
	testEveryBitOfMonotonic(t, new(Monotonic), system, 0)
}

// greatSteps writes zeros for the first ID of a millisecond, and ones for a step.
func greatSteps(p []byte) (int, error) {
	if len(p) == 10 {
		return constant(0).Read(p)
	}
	return constant(0xff).Read(p)
}

// nearTheEnd writes ones and then zeros for the first ID of a millisecond, and zeros for a step.
func nearTheEnd(p []byte) (int, error) {
	clear(p)
	if len(p) == 10 {
		p[0], p[1] = 0xff, 0xff
	}
	return len(p), nil
}

func testEveryBitOfMonotonic(t *testing.T, m *Monotonic, read *recorder, inc uint64) {
	if inc == 0 {
		inc = 1 << 32
	}
	want := new(big.Int)
	for i := range 50 {
		at := time.UnixMilli(int64(i / 20))
		earlier := time.UnixMilli(int64(max(0, i/20-i%20%3))) // which counts as the time of the last ID
		id, err := m.New(earlier)
		if err != nil {
			t.Fatal(err)
		}
		switch {
		case i%20 == 0:
			want.SetBytes(read.mustHaveRead(t, 10))
		case inc == 1:
			want.Add(want, big.NewInt(1))
		default:
			p := read.mustHaveRead(t, 16)
			step := referenceScale(binary.BigEndian.Uint64(p), binary.BigEndian.Uint64(p[8:]), inc)
			want.Add(want, step).Add(want, big.NewInt(1))
		}
		if got := new(big.Int).SetBytes(id[6:]); got.Cmp(want) != 0 || !id.Time().Equal(at) {
			t.Fatalf("ID %d is %x, want the entropy %x", i, id[:], want)
		}
		read.mustEnd(t)
	}
}

// replaceable is a reader that can be exchanged under a Monotonic.
type replaceable struct{ io.Reader }

// An overflow lasts until a later millisecond. Meanwhile nothing is read, so no smaller step is tried.
func TestMonotonicOverflow(t *testing.T) {
	const end, fresh = "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", "0123456789"
	for _, tt := range []struct {
		inc  uint64
		step string // that overflows
	}{{1, ""}, {0, "0123456789abcdef"}, {math.MaxUint64, "0123456789abcdef"}} {
		t.Run(fmt.Sprintf("inc=%d", tt.inc), func(t *testing.T) {
			entropy := io.MultiReader(strings.NewReader(end+tt.step+fresh), constant(0))
			reader := &replaceable{entropy}
			m := NewMonotonic(reader, tt.inc)
			checkNew(t, m, 5, 5, end)
			for _, ms := range []int64{5, 5, 4, 5, 0} {
				checkNewFails(t, m, ms, ErrMonotonicOverflow)
			}
			reader.Reader = iotest.ErrReader(errFaulty)
			checkNewFails(t, m, 6, errFaulty)
			reader.Reader = entropy
			checkNewFails(t, m, 5, ErrMonotonicOverflow)
			checkNew(t, m, 6, 6, fresh)
			checkNew(t, m, 5, 6, "012345678:")
		})
	}
	m := NewMonotonic(strings.NewReader(end), 1)
	checkNew(t, m, maxTime, maxTime, end)
	checkNewFails(t, m, maxTime, ErrMonotonicOverflow)
	checkNewFails(t, m, 0, ErrMonotonicOverflow) // however far back
}

// A call that fails changes nothing, and a time that no ULID can have is no time before the last.
func TestMonotonicFails(t *testing.T) {
	const zeros = "\x00\x00\x00\x00\x00\x00\x00\x00\x00"
	reader := &replaceable{failing(9, errFaulty)}
	m := NewMonotonic(reader, 0)
	checkNewFails(t, m, 0, errFaulty)
	reader.Reader = constant(0)
	checkNew(t, m, 0, 0, zeros+"\x00")
	reader.Reader = failing(15, errFaulty)
	checkNewFails(t, m, 0, errFaulty)
	for text, want := range map[string]error{"": io.EOF, "0123456789abc": io.ErrUnexpectedEOF} {
		reader.Reader = strings.NewReader(text)
		checkNewFails(t, m, 0, want)
	}
	checkNewFails(t, m, -1, ErrTimeRange)
	checkNewFails(t, m, maxTime+1, ErrTimeRange)
	if _, isReader := any(m).(io.Reader); isReader {
		t.Error("a Monotonic is an io.Reader, so New(t, m) takes its bits and loses its order")
	}
	reader.Reader = constant(0)
	checkNew(t, m, 0, 0, zeros+"\x01")
}

func checkNew(t *testing.T, m *Monotonic, ms, wantMS int64, want string) {
	t.Helper()
	id, err := m.New(time.UnixMilli(ms).In(time.FixedZone("", 3600)))
	if err != nil || id.ms() != uint64(wantMS) || string(id[6:]) != want {
		t.Errorf("New at %d = %x, %v; want the time %d and the entropy %x", ms, id[:], err, wantMS, want)
	}
}

func checkNewFails(t *testing.T, m *Monotonic, ms int64, want error) {
	t.Helper()
	if id, err := m.New(time.UnixMilli(ms)); err != want || id != (ULID{}) {
		t.Errorf("New at %d = %s, %v; want zero, %v", ms, id, err, want)
	}
}

// A reader may generate IDs by others while it is read. None takes the bits of another.
func TestBitsAreNotShared(t *testing.T) {
	at := time.UnixMilli(1)
	reader := readerFunc(func(p []byte) (int, error) {
		n, err := constant(1).Read(p)
		New(at, constant(2))
		other := NewMonotonic(constant(2), 0)
		other.New(at)
		other.New(at)
		return n, err
	})
	checkID(t, mustNew(t, at, reader), mustHex("000000000001"+"01010101010101010101"))
	m := NewMonotonic(reader, 1<<48)
	checkNew(t, m, 1, 1, "\x01\x01\x01\x01"+"\x01\x01\x01\x01\x01\x01")
	checkNew(t, m, 1, 1, "\x01\x01\x01\x01"+"\x02\x02\x02\x02\x02\x03") // + 0x010101010101 + 1
}

// A reader that panics leaves no lock of a Monotonic behind. It is read under the lock, also for a step.
func TestMonotonicSurvives(t *testing.T) {
	reader := &replaceable{}
	m := NewMonotonic(reader, 0)
	for range 2 {
		reader.Reader = nil // a nil dereference
		mustPanic(t, "New", func() { m.New(time.UnixMilli(1)) })
		checkUnlocked(t, &m.mu)
		reader.Reader = constant(1)
		if _, err := m.New(time.UnixMilli(1)); err != nil {
			t.Error(err)
		}
	}
}
