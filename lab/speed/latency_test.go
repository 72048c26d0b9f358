package speed

import (
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"
)

// BenchmarkLatency times each call by itself, in goroutines that do nothing else. With many more
// goroutines than cores, a goroutine may lose its core between the two readings of the clock. lib=none
// makes no ID: it shows what the readings and the lost cores cost.
//
// Without enough calls each goroutine ends before the next begins:
//
//	GOWORK=off go test -C lab -run '^$' -bench Latency -benchtime 10000000x ./speed
func BenchmarkLatency(b *testing.B) {
	for _, goroutines := range []int{2, 64} {
		for _, l := range append([]lib{none}, libs...) {
			b.Run(fmt.Sprintf("goroutines=%d/lib=%s", goroutines, l.name), func(b *testing.B) {
				benchmarkLatency(b, goroutines, l.make)
			})
		}
	}
}

func benchmarkLatency(b *testing.B, goroutines int, call func() [16]byte) {
	each := max(1, b.N/goroutines)
	latencies := make([]time.Duration, each*goroutines)
	start := make(chan struct{})
	var done sync.WaitGroup
	for part := range slices.Chunk(latencies, each) {
		done.Go(func() {
			<-start
			for i := range part {
				begin := time.Now()
				call()
				part[i] = time.Since(begin)
			}
		})
	}
	close(start)
	done.Wait()

	slices.Sort(latencies)
	for _, q := range []struct {
		name string
		part float64
	}{{"p50-ns", 0.5}, {"p99-ns", 0.99}, {"p99.9-ns", 0.999}, {"max-ns", 1}} {
		b.ReportMetric(float64(latencies[int(q.part*float64(len(latencies)-1))]), q.name)
	}
	b.ReportMetric(0, "ns/op") // which would be the time of the sorting too
}
