package ulid_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"database/sql"
	"database/sql/driver"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	mathrand "math/rand/v2"
	"net/http"
	"net/http/httptest"
	"slices"
	"time"

	"github.com/seed-961d0905/ulid"
)

func Example() {
	id := ulid.Make()
	text := id.String()

	back, err := ulid.Parse(text)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(text), back == id, time.Since(id.Timestamp()) < time.Minute)
	// Output: 26 true true
}

func ExampleMake() {
	first := ulid.Make()
	second := ulid.Make()
	fmt.Println(first.Compare(second), first.String() < second.String())
	// Output: -1 true
}

// An ID that UUID tools accept.
func ExampleMakeUUIDv7() {
	id := ulid.MakeUUIDv7()
	fmt.Println(id.UUIDString()[14:15], id.IsUUIDv7())
	// Output: 7 true
}

func ExampleFill() {
	ids := make([]ulid.ULID, 1000)
	ulid.Fill(ids)
	fmt.Println(slices.IsSortedFunc(ids, ulid.ULID.Compare))
	// Output: true
}

// With a time of one's own.
func ExampleNew() {
	t := time.Date(2016, 7, 30, 22, 36, 16, 385e6, time.UTC)
	id, err := ulid.New(ulid.Timestamp(t), rand.Reader)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(id.String()[:10], id.Timestamp().UTC())
	// Output: 01ARYZ6S41 2016-07-30 22:36:16.385 +0000 UTC
}

// IDs that are the same in every run, for a test. The clock moves by half a millisecond for
// each.
func ExampleGenerator() {
	clock := time.Date(2016, 7, 30, 22, 36, 16, 385e6, time.UTC)
	g := &ulid.Generator{
		Clock: func() time.Time {
			now := clock
			clock = clock.Add(500 * time.Microsecond)
			return now
		},
		Entropy: mathrand.NewChaCha8([32]byte{}),
	}
	for range 6 {
		id, err := g.Make()
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(id, id.Timestamp().UTC().Format("05.000"))
	}
	// Output:
	// 01ARYZ6S41V63QXKKD6T5AR6KF 16.385
	// 01ARYZ6S41V63QXKKD6V64NR4Q 16.385
	// 01ARYZ6S42VNN4HP4MEH6JWNKF 16.386
	// 01ARYZ6S42VNN4HP4MEKDGQKV3 16.386
	// 01ARYZ6S43HP68AGPWQ2MS8T7F 16.387
	// 01ARYZ6S43HP68AGPWQ4KQF5BM 16.387
}

// UUIDs of version 7 that are the same in every run. MakeUUIDv7 makes those for production.
func ExampleGenerator_uuidv7() {
	g := &ulid.Generator{
		UUIDv7:  true,
		Clock:   func() time.Time { return time.Date(2016, 7, 30, 22, 36, 16, 385e6, time.UTC) },
		Entropy: mathrand.NewChaCha8([32]byte{}),
	}
	for range 3 {
		id, err := g.Make()
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(id.UUIDString(), id.IsUUIDv7())
	}
	// Output:
	// 01563df3-6481-7987-bece-6d368aac1a6f true
	// 01563df3-6481-7987-bece-6d36cc4ae097 true
	// 01563df3-6481-7987-bece-6d37a9b52970 true
}

// A process that goes on after the last ID that it stored, even if its clock was set back. It
// refuses an ID from a clock that stood in the future, because all its IDs would then show
// that time.
func ExampleGenerator_after() {
	resume := func(stored ulid.ULID) (*ulid.Generator, error) {
		if ahead := time.Until(stored.Timestamp()); ahead > time.Minute {
			return nil, fmt.Errorf("last stored ID %s is %v ahead of the clock", stored, ahead)
		}
		return &ulid.Generator{After: stored}, nil
	}

	stored := ulid.FirstAt(time.Now().Add(10 * time.Second))
	g, err := resume(stored)
	if err != nil {
		log.Fatal(err)
	}
	id, err := g.Make()
	fmt.Println(id.Compare(stored), err)

	_, err = resume(ulid.FirstAt(time.Now().Add(time.Hour)))
	fmt.Println(err != nil)
	// Output:
	// 1 <nil>
	// true
}

func ExampleMonotonic() {
	entropy := ulid.Monotonic(bytes.NewReader([]byte("ten bytes!")), 1)
	for range 2 {
		id, err := ulid.New(1469918176385, entropy)
		if err != nil {
			log.Fatal(err) // ulid.ErrMonotonicOverflow, if the 80 bits were used up
		}
		fmt.Println(id)
	}
	// Output:
	// 01ARYZ6S41EHJPW832F5T6AWS1
	// 01ARYZ6S41EHJPW832F5T6AWS2
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
	// 00000000000000000000000000 ulid: bad data size when unmarshaling
	// 00000000000000000000000000 ulid: invalid character 'U' at offset 25
	// 00000000000000000000000000 ulid: overflow when unmarshaling
}

// The ID of a path such as /orders/01ARYZ6S41TSV4RRFFQ69G5FAV. A path without a valid ID is the
// client's error.
func ExampleParse_http() {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /orders/{id}", func(w http.ResponseWriter, r *http.Request) {
		id, err := ulid.Parse(r.PathValue("id"))
		if err != nil {
			http.Error(w, "order ID: "+err.Error(), http.StatusBadRequest)
			return
		}
		fmt.Fprintf(w, "order %s of %s\n", id, id.Timestamp().UTC().Format(time.DateOnly))
	})

	for _, path := range []string{"/orders/01ARYZ6S41TSV4RRFFQ69G5FAV", "/orders/01ARYZ6S41TSV4RRFFQ69G5FAU"} {
		w := httptest.NewRecorder()
		mux.ServeHTTP(w, httptest.NewRequest("GET", path, nil))
		fmt.Print(w.Code, " ", w.Body)
	}
	// Output:
	// 200 order 01ARYZ6S41TSV4RRFFQ69G5FAV of 2016-07-30
	// 400 order ID: ulid: invalid character 'U' at offset 25
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
	fmt.Println(id.UUIDString())
	// Output:
	// 01ARYZ6S41TSV4RRFFQ69G5FAV <nil>
	// 01563df3-6481-d676-4c61-efb99302bd5b
}

// A time range as a range of keys: WHERE id >= $1 AND id < $2.
func ExampleFirstAt() {
	day := time.Date(2016, 7, 30, 0, 0, 0, 0, time.UTC)
	fmt.Println(ulid.FirstAt(day), ulid.FirstAt(day.AddDate(0, 0, 1)))
	// Output: 01ARWHKC000000000000000000 01ARZ403000000000000000000
}

// A day, page by page. The first page begins with FirstAt, each later one after the last ID of
// the page before it.
func ExampleFirstAt_pages() {
	day := time.Date(2016, 7, 30, 0, 0, 0, 0, time.UTC)
	var table []ulid.ULID // an ID every five hours
	for i := range 10 {
		table = append(table, ulid.LastAt(day.Add(time.Duration(5*i)*time.Hour)))
	}
	// SELECT id FROM orders WHERE id >= $1 AND id < $2 ORDER BY id LIMIT 2
	query := func(from, to ulid.ULID) []ulid.ULID {
		begin, _ := slices.BinarySearchFunc(table, from, ulid.ULID.Compare)
		end, _ := slices.BinarySearchFunc(table, to, ulid.ULID.Compare)
		return table[begin:min(begin+2, end)]
	}

	from, to := ulid.FirstAt(day), ulid.FirstAt(day.AddDate(0, 0, 1))
	for page := query(from, to); len(page) > 0; page = query(from, to) {
		for _, id := range page {
			fmt.Println(id, id.Timestamp().UTC().Format(time.DateTime))
		}
		fmt.Println("--")
		from, _ = page[len(page)-1].Next()
	}
	// Output:
	// 01ARWHKC00ZZZZZZZZZZZZZZZZ 2016-07-30 00:00:00
	// 01ARX2RP40ZZZZZZZZZZZZZZZZ 2016-07-30 05:00:00
	// --
	// 01ARXKY080ZZZZZZZZZZZZZZZZ 2016-07-30 10:00:00
	// 01ARY53AC0ZZZZZZZZZZZZZZZZ 2016-07-30 15:00:00
	// --
	// 01ARYP8MG0ZZZZZZZZZZZZZZZZ 2016-07-30 20:00:00
	// --
}

func ExampleULID_Timestamp() {
	id := ulid.MustParse("01ARYZ6S41TSV4RRFFQ69G5FAV")
	fmt.Println(id.Timestamp().UTC(), id.Time())
	// Output: 2016-07-30 22:36:16.385 +0000 UTC 1469918176385
}

func ExampleULID_Compare() {
	ids := []ulid.ULID{ulid.MustParse("01BX5ZZKBKACTAV9WEVGEMMVRZ"), ulid.MustParse("01ARYZ6S41TSV4RRFFQ69G5FAV")}
	slices.SortFunc(ids, ulid.ULID.Compare)
	fmt.Println(ids)
	// Output: [01ARYZ6S41TSV4RRFFQ69G5FAV 01BX5ZZKBKACTAV9WEVGEMMVRZ]
}

func ExampleULID_MarshalText() {
	type order struct {
		ID     ulid.ULID  `json:"id"`
		Parent *ulid.ULID `json:"parent"`
		Next   ulid.ULID  `json:"next,omitzero"`
	}
	text, err := json.Marshal(order{ID: ulid.MustParse("01ARYZ6S41TSV4RRFFQ69G5FAV")})
	fmt.Println(string(text), err)
	// Output: {"id":"01ARYZ6S41TSV4RRFFQ69G5FAV","parent":null} <nil>
}

// A field for a uuid column. The database gets UUID notation. The program and its JSON have the
// text of 26 characters.
func ExampleAsUUID() {
	type order struct {
		ID    ulid.AsUUID `json:"id"`
		Total int         `json:"total"`
	}
	o := order{ulid.AsUUID(ulid.MustParse("01ARYZ6S41TSV4RRFFQ69G5FAV")), 99}

	// db.Exec converts each argument like this.
	arg, err := driver.DefaultParameterConverter.ConvertValue(o.ID)
	fmt.Println(arg, err)

	// rows.Scan(&o.ID, &o.Total) gives a field the column like this.
	err = o.ID.Scan("01563e3a-b5d3-d676-4c61-efb99302bd5b")
	fmt.Println(o.ID, err)

	text, err := json.Marshal(o)
	fmt.Println(string(text), err)
	// Output:
	// 01563df3-6481-d676-4c61-efb99302bd5b <nil>
	// 01ARZ3NDEKTSV4RRFFQ69G5FAV <nil>
	// {"id":"01ARZ3NDEKTSV4RRFFQ69G5FAV","total":99} <nil>
}

var (
	ctx = context.Background()
	db  *sql.DB // from sql.Open
)

// The field in queries. A ULID is converted to be an argument for the column.
func ExampleAsUUID_query() {
	type order struct {
		ID    ulid.AsUUID
		Total int
	}
	o := order{ulid.AsUUID(ulid.Make()), 99}
	if _, err := db.ExecContext(ctx, "INSERT INTO orders (id, total) VALUES ($1, $2)", o.ID, o.Total); err != nil {
		log.Fatal(err)
	}

	hourAgo := ulid.FirstAt(time.Now().Add(-time.Hour))
	rows, err := db.QueryContext(ctx, "SELECT id, total FROM orders WHERE id >= $1 ORDER BY id", ulid.AsUUID(hourAgo))
	if err != nil {
		log.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		if err := rows.Scan(&o.ID, &o.Total); err != nil {
			log.Fatal(err)
		}
		fmt.Println(o.ID, o.ID.Timestamp(), o.Total)
	}
	if err := rows.Err(); err != nil {
		log.Fatal(err)
	}
}

// How the three types go to a database.
func ExampleULID_Value() {
	id := ulid.MustParse("01ARYZ6S41TSV4RRFFQ69G5FAV")
	text, _ := id.Value()
	binary, _ := ulid.AsBinary(id).Value()
	uuid, _ := ulid.AsUUID(id).Value()
	fmt.Printf("%s\n%x\n%s\n", text, binary, uuid)
	// Output:
	// 01ARYZ6S41TSV4RRFFQ69G5FAV
	// 01563df36481d6764c61efb99302bd5b
	// 01563df3-6481-d676-4c61-efb99302bd5b
}

func ExampleULID_Scan() {
	var id ulid.ULID
	for _, column := range []any{"01ARYZ6S41TSV4RRFFQ69G5FAV", []byte("01563df3-6481-d676-4c61-efb99302bd5b"), nil, int64(7)} {
		err := id.Scan(column)
		fmt.Println(id, err)
	}
	// Output:
	// 01ARYZ6S41TSV4RRFFQ69G5FAV <nil>
	// 01ARYZ6S41TSV4RRFFQ69G5FAV <nil>
	// 00000000000000000000000000 <nil>
	// 00000000000000000000000000 ulid: source value must be a string or byte slice: int64
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

// A type for each kind of ID. It has the methods of ULID, which type userID ulid.ULID would not.
func ExampleULID_typed() {
	type userID struct{ ulid.ULID }
	id := userID{ulid.MustParse("01ARYZ6S41TSV4RRFFQ69G5FAV")}
	text, err := json.Marshal(map[userID]string{id: "Ada"})
	fmt.Println(id, string(text), err)
	// Output: 01ARYZ6S41TSV4RRFFQ69G5FAV {"01ARYZ6S41TSV4RRFFQ69G5FAV":"Ada"} <nil>
}
