// Package recipes has the code of the pages that TestPage names, each block in a file. The tests run it, and compare it
// with the pages.
package recipes

//go:generate go test -run ^TestMixup$ . -write
//go:generate go test -run ^(TestPage|TestMatrices)$ . -write
