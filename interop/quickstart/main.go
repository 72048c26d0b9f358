// Quickstart is the program of README.md, which shows it from the package clause on.

// page: program

package main

import (
	"fmt"
	"time"

	"github.com/seed-961d0905/ulid"
)

func main() {
	id := ulid.Make()
	fmt.Println(id, id.Time().UTC()) // 01M83ETBPDFX9RTT17BZESQDPD 2026-11-23 05:42:17.037 +0000 UTC

	id, err := ulid.Parse("01m83etbpdfx9rtt17bzesqdpd") // in either case
	fmt.Println(id, err)                                // 01M83ETBPDFX9RTT17BZESQDPD <nil>

	_, err = ulid.Parse("O1M83ETBPDFX9RTT17BZESQDPD") // the letter O
	fmt.Println(err)                                  // ulid: invalid character 'O' at offset 0

	hourAgo := ulid.FirstAt(time.Now().Add(-time.Hour)) // for WHERE id >= ?
	fmt.Println(hourAgo)                                // 01M83BCG2D0000000000000000
}
