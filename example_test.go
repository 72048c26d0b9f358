package ulid_test

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	mathrand "math/rand/v2"
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

// IDs that are the same in every run, for a test.
func ExampleGenerator() {
	clock := time.Date(2016, 7, 30, 22, 36, 16, 385e6, time.UTC)
	g := &ulid.Generator{
		Clock:   func() time.Time { return clock },
		Entropy: mathrand.NewChaCha8([32]byte{}),
	}
	for range 2 {
		for range 2 {
			id, err := g.New()
			if err != nil {
				log.Fatal(err)
			}
			fmt.Println(id)
		}
		clock = clock.Add(time.Millisecond)
	}
	// Output:
	// 01ARYZ6S41V63QXKKD6T5AR6KF
	// 01ARYZ6S41V63QXKKD6V64NR4Q
	// 01ARYZ6S42VNN4HP4MEH6JWNKF
	// 01ARYZ6S42VNN4HP4MEKDGQKV3
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
	id, err := g.New()
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
