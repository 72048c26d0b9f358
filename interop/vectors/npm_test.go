package vectors

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/seed-961d0905/ulid"
	"github.com/seed-961d0905/ulid/interop/internal/record"
)

// askNPM asks npm/peer.js, which answers for each row by its name. It installs what npm/package.json names if that is not
// there. Without Node.js it skips the test, or fails it where ULID_REQUIRE_NODE is 1.
func askNPM(t *testing.T, questions []question) (answers map[string][]answer) {
	t.Helper()
	for _, program := range []string{"node", "npm"} {
		if _, err := exec.LookPath(program); err != nil {
			end := t.Skipf
			if os.Getenv("ULID_REQUIRE_NODE") == "1" {
				end = t.Fatalf
			}
			end("%v: install Node.js with npm, on Debian: apt-get install nodejs npm", err)
		}
	}
	for name, version := range npmVersions(t) {
		if text, _ := os.ReadFile("npm/node_modules/" + name + "/package.json"); !bytes.Contains(text, []byte(`"version": "`+version+`"`)) {
			run(t, nil, "npm", "install")
			break
		}
	}
	asked, err := json.Marshal(questions)
	check(t, err)
	check(t, json.Unmarshal(run(t, asked, "node", "peer.js"), &answers))
	return answers
}

// npmVersions returns the versions that npm/package.json names.
func npmVersions(t *testing.T) map[string]string {
	t.Helper()
	text, err := os.ReadFile("npm/package.json")
	check(t, err)
	var project struct{ Dependencies map[string]string }
	check(t, json.Unmarshal(text, &project))
	return project.Dependencies
}

// run runs a program in the folder npm and returns what it prints.
func run(t *testing.T, stdin []byte, program string, args ...string) []byte {
	t.Helper()
	var stderr strings.Builder
	cmd := exec.Command(program, args...)
	cmd.Dir, cmd.Stdin, cmd.Stderr = "npm", bytes.NewReader(stdin), &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %v\n%s", cmd, err, stderr.String())
	}
	return out
}

// TestNPM exchanges IDs with the npm package ulid: random ones, those that it makes, and a run whose time steps back,
// for which the vectors have no rule. The rest is in the vectors.
func TestNPM(t *testing.T) {
	const n = 1000
	var questions []question
	var ids []ulid.ULID
	for range n {
		var id ulid.ULID
		rand.Read(id[:])
		ids = append(ids, id)
		questions = append(questions, question{Op: "uuid", A: id.String()}, question{Op: "fromuuid", A: id.UUIDString()},
			question{Op: "fresh"})
	}
	const back = "1469918176385,1469918176384,1469918176385"
	entropy := strings.Repeat("d6764c61efb99302bd5b,", 3)
	questions = append(questions, question{"monotonic", back, strings.TrimSuffix(entropy, ",")})
	answers := askNPM(t, questions)["ulid"]
	if got, want := len(answers), len(questions); got != want {
		t.Fatalf("%d answers, want %d", got, want)
	}

	for i, id := range ids {
		uuid, text, fresh := answers[3*i].Value, answers[3*i+1].Value, answers[3*i+2].Value
		if want := strings.ToUpper(id.UUIDString()); uuid != want { // it writes upper case
			t.Errorf("ulidToUUID(%v) = %q, want %q", id, uuid, want)
		}
		if got, err := ulid.ParseUUID(uuid); got != id {
			t.Errorf("ParseUUID(%q) = %v, %v, want %v", uuid, got, err, id)
		}
		if text != id.String() {
			t.Errorf("uuidToULID(%q) = %q, want %q", id.UUIDString(), text, id)
		}
		made, err := ulid.Parse(strings.Fields(fresh + " ")[0])
		if got := made.String() + " " + strconv.FormatUint(made.Time(), 10); got != fresh {
			t.Errorf("ulid() and decodeTime of it are %q; this library reads %q, %v", fresh, got, err)
		}
	}
	run := strings.Split(answers[3*n].Value, ",")
	for i := range len(run) - 1 {
		before := ulid.MustParse(run[i])
		if next, _ := before.Next(); run[i+1] != next.String() {
			t.Errorf("the time steps back, and %v follows %v, want %v", run[i+1], before, next)
		}
	}
	if t.Failed() {
		return
	}
	for _, c := range [][2]string{
		{"text", "agrees both ways"},
		{"UUID notation", "agrees both ways; it writes upper case, which `ParseUUID` reads"},
		{"time", "agrees"},
		{"monotonic", "`monotonicFactory` gives what `Monotonic(r, 1)` gives, carry and overflow included; when the time steps back it stays in its last millisecond, as `Generator` does"},
	} {
		record.Cell(t, "Other implementations", "npm ulid", c[0], c[1])
	}
}
