//go:build !go1.27

package trap

const wrong = "inv_" + text
