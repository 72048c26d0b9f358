//go:build go1.27

package speed

import (
	"testing"
	"uuid"
)

var sinkStd uuid.UUID

func init() {
	makers = append(makers, maker{"std-v7", func() [16]byte { return uuid.NewV7() }})
	stdBenchmarks["BenchmarkMake"] = func(b *testing.B) {
		for b.Loop() {
			sinkStd = uuid.NewV7()
		}
	}
	stdBenchmarks["BenchmarkMakeParallel"] = func(b *testing.B) {
		b.RunParallel(func(pb *testing.PB) {
			for pb.Next() {
				_ = uuid.NewV7()
			}
		})
	}
	stdBenchmarks["BenchmarkMakeString"] = func(b *testing.B) {
		for b.Loop() {
			sinkText = uuid.NewV7().String()
		}
	}
	stdBenchmarks["BenchmarkString"] = func(b *testing.B) {
		id := uuid.NewV7()
		for b.Loop() {
			sinkText = id.String()
		}
	}
	stdBenchmarks["BenchmarkParse"] = func(b *testing.B) {
		text := uuid.NewV7().String()
		for b.Loop() {
			sinkStd, _ = uuid.Parse(text)
		}
	}
	stdBenchmarks["BenchmarkParseInvalid"] = func(b *testing.B) {
		text := badEnd(b, uuid.NewV7().String(), uuid.Parse)
		for b.Loop() {
			sinkStd, _ = uuid.Parse(text)
		}
	}
}
