//go:build generate

// This program generates ent's code.
package main

import (
	"log"

	"entgo.io/ent/entc"
	"entgo.io/ent/entc/gen"
)

func main() {
	if err := entc.Generate("./schema", &gen.Config{Target: "gen", Package: "example.com/ent/gen"}); err != nil {
		log.Fatal(err)
	}
}
