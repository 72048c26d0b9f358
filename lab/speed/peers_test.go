// Package speed compares this library with others, for docs/speed.md.
package speed

import (
	"crypto/rand"
	"testing"
	"time"

	gofrs "github.com/gofrs/uuid/v5"
	google "github.com/google/uuid"
	oklog "github.com/oklog/ulid/v2"
	"github.com/rs/xid"
	"github.com/segmentio/ksuid"

	"github.com/seed-961d0905/ulid"
)

// The library beside its peers. measure.sh runs all, and has benchstat print them side by side.
//
// Every loop is written out for its library, so that none pays for a call through a function
// value, and leaves its result in a sink of the library's own type, so that none pays for an
// interface. A library that has no such operation is left out. Where versions of a UUID share
// their code, version 7 stands for all. ulid-v7 is ulid making, writing and reading UUIDs.
var (
	sinkULID   ulid.ULID
	sinkOklog  oklog.ULID
	sinkGoogle google.UUID
	sinkGofrs  gofrs.UUID
	sinkXID    xid.ID
	sinkKSUID  ksuid.KSUID
	sinkText   string
	sinkInt    int
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
	runLib(b, "ulid-v7", func(b *testing.B) {
		for b.Loop() {
			sinkULID = ulid.MakeUUIDv7()
		}
	})
	runLib(b, "oklog", func(b *testing.B) {
		for b.Loop() {
			sinkOklog = oklog.Make()
		}
	})
	runLib(b, "google-v4", func(b *testing.B) {
		for b.Loop() {
			sinkGoogle, _ = google.NewRandom()
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
	runLib(b, "xid", func(b *testing.B) {
		for b.Loop() {
			sinkXID = xid.New()
		}
	})
	runLib(b, "ksuid", func(b *testing.B) {
		for b.Loop() {
			sinkKSUID = ksuid.New()
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
	runLib(b, "ulid-v7", func(b *testing.B) {
		b.RunParallel(func(pb *testing.PB) {
			for pb.Next() {
				_ = ulid.MakeUUIDv7()
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
	runLib(b, "google-v4", func(b *testing.B) {
		b.RunParallel(func(pb *testing.PB) {
			for pb.Next() {
				_, _ = google.NewRandom()
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
	runLib(b, "xid", func(b *testing.B) {
		b.RunParallel(func(pb *testing.PB) {
			for pb.Next() {
				_ = xid.New()
			}
		})
	})
	runLib(b, "ksuid", func(b *testing.B) {
		b.RunParallel(func(pb *testing.PB) {
			for pb.Next() {
				_ = ksuid.New()
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
				_, _ = generator.Make()
			}
		})
	})
}

// BenchmarkFill fills 1,000 IDs at a time, and counts each as an operation, beside making them one
// by one.
func BenchmarkFill(b *testing.B) {
	runLib(b, "ulid", func(b *testing.B) {
		ids := make([]ulid.ULID, 1000)
		for i := 0; i < b.N; i += len(ids) {
			ulid.Fill(ids)
		}
		sinkULID = ids[len(ids)-1]
	})
	runLib(b, "oklog", func(b *testing.B) {
		for b.Loop() {
			sinkOklog = oklog.Make()
		}
	})
}

func BenchmarkNewCryptoRand(b *testing.B) {
	const ms = 1469918176385
	runLib(b, "ulid", func(b *testing.B) {
		for b.Loop() {
			sinkULID, _ = ulid.New(ms, rand.Reader)
		}
	})
	runLib(b, "oklog", func(b *testing.B) {
		for b.Loop() {
			sinkOklog, _ = oklog.New(ms, rand.Reader)
		}
	})
}

func BenchmarkMakeString(b *testing.B) {
	runLib(b, "ulid", func(b *testing.B) {
		for b.Loop() {
			sinkText = ulid.Make().String()
		}
	})
	runLib(b, "ulid-v7", func(b *testing.B) {
		for b.Loop() {
			sinkText = ulid.MakeUUIDv7().UUIDString()
		}
	})
	runLib(b, "oklog", func(b *testing.B) {
		for b.Loop() {
			sinkText = oklog.Make().String()
		}
	})
	runLib(b, "google-v4", func(b *testing.B) {
		for b.Loop() {
			sinkText = google.NewString()
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
	runLib(b, "xid", func(b *testing.B) {
		for b.Loop() {
			sinkText = xid.New().String()
		}
	})
	runLib(b, "ksuid", func(b *testing.B) {
		for b.Loop() {
			sinkText = ksuid.New().String()
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
	runLib(b, "ulid-v7", func(b *testing.B) {
		id := ulid.MakeUUIDv7()
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
	runLib(b, "xid", func(b *testing.B) {
		id := xid.New()
		for b.Loop() {
			sinkText = id.String()
		}
	})
	runLib(b, "ksuid", func(b *testing.B) {
		id := ksuid.New()
		for b.Loop() {
			sinkText = id.String()
		}
	})
	runStd(b)
}

// BenchmarkAppend writes the text into a buffer that has room for it, by whatever the library
// calls that. No loop assigns the slice that is returned: it is the same every time, and carrying
// it from turn to turn through memory would take longer than writing the text.
func BenchmarkAppend(b *testing.B) {
	runLib(b, "ulid", func(b *testing.B) {
		id, text := ulid.Make(), make([]byte, 64)
		for b.Loop() {
			_, _ = id.AppendText(text[:0])
		}
	})
	runLib(b, "oklog", func(b *testing.B) {
		id, text := oklog.Make(), make([]byte, oklog.EncodedSize)
		for b.Loop() {
			_ = id.MarshalTextTo(text)
		}
	})
	runLib(b, "xid", func(b *testing.B) {
		id, text := xid.New(), make([]byte, 64)
		for b.Loop() {
			_ = id.Encode(text)
		}
	})
	runLib(b, "ksuid", func(b *testing.B) {
		id, text := ksuid.New(), make([]byte, 64)
		for b.Loop() {
			_ = id.Append(text[:0])
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
	runLib(b, "ulid-v7", func(b *testing.B) {
		text := ulid.MakeUUIDv7().UUIDString()
		for b.Loop() {
			sinkULID, _ = ulid.ParseUUID(text)
		}
	})
	// Parse of oklog takes any 26 characters.
	runLib(b, "oklog", func(b *testing.B) {
		text := oklog.Make().String()
		for b.Loop() {
			sinkOklog, _ = oklog.Parse(text)
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
	runLib(b, "xid", func(b *testing.B) {
		text := xid.New().String()
		for b.Loop() {
			sinkXID, _ = xid.FromString(text)
		}
	})
	runLib(b, "ksuid", func(b *testing.B) {
		text := ksuid.New().String()
		for b.Loop() {
			sinkKSUID, _ = ksuid.Parse(text)
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
	runLib(b, "ulid-v7", func(b *testing.B) {
		text := badEnd(b, ulid.MakeUUIDv7().UUIDString(), ulid.ParseUUID)
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
	runLib(b, "xid", func(b *testing.B) {
		text := badEnd(b, xid.New().String(), xid.FromString)
		for b.Loop() {
			sinkXID, _ = xid.FromString(text)
		}
	})
	runStd(b)
}

// badEnd returns the text with a last character that is in no alphabet here, once it has seen that
// parse refuses it. (ksuid.Parse does not.)
func badEnd[T any](b *testing.B, text string, parse func(string) (T, error)) string {
	text = text[:len(text)-1] + "!"
	if _, err := parse(text); err == nil {
		b.Fatalf("%s was parsed", text)
	}
	return text
}

// BenchmarkCompare compares two IDs of different milliseconds, as sorting mostly does, this way round
// and that: two comparisons a turn.
func BenchmarkCompare(b *testing.B) {
	runLib(b, "ulid", func(b *testing.B) {
		x := ulid.Make()
		time.Sleep(2 * time.Millisecond)
		y := ulid.Make()
		for b.Loop() {
			sinkInt = x.Compare(y)
			sinkInt = y.Compare(x)
		}
	})
	runLib(b, "oklog", func(b *testing.B) {
		x := oklog.Make()
		time.Sleep(2 * time.Millisecond)
		y := oklog.Make()
		for b.Loop() {
			sinkInt = x.Compare(y)
			sinkInt = y.Compare(x)
		}
	})
	runLib(b, "xid", func(b *testing.B) {
		x := xid.New()
		time.Sleep(2 * time.Millisecond)
		y := xid.New()
		for b.Loop() {
			sinkInt = x.Compare(y)
			sinkInt = y.Compare(x)
		}
	})
	runLib(b, "ksuid", func(b *testing.B) {
		x := ksuid.New()
		time.Sleep(2 * time.Millisecond)
		y := ksuid.New()
		for b.Loop() {
			sinkInt = ksuid.Compare(x, y)
			sinkInt = ksuid.Compare(y, x)
		}
	})
	runStd(b)
}
