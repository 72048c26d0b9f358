package storage

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/go-sql-driver/mysql"

	"github.com/seed-961d0905/ulid"
	"github.com/seed-961d0905/ulid/interop/db"
)

// TestOtherTypes uses the types of ID that are for other columns. Reading a row is an error, also for what a program
// stored with id.String(). As arguments they are silent: see wantLost.
func TestOtherTypes(t *testing.T) {
	t.Parallel()
	eachSession(t, db.All, func(s *session) {
		own := slices.IndexFunc(goTypes, func(typ goType) bool { return typ.column == s.column.GoType })
		for n, id := range samples {
			s.execOne(`INSERT INTO p (id, n) VALUES (?, ?)`, goTypes[own].value(id), n)
		}
		for _, typ := range goTypes {
			if typ.column == s.column.GoType {
				continue
			}
			read, rejected := typ.reads(s, `SELECT id FROM p WHERE n >= ?`, 0)
			if read != 0 || rejected != len(samples) {
				s.t.Errorf("a %T reads %d rows and rejects %d of %d", typ.value(samples[0]), read, rejected, len(samples))
			}
			wantLost(s, typ)
		}
		wantRows := func(condition string, args ...any) {
			var n []int
			err := s.read(&n, `SELECT n FROM p WHERE `+condition, args...)
			if err != nil || len(n) != len(samples) {
				s.t.Errorf("%s matches %d rows, %v; the page says all %d", condition, len(n), err, len(samples))
			}
		}
		if s.column.GoType == "ULID" {
			wantRows(`id < ?`, PrefixID{})
		}
	})
}

// reads returns how many rows of a query a T reads, and how many it rejects. An error keeps the ID of the row before.
func reads[T ID](s *session, query string, args ...any) (read, rejected int) {
	s.t.Helper()
	rows, err := s.Query(s.Rebind(query), args...)
	check(s.t, err)
	defer rows.Close()
	for rows.Next() {
		before := T(samples[1])
		id := before
		err := rows.Scan(&id)
		switch {
		case err == nil:
			read++
		case id != before:
			s.t.Errorf("the error %v leaves %v", err, id)
		default:
			rejected++
		}
	}
	check(s.t, rows.Err())
	return read, rejected
}

// wantLost looks for each row, and for all the others, by an ID of a type that is for another column.
func wantLost(s *session, typ goType) {
	s.t.Helper()
	for n, id := range samples {
		var equal, others []int
		errEqual := s.read(&equal, `SELECT n FROM p WHERE id = ?`, typ.value(id))
		errOthers := s.read(&others, `SELECT n FROM p WHERE id <> ?`, typ.value(id))
		isFound := slices.Equal(equal, []int{n}) && len(others) == len(samples)-1
		isLost := len(equal) == 0 && len(others) == len(samples)
		isError := len(equal) == 0 && errOthers != nil
		var ok bool
		switch {
		case s.column.SQL == "uuid": // for which pgx takes 16 bytes
			ok = isError || isFound && typ.column == "AsBinary"
		case typ.column == "AsBinary": // which is not for every driver a text
			ok = isError || isLost
		default:
			ok = isLost && errEqual == nil
		}
		if !ok {
			s.t.Errorf("by a %T the row %d is one of %v, %v, and not one of %v, %v",
				typ.value(id), n, equal, errEqual, others, errOthers)
		}
	}
}

var mysqls = []*db.Database{db.MySQL, db.MariaDB}

// TestNumbers asks MySQL and MariaDB for a number that all their rows equal, and for the IDs that have the bytes of
// another ID, as query builders write a list that they take for numbers.
func TestNumbers(t *testing.T) {
	t.Parallel()
	number := map[string]any{"ULID": 1, "AsBinary": 0, "AsUUID": 1, "PrefixColumn": 0}
	eachSession(t, mysqls, func(s *session) {
		own := slices.IndexFunc(goTypes, func(typ goType) bool { return typ.column == s.column.GoType })
		ids := make([]ulid.ULID, 5)
		ulid.Fill(ids)
		for n, id := range ids[1:] {
			s.execOne(`INSERT INTO p (id, n) VALUES (?, ?)`, goTypes[own].value(id), n)
		}
		rows := len(ids) - 1
		equal := number[s.column.GoType]
		if got := s.Count(`SELECT count(*) FROM p WHERE id = ?`, equal); got != rows {
			s.t.Errorf("%v equals %d of %d rows", equal, got, rows)
		}
		if got := s.Count(`SELECT count(*) FROM p WHERE id = ?`, 2); got != 0 {
			s.t.Errorf("2 equals %d rows", got)
		}
		if s.column.GoType == "ULID" {
			if got := s.Count(`SELECT count(*) FROM p WHERE id = ?`, true); got != rows {
				s.t.Errorf("true equals %d of %d rows", got, rows)
			}
			list := strings.ReplaceAll(strings.Trim(fmt.Sprint(ids[0][:]), "[]"), " ", ", ") // of an ID that no row has
			if got := s.Count(`SELECT count(*) FROM p WHERE id IN (` + list + `)`); got != rows {
				s.t.Errorf("the bytes of a missing ID equal %d of %d rows", got, rows)
			}
		}
		err := s.Try(`DELETE FROM p WHERE id = ?`, equal)
		var refused *mysql.MySQLError
		switch left := s.Count(`SELECT count(*) FROM p`); {
		case s.Database == db.MariaDB && (err != nil || left != 0):
			s.t.Errorf("a DELETE of %v leaves %d rows, %v; the page says that it removes all", equal, left, err)
		case s.Database == db.MySQL && (!errors.As(err, &refused) || refused.Number != 1292 || left != rows):
			s.t.Errorf("a DELETE of %v leaves %d of %d rows, %v; the page says that it fails", equal, left, rows, err)
		}
	})
}

// TestBytesInDerivedTable passes 16 bytes to a derived table, where MariaDB changes them and MySQL refuses them.
func TestBytesInDerivedTable(t *testing.T) {
	t.Parallel()
	want := ulid.AsBinary(ulid.MustParse("01M8CGZT5AEWWBNABPN2Q9CTX9"))
	db.Each(t, mysqls, func(t *testing.T, d *db.Database) {
		for parameters, isSafe := range map[string]bool{"": false, "interpolateParams=true": true} {
			conn := d.Open(t, parameters)
			for query, keeps := range map[string]bool{
				`SELECT id FROM (SELECT ? AS id) t`:                     false,
				`WITH t AS (SELECT ? AS id) SELECT id FROM t`:           false,
				`SELECT ? AS id UNION SELECT NULL LIMIT 1`:              false,
				`SELECT first_value(?) OVER () AS id`:                   d == db.MySQL,
				`SELECT id FROM (SELECT CAST(? AS BINARY(16)) AS id) t`: true,
			} {
				var got []byte
				err := conn.Get(&got, query, want)
				isRight := err == nil && string(got) == string(want[:])
				if isRight != (isSafe || keeps) || err != nil && d == db.MariaDB {
					t.Errorf("%q, %s: % x, %v, want % x", parameters, query, got, err, want[:])
				}
			}
		}
	})
}
