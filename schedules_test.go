package ulid

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestEverySchedule runs monotonic.go itself under every schedule of a few goroutines with at most
// two preemptions. In a copy of the library, a scheduler chooses which goroutine runs before each
// operation that others can observe. testdata/schedules has the scheduler and the scenarios.
func TestEverySchedule(t *testing.T) {
	goCommand, err := exec.LookPath("go")
	if err != nil {
		t.Skip("there is no go command, so run this test on a machine that has one: ", err)
	}
	dir := t.TempDir()
	for _, name := range []string{"go.mod", "ulid.go", "encoding.go", "binary.go", "monotonic.go"} {
		copyFile(t, name, filepath.Join(dir, name), name == "monotonic.go")
	}
	for _, name := range []string{"scheduler.go", "scenarios_test.go"} {
		copyFile(t, filepath.Join("testdata/schedules", name), filepath.Join(dir, name), false)
	}
	test := exec.Command(goCommand, "test", "-count=1", "-timeout=5m", "-trimpath", "-v", ".")
	test.Dir = dir
	test.Env = ownEnvironment()
	out, err := test.CombinedOutput()
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	if total := regexp.MustCompile(`(?m)^.*: (\d+ schedules)$`).FindSubmatch(out); total != nil {
		t.Logf("%s", total[1])
	} else {
		t.Errorf("the scenarios say no number of schedules:\n%s", out)
	}
}

// What monotonic.go uses of other packages, and what stands in its place in the copy.
var scheduled = strings.NewReplacer(
	"\t\"sync/atomic\"\n", "",
	"sync.Mutex", "schedMutex",
	"atomic.Pointer[", "schedPointer[",
	"atomic.Uint64", "schedUint64",
	"time.Since(start)", "schedSince(start)",
	"return time.Now()", "return schedNow()",
	"rand.Read(", "schedRead(",
)

// unscheduled is what would escape the scheduler.
var unscheduled = regexp.MustCompile(
	`\b(sync\.[^P]\w*|atomic\.\w+|time\.(Now|Since|Sleep|After)\w*|rand\.Read\b|go func)|<-`)

func copyFile(t *testing.T, from, to string, isScheduled bool) {
	t.Helper()
	text, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	code := string(text)
	if isScheduled {
		code = scheduled.Replace(code)
		withoutStart := strings.Replace(code, "var start = time.Now()", "", 1)
		for line := range strings.Lines(withoutStart) {
			statement, _, _ := strings.Cut(line, "//")
			if found := unscheduled.FindString(statement); found != "" {
				t.Errorf("%s: no schedule is tried at %s in %s", from, found, line)
			}
		}
	}
	if err := os.WriteFile(to, []byte(code), 0o666); err != nil {
		t.Fatal(err)
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
