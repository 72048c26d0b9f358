package vectors

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/seed-961d0905/ulid"
	"github.com/seed-961d0905/ulid/interop/db"
	"github.com/seed-961d0905/ulid/interop/golden"
)

// askNPM asks npm/peer.js, which answers for each row by its name. It installs what
// npm/package.json names.
func askNPM(t *testing.T, questions []question) (answers map[string][]answer) {
	t.Helper()
	run(t, nil, "npm", "install", "--prefer-offline")
	asked, err := json.Marshal(questions)
	db.Check(t, err)
	db.Check(t, json.Unmarshal(run(t, asked, "node", "peer.js"), &answers))
	return answers
}

// npmVersions returns the versions that npm/package.json names.
func npmVersions(t *testing.T) map[string]string {
	t.Helper()
	text, err := os.ReadFile("npm/package.json")
	db.Check(t, err)
	var project struct{ Dependencies map[string]string }
	db.Check(t, json.Unmarshal(text, &project))
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

// differences counts, for each row of a table, how many answers are not as wanted.
type differences map[string]int

func (d differences) compare(t *testing.T, row, got, want string) {
	t.Helper()
	n := d[row]
	if got != want {
		t.Logf("%s: got %s, want %s", row, got, want)
		n++
	}
	d[row] = n // 0 too, so that the table has the row
}

// TestNPM exchanges IDs with the npm package ulid: random ones, those that it makes, and a run whose
// time steps back, for which the vectors have no rule.
func TestNPM(t *testing.T) {
	var questions []question
	var ids []ulid.ULID
	for range 1000 {
		var id ulid.ULID
		rand.Read(id[:])
		ids = append(ids, id)
		questions = append(questions,
			question{Op: "uuid", A: id.String()},
			question{Op: "fromuuid", A: id.UUIDString()},
			question{Op: "fresh"},
		)
	}
	const back = "1469918176385,1469918176384,1469918176385"
	const entropy = "d6764c61efb99302bd5b"
	questions = append(questions, question{Op: "monotonic", A: back, B: entropy + "," + entropy + "," + entropy})
	answers := askNPM(t, questions)["ulid"]
	if got, want := len(answers), len(questions); got != want {
		t.Fatalf("%d answers, want %d", got, want)
	}

	found := differences{}
	for i, id := range ids {
		uuid, text, fresh := answers[3*i].Value, answers[3*i+1].Value, answers[3*i+2].Value
		read, _ := ulid.ParseUUID(uuid)
		found.compare(t, "`ulidToUUID`, read by `ParseUUID`", read.String(), id.String())
		found.compare(t, "`uuidToULID` of `UUIDString`", text, id.String())
		first, _, _ := strings.Cut(fresh, " ")
		made, _ := ulid.Parse(first)
		found.compare(t, "`ulid()` and its `decodeTime`, read by `Parse` and `Time`", fresh, fmt.Sprint(made, made.Time()))
	}
	run := strings.Split(answers[3*len(ids)].Value, ",")
	for i := range len(run) - 1 {
		next, _ := ulid.MustParse(run[i]).Next()
		const row = "`monotonicFactory` counts on in its last millisecond when the time steps back"
		found.compare(t, row, run[i+1], next.String())
	}
	table := golden.New(t, "IDs exchanged with npm ulid", "npm ulid "+npmVersions(t)["ulid"])
	for _, row := range slices.Sorted(maps.Keys(found)) {
		result := golden.Works
		if n := found[row]; n > 0 {
			result = fmt.Sprintf("%d differ", n)
		}
		table.Cell(row, "result", result)
	}
}
