package speed

import (
	"os"
	"os/exec"
	"regexp"
	"testing"
)

// The functions of the library that its speed relies on are inlined.
func TestInlining(t *testing.T) {
	build := exec.Command("go", "build", "-gcflags=-m", ".")
	build.Dir = "../.."
	build.Env = append(os.Environ(), "GOFLAGS=-buildvcs=false", "GOOS=linux", "GOARCH=amd64")
	out, err := build.CombinedOutput()
	if err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	can := map[string]bool{}
	for _, match := range regexp.MustCompile(` can inline (\S+)`).FindAllSubmatch(out, -1) {
		can[string(match[1])] = true
	}
	for _, name := range []string{
		"Make", "MakeUUIDv7", "Fill", "FillUUIDv7", "(*Generator).Make", "MustNew",
		"Parse", "ULID.String", "ULID.AppendText", "(*ULID).UnmarshalText", "ParseUUID", "ULID.UUIDString", "ULID.AppendUUID",
		"ULID.Time", "ULID.Timestamp", "ULID.IsZero", "ULID.IsUUIDv7", "ULID.Next",
		// Called by these.
		"(*Generator).increment", "uint128.add", "uint128.carryUUIDv7", "uint128.put", "(*ULID).uint128",
		"encodePair", "putHex", "notHex", "packHex", "isSystem", "scale",
	} {
		if !can[name] {
			t.Errorf("%s is not inlined any more", name)
		}
	}
}
