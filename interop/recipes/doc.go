// Package recipes has the code of docs/recipes.md, each block in a file. The tests run it, and compare it with the page.
package recipes

//go:generate go test -run ^TestPage$ . -write
