package sql

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/seed-961d0905/ulid"
	"github.com/seed-961d0905/ulid/interop/db"
	"github.com/seed-961d0905/ulid/interop/page"
)

var inNovember = time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC)

// openLogs makes the table of the page with its partition for November 2026 and, in Go, those of the months around it.
func openLogs(t *testing.T) *db.DB {
	t.Helper()
	conn := postgresDB.open(t, defaultMode)
	conn.Run(postgresDB.example(t, "partitions"))
	newYork, err := time.LoadLocation("America/New_York")
	check(t, err)
	for _, month := range []time.Time{
		time.Date(2026, 9, 30, 23, 0, 0, 0, newYork), // October in UTC
		time.Date(2026, 11, 30, 23, 0, 0, 0, newYork),
	} {
		for range 2 {
			check(t, CreateMonth(context.Background(), conn.DB.DB, month))
		}
	}
	return conn
}

// TestPartitions inserts IDs of three months, and finds each in the partition of its month.
func TestPartitions(t *testing.T) {
	conn := openLogs(t)
	from := time.Date(2026, 10, 1, 0, 0, 0, 0, time.UTC)
	to := from.AddDate(0, 3, 0)
	ids := []ulid.AsUUID{ulid.AsUUID(ulid.FirstAt(from)), ulid.AsUUID(ulid.LastAt(to.Add(-time.Millisecond)))}
	for month := from.AddDate(0, 1, 0); month.Before(to); month = month.AddDate(0, 1, 0) {
		ids = append(ids, ulid.AsUUID(ulid.FirstAt(month)), ulid.AsUUID(ulid.LastAt(month.Add(-time.Millisecond))))
	}
	g := ulid.Generator{UUIDv7: true, Clock: func() time.Time {
		return from.Add(to.Sub(from) / 1000 * time.Duration(len(ids)-6))
	}}
	for len(ids) < 1000 {
		id, err := g.Make()
		check(t, err)
		ids = append(ids, ulid.AsUUID(id))
	}
	insert(t, conn, "logs", "id", ids)
	for _, id := range ids {
		got := conn.Text(`SELECT tableoid::regclass FROM logs WHERE id = ?`, id)
		if want := id.Timestamp().UTC().Format("logs_2006_01"); got != want {
			t.Errorf("%v of %v is in %s, want %s", id, id.Timestamp(), got, want)
		}
	}
	key := conn.Text(`SELECT pg_get_constraintdef(oid) FROM pg_constraint
		WHERE conrelid = 'logs'::regclass AND contype = 'p'`)
	if key != "PRIMARY KEY (id)" {
		t.Errorf("the key is %s", key)
	}
}

// TestPartitionBounds compares the partition that SQL makes for a month with the one that Go makes.
func TestPartitionBounds(t *testing.T) {
	conn := openLogs(t)
	const bounds = `SELECT pg_get_expr(relpartbound, oid) FROM pg_class WHERE oid = 'logs_2026_11'::regclass`
	bySQL := conn.Text(bounds)
	conn.Run(`DROP TABLE logs_2026_11`)
	check(t, CreateMonth(context.Background(), conn.DB.DB, inNovember))
	if byGo := conn.Text(bounds); byGo != bySQL {
		t.Errorf("Go makes a partition %s, SQL %s", byGo, bySQL)
	}
}

// TestPartitionPruning shows that a range and a look-up by key read one partition, even by the plan of a prepared
// statement that knows no parameter.
func TestPartitionPruning(t *testing.T) {
	page.Fact(t, postgresDB.Page, "partitions-are-pruned")
	conn := openLogs(t)
	day := time.Date(2026, 11, 2, 0, 0, 0, 0, time.UTC)
	from, to := ulid.AsUUID(ulid.FirstAt(day)), ulid.AsUUID(ulid.FirstAt(day.AddDate(0, 0, 1)))
	wantPlan := func(want string, plan [][]any) {
		t.Helper()
		read := regexp.MustCompile(`logs_2026_\d\d\b`).FindAllString(fmt.Sprint(plan), -1)
		if len(read) == 0 {
			t.Errorf("no partition is read by\n%s", plan)
		}
		for _, name := range read {
			if name != want {
				t.Errorf("%s is read by\n%s", name, plan)
			}
		}
	}
	wantPlan("logs_2026_11", conn.Rows(`EXPLAIN SELECT * FROM logs WHERE id >= ? AND id < ?`, from, to))
	wantPlan("logs_2026_11", conn.Rows(`EXPLAIN SELECT * FROM logs WHERE id = ?`, from))
	wantPlan("logs_2026_11", conn.Rows(`EXPLAIN SELECT * FROM logs
		WHERE id >= ulid_first_at('2026-11-01Z') AND id < ulid_first_at('2026-12-01Z')`))

	conn.Run(`SET plan_cache_mode = force_generic_plan; PREPARE q(uuid) AS SELECT * FROM logs WHERE id = $1`)
	wantPlan("logs_2026_11", conn.Rows(`EXPLAIN ANALYZE EXECUTE q('`+from.UUIDString()+`')`))
}

// TestPartitionErrors shows what is an error of a table with partitions, and what locks it.
func TestPartitionErrors(t *testing.T) {
	page.Fact(t, postgresDB.Page, "partition-missing-is-an-error")
	page.Fact(t, postgresDB.Page, "referenced-partition-must-be-detached")
	page.Fact(t, postgresDB.Page, "partitions-lock-readers")
	conn := openLogs(t)
	wantCode := func(want, statement string, args ...any) {
		t.Helper()
		err := conn.Try(statement, args...)
		if e := new(pgconn.PgError); !errors.As(err, &e) || e.Code != want {
			t.Errorf("%s: %v, want SQLSTATE %s", statement, err, want)
		}
	}
	for _, id := range []ulid.AsUUID{{}, ulid.AsUUID(ulid.FirstAt(inNovember.AddDate(1, 0, 0)))} {
		wantCode("23514", `INSERT INTO logs (id) VALUES (?)`, id)
	}

	for _, statement := range []string{
		`CREATE TABLE logs_2027_01 PARTITION OF logs
			FOR VALUES FROM (ulid_first_at('2027-01-01Z')) TO (ulid_first_at('2027-02-01Z'))`,
		`DROP TABLE logs_2026_12`,
	} {
		tx := conn.MustBegin()
		tx.MustExec(statement)
		var locked bool
		check(t, tx.Get(&locked, `SELECT EXISTS (SELECT FROM pg_locks WHERE pid = pg_backend_pid()
			AND mode = 'AccessExclusiveLock' AND relation = 'logs'::regclass)`))
		check(t, tx.Commit())
		if !locked {
			t.Errorf("%s does not lock logs", statement)
		}
	}

	conn.Run(`CREATE TABLE lines (log_id uuid REFERENCES logs)`)
	conn.Run(`INSERT INTO logs VALUES (?)`, ulid.AsUUID(ulid.FirstAt(inNovember)))
	conn.Run(`INSERT INTO lines SELECT id FROM logs`)
	wantCode("2BP01", `DROP TABLE logs_2026_11`)
	wantCode("23503", `ALTER TABLE logs DETACH PARTITION logs_2026_11`)
	conn.Run(`DELETE FROM lines`)
	wantCode("2BP01", `DROP TABLE logs_2026_11`)
	conn.Run(`ALTER TABLE logs DETACH PARTITION logs_2026_11`)
	conn.Run(`DROP TABLE logs_2026_11`)
	if n := conn.Count(`SELECT count(*) FROM logs`); n != 0 {
		t.Errorf("%d rows are left", n)
	}
}
