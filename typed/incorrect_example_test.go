package typed_test

import (
	"bytes"
	"fmt"
	"time"

	"github.com/seed-961d0905/ulid"
	"github.com/seed-961d0905/ulid/typed"
)

// These examples show mistakes that neither the compiler nor the database reports: the argument of
// a query has another format than the column, and the condition matches rows that it should not.
// Each prints the comparison that the database makes.

type (
	SessionKind struct{ typed.TextColumn }
	EventKind   struct{ typed.BinaryColumn }
)

func (SessionKind) Prefix() string { return "session" }
func (EventKind) Prefix() string   { return "" }

// This is wrong, and deletes every session:
//
//	oldest := typed.FirstAt[SessionKind](newYear)
//	db.Exec("DELETE FROM sessions WHERE id < ?", oldest.String())
//
// The column has no prefix. Each of its IDs begins with a digit, and so sorts before "session_".
//
// Pass the ID itself:
//
//	db.Exec("DELETE FROM sessions WHERE id < ?", oldest)
func ExampleID_String_incorrect() {
	newYear := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	oldest := typed.FirstAt[SessionKind](newYear)
	column, _ := typed.MustParse[SessionKind]("session_01m7zpqkk9ywak56hqeyd33wcp").Value() // of November 2026

	wrong := oldest.String()
	fmt.Println(column, "<", wrong, "is", column.(string) < wrong)
	right, _ := oldest.Value()
	fmt.Println(column, "<", right, "is", column.(string) < right.(string))
	// Output:
	// 01M7ZPQKK9YWAK56HQEYD33WCP < session_01kdvdna000000000000000000 is true
	// 01M7ZPQKK9YWAK56HQEYD33WCP < 01KDVDNA000000000000000000 is false
}

// This is wrong, and deletes every event, because the kind has a BinaryColumn:
//
//	db.Exec("DELETE FROM events WHERE id < ?", ulid.FirstAt(newYear))
//
// A [ulid.ULID] is passed as 26 characters. Each ID of the column begins with the byte 1, and so
// sorts before the character 0, which is the byte 48. (In SQLite it is the condition > that matches
// every row.)
//
// Pass the type that the column holds:
//
//	db.Exec("DELETE FROM events WHERE id < ?", typed.FirstAt[EventKind](newYear))
func ExampleFirstAt_incorrect() {
	newYear := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	id := typed.ID[EventKind](ulid.MustParse("01M7ZPQKK9YWAK56HQEYD33WCP")) // of November 2026
	column, _ := id.Value()

	wrong, _ := ulid.FirstAt(newYear).Value()
	fmt.Printf("%x < %q is %t\n", column, wrong, bytes.Compare(column.([]byte), []byte(wrong.(string))) < 0)
	right, _ := typed.FirstAt[EventKind](newYear).Value()
	fmt.Printf("%x < %x is %t\n", column, right, bytes.Compare(column.([]byte), right.([]byte)) < 0)
	// Output:
	// 01a1ff6bce69f715329a37779a31f196 < "01KDVDNA000000000000000000" is true
	// 01a1ff6bce69f715329a37779a31f196 < 019b76daa80000000000000000000000 is false
}
