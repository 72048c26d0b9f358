package main

import (
	"regexp"
	"testing"

	"github.com/seed-961d0905/ulid"
)

// The condition that the last line names matches what Parse reads, and nothing else.
func TestStrictPattern(t *testing.T) {
	pattern := regexp.MustCompile("(?i)" + strictPattern)
	for _, text := range []string{
		"01M7ZPQKK9YWAK56HQEYD33WCA",
		"01m7zpqkk9ywak56hqeyd33wca",
		"7ZZZZZZZZZZZZZZZZZZZZZZZZZ",
		"80000000000000000000000000",
		"01M7ZPQKK9YWAK56HQEYD33WCU",
		"01M7ZPQKK9YWAK56HQEYD33WCI",
		"01M7ZPQKK9YWAK56HQEYD33WCL",
		"01M7ZPQKK9YWAK56HQEYD33WCO",
		"01M7ZPQKK9YWAK56HQEYD33WC",
		"01M7ZPQKK9YWAK56HQEYD33WCAA",
		"0!!!!!!!!!!!!!!!!!!!!!!!!!",
	} {
		_, err := ulid.Parse(text)
		if matches := pattern.MatchString(text); matches != (err == nil) {
			t.Errorf("%s matches: %v, but Parse says %v", text, matches, err)
		}
	}
}
