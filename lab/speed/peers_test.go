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

// The library beside its peers. measure.sh runs all, and has benchstat print them side by side.
//
// Every loop is written out for its library, so that none pays for a call through a function
// value, and leaves its result in a sink of the library's own type, so that none pays for an
// interface. A library that has no such operation is left out. UUIDs are of version 7, and
// ulid-uuid is ulid in UUID format.
var (
	sinkULID   ulid.ULID
	sinkOklog  oklog.ULID
	sinkGoogle google.UUID
	sinkGofrs  gofrs.UUID
	sinkText   string
)

// stdBenchmarks are those of Go 1.27's package uuid, by the name of the operation's benchmark. Its
// file is built with that version of Go only, and fills them in.
var stdBenchmarks = map[string]func(b *testing.B){}

// runLib runs what one library does for an operation, and reports its allocations.
func runLib(b *testing.B, lib string, bench func(b *testing.B)) {
	b.Run("lib="+lib, func(b *testing.B) {
		b.ReportAllocs()
		bench(b)
	})
}

func runStd(b *testing.B) {
	if bench := stdBenchmarks[b.Name()]; bench != nil {
		runLib(b, "std-v7", bench)
	}
}

func BenchmarkMake(b *testing.B) {
	runLib(b, "ulid", func(b *testing.B) {
		for b.Loop() {
			sinkULID = ulid.Make()
		}
	})
	runLib(b, "oklog", func(b *testing.B) {
		for b.Loop() {
			sinkOklog = oklog.Make()
		}
	})
	runLib(b, "google-v7", func(b *testing.B) {
		for b.Loop() {
			sinkGoogle, _ = google.NewV7()
		}
	})
	runLib(b, "gofrs-v7", func(b *testing.B) {
		for b.Loop() {
			sinkGofrs, _ = gofrs.NewV7()
		}
	})
	runStd(b)
}

// In the parallel benchmarks the IDs go nowhere: a sink that all goroutines write to would cost
// more than the making.

func BenchmarkMakeParallel(b *testing.B) {
	runLib(b, "ulid", func(b *testing.B) {
		b.RunParallel(func(pb *testing.PB) {
			for pb.Next() {
				_ = ulid.Make()
			}
		})
	})
	runLib(b, "oklog", func(b *testing.B) {
		b.RunParallel(func(pb *testing.PB) {
			for pb.Next() {
				_ = oklog.Make()
			}
		})
	})
	runLib(b, "google-v7", func(b *testing.B) {
		b.RunParallel(func(pb *testing.PB) {
			for pb.Next() {
				_, _ = google.NewV7()
			}
		})
	})
	runLib(b, "gofrs-v7", func(b *testing.B) {
		b.RunParallel(func(pb *testing.PB) {
			for pb.Next() {
				_, _ = gofrs.NewV7()
			}
		})
	})
	runStd(b)
}

// BenchmarkGeneratorPerGoroutine is BenchmarkMakeParallel for a caller who needs no order across
// goroutines. With -cpu 1,2 it shows how making scales with the cores.
func BenchmarkGeneratorPerGoroutine(b *testing.B) {
	runLib(b, "ulid", func(b *testing.B) {
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
		b.Run(fmt.Sprintf("size=%d", size), func(b *testing.B) {
			runLib(b, "ulid", func(b *testing.B) {
				ids := make([]ulid.ULID, size)
				for i := 0; i < b.N; i += size {
					ulid.Fill(ids)
				}
				sinkULID = ids[size-1]
			})
		})
	}
}

func BenchmarkMakeString(b *testing.B) {
	runLib(b, "ulid", func(b *testing.B) {
		for b.Loop() {
			sinkText = ulid.Make().String()
		}
	})
	runLib(b, "ulid-uuid", func(b *testing.B) {
		for b.Loop() {
			sinkText = ulid.Make().UUIDString()
		}
	})
	runLib(b, "oklog", func(b *testing.B) {
		for b.Loop() {
			sinkText = oklog.Make().String()
		}
	})
	runLib(b, "google-v7", func(b *testing.B) {
		for b.Loop() {
			id, _ := google.NewV7()
			sinkText = id.String()
		}
	})
	runLib(b, "gofrs-v7", func(b *testing.B) {
		for b.Loop() {
			id, _ := gofrs.NewV7()
			sinkText = id.String()
		}
	})
	runStd(b)
}

func BenchmarkString(b *testing.B) {
	runLib(b, "ulid", func(b *testing.B) {
		id := ulid.Make()
		for b.Loop() {
			sinkText = id.String()
		}
	})
	runLib(b, "ulid-uuid", func(b *testing.B) {
		id := ulid.Make()
		for b.Loop() {
			sinkText = id.UUIDString()
		}
	})
	runLib(b, "oklog", func(b *testing.B) {
		id := oklog.Make()
		for b.Loop() {
			sinkText = id.String()
		}
	})
	runLib(b, "google-v7", func(b *testing.B) {
		id := google.Must(google.NewV7())
		for b.Loop() {
			sinkText = id.String()
		}
	})
	runLib(b, "gofrs-v7", func(b *testing.B) {
		id := gofrs.Must(gofrs.NewV7())
		for b.Loop() {
			sinkText = id.String()
		}
	})
	runStd(b)
}

func BenchmarkParse(b *testing.B) {
	runLib(b, "ulid", func(b *testing.B) {
		text := ulid.Make().String()
		for b.Loop() {
			sinkULID, _ = ulid.Parse(text)
		}
	})
	runLib(b, "ulid-uuid", func(b *testing.B) {
		text := ulid.Make().UUIDString()
		for b.Loop() {
			sinkULID, _ = ulid.ParseUUID(text)
		}
	})
	runLib(b, "oklog-strict", func(b *testing.B) {
		text := oklog.Make().String()
		for b.Loop() {
			sinkOklog, _ = oklog.ParseStrict(text)
		}
	})
	runLib(b, "google-v7", func(b *testing.B) {
		text := google.Must(google.NewV7()).String()
		for b.Loop() {
			sinkGoogle, _ = google.Parse(text)
		}
	})
	runLib(b, "gofrs-v7", func(b *testing.B) {
		text := gofrs.Must(gofrs.NewV7()).String()
		for b.Loop() {
			sinkGofrs, _ = gofrs.FromString(text)
		}
	})
	runStd(b)
}

// BenchmarkParseInvalid has the last character wrong, the latest that a parser can find out.
func BenchmarkParseInvalid(b *testing.B) {
	runLib(b, "ulid", func(b *testing.B) {
		text := badEnd(b, ulid.Make().String(), ulid.Parse)
		for b.Loop() {
			sinkULID, _ = ulid.Parse(text)
		}
	})
	runLib(b, "ulid-uuid", func(b *testing.B) {
		text := badEnd(b, ulid.Make().UUIDString(), ulid.ParseUUID)
		for b.Loop() {
			sinkULID, _ = ulid.ParseUUID(text)
		}
	})
	runLib(b, "oklog-strict", func(b *testing.B) {
		text := badEnd(b, oklog.Make().String(), oklog.ParseStrict)
		for b.Loop() {
			sinkOklog, _ = oklog.ParseStrict(text)
		}
	})
	runLib(b, "google-v7", func(b *testing.B) {
		text := badEnd(b, google.Must(google.NewV7()).String(), google.Parse)
		for b.Loop() {
			sinkGoogle, _ = google.Parse(text)
		}
	})
	runLib(b, "gofrs-v7", func(b *testing.B) {
		text := badEnd(b, gofrs.Must(gofrs.NewV7()).String(), gofrs.FromString)
		for b.Loop() {
			sinkGofrs, _ = gofrs.FromString(text)
		}
	})
	runStd(b)
}

// badEnd returns the text with a last character that is in no alphabet here, once it has seen that
// parse refuses it.
func badEnd[T any](b *testing.B, text string, parse func(string) (T, error)) string {
	text = text[:len(text)-1] + "!"
	if _, err := parse(text); err == nil {
		b.Fatalf("%s was parsed", text)
	}
	return text
}
