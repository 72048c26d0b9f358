//go:build go1.27

package trap

const wrong = text // without an error
