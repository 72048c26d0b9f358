package guides

import (
	"io"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/seed-961d0905/ulid"
	"github.com/seed-961d0905/ulid/interop/db"
	"github.com/seed-961d0905/ulid/interop/page"
)

// This variable of the environment makes the test binary the other process.
const otherProcess = "ULID_OTHER_PROCESS"

// Two processes generate IDs strictly in turns, some 10 microseconds apart. Each is greater than the one before.
func TestTwoProcesses(t *testing.T) {
	if os.Getenv(otherProcess) != "" {
		makeOnRequest()
	}
	if step := clockStep(); step > time.Microsecond {
		t.Skipf("the clock moves in steps of %v, and IDs that two processes make within one are in no order", step)
	}
	page.Fact(t, guarantees, "processes-sort-by-time")
	other := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestTwoProcesses$")
	other.Env = append(os.Environ(), otherProcess+"=1")
	other.Stderr = os.Stderr
	ask, err := other.StdinPipe()
	db.Check(t, err)
	answers, err := other.StdoutPipe()
	db.Check(t, err)
	db.Check(t, other.Start())
	ids := make([]ulid.ULID, 20_000)
	for i := 0; i < len(ids); i += 2 {
		ids[i] = ulid.Make()
		_, err := ask.Write([]byte{'?'})
		db.Check(t, err)
		_, err = io.ReadFull(answers, ids[i+1][:])
		db.Check(t, err)
	}
	db.Check(t, ask.Close())
	db.Check(t, other.Wait())
	wrong := 0
	for i, id := range ids[1:] {
		if id.Compare(ids[i]) <= 0 {
			wrong++
		}
	}
	if wrong > 0 {
		t.Errorf("%d of %d IDs are not greater than the one before", wrong, len(ids))
	}
}

// makeOnRequest writes an ID for each byte that it reads. It ends with its input.
func makeOnRequest() {
	for {
		if _, err := os.Stdin.Read(make([]byte, 1)); err != nil {
			os.Exit(0) // the test has closed it
		}
		id := ulid.Make()
		os.Stdout.Write(id[:])
	}
}

// clockStep returns the step in which the clock moves.
func clockStep() time.Duration {
	step := time.Hour
	for range 20 { // because now and then the processor is lost
		begin := time.Now().Round(0) // without the monotonic clock
		now := begin
		for now.Equal(begin) {
			now = time.Now().Round(0)
		}
		step = min(step, now.Sub(begin))
	}
	return step
}
