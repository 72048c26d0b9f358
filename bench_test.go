package ulid

import (
	"crypto/rand"
	"database/sql"
	"io"
	"testing"
	"time"
)

// A benchmark stores its result in one of these, so that the compiler cannot leave it out. The
// parallel ones do not, because they would race. What they call has effects of its own.
var (
	sinkID     ULID
	sinkString string
	sinkError  error
	sinkInt    int
	sinkAny    any
)

const benchText = "01ARZ3NDEKTSV4RRFFQ69G5FAV"

func BenchmarkMake(b *testing.B) {
	b.Run("serial", func(b *testing.B) {
		for b.Loop() {
			sinkID = Make()
		}
	})
	b.Run("parallel", func(b *testing.B) {
		b.RunParallel(func(pb *testing.PB) {
			for pb.Next() {
				Make()
			}
		})
	})
}

// BenchmarkFill fills 1,000 IDs each time.
func BenchmarkFill(b *testing.B) {
	ids := make([]ULID, 1000)
	for b.Loop() {
		Fill(ids)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(ids)), "ns/ID")
}

func BenchmarkNew(b *testing.B) {
	at := time.UnixMilli(knownMS)
	for _, bench := range []struct {
		name    string
		entropy io.Reader
	}{
		{"nil", nil},
		{"cryptoRand", rand.Reader},
	} {
		b.Run(bench.name, func(b *testing.B) {
			for b.Loop() {
				sinkID, sinkError = New(at, bench.entropy)
			}
		})
	}
	m := NewMonotonic(rand.Reader, 0)
	b.Run("monotonic", func(b *testing.B) {
		for b.Loop() {
			sinkID, sinkError = m.New(at)
		}
	})
}

func BenchmarkParse(b *testing.B) {
	for _, bench := range []struct{ name, text string }{
		{"good", benchText},
		{"badChar", benchText[:25] + "U"},
	} {
		b.Run(bench.name, func(b *testing.B) {
			for b.Loop() {
				sinkID, sinkError = Parse(bench.text)
			}
		})
	}
}

func BenchmarkParseLenient(b *testing.B) {
	for b.Loop() {
		sinkID, sinkError = ParseLenient("o1arz3-ndektsv4-rrffq69-g5fav")
	}
}

func BenchmarkParseUUID(b *testing.B) {
	for _, bench := range []struct{ name, text string }{
		{"good", "01563df3-6481-d676-4c61-efb99302bd5b"},
		{"badChar", "01563df3-6481-d676-4c61-efb99302bd5g"},
	} {
		b.Run(bench.name, func(b *testing.B) {
			for b.Loop() {
				_, sinkError = ParseUUID(bench.text)
			}
		})
	}
}

func BenchmarkString(b *testing.B) {
	id := MustParse(benchText)
	for b.Loop() {
		sinkString = id.String()
	}
}

func BenchmarkUUIDString(b *testing.B) {
	id := MustParse(benchText)
	for b.Loop() {
		sinkString = id.UUIDString()
	}
}

func BenchmarkAppendText(b *testing.B) {
	id := MustParse(benchText)
	text := make([]byte, 0, EncodedSize)
	for b.Loop() {
		text, sinkError = id.AppendText(text[:0])
	}
}

// BenchmarkCompare compares IDs that differ in the first of their two words, and IDs that differ in the second.
func BenchmarkCompare(b *testing.B) {
	x := MustParse(benchText)
	for _, bench := range []struct{ name, other string }{
		{"firstWord", "01ARZ3NDEMTSV4RRFFQ69G5FAV"},
		{"secondWord", "01ARZ3NDEKTSV4RRFFQ69G5FAW"},
	} {
		b.Run(bench.name, func(b *testing.B) {
			y := MustParse(bench.other)
			for b.Loop() {
				sinkInt = x.Compare(y)
			}
		})
	}
}

func BenchmarkValue(b *testing.B) {
	id := MustParse(benchText)
	for b.Loop() {
		sinkAny, sinkError = id.Value()
	}
}

func BenchmarkScan(b *testing.B) {
	id := MustParse(benchText)
	for _, bench := range []struct {
		name string
		id   sql.Scanner
		src  any
	}{
		{"text", new(ULID), benchText},
		{"textBytes", new(ULID), []byte(benchText)},
		{"binary", new(AsBinary), id.Bytes()},
		{"uuid", new(AsUUID), id.UUIDString()},
	} {
		b.Run(bench.name, func(b *testing.B) {
			for b.Loop() {
				sinkError = bench.id.Scan(bench.src)
			}
		})
	}
}
