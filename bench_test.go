package ulid

import (
	"crypto/rand"
	"io"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"strings"
	"sync/atomic"
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
		b.ReportAllocs()
		for b.Loop() {
			sinkID = Make()
		}
	})
	b.Run("parallel", func(b *testing.B) {
		b.ReportAllocs()
		b.RunParallel(func(pb *testing.PB) {
			for pb.Next() {
				Make()
			}
		})
	})
}

func BenchmarkGenerator(b *testing.B) {
	for _, bench := range []struct {
		name string
		g    *Generator
	}{
		{"UUIDv7", &Generator{UUIDv7: true}},
		{"entropy", &Generator{Entropy: constant(1)}},
	} {
		b.Run(bench.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				sinkID, sinkError = bench.g.Make()
			}
		})
	}
}

// BenchmarkGeneratorCoarseClock has a clock that costs next to nothing: an atomic that another
// goroutine sets once a millisecond.
func BenchmarkGeneratorCoarseClock(b *testing.B) {
	b.ReportAllocs()
	var now atomic.Pointer[time.Time]
	set := func() { t := time.Now(); now.Store(&t) }
	set()
	var done atomic.Bool
	defer done.Store(true)
	go func() {
		for !done.Load() {
			time.Sleep(time.Millisecond)
			set()
		}
	}()
	g := Generator{Clock: func() time.Time { return *now.Load() }}
	for b.Loop() {
		sinkID, sinkError = g.Make()
	}
}

// BenchmarkFill fills 1,000 IDs each time.
func BenchmarkFill(b *testing.B) {
	b.ReportAllocs()
	ids := make([]ULID, 1000)
	for b.Loop() {
		Fill(ids)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(ids)), "ns/ID")
}

func BenchmarkNew(b *testing.B) {
	for _, bench := range []struct {
		name    string
		entropy io.Reader
	}{
		{"nil", nil},
		{"cryptoRand", rand.Reader},
		{"monotonic", Monotonic(rand.Reader, 0)},
	} {
		b.Run(bench.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				sinkID, sinkError = New(1469918176385, bench.entropy)
			}
		})
	}
}

func BenchmarkParse(b *testing.B) {
	for _, bench := range []struct{ name, text string }{
		{"upper", benchText},
		{"lower", "01arz3ndektsv4rrffq69g5fav"},
		{"badLength", benchText[1:]},
		{"badChar", benchText[:25] + "U"},
		{"overflow", "8" + benchText[1:]},
	} {
		b.Run(bench.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				sinkID, sinkError = Parse(bench.text)
			}
		})
	}
}

func BenchmarkParseLenient(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		sinkID, sinkError = ParseLenient("o1arz3-ndektsv4-rrffq69-g5fav")
	}
}

func BenchmarkParseUUID(b *testing.B) {
	for _, bench := range []struct{ name, text string }{
		{"lower", "01563df3-6481-d676-4c61-efb99302bd5b"},
		{"upper", "01563DF3-6481-D676-4C61-EFB99302BD5B"},
		{"badChar", "01563df3-6481-d676-4c61-efb99302bd5g"},
	} {
		b.Run(bench.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				sinkID, sinkError = ParseUUID(bench.text)
			}
		})
	}
}

func BenchmarkString(b *testing.B) {
	b.ReportAllocs()
	id := MustParse(benchText)
	for b.Loop() {
		sinkString = id.String()
	}
}

func BenchmarkUUIDString(b *testing.B) {
	b.ReportAllocs()
	id := MustParse(benchText)
	for b.Loop() {
		sinkString = id.UUIDString()
	}
}

func BenchmarkAppendUUID(b *testing.B) {
	b.ReportAllocs()
	id := MustParse(benchText)
	text := make([]byte, 0, uuidSize)
	for b.Loop() {
		text = id.AppendUUID(text[:0])
	}
}

func BenchmarkAppendText(b *testing.B) {
	b.ReportAllocs()
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
	b.ReportAllocs()
	id := MustParse(benchText)
	for b.Loop() {
		sinkAny, sinkError = id.Value()
	}
}

func BenchmarkScan(b *testing.B) {
	id := MustParse(benchText)
	for _, bench := range []struct {
		name string
		src  any
	}{
		{"text", benchText},
		{"textBytes", []byte(benchText)},
		{"binary", id.Bytes()},
		{"uuid", id.UUIDString()},
	} {
		b.Run(bench.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				sinkError = id.Scan(bench.src)
			}
		})
	}
}

// What the speed rests on.

// Only what returns a string or a slice allocates, and only once. Huge input is not copied.
func TestAllocs(t *testing.T) {
	var (
		g         Generator
		own       = Generator{Entropy: seeded(1)}
		whole     = Generator{wall: func() time.Time { return time.UnixMilli(knownMS) }}
		m         = Monotonic(rand.Reader, 0)
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
		{"MakeUUIDv7", 0, func() { sinkID = MakeUUIDv7() }},
		{"Fill", 0, func() { Fill(ids) }},
		{"FillUUIDv7", 0, func() { FillUUIDv7(ids) }},
		{"Generator.Make", 0, func() { sinkID, sinkError = g.Make() }},
		{"Generator.Fill", 0, func() { sinkError = g.Fill(ids) }},
		{"Generator.Make, Entropy", 0, func() { sinkID, sinkError = own.Make() }},
		{"Generator.Make, a clock of whole milliseconds", 0, func() { sinkID, sinkError = whole.Make() }},
		{"New, nil", 0, func() { sinkID, sinkError = New(1, nil) }},
		{"New, crypto/rand", system, func() { sinkID, sinkError = New(1, rand.Reader) }},
		{"New, Monotonic", 0, func() { sinkID, sinkError = New(1, m) }},
		{"New, Monotonic of a reader", 0, func() { sinkID, sinkError = New(1, ofReader) }},
		{"Parse", 0, func() { sinkID, sinkError = Parse(knownText) }},
		{"Parse, overflow", 0, func() { sinkID, sinkError = Parse("8" + knownText[1:]) }},
		{"ParseLenient", 0, func() { sinkID, sinkError = ParseLenient(knownText) }},
		{"ParseUUID", 0, func() { sinkID, sinkError = ParseUUID(knownUUID) }},
		{"Parse, length", 0, func() { sinkID, sinkError = Parse(huge) }},
		{"ParseLenient, length", 0, func() { sinkID, sinkError = ParseLenient(huge) }},
		{"ParseUUID, length", 0, func() { sinkID, sinkError = ParseUUID(huge) }},
		{"Scan, length", 0, func() { sinkError = id.Scan(hugeValue) }},
		{"UnmarshalText", 0, func() { sinkError = id.UnmarshalText(text) }},
		{"AppendText", 0, func() { buf, sinkError = id.AppendText(buf[:0]) }},
		{"AppendUUID", 0, func() { buf = id.AppendUUID(buf[:0]) }},
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

// The compiler still inlines the functions of users that are worth it, and what these call.
func TestInlining(t *testing.T) {
	if runtime.Compiler != "gc" {
		t.Skip("this compiler says nothing of inlining, so run this test with the gc compiler")
	}
	goCommand, err := exec.LookPath("go")
	if err != nil {
		t.Skip("there is no go command, so run this test on a machine that has one: ", err)
	}
	build := exec.Command(goCommand, "build", "-gcflags=-m", ".")
	build.Env = append(ownEnvironment(), "GOOS=linux", "GOARCH=amd64")
	out, err := build.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	isInlined := map[string]bool{}
	for _, match := range regexp.MustCompile(` can inline (\S+)`).FindAllSubmatch(out, -1) {
		isInlined[string(match[1])] = true
	}
	for _, name := range []string{
		"Make", "MakeUUIDv7", "Fill", "FillUUIDv7", "(*Generator).Make", "MustNew",
		"Parse", "ULID.String", "ULID.AppendText", "(*ULID).UnmarshalText",
		"ParseUUID", "ULID.UUIDString", "ULID.AppendUUID",
		"ULID.Time", "ULID.Timestamp", "ULID.IsZero", "ULID.IsUUIDv7", "ULID.Next",
		// And what these call.
		"(*Generator).put", "(*ULID).uint128", "uint128.add", "uint128.put", "scale", "isSystem",
		"encodePair", "putHex", "notHex", "packHex",
	} {
		if !isInlined[name] {
			t.Errorf("%s is not inlined any more", name)
		}
	}
}

// ownEnvironment returns the environment without what the tests of the library may run under, such
// as another architecture.
func ownEnvironment() []string {
	environment := []string{"GOWORK=off", "GOFLAGS="}
	for _, variable := range os.Environ() {
		switch name, _, _ := strings.Cut(variable, "="); name {
		case "GOWORK", "GOFLAGS", "GOOS", "GOARCH", "GOEXPERIMENT", "GOCOVERDIR":
		default:
			environment = append(environment, variable)
		}
	}
	return environment
}
