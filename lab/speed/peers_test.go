// Package speed compares this library with others, for docs/speed.md.
package speed

import (
	"fmt"
	"testing"

	gofrs "github.com/gofrs/uuid/v5"
	google "github.com/google/uuid"
	oklog "github.com/oklog/ulid/v2"

	"github.com/seed-961d0905/ulid"
)

// A lib is a library with what the benchmarks call. measure.sh runs them, and has benchstat print the libraries side by
// side. UUIDs are of version 7. The function values add a few nanoseconds to each library's calls.
type lib struct {
	name     string
	make     func() [16]byte
	makeText func() string
	text     func() string // of an ID that was made before
	parse    func(string) error
}

// libs has this library twice, the second time in UUID format. peers_go127_test.go adds Go 1.27's package.
var libs = []lib{
	libOf("ulid", ulid.Make, ulid.ULID.String, ulid.Parse),
	libOf("ulid-uuid", func() ulid.UUID { return ulid.UUID(ulid.Make()) }, ulid.UUID.String, ulid.ParseUUID),
	libOf("oklog", oklog.Make, oklog.ULID.String, oklog.ParseStrict),
	libOf("google-v7", func() google.UUID { return google.Must(google.NewV7()) }, google.UUID.String, google.Parse),
	libOf("gofrs-v7", func() gofrs.UUID { return gofrs.Must(gofrs.NewV7()) }, gofrs.UUID.String, gofrs.FromString),
}

func libOf[ID ~[16]byte](name string, newID func() ID, text func(ID) string, parse func(string) (ID, error)) lib {
	id := newID()
	return lib{
		name:     name,
		make:     func() [16]byte { return newID() },
		makeText: func() string { return text(newID()) },
		text:     func() string { return text(id) },
		parse:    func(s string) error { _, err := parse(s); return err },
	}
}

var (
	sinkID    [16]byte
	sinkText  string
	sinkError error
)

// each runs a benchmark for each library, and reports allocations.
func each(b *testing.B, bench func(b *testing.B, l lib)) {
	for _, l := range libs {
		b.Run("lib="+l.name, func(b *testing.B) {
			b.ReportAllocs()
			bench(b, l)
		})
	}
}

func BenchmarkMake(b *testing.B) {
	each(b, func(b *testing.B, l lib) {
		for b.Loop() {
			sinkID = l.make()
		}
	})
}

// In the parallel benchmarks the IDs go nowhere: a sink that all goroutines write to would cost
// more than the making.

func BenchmarkMakeParallel(b *testing.B) {
	each(b, func(b *testing.B, l lib) {
		b.RunParallel(func(pb *testing.PB) {
			for pb.Next() {
				_ = l.make()
			}
		})
	})
}

// BenchmarkGeneratorPerGoroutine is BenchmarkMakeParallel for a caller who needs no order across
// goroutines. With -cpu 1,2 it shows how making scales with the cores.
func BenchmarkGeneratorPerGoroutine(b *testing.B) {
	b.Run("lib=ulid", func(b *testing.B) {
		b.RunParallel(func(pb *testing.PB) {
			generator := new(ulid.Generator)
			for pb.Next() {
				_ = generator.Make()
			}
		})
	})
}

// BenchmarkFill fills some IDs at a time, and counts each as an operation.
func BenchmarkFill(b *testing.B) {
	for _, size := range []int{1, 2, 10, 1000} {
		b.Run(fmt.Sprintf("size=%d/lib=ulid", size), func(b *testing.B) {
			ids := make([]ulid.ULID, size)
			for i := 0; i < b.N; i += size {
				ulid.Fill(ids)
			}
		})
	}
}

func BenchmarkMakeString(b *testing.B) {
	each(b, func(b *testing.B, l lib) {
		for b.Loop() {
			sinkText = l.makeText()
		}
	})
}

func BenchmarkString(b *testing.B) {
	each(b, func(b *testing.B, l lib) {
		for b.Loop() {
			sinkText = l.text()
		}
	})
}

func BenchmarkParse(b *testing.B) { benchmarkParse(b, "") }

// BenchmarkParseInvalid has the last character wrong, the latest that a parser can find out.
func BenchmarkParseInvalid(b *testing.B) { benchmarkParse(b, "!") }

// benchmarkParse replaces the end of a good text by another one.
func benchmarkParse(b *testing.B, end string) {
	each(b, func(b *testing.B, l lib) {
		text := l.text()
		text = text[:len(text)-len(end)] + end
		for b.Loop() {
			sinkError = l.parse(text)
		}
		if (sinkError == nil) != (end == "") {
			b.Errorf("%s: %v", text, sinkError)
		}
	})
}
