// Faults plants each fault of testdata/faults.txt in a copy of this tree, and names those that no test finds. An argument,
// such as monotonic, picks the faults that have it in their line.
//
// A line "$ command" says how the faults that follow it are to be found. A fault is a line "file: old → new", where old
// stands once in the file and \n means the end of a line.
package main

import (
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

func main() {
	log.SetFlags(0)
	dir, err := os.MkdirTemp("", "faults")
	check(err)
	check(exec.Command("bash", "-c", "git ls-files -z -c -o --exclude-standard | tar -c --null -T - | tar -x -C "+dir).Run())
	text, err := os.ReadFile("testdata/faults.txt")
	check(err)
	command, planted, alive := "", 0, 0
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSuffix(line, "\n")
		if after, ok := strings.CutPrefix(line, "$ "); ok {
			command = after
		}
		name, change, _ := strings.Cut(strings.ReplaceAll(line, `\n`, "\n"), ": ")
		old, new, ok := strings.Cut(change, " → ")
		if !ok || len(os.Args) > 1 && !strings.Contains(line, os.Args[1]) {
			continue
		}
		path := filepath.Join(dir, name)
		content, err := os.ReadFile(path)
		check(err)
		if n := strings.Count(string(content), old); n != 1 {
			log.Fatalf("%s\nstands in %d places", line, n)
		}
		check(os.WriteFile(path, []byte(strings.Replace(string(content), old, new, 1)), 0o666))
		work := ""
		switch module, _, _ := strings.Cut(name, "/"); module {
		case "cmd", "oklog", "pgxulid", "typed":
			work = filepath.Join(dir, ".ci/go.work")
		}
		test := exec.Command("bash", "-c", "GOWORK="+work+" go build -C "+filepath.Dir(name)+" . && ! "+command)
		test.Dir, test.Env = dir, append(os.Environ(), "GOFLAGS=-buildvcs=false -count=1")
		planted++
		if out, err := test.CombinedOutput(); err != nil {
			fmt.Printf("%s\n%s", line, out)
			alive++
		}
		check(os.WriteFile(path, content, 0o666))
	}
	check(os.RemoveAll(dir))
	fmt.Printf("%d faults planted, %d alive or not to be built\n", planted, alive)
	os.Exit(min(alive, 1))
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
