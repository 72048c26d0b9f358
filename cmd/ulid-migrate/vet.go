package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// A vet is what go vet says of the packages of a module that change, and what it said before.
type vet struct {
	dir      string
	packages []string
	before   []string
}

// vetBefore runs go vet before a change of files.
func vetBefore(dir string, changes map[string][]byte) *vet {
	v := &vet{dir: dir}
	for file := range changes {
		if folder, err := filepath.Rel(dir, filepath.Dir(file)); err == nil {
			v.packages = append(v.packages, "./"+filepath.ToSlash(folder))
		}
	}
	slices.Sort(v.packages)
	v.packages = slices.Compact(v.packages)
	said, _ := v.run()
	v.before = complaints(said)
	return v
}

// again runs go vet after the change. It returns an error if it complains of something else.
func (v *vet) again() error {
	fmt.Fprintln(os.Stderr, "go vet", strings.Join(v.packages, " "))
	said, err := v.run()
	if err == nil {
		return nil
	}
	os.Stderr.Write(said)
	after := complaints(said)
	isOld := func(complaint string) bool { return slices.Contains(v.before, complaint) }
	if slices.ContainsFunc(after, func(c string) bool { return !isOld(c) }) {
		return errors.New("go vet complains: the changes are in place")
	}
	fmt.Println("go vet complains as before -write")
	return nil
}

func (v *vet) run() ([]byte, error) {
	command := exec.Command("go", append([]string{"vet"}, v.packages...)...)
	command.Dir = v.dir
	return command.CombinedOutput()
}

var position = regexp.MustCompile(`:\d+(:\d+)?`)

// complaints returns the lines of go vet without the lines of code, which change.
func complaints(said []byte) []string {
	var list []string
	for line := range bytes.Lines(said) {
		list = append(list, position.ReplaceAllString(string(line), ""))
	}
	return list
}
