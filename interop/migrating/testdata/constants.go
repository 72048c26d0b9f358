// Constants prints the ULIDs that oklog/ulid makes of texts, for docs/migrating.md.
package main

import (
	"fmt"
	"os"

	"github.com/oklog/ulid/v2"
)

func main() {
	for _, text := range os.Args[1:] {
		fmt.Println(text, ulid.MustParse(text))
	}
}
