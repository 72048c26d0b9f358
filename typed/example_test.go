package typed_test

import (
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"math/rand/v2"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/seed-961d0905/ulid"
	"github.com/seed-961d0905/ulid/typed"
)

// page: kind

type UserKind struct{ typed.UUIDColumn } // in MySQL, MariaDB and SQLite: typed.PrefixColumn

func (UserKind) Prefix() string { return "user" }

type UserID = typed.ID[UserKind]

func NewUserID() UserID                    { return typed.Make[UserKind]() }
func ParseUserID(s string) (UserID, error) { return typed.Parse[UserKind](s) }

// page: Example

func Example() {
	id, err := ParseUserID("user_01h455vb4pex5vsknk084sn02q") // NewUserID() generates a new one
	fmt.Println(id, err)
	fmt.Println(id.Time().UTC())

	data, err := json.Marshal(map[string]any{"id": id})
	fmt.Println(string(data), err)
	fmt.Println(id.Value()) // what a query passes to a uuid column

	_, err = ParseUserID("order_01h455vb4pex5vsknk084sn02q")
	fmt.Println(err)

	// Output:
	// user_01h455vb4pex5vsknk084sn02q <nil>
	// 2023-06-30 03:34:18.518 +0000 UTC
	// {"id":"user_01h455vb4pex5vsknk084sn02q"} <nil>
	// 01890a5d-ac96-774b-bcce-b302099a8057 <nil>
	// user ID: prefix "order", want "user"
}

// page: end

// oldUserKind has the prefix that users' IDs once had.
type oldUserKind struct{ typed.UUIDColumn }

func (oldUserKind) Prefix() string { return "usr" }

// parseLink reads the ID in a link, old or new.
func parseLink(s string) (UserID, error) {
	if old, err := typed.Parse[oldUserKind](s); err == nil {
		return UserID(old), nil
	}
	return typed.Parse[UserKind](s)
}

func Example_twoPrefixes() {
	fmt.Println(parseLink("usr_01h455vb4pex5vsknk084sn02q"))
	fmt.Println(parseLink("user_01h455vb4pex5vsknk084sn02q"))
	fmt.Println(parseLink("order_01h455vb4pex5vsknk084sn02q"))
	// Output:
	// user_01h455vb4pex5vsknk084sn02q <nil>
	// user_01h455vb4pex5vsknk084sn02q <nil>
	// user_00000000000000000000000000 user ID: prefix "order", want "user"
}

// Orders have no prefix.
type OrderKind struct{ typed.TextColumn }

func (OrderKind) Prefix() string { return "" }

type OrderID = typed.ID[OrderKind]

func Example_json() {
	type account struct {
		ID    UserID            `json:"id"`
		Owner *UserID           `json:"owner"`         // null if nil
		Last  OrderID           `json:"last,omitzero"` // absent if zero
		Roles map[UserID]string `json:"roles,omitempty"`
	}
	id := typed.MustParse[UserKind]("user_01h455vb4pex5vsknk084sn02q")
	text, err := json.Marshal(account{ID: id, Roles: map[UserID]string{id: "admin"}})
	fmt.Println(string(text), err)

	var a account
	err = json.Unmarshal([]byte(`{"id":"01H455VB4PEX5VSKNK084SN02Q"}`), &a)
	fmt.Println(err)
	// Output:
	// {"id":"user_01h455vb4pex5vsknk084sn02q","owner":null,"roles":{"user_01h455vb4pex5vsknk084sn02q":"admin"}} <nil>
	// user ID: prefix none, want "user"
}

// An ID from a ULID, and the ULID of an ID.
func ExampleID() {
	id := UserID(ulid.MustParse("01H455VB4PEX5VSKNK084SN02Q"))
	fmt.Println(id, id.ULID())
	// Output: user_01h455vb4pex5vsknk084sn02q 01H455VB4PEX5VSKNK084SN02Q
}

// A handler answers 400 if the string is not the ID of a user, 404 if no user has it, and 500 for any other error, such
// as that of a Scan, which means that a stored row is wrong.
func ExampleParse_handler() {
	status := func(err error) int {
		switch {
		case errors.Is(err, ulid.ErrSyntax):
			return http.StatusBadRequest
		case errors.Is(err, sql.ErrNoRows):
			return http.StatusNotFound
		}
		return http.StatusInternalServerError
	}
	var db *sql.DB
	http.HandleFunc("GET /users/{id}", func(w http.ResponseWriter, r *http.Request) {
		id, err := typed.Parse[UserKind](r.PathValue("id"))
		var name string
		if err == nil {
			row := db.QueryRowContext(r.Context(), "SELECT name FROM users WHERE id = $1", id)
			err = row.Scan(&name)
		}
		if err != nil {
			log.Print(err)
			http.Error(w, http.StatusText(status(err)), status(err))
			return
		}
		fmt.Fprintln(w, name)
	})

	_, err := typed.Parse[UserKind]("order_01h455vb4pex5vsknk084sn02q")
	fmt.Println(status(err), err)
	err = new(UserID).Scan("order_01h455vb4pex5vsknk084sn02q")
	fmt.Println(status(err), err)
	// Output:
	// 400 user ID: prefix "order", want "user"
	// 500 user ID: this is a string with a prefix, which PrefixColumn reads
}

// A range of time. The column is the one of the kind, and so are the arguments:
//
//	SELECT count(*) FROM users WHERE id >= $1 AND id < $2
func ExampleFirstAt() {
	day := time.Date(2023, 6, 30, 0, 0, 0, 0, time.UTC)
	from, to := typed.FirstAt[UserKind](day), typed.FirstAt[UserKind](day.AddDate(0, 0, 1))
	fmt.Println(from.Value()) // what a query passes to a uuid column
	fmt.Println(to.Value())
	// Output:
	// 01890999-7800-0000-0000-000000000000 <nil>
	// 01890ebf-d400-0000-0000-000000000000 <nil>
}

// newUserID generates the IDs of a program. Its tests replace it.
var newUserID = NewUserID

// The same IDs in each run of a test. The program calls a variable, which the test replaces:
//
//	var newUserID = NewUserID
//
// A testing/synctest bubble does not do this for typed.Make, even with testing/cryptotest.SetGlobalRandom: the bubble
// begins in 2000, so the IDs continue from the last one that the process has made.
func ExampleID_deterministic() {
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	var n atomic.Int64 // calls of Clock, which goroutines may share
	g := &ulid.Generator{
		// In a synctest bubble, time.Now will do.
		Clock:  func() time.Time { return start.Add(time.Duration(n.Add(1)) * time.Millisecond) },
		Source: rand.NewChaCha8([32]byte{}), // of math/rand/v2
	}
	defer func() { newUserID = NewUserID }() // a test calls t.Cleanup
	newUserID = func() UserID { return UserID(g.Make()) }

	fmt.Println(newUserID())
	fmt.Println(newUserID())
	// Output:
	// user_01kdvdna01e00adch8v6vkkygz
	// user_01kdvdna02e00akbrwkwd7j1dw
}
