package ulid_test

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	mathrand "math/rand/v2"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/seed-961d0905/ulid"
)

func Example() {
	id := ulid.MustParse("01ARYZ6S41TSV4RRFFQ69G5FAV") // ulid.Make() makes a new one

	// The first 10 characters are the time in milliseconds.
	fmt.Println(id)
	fmt.Println(id.Time().UTC())
	// Output:
	// 01ARYZ6S41TSV4RRFFQ69G5FAV
	// 2016-07-30 22:36:16.385 +0000 UTC
}

func Example_json() {
	type order struct {
		ID     ulid.ULID  `json:"id"`
		Parent *ulid.ULID `json:"parent"`          // null if nil
		Coupon ulid.ULID  `json:"coupon,omitzero"` // left out if zero
	}
	text, err := json.Marshal(order{ID: ulid.MustParse("01ARYZ6S41TSV4RRFFQ69G5FAV")})
	fmt.Println(string(text), err)

	var o order
	err = json.Unmarshal([]byte(`{"id":"01ARYZ6S41TSV4RRFFQ69G5FAU"}`), &o)
	fmt.Println(err)
	// Output:
	// {"id":"01ARYZ6S41TSV4RRFFQ69G5FAV","parent":null} <nil>
	// ulid: invalid character 'U' at offset 25
}

// IDs in a uuid column of PostgreSQL: store one, read it, and count those of a day. The field and every argument is
// an AsUUID. The driver is pgx, by the import
//
//	_ "github.com/jackc/pgx/v5/stdlib"
func Example_database() {
	ctx := context.Background()
	db, err := sql.Open("pgx", os.Getenv("DATABASE_URL")) // CREATE TABLE events (id uuid PRIMARY KEY, name text NOT NULL)
	if err != nil {
		log.Fatal(err)
	}

	id := ulid.AsUUID(ulid.Make())
	_, err = db.ExecContext(ctx, "INSERT INTO events (id, name) VALUES ($1, $2)", id, "signup")
	if err != nil {
		log.Fatal(err)
	}

	var name string
	err = db.QueryRowContext(ctx, "SELECT name FROM events WHERE id = $1", id).Scan(&name)
	if err != nil {
		log.Fatal(err)
	}

	var n int
	day := time.Date(2026, 11, 26, 0, 0, 0, 0, time.UTC)
	from, to := ulid.FirstAt(day), ulid.FirstAt(day.AddDate(0, 0, 1))
	const query = "SELECT count(*) FROM events WHERE id >= $1 AND id < $2"
	err = db.QueryRowContext(ctx, query, ulid.AsUUID(from), ulid.AsUUID(to)).Scan(&n)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(id, name, n)
}

func ExampleMake() {
	first := ulid.Make() // such as 01ARYZ6S41TSV4RRFFQ69G5FAV
	second := ulid.Make()
	fmt.Println(first.Compare(second), first.String() < second.String())
	// Output: -1 true
}

// Every generated ID is a UUID of version 7 as well.
func ExampleMake_uuid() {
	id := ulid.Make() // such as 01ARYZ6S41EST8RRFFQ69G5FAV
	fmt.Println(id.UUIDString()[14:15])
	// Output: 7
}

func ExampleFill() {
	ids := make([]ulid.ULID, 1000)
	ulid.Fill(ids)
	fmt.Println(slices.IsSortedFunc(ids, ulid.ULID.Compare))
	// Output: true
}

// An ID for a row that is older than its ID.
func ExampleMakeAt() {
	created := time.Date(2016, 7, 30, 22, 36, 16, 385e6, time.UTC)
	id, err := ulid.MakeAt(created) // such as 01ARYZ6S41E008RRFFQ69G5FAV
	if err != nil {
		log.Fatal(err) // ulid.ErrTimeRange, if the time is before 1970
	}
	fmt.Println(id.String()[:10], id.Time().UTC())
	// Output: 01ARYZ6S41 2016-07-30 22:36:16.385 +0000 UTC
}

// The ULIDs of the specification: 80 random bits below the millisecond.
func ExampleNew() {
	id, err := ulid.New(time.Now(), nil) // of crypto/rand
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(id.String()))
	// Output: 26
}

// A Generator of your own shares nothing with Make. Its zero value is ready to use, and its IDs are
// in order.
func ExampleGenerator() {
	var g ulid.Generator
	first, second := g.Make(), g.Make()
	fmt.Println(first.Compare(second))
	// Output: -1
}

// newID generates the IDs of a service. Its tests replace it.
var newID = ulid.Make

// The same IDs in every run of a test. The service calls a variable of its package, which the test replaces:
//
//	var newID = ulid.Make
func ExampleGenerator_Make() {
	start := time.Date(2016, 7, 30, 22, 36, 16, 0, time.UTC)
	var n atomic.Int64 // calls of Clock, which goroutines may share
	g := &ulid.Generator{
		Clock:  func() time.Time { return start.Add(time.Duration(n.Add(1)) * time.Millisecond) },
		Source: mathrand.NewChaCha8([32]byte{}), // of math/rand/v2
	}
	defer func() { newID = ulid.Make }() // a test calls t.Cleanup
	newID = g.Make

	fmt.Println(newID())
	fmt.Println(newID())
	// Output:
	// 01ARYZ6RR1E00ADCH8V6VKKYGZ
	// 01ARYZ6RR2E00AKBRWKWD7J1DW
}

// IDs for the rows of a batch, in order, and greater than every ID that was stored before.
func ExampleFillFrom() {
	var g ulid.Generator
	stored := ulid.Make()
	if err := g.AdvancePast(stored, time.Minute); err != nil {
		log.Fatal(err) // ulid.ErrAhead
	}
	ids := make([]ulid.AsUUID, 1000)
	ulid.FillFrom(&g, ids)
	fmt.Println(slices.IsSortedFunc(ids, ulid.AsUUID.Compare), ulid.ULID(ids[0]).Compare(stored))
	// Output: true 1
}

// A process that goes on after the last ID that it stored, even if its clock was set back. An ID
// that is too far ahead of the clock is refused, because all later ones would show its time too.
func ExampleGenerator_AdvancePast() {
	var g ulid.Generator
	stored := ulid.FirstAt(time.Now().Add(10 * time.Second))
	fmt.Println(g.AdvancePast(stored, time.Minute))
	fmt.Println(g.Make().Compare(stored))

	err := g.AdvancePast(ulid.FirstAt(time.Now().Add(time.Hour)), time.Minute)
	fmt.Println(errors.Is(err, ulid.ErrAhead))
	// Output:
	// <nil>
	// 1
	// true
}

// Goroutines share a source. Each gets its IDs in order, and no two get the same.
func ExampleMonotonic() {
	var m ulid.Monotonic // of crypto/rand
	var ids [2][1000]ulid.ULID
	var group sync.WaitGroup
	for worker := range ids {
		group.Go(func() {
			for i := range ids[worker] {
				id, err := m.New(time.Now())
				if err != nil {
					log.Fatal(err) // ulid.ErrMonotonicOverflow, if the 80 bits were used up
				}
				ids[worker][i] = id
			}
		})
	}
	group.Wait()
	for worker := range ids {
		fmt.Println(slices.IsSortedFunc(ids[worker][:], ulid.ULID.Compare))
	}
	// Output:
	// true
	// true
}

// In the words of the ULID specification: a monotonicFactory increments by 1 within a millisecond, given a seed time,
// and fails when the 80 bits overflow. decodeTime is the method Time.
func ExampleMonotonic_specification() {
	factory := ulid.NewMonotonic(strings.NewReader("\xff\xff\xff\xff\xff\xff\xff\xff\xff\xfe"), 1)
	seedTime := time.UnixMilli(150000)
	for range 3 {
		id, err := factory.New(seedTime)
		fmt.Println(id, err)
		if err == nil {
			fmt.Println(id.Time().UnixMilli())
		}
	}
	// Output:
	// 0000004JFGZZZZZZZZZZZZZZZY <nil>
	// 150000
	// 0000004JFGZZZZZZZZZZZZZZZZ <nil>
	// 150000
	// 00000000000000000000000000 ulid: monotonic entropy overflow
}

func ExampleParse() {
	for _, text := range []string{
		"01ARYZ6S41TSV4RRFFQ69G5FAV",
		"01aryz6s41tsv4rrffq69g5fav",
		"01ARYZ6S41TSV4RRFFQ69G5FA",
		"01ARYZ6S41TSV4RRFFQ69G5FAU",
		"81ARYZ6S41TSV4RRFFQ69G5FAV",
	} {
		id, err := ulid.Parse(text)
		fmt.Println(id, err)
	}
	// Output:
	// 01ARYZ6S41TSV4RRFFQ69G5FAV <nil>
	// 01ARYZ6S41TSV4RRFFQ69G5FAV <nil>
	// 00000000000000000000000000 ulid: length 25, want 26
	// 00000000000000000000000000 ulid: invalid character 'U' at offset 25
	// 00000000000000000000000000 ulid: greater than 7ZZZZZZZZZZZZZZZZZZZZZZZZZ, the largest ULID
}

// For constants and tests. It panics if the text is not a ULID.
func ExampleMustParse() {
	id := ulid.MustParse("01ARYZ6S41TSV4RRFFQ69G5FAV")
	fmt.Println(id.Time().UTC())
	// Output: 2016-07-30 22:36:16.385 +0000 UTC
}

// What a person read aloud, typed or copied.
func ExampleParseLenient() {
	id, err := ulid.ParseLenient("oLARYZ6-S41TSV4RRF-FQ69G5FAV")
	fmt.Println(id, err)
	// Output: 01ARYZ6S41TSV4RRFFQ69G5FAV <nil>
}

func ExampleInvalidCharacterError() {
	_, err := ulid.Parse("01ARYZ6S41TSV4RRFFQ69G5FAU")
	var invalid ulid.InvalidCharacterError
	if errors.As(err, &invalid) {
		fmt.Printf("%c at %d\n", invalid.Char, invalid.Offset)
	}
	// Output: U at 25
}

func ExampleParseUUID() {
	id, err := ulid.ParseUUID("01563DF3-6481-D676-4C61-EFB99302BD5B")
	fmt.Println(id, err)
	fmt.Println(ulid.ULID(id))
	// Output:
	// 01563df3-6481-d676-4c61-efb99302bd5b <nil>
	// 01ARYZ6S41TSV4RRFFQ69G5FAV
}

// A time range as a range of keys: WHERE id >= $1 AND id < $2.
func ExampleFirstAt() {
	day := time.Date(2016, 7, 30, 0, 0, 0, 0, time.UTC)
	fmt.Println(ulid.FirstAt(day), ulid.FirstAt(day.AddDate(0, 0, 1)))
	// Output: 01ARWHKC000000000000000000 01ARZ403000000000000000000
}

// A range of keys that includes the millisecond of its end: WHERE id BETWEEN $1 AND $2.
func ExampleLastAt() {
	from := time.Date(2016, 7, 30, 22, 36, 16, 0, time.UTC)
	to := from.Add(385 * time.Millisecond)
	id := ulid.MustParse("01ARYZ6S41TSV4RRFFQ69G5FAV") // of the millisecond to
	fmt.Println(ulid.FirstAt(from).Compare(id) <= 0 && id.Compare(ulid.LastAt(to)) <= 0)
	fmt.Println(ulid.LastAt(to))
	// Output:
	// true
	// 01ARYZ6S41ZZZZZZZZZZZZZZZZ
}

func ExampleULID_Time() {
	id := ulid.MustParse("01ARYZ6S41TSV4RRFFQ69G5FAV")
	fmt.Println(id.Time().UTC(), id.Time().UnixMilli())
	// Output: 2016-07-30 22:36:16.385 +0000 UTC 1469918176385
}

func ExampleULID_Compare() {
	ids := []ulid.ULID{ulid.MustParse("01BX5ZZKBKACTAV9WEVGEMMVRZ"), ulid.MustParse("01ARYZ6S41TSV4RRFFQ69G5FAV")}
	slices.SortFunc(ids, ulid.ULID.Compare)
	fmt.Println(ids)
	// Output: [01ARYZ6S41TSV4RRFFQ69G5FAV 01BX5ZZKBKACTAV9WEVGEMMVRZ]
}

// A field for a uuid column. The database gets UUID format; the program and its JSON have the 26
// characters.
func ExampleAsUUID() {
	type order struct {
		ID ulid.AsUUID `json:"id"`
	}
	o := order{ulid.AsUUID(ulid.MustParse("01ARYZ6S41TSV4RRFFQ69G5FAV"))}
	stored, err := o.ID.Value() // what db.Exec(…, o.ID) sends
	fmt.Println(stored, err)

	text, err := json.Marshal(o)
	fmt.Println(string(text), err)
	// Output:
	// 01563df3-6481-d676-4c61-efb99302bd5b <nil>
	// {"id":"01ARYZ6S41TSV4RRFFQ69G5FAV"} <nil>
}

// A field for a uuid column, and for clients that expect UUIDs. They and the database get the same 36 characters.
func ExampleUUID() {
	type order struct {
		ID ulid.UUID `json:"id"`
	}
	o := order{ulid.UUID(ulid.MustParse("01ARYZ6S41TSV4RRFFQ69G5FAV"))} // ulid.UUID(ulid.Make()) is a new one
	stored, err := o.ID.Value()                                         // what db.Exec(…, o.ID) sends
	fmt.Println(stored, err)

	text, err := json.Marshal(o)
	fmt.Println(string(text), err)

	err = json.Unmarshal([]byte(`{"id":"01ARYZ6S41TSV4RRFFQ69G5FAV"}`), &o)
	fmt.Println(err)
	// Output:
	// 01563df3-6481-d676-4c61-efb99302bd5b <nil>
	// {"id":"01563df3-6481-d676-4c61-efb99302bd5b"} <nil>
	// ulid: length 26, want 36; Parse reads the 26 of a ULID
}

// A field for a bytea, BINARY(16) or BLOB column. The database gets 16 bytes.
func ExampleAsBinary() {
	id := ulid.AsBinary(ulid.MustParse("01ARYZ6S41TSV4RRFFQ69G5FAV"))
	stored, err := id.Value() // what db.Exec(…, id) sends
	fmt.Printf("%x %v\n", stored, err)
	fmt.Println(id)
	// Output:
	// 01563df36481d6764c61efb99302bd5b <nil>
	// 01ARYZ6S41TSV4RRFFQ69G5FAV
}

func ExampleULID_Scan() {
	var id ulid.ULID
	for _, column := range []any{
		"01ARYZ6S41TSV4RRFFQ69G5FAV",
		nil,
		[]byte("01563df3-6481-d676-4c61-efb99302bd5b"),
		int64(7),
	} {
		err := id.Scan(column)
		fmt.Println(id, err)
	}
	// Output:
	// 01ARYZ6S41TSV4RRFFQ69G5FAV <nil>
	// 01ARYZ6S41TSV4RRFFQ69G5FAV ulid: this is NULL, which a pointer or a sql.Null reads
	// 01ARYZ6S41TSV4RRFFQ69G5FAV ulid: this is a UUID string, which AsUUID, UUID and UUIDColumn read
	// 01ARYZ6S41TSV4RRFFQ69G5FAV ulid: cannot scan an ID from a value of type int64
}

func ExampleULID_Next() {
	id := ulid.MustParse("01ARYZ6S41TSV4RRFFQ69G5FAV")
	next, ok := id.Next()
	fmt.Println(next, ok)
	_, ok = ulid.MustParse("7ZZZZZZZZZZZZZZZZZZZZZZZZZ").Next()
	fmt.Println(ok)
	// Output:
	// 01ARYZ6S41TSV4RRFFQ69G5FAW true
	// false
}

// What database/sql sends for each type.
func ExampleULID_Value() {
	id := ulid.MustParse("01ARYZ6S41TSV4RRFFQ69G5FAV")
	fmt.Println(id.Value())
	fmt.Println(ulid.AsUUID(id).Value())
	fmt.Println(ulid.AsBinary(id).Value())
	// Output:
	// 01ARYZ6S41TSV4RRFFQ69G5FAV <nil>
	// 01563df3-6481-d676-4c61-efb99302bd5b <nil>
	// [1 86 61 243 100 129 214 118 76 97 239 185 147 2 189 91] <nil>
}

// This is wrong: one column and two types. Here the IDs of orders are AsBinary, and the argument is a
// ULID, which deletes every order:
//
//	db.Exec("DELETE FROM orders WHERE id < ?", ulid.FirstAt(newYear))
//
// A ULID is passed as 26 characters. Each ID of the column begins with the byte 1, and so sorts
// before the character 0, which is the byte 48. The database reports nothing. (In SQLite it is the
// condition > that matches every row.)
//
// Pass the type that the column holds:
//
//	db.Exec("DELETE FROM orders WHERE id < ?", ulid.AsBinary(ulid.FirstAt(newYear)))
func ExampleULID_Value_incorrect() {
	newYear := ulid.FirstAt(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))
	id := ulid.MustParse("01M7ZPQKK9YWAK56HQEYD33WCP") // of November 2026

	// What the database compares.
	column, _ := ulid.AsBinary(id).Value()
	wrong, _ := newYear.Value()
	right, _ := ulid.AsBinary(newYear).Value()
	fmt.Println(bytes.Compare(column.([]byte), []byte(wrong.(string))) < 0)
	fmt.Println(bytes.Compare(column.([]byte), right.([]byte)) < 0)
	// Output:
	// true
	// false
}
