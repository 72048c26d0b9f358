package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/oklog/ulid/v2"
)

var pgxModes = map[string]pgx.QueryExecMode{
	"cache_statement": pgx.QueryExecModeCacheStatement,
	"cache_describe":  pgx.QueryExecModeCacheDescribe,
	"describe_exec":   pgx.QueryExecModeDescribeExec,
	"exec":            pgx.QueryExecModeExec,
	"simple_protocol": pgx.QueryExecModeSimpleProtocol,
}

// A pgxTable is a table that pgx uses without database/sql.
type pgxTable struct {
	*pgx.Conn
	g    group
	name string
}

var ctx = context.Background()

func observePgx(dsn string, columns []string, next func() string) {
	for name, mode := range inOrder(pgxModes) {
		config := must(pgx.ParseConfig(dsn))
		config.DefaultQueryExecMode = mode
		conn := must(pgx.ConnectConfig(ctx, config))
		for _, column := range columns {
			t := pgxTable{conn, group("native pgx").sub(name).sub(column), next()}
			must(conn.Exec(ctx, "CREATE TABLE "+t.name+" (n int, id "+column+" PRIMARY KEY, ref "+column+", ids "+column+"[])"))
			t.insert()
			t.conditions()
			t.reads()
			t.copyFrom()
		}
		must(0, conn.Close(ctx))
	}
}

func (t pgxTable) sql(query string) string { return strings.ReplaceAll(query, " T ", " "+t.name+" ") }

func (t pgxTable) run(name, query string, args ...any) {
	t.g.sees(name, func() (any, error) {
		tag, err := t.Exec(ctx, t.sql(query), args...)
		return tag.String(), err
	})
}

func (t pgxTable) insert() {
	const insert = "INSERT INTO T (n, id, ref) VALUES ($1, $2, $3)"
	id := letters
	t.run("insert", insert, 1, first, first)
	t.run("insert pointers", insert, 2, &id, &id)
	t.run("insert a nil pointer", insert, 3, second, (*ulid.ULID)(nil))
	t.run("insert NULL", insert, 4, last, nil)
	t.run("insert named", "INSERT INTO T (n, id, ref) VALUES (@n, @id, @id)", pgx.NamedArgs{"n": 5, "id": ulid.ULID{}})
	t.run("insert slice", "INSERT INTO T (n, id, ids) VALUES ($1, $2, $3)", 6, ulid.ULID([]byte("ponmlkjihgfedcba")),
		[]ulid.ULID{first, last})
	for n, form := range []any{[]byte("ABCDEFGHIJKLMNOP"), "01BX5ZZKBKACTAV9WEVGEMMVRZ", [16]byte(first)} {
		t.run(fmt.Sprintf("insert another form %d", n), insert, 10+n, form, form)
	}
	// A uuid column takes no ID, but has what others wrote.
	t.run("insert of SQL", "INSERT INTO T (n, id, ids) SELECT 13, id, ARRAY[id, NULL] FROM "+
		"(SELECT n, id FROM T WHERE n = 10) AS rows WHERE false")
	t.g.sees("batch", func() (any, error) {
		var batch pgx.Batch
		batch.Queue(t.sql("UPDATE T SET ref = $1 WHERE id = $2"), second, first)
		batch.Queue(t.sql("UPDATE T SET ref = $1 WHERE id = $2"), first, &first)
		return nil, t.SendBatch(ctx, &batch).Close()
	})
}

func (t pgxTable) conditions() {
	id := first
	for _, c := range []struct {
		condition string
		args      []any
	}{
		{"id = $1", []any{first}},
		{"id = $1", []any{&id}},
		{"id = $1", []any{letters}},
		{"id = $1", []any{[16]byte(first)}},
		{"id = $1", []any{first[:]}},
		{"id = $1", []any{first.String()}},
		{"id = $1", []any{(*ulid.ULID)(nil)}},
		{"id <> $1", []any{first}},
		{"id IN ($1, $2)", []any{first, last}},
		{"id NOT IN ($1, $2)", []any{first, last}},
		{"id < $1", []any{second}},
		{"id >= $1", []any{second}},
		{"id BETWEEN $1 AND $2", []any{first, second}},
		{"ref = $1", []any{first}},
		{"id = ANY($1)", []any{[]ulid.ULID{first, last}}},
		{"id = ANY($1)", []any{[]*ulid.ULID{&id, nil}}},
		{"id = ANY($1)", []any{[]any{first, last}}},
		{"id = ANY($1)", []any{[][]byte{first[:], last[:]}}},
		{"id = ANY($1)", []any{[]string{first.String()}}},
		{"id = ANY($1)", []any{[]ulid.ULID(nil)}},
		{"id = ANY($1)", []any{[2]ulid.ULID{first, last}}},
		{"id <> ALL($1)", []any{[]ulid.ULID{first, last}}},
		{"$1 = ANY(ids)", []any{first}},
		{"id = @id", []any{pgx.NamedArgs{"id": first}}},
		{"id = @id", []any{pgx.StrictNamedArgs{"id": pair[any]{first, 1}.Left}}},
	} {
		name := c.condition
		for _, arg := range c.args {
			name += fmt.Sprintf(" %T", arg) + " " + show(arg)
		}
		t.g.sees(name, func() (any, error) {
			return collect[int](t, "SELECT n FROM T WHERE "+c.condition+" ORDER BY n", c.args...)
		})
	}
	for name, args := range inOrder(arguments()) {
		t.g.sees("shape "+name, func() (any, error) {
			return collect[int](t, "SELECT n FROM T WHERE id = $1 ORDER BY n", args...)
		})
	}
}

func collect[T any](t pgxTable, query string, args ...any) (any, error) {
	rows, err := t.Query(ctx, t.sql(query), args...)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[T])
}

func (t pgxTable) reads() {
	for _, n := range []int{1, 2, 3, 4, 5, 6, 10, 11, 12} {
		for name, to := range inOrder(map[string]func() any{
			"an ID":     func() any { id := before; return &id },
			"a pointer": func() any { id := before; p := &id; return &p },
			"any":       func() any { return new(any) },
			"bytes":     func() any { return new([]byte) },
		}) {
			for _, column := range []string{"id", "ref"} {
				t.g.sees(fmt.Sprintf("read %s of row %d into %s", column, n, name), func() (any, error) {
					v := to()
					return v, t.QueryRow(ctx, t.sql(fmt.Sprintf("SELECT %s FROM T WHERE n = %d", column, n))).Scan(v)
				})
			}
		}
	}
	const rows = " FROM T WHERE n < 6 ORDER BY n"
	t.g.sees("read array", func() (any, error) { return collect[[]ulid.ULID](t, "SELECT ids FROM T WHERE n = 6") })
	t.g.sees("read array of pointers", func() (any, error) {
		return collect[[]*ulid.ULID](t, "SELECT ids FROM T WHERE n = 6")
	})
	t.g.sees("read array_agg", func() (any, error) {
		return collect[[]ulid.ULID](t, "SELECT array_agg(id ORDER BY n) FROM T ")
	})
	t.g.sees("latest", func() (any, error) { return collect[ulid.ULID](t, "SELECT id FROM T ORDER BY id DESC LIMIT 1") })
	t.g.sees("RowTo", func() (any, error) { return collect[ulid.ULID](t, "SELECT id"+rows) })
	t.g.sees("RowTo with NULL into an ID", func() (any, error) { return collect[ulid.ULID](t, "SELECT ref"+rows) })
	t.g.sees("RowTo pointers", func() (any, error) { return collect[*ulid.ULID](t, "SELECT ref"+rows) })
	t.g.sees("RowToStructByName", func() (any, error) {
		found, err := t.Query(ctx, t.sql("SELECT n, id, ref"+rows))
		if err != nil {
			return nil, err
		}
		return pgx.CollectRows(found, pgx.RowToStructByName[event])
	})
	t.g.sees("RowToMap", func() (any, error) {
		found, err := t.Query(ctx, t.sql("SELECT n, id FROM T WHERE id = $1"), first)
		if err != nil {
			return nil, err
		}
		list, err := pgx.CollectRows(found, pgx.RowToMap)
		return fmt.Sprint(list), err
	})
}

func (t pgxTable) copyFrom() {
	third := ulid.ULID([]byte("0123456789abcdef"))
	for name, rows := range inOrder(map[string][][]any{
		"IDs":      {{20, third, third}, {21, ulid.ULID([]byte("qrstuvwxyz012345")), nil}},
		"pointers": {{22, ptr(ulid.ULID([]byte("rstuvwxyz0123456"))), (*ulid.ULID)(nil)}},
	}) {
		t.g.sees("CopyFrom "+name, func() (any, error) {
			return t.CopyFrom(ctx, pgx.Identifier{t.name}, []string{"n", "id", "ref"}, pgx.CopyFromRows(rows))
		})
	}
	t.g.sees("after CopyFrom", func() (any, error) {
		return collect[int](t, "SELECT n FROM T WHERE id >= $1 ORDER BY n", third)
	})
	t.run("update", "UPDATE T SET ref = $1 WHERE id = $2", last, third)
	t.run("delete", "DELETE FROM T WHERE id = $1", first)
	t.run("delete list", "DELETE FROM T WHERE id = ANY($1)", []ulid.ULID{second, third})
	t.g.sees("after delete", func() (any, error) { return collect[int](t, "SELECT n FROM T ORDER BY n") })
}
