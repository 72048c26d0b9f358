package storage

import (
	"slices"
	"testing"

	"github.com/seed-961d0905/ulid/interop/db"
	"github.com/seed-961d0905/ulid/interop/page"
)

// TestOtherTypes uses the types of ID that are for other columns. Reading a row is an error, also for what a program
// stored with id.String(). As arguments they are silent: see wantLost.
func TestOtherTypes(t *testing.T) {
	t.Parallel()
	page.Fact(t, storagePage, "other-format-is-an-error")
	page.Fact(t, storagePage, "wrong-type-loses-rows")
	page.Fact(t, storagePage, "zero-equals-every-prefix")
	eachSession(t, func(s *session) {
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
		if s.column.GoType == "PrefixColumn" && s.IsMySQL() {
			wantRows(`id = 0`)
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

// TestBadValues reads what is no ID in any format. Only an AsBinary takes a string that a column cut to 16 characters
// for another ID, where the driver returns text as bytes.
func TestBadValues(t *testing.T) {
	t.Parallel()
	const cut = `'01ARYZ6S41TSV4RR'`
	db.Each(t, db.All, func(t *testing.T, d *db.Database) {
		for _, driver := range d.Drivers {
			s := &session{DB: d.OpenWith(t, driver), t: t}
			for _, value := range []string{`''`, cut, `'01ARYZ6S41TSV4RRFFQ69G5FA'`, `1`, `CURRENT_TIMESTAMP`} {
				for _, typ := range goTypes {
					read, rejected := typ.reads(s, `SELECT `+value)
					takes := value == cut && typ.column == "AsBinary" && d.IsMySQL()
					if read+rejected != 1 || (read == 1) != takes {
						t.Errorf("%s: a %T reads %s: %t", driver.Name, typ.value(samples[0]), value, read == 1)
					}
				}
			}
		}
	})
}
