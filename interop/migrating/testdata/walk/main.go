// Walk keeps events in a database, as programs written for oklog/ulid do. Its pattern is that of
// github.com/foxcpp/maddy-storage: gorm, keys of 16 bytes, conditions with ? and raw statements.
package main

import (
	"errors"
	"fmt"
	"log"
	"os"
	"strings"
	"time"

	"github.com/glebarez/sqlite"
	"github.com/oklog/ulid/v2"
	"gorm.io/driver/mysql"
	"gorm.io/driver/postgres"
	"gorm.io/gorm"
	"gorm.io/gorm/logger"
)

// main does one thing to events, and prints what it found.
func main() {
	s, err := open(os.Args[1])
	check(err)
	what, args := os.Args[2], os.Args[3:]
	var ids []ulid.ULID
	for _, text := range args {
		if what != "create" {
			ids = append(ids, ulid.MustParse(text))
		}
	}
	switch what {
	case "create":
		for _, note := range args {
			id, err := s.create(note)
			check(err)
			fmt.Println(id)
		}
	case "find":
		find(s, ids)
	case "add":
		for _, id := range ids {
			check(s.addItem(id, 2))
		}
	case "purge":
		removed, err := s.purge(time.Now().Add(-time.Hour))
		check(err)
		fmt.Println("removed", removed)
	case "remove":
		var removed int64
		for _, id := range ids {
			n, err := s.remove(id)
			check(err)
			removed += n
		}
		fmt.Println("removed", removed)
	}
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

func open(dsn string) (store, error) {
	var dialect gorm.Dialector
	switch {
	case strings.HasPrefix(dsn, "postgres:"):
		dialect = postgres.Open(dsn)
	case strings.Contains(dsn, "@tcp("):
		dialect = mysql.Open(dsn)
	default:
		dialect = sqlite.Open(dsn)
	}
	db, err := gorm.Open(dialect, &gorm.Config{Logger: logger.Discard})
	return store{db}, err
}

// find looks for events in every way that the store has.
func find(s store, ids []ulid.ULID) {
	var got, items, counted, renamed int64
	for _, id := range ids {
		event, err := s.get(id)
		if err == nil {
			got++
		} else if !errors.Is(err, gorm.ErrRecordNotFound) {
			check(err)
		}
		items += int64(len(event.Items))
		n, err := s.countItems(id)
		check(err)
		counted += n
		n, err = s.rename(id, "renamed by "+id.String())
		check(err)
		renamed += n
	}
	listed, err := s.list(ids)
	check(err)
	fmt.Printf("got %d, listed %d, items %d, counted %d, renamed %d\n", got, len(listed), items, counted, renamed)
}
