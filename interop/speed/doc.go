// Package speed compares this library with others, for docs/speed.md. The page has the commands that measure and write
// docs/speed.txt. The tables of the page and the picture docs/speed.svg are made from that text.
package speed

//go:generate go test -run ^TestPage$ . -write
