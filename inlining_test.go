package ulid

import (
	"os/exec"
	"runtime"
	"strings"
	"testing"
)

// What a caller's loop should not pay a call for, and what keeps an ID off the heap. Each is near the limit of the
// compiler, so a small change can cost it.
func TestInlining(t *testing.T) {
	if runtime.GOARCH != "amd64" && runtime.GOARCH != "arm64" {
		t.Skip("the compiler counts otherwise here: run this test on amd64 or arm64")
	}
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("the test asks the go command, which is not in PATH: ", err)
	}
	out, err := exec.Command("go", "build", "-gcflags=-m", ".").CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, name := range []string{
		"Make", "(*Generator).Make", "layout", "ULID.AppendText", "ParseUUID", "encodePair", "putHex",
	} {
		if !strings.Contains(string(out), " can inline "+name+"\n") {
			t.Errorf("%s cannot be inlined by %s for %s", name, runtime.Version(), runtime.GOARCH)
		}
	}
}
