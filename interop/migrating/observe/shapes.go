package main

import (
	"fmt"

	"github.com/jmoiron/sqlx"
	"github.com/oklog/ulid/v2"
)

// The types in which programs carry arguments, where an analysis of their code does not see that they are IDs.
type (
	h        map[string]any // as gin.H
	filter   struct{ args []any }
	keyed    interface{ Key() any }
	record   struct{ id ulid.ULID }
	wrapped  ulid.ULID
	alias    = ulid.ULID
	children map[ulid.ULID]string
)

func (f *filter) add(arg any)   { f.args = append(f.args, arg) }
func (r record) Key() any       { return r.id }
func anyOf[T any](v T) any      { return v }
func slice[T any](v ...T) []any { return convert(v) }

func convert[T any](list []T) (args []any) {
	for _, v := range list {
		args = append(args, v)
	}
	return args
}

// arguments has the first ID in many shapes.
func arguments() map[string][]any {
	id := first
	var f filter
	f.add(first)
	var asserted any = []any{any(first)}
	keys := []any{}
	for key := range (children{first: "a"}) {
		keys = append(keys, key)
	}
	return map[string][]any{
		"[]any by assertion":         asserted.([]any),
		"map keys":                   keys,
		"key of a map of any":        {anyKey(map[any]int{first: 1})},
		"pair[any]":                  {pair[any]{first, 1}.Left},
		"pair[ULID]":                 {pair[ulid.ULID]{first, last}.Left},
		"named map":                  {h{"id": first}["id"]},
		"method of an interface":     {keyed(record{first}).Key()},
		"variadic generic":           slice(first),
		"generic":                    {anyOf(first)},
		"filter":                     f.args,
		"channel":                    {through(first)},
		"array of any":               {[1]any{first}[0]},
		"closure":                    {func() any { return id }()},
		"pointer to any":             {*ptr[any](first)},
		"pointer to a pointer":       {ptr(&id)},
		"Stringer":                   {fmt.Stringer(first)},
		"alias":                      {alias(first)},
		"a type without methods":     {wrapped(first)},
		"a struct that embeds an ID": {embedding{first, "a"}},
		"Value":                      {must(first.Value())},
		"Bytes":                      {first.Bytes()},
		"String":                     {first.String()},
	}
}

func anyKey(m map[any]int) any {
	for key := range m {
		return key
	}
	return nil
}

func through(v any) any {
	c := make(chan any, 1)
	c <- v
	return <-c
}

func ptr[T any](v T) *T { return &v }

func (t table) shapes() {
	for name, args := range inOrder(arguments()) {
		t.g.sees("shape "+name, func() (any, error) {
			return numbers(t.Query(t.sql("SELECT n FROM T WHERE id = ? ORDER BY n"), args...))
		})
	}
}

type event struct {
	N   int
	ID  ulid.ULID
	Ref *ulid.ULID
}

// sqlx reads and writes structs and maps, and names parameters.
func (t table) sqlx() {
	g := t.g.sub("sqlx")
	g.sees("Get", func() (any, error) {
		var e event
		return &e, t.Get(&e, t.sql("SELECT * FROM T WHERE id = ?"), first)
	})
	g.sees("Get with NULL into an ID", func() (any, error) {
		into := nullable{before}
		return &into, t.Get(&into, t.sql("SELECT ref FROM T WHERE n = 4"))
	})
	g.sees("Select", func() (any, error) {
		var list []event
		return list, t.Select(&list, t.sql("SELECT * FROM T WHERE n < 6 ORDER BY n"))
	})
	g.sees("Select IDs", func() (any, error) {
		var list []ulid.ULID
		return list, t.Select(&list, t.sql("SELECT id FROM T WHERE n < 6 ORDER BY n"))
	})
	for name, list := range inOrder(map[string]any{
		"IDs": []ulid.ULID{first, last}, "pointers": []*ulid.ULID{&first, &last}, "any": []any{first, &last},
		"no IDs": []ulid.ULID{}, "texts": []string{first.String()}, "bytes": [][]byte{first[:]},
	}) {
		g.sees("In with "+name, func() (any, error) {
			query, args, err := sqlx.In("SELECT n FROM T WHERE id IN (?) ORDER BY n", list)
			if err != nil {
				return nil, err
			}
			return numbers(t.Query(t.sql(query), args...))
		})
	}
	t.named(g)
}

func (t table) named(g group) {
	const insert = "INSERT INTO T (n, id, ref) VALUES (:n, :id, :ref)"
	third := ulid.ULID([]byte("0123456789abcdef"))
	for i, arg := range []any{
		event{20, ulid.ULID([]byte("qrstuvwxyz012345")), &third},
		&event{21, ulid.ULID([]byte("rstuvwxyz0123456")), nil},
		map[string]any{"n": 22, "id": third, "ref": &third},
		h{"n": 23, "id": ulid.ULID([]byte("tuvwxyz012345678")), "ref": nil},
		[]event{{24, ulid.ULID([]byte("uvwxyz0123456789")), &third}, {25, ulid.ULID([]byte("vwxyz0123456789a")), nil}},
		[]map[string]any{{"n": 26, "id": ulid.ULID([]byte("wxyz0123456789ab")), "ref": third}},
	} {
		g.sees(fmt.Sprintf("NamedExec %d %T", i, arg), func() (any, error) {
			return affected(t.NamedExec(t.sql(insert), arg))
		})
	}
	for i, arg := range []any{
		event{ID: third}, map[string]any{"id": third}, h{"id": third}, map[string]any{"id": &third},
		struct{ ID any }{third}, struct{ ID fmt.Stringer }{third}, outer{promoted{third}},
	} {
		g.sees(fmt.Sprintf("NamedQuery %d %T", i, arg), func() (any, error) {
			rows, err := t.NamedQuery(t.sql("SELECT n FROM T WHERE id = :id OR ref = :id ORDER BY n"), arg)
			if err != nil {
				return nil, err
			}
			return numbers(rows.Rows, nil)
		})
	}
	g.sees("Named and In", func() (any, error) {
		query, args, err := sqlx.Named("SELECT n FROM T WHERE id IN (:ids) ORDER BY n", h{"ids": []ulid.ULID{first, third}})
		if err != nil {
			return nil, err
		}
		query, args, err = sqlx.In(query, args...)
		if err != nil {
			return nil, err
		}
		return numbers(t.Query(t.sql(query), args...))
	})
	g.sees("PrepareNamed", func() (any, error) {
		statement, err := t.PrepareNamed(t.sql("SELECT n FROM T WHERE id = :id ORDER BY n"))
		if err != nil {
			return nil, err
		}
		defer statement.Close()
		var list []int
		return list, statement.Select(&list, h{"id": third})
	})
}

// Sqlx finds a field that is promoted by its name.
type (
	promoted struct{ ID ulid.ULID }
	outer    struct{ promoted }
	nullable struct{ Ref ulid.ULID }
)
