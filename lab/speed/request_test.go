package speed

import (
	"fmt"
	"slices"
	"testing"
	"time"
)

// none makes no ID, and shows what a benchmark itself takes.
var none = lib{name: "none", make: func() [16]byte { return [16]byte{} }}

// BenchmarkRequest makes the first IDs of a millisecond, as a service does that makes one or a few for each request. It
// waits for each millisecond either without a pause, so that the core stays warm, or asleep, as most services do.
//
// The timer of testing.B cannot leave out the waiting: StopTimer and StartTimer stop the world, which takes longer than
// an ID. So the clock is read before and after the IDs, and lib=none shows what the readings take. The figure is the
// mean of the middle half, because the clock shows steps of 10 ns, and interrupts spoil the mean of all.
//
// Each library needs a process of its own, because it would find its code and data in the caches, or would not, as the
// others leave them:
//
//	GOWORK=off go test -C lab -run '^$' -bench Request/wait/ids/lib=ulid -benchtime 300x ./speed
func BenchmarkRequest(b *testing.B) {
	for _, wait := range []struct {
		name string
		wait func()
	}{{"spin", spin}, {"sleep", func() { time.Sleep(time.Millisecond) }}} {
		for _, ids := range []int{1, 2, 10} {
			for _, l := range append([]lib{none}, libs...) {
				b.Run(fmt.Sprintf("wait=%s/ids=%d/lib=%s", wait.name, ids, l.name), func(b *testing.B) {
					benchmarkRequest(b, wait.wait, ids, l.make)
				})
			}
		}
	}
}

// spin waits for the next millisecond.
func spin() {
	for ms := time.Now().UnixMilli(); time.Now().UnixMilli() == ms; {
	}
}

func benchmarkRequest(b *testing.B, wait func(), ids int, call func() [16]byte) {
	times := make([]time.Duration, b.N)
	b.ReportAllocs()
	b.ResetTimer()
	for i := range times {
		wait()
		begin := time.Now()
		for range ids {
			call()
		}
		times[i] = time.Since(begin)
	}
	b.StopTimer()

	slices.Sort(times)
	half := times[len(times)/4 : max(1, len(times)*3/4)]
	var sum time.Duration
	for _, t := range half {
		sum += t
	}
	b.ReportMetric(float64(sum)/float64(len(half)), "request-ns")
	b.ReportMetric(0, "ns/op") // which would be the time of the waiting
}
