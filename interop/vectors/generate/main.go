// Command generate makes testdata/vectors.json, the conformance vectors for ULIDs:
//
//	go run -C interop ./conformance/generate           # write testdata/vectors.json
//	go run -C interop ./conformance/generate -check    # fail if that would change it
//
// It does not import the library. The outcomes come from an oracle that treats a ULID as an integer, with
// math/big. docs/vectors.md describes the file.
package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
)

const file = "../testdata/vectors.json"

func main() {
	check := flag.Bool("check", false, "only fail if the file is not up to date")
	flag.Parse()
	if err := run(file, *check); err != nil {
		fmt.Fprintln(os.Stderr, "generate:", err)
		os.Exit(1)
	}
}

func run(path string, check bool) error {
	f, err := generate()
	if err != nil {
		return err
	}
	b, err := f.Marshal()
	if err != nil {
		return err
	}
	if !check {
		return os.WriteFile(path, b, 0o644)
	}
	if committed, err := os.ReadFile(path); err != nil {
		return err
	} else if !bytes.Equal(committed, b) {
		return errors.New(path + " is not what the oracle says; run  go run -C interop ./conformance/generate")
	}
	return nil
}
