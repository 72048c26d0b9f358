package main

import (
	"go/build"
	"path/filepath"
	"slices"
	"strings"
)

// systems and processors are the values of GOOS and GOARCH by which files are named.
var (
	systems    = []string{"linux", "darwin", "windows", "freebsd", "openbsd", "netbsd", "android", "ios", "js", "wasip1"}
	processors = []string{"amd64", "arm64", "386", "arm", "wasm", "riscv64", "ppc64le", "s390x", "loong64"}
)

// reach says what a run needs to look at a Go file of the module in dir that this one did not see.
func reach(file, dir string) string {
	folder, name := filepath.Split(file)
	if isIgnored(folder, dir) {
		return "no package has it, so -f changes only its import"
	}
	here := build.Default
	here.CgoEnabled = true
	if matches(here, folder, name) {
		return "name its package"
	}
	for _, system := range systems {
		here.GOOS = system
		if matches(here, folder, name) {
			return "run again with GOOS=" + here.GOOS
		}
	}
	here.GOOS = build.Default.GOOS
	for _, processor := range processors {
		here.GOARCH = processor
		if matches(here, folder, name) {
			return "run again with GOARCH=" + here.GOARCH
		}
	}
	return "run again with its -tags, and with -f if they leave out another file"
}

func matches(c build.Context, folder, name string) bool {
	matched, err := c.MatchFile(folder, name)
	return err == nil && matched
}

// isIgnored reports whether the go command leaves out a folder of the module in dir, because its name or
// that of one around it begins with _ or a dot.
func isIgnored(folder, dir string) bool {
	inModule, err := filepath.Rel(dir, folder)
	if err != nil {
		return false
	}
	return slices.ContainsFunc(strings.Split(filepath.ToSlash(inModule), "/"), func(name string) bool {
		return strings.HasPrefix(name, "_") || strings.HasPrefix(name, ".") && name != "."
	})
}
