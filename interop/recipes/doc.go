// Package recipes has the code of docs/types.md, docs/gorm.md, docs/queries.md and docs/recipes.md, each block in a
// file. The tests run it, and compare it with the pages.
package recipes

//go:generate go test -run ^TestPage$ . -write
