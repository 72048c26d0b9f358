package ulid

import (
	"crypto/rand"
	"database/sql"
	"io"
	"strings"
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
	m := Monotonic(rand.Reader, 0)
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
				sinkID, sinkError = ParseUUID(bench.text)
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

// BenchmarkCompare makes two comparisons each time.
func BenchmarkCompare(b *testing.B) {
	x, y := Make(), Make()
	for b.Loop() {
		sinkInt = x.Compare(y)
		sinkInt = y.Compare(x)
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

// Only what returns a string or a slice allocates, and only once. Huge input is not copied.
func TestAllocs(t *testing.T) {
	var (
		g         Generator
		own       = Generator{Entropy: seeded(1)}
		whole     = Generator{Clock: func() time.Time { return time.UnixMilli(knownMS) }}
		at        = time.UnixMilli(1)
		m         = Monotonic(nil, 0)
		ofReader  = Monotonic(seeded(1), 0)
		id        = known
		ids       = make([]ULID, 100)
		text      = []byte(knownText)
		buf       = make([]byte, 0, 64)
		huge      = strings.Repeat("-", 1<<17)
		value     = any(knownText)
		hugeValue = any(huge)
	)
	system, lost := cryptoRandAllocs(), 0.0
	if system > 0 {
		lost = 2 // the race detector lets the pool lose ChaCha8s, of which Fill takes two
	}
	for _, tt := range []struct {
		name string
		want float64
		f    func()
	}{
		{"Make", 0, func() { sinkID = Make() }},
		{"Fill", 0, func() { Fill(ids) }},
		{"Generator.Make", 0, func() { sinkID = g.Make() }},
		{"FillFrom", 0, func() { FillFrom(&g, ids) }},
		{"Generator.Make, Entropy", 0, func() { sinkID = own.Make() }},
		{"FillFrom, Entropy", 0, func() { FillFrom(&own, ids) }},
		{"Generator.Make, a clock of whole milliseconds", 0, func() { sinkID = whole.Make() }},
		{"New, nil", system, func() { sinkID, sinkError = New(at, nil) }},
		{"New, crypto/rand", 1, func() { sinkID, sinkError = New(at, rand.Reader) }},
		{"New, Monotonic", 0, func() { sinkID, sinkError = m.New(at) }},
		{"New, Monotonic of a reader", 0, func() { sinkID, sinkError = ofReader.New(at) }},
		{"Parse", 0, func() { sinkID, sinkError = Parse(knownText) }},
		{"Parse, overflow", 0, func() { sinkID, sinkError = Parse("8" + knownText[1:]) }},
		{"ParseLenient", 0, func() { sinkID, sinkError = ParseLenient(knownText) }},
		{"ParseUUID", 0, func() { sinkID, sinkError = ParseUUID(knownUUID) }},
		{"Parse, length", 1, func() { sinkID, sinkError = Parse(huge) }},
		{"ParseLenient, length", 1, func() { sinkID, sinkError = ParseLenient(huge) }},
		{"ParseUUID, length", 1, func() { sinkID, sinkError = ParseUUID(huge) }},
		{"Scan, length", 4, func() { sinkError = id.Scan(hugeValue) }},
		{"UnmarshalText", 0, func() { sinkError = id.UnmarshalText(text) }},
		{"AppendText", 0, func() { buf, sinkError = id.AppendText(buf[:0]) }},
		{"AppendBinary", 0, func() { buf, sinkError = id.AppendBinary(buf[:0]) }},
		{"Scan, text", 0, func() { sinkError = id.Scan(value) }},
		{"Compare", 0, func() { sinkInt = id.Compare(known) }},
		{"String", 1, func() { sinkString = id.String() }},
		{"MarshalText", 1, func() { text, sinkError = id.MarshalText() }},
		{"UUIDString", 1, func() { sinkString = id.UUIDString() }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := testing.AllocsPerRun(100, tt.f); got < tt.want || got > tt.want+lost {
				t.Errorf("allocates %g times, want %g", got, tt.want)
			}
		})
	}
}

// cryptoRandAllocs returns what crypto/rand allocates: something under the race detector.
func cryptoRandAllocs() float64 {
	return testing.AllocsPerRun(100, func() {
		var p [10]byte
		rand.Read(p[:])
	})
}
