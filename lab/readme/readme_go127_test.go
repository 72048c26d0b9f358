//go:build go1.27

package readme

import (
	"database/sql/driver"
	"go/build"
	"os"
	"path/filepath"
	"strings"
	"uuid"
)

func init() {
	stdText = characters(uuid.NewV7())
	stdTime = timestamp(uuid.UUID{})
	if _, ok := any(uuid.UUID{}).(driver.Valuer); !ok {
		stdValue = "no `Value`: it depends on the driver"
	}
	code, err := os.ReadFile(filepath.Join(build.Default.GOROOT, "src/uuid/uuid.go"))
	if err != nil {
		panic(err)
	}
	_, newV7, _ := strings.Cut(string(code), "\nfunc NewV7()")
	newV7, _, _ = strings.Cut(newV7, "\n}\n")
	// Of these 64 bits, the two highest are the variant.
	if strings.Contains(string(code), `"crypto/rand"`) && strings.Contains(newV7, "rand.Read(u[8:])") {
		stdRandom = "62 from crypto/rand in each ID"
	}
}
