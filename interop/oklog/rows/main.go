// Rows writes IDs into a table of SQLite and reads all that are there, as a program with oklog/ulid does. TestReplace
// builds it with oklog/ulid and with the module in its place.
package main

import (
	"database/sql"
	"fmt"
	"log"
	"os"
	"reflect"

	"github.com/oklog/ulid/v2"
	_ "modernc.org/sqlite"
)

func main() {
	db, err := sql.Open("sqlite", os.Args[1])
	check(err)
	_, err = db.Exec("CREATE TABLE IF NOT EXISTS events (id BLOB PRIMARY KEY NOT NULL, cause BLOB)")
	check(err)
	id, cause := ulid.Make(), ulid.MustParse("0000000000XX000COMPACTHEAD") // which is not a ULID, but 16 bytes
	_, err = db.Exec("INSERT INTO events VALUES (?, ?), (?, NULL)", id, cause, ulid.Make())
	check(err)
	var n int
	err = db.QueryRow("SELECT count(*) FROM events WHERE id = ? AND cause = ?", id, cause).Scan(&n)
	check(err)

	rows, err := db.Query("SELECT id, cause, typeof(id), length(id) FROM events ORDER BY id")
	check(err)
	for rows.Next() {
		var id, cause ulid.ULID
		var typ string
		var length int
		check(rows.Scan(&id, &cause, &typ, &length))
		fmt.Println(id, cause, typ, length)
	}
	check(rows.Err())
	_, isLocked := ulid.DefaultEntropy().(*ulid.LockedMonotonicReader)
	fmt.Println(reflect.TypeOf(id).PkgPath(), n, isLocked)
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
