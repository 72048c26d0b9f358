package main

import (
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jmoiron/sqlx"
	"github.com/oklog/ulid/v2"
	"github.com/uptrace/bun"
	"gorm.io/gorm"
)

// A keeper is a tool that adds rows to a table, and finds those of other tools and of the other program.
type keeper struct {
	name   string
	store  func(e shared) error
	find   func(id ulid.ULID) (shared, error)
	change func(id ulid.ULID) (any, error) // sets ref to the ID, and returns the number of rows
	remove func(id ulid.ULID) (any, error) // deletes the row
}

// shared is a row. Its ref is the ID, or NULL.
type shared struct {
	bun.BaseModel `gorm:"-" bun:"table:shared" db:"-"`
	ID            ulid.ULID
	Ref           *ulid.ULID
	Name          string
}

func (shared) TableName() string { return "shared" }

const (
	addShared    = "INSERT INTO shared (id, ref, name) VALUES (?, ?, ?)"
	selectShared = "SELECT id, ref, name FROM shared WHERE id = ?"
	updateShared = "UPDATE shared SET ref = ? WHERE id = ?"
	deleteShared = "DELETE FROM shared WHERE id = ?"
)

// ids are the IDs of the rows of the keeper with a number. Their last byte is that of a letter.
func ids(number int) (list []ulid.ULID) {
	for _, id := range []ulid.ULID{{}, first, letters, last} {
		id[15] = byte('a' + number)
		list = append(list, id)
	}
	return list
}

func store(familyName, dsn string) {
	db := open(familyName, families[familyName].drivers[0], dsn)
	column := db.columns[0]
	must(db.Exec("CREATE TABLE shared (id " + column + " PRIMARY KEY, ref " + column + ", name VARCHAR(99))"))
	must(0, db.Close())
	for i, k := range keepers(familyName, dsn) {
		for j, id := range ids(i) {
			e := shared{ID: id, Name: k.name}
			if j%2 == 1 {
				e.Ref = &id
			}
			group("store/"+k.name).sees(id.String(), func() (any, error) { return nil, k.store(e) })
		}
	}
}

// find looks with each keeper for the rows of each. Then the keeper changes and removes rows of the next one.
func find(familyName, dsn string) {
	all := keepers(familyName, dsn)
	for i, k := range all {
		g := group("find/" + k.name)
		for j := range all {
			for _, id := range ids(j) {
				g.sees(id.String(), func() (any, error) {
					e, err := k.find(id)
					return fmt.Sprint(e.ID, " ", show(e.Ref), " ", e.Name), err
				})
			}
		}
		next := ids((i + 1) % len(all))
		g.sees("change", func() (any, error) { return k.change(next[2]) })
		g.sees("remove", func() (any, error) { return k.remove(next[3]) })
		g.sees("missing", func() (any, error) { e, err := k.find(ulid.ULID{9}); return e.ID, err })
	}
	db := open(familyName, families[familyName].drivers[0], dsn)
	names := func(name, condition string, args ...any) {
		group("find").sees(name, func() (any, error) {
			var list []string
			query, args, err := sqlx.In("SELECT name FROM shared WHERE "+condition+" ORDER BY id", args...)
			return &list, errors.Join(err, db.Select(&list, db.Rebind(query), args...))
		})
	}
	names("all", "1 = 1")
	names("IN", "id IN (?)", ids(1))
	names("NOT IN", "id NOT IN (?)", ids(1))
	names("<", "id < ?", letters)
	names(">=", "id >= ?", letters)
	names("ref = id", "ref = id")
	names("latest", "id = (SELECT max(id) FROM shared)")
	must(0, db.Close())
}

func keepers(familyName, dsn string) (list []keeper) {
	for _, driver := range families[familyName].drivers {
		list = append(list, direct(open(familyName, driver, dsn)), prepared(open(familyName, driver, dsn)))
	}
	list = append(list, named(open(familyName, families[familyName].drivers[0], dsn)), ofGorm(openGorm(familyName, dsn)),
		ofBun(open(familyName, families[familyName].drivers[0], dsn)))
	if familyName != "postgres" {
		return list
	}
	for name, mode := range inOrder(pgxModes) {
		config := must(pgx.ParseConfig(dsn))
		config.DefaultQueryExecMode = mode
		list = append(list, ofPgx(name, must(pgx.ConnectConfig(ctx, config))))
	}
	return list
}

func direct(db database) keeper {
	return keeper{
		db.name,
		func(e shared) error { _, err := db.Exec(db.Rebind(addShared), e.ID, e.Ref, e.Name); return err },
		func(id ulid.ULID) (e shared, err error) { return e, db.Get(&e, db.Rebind(selectShared), id) },
		func(id ulid.ULID) (any, error) { return affected(db.Exec(db.Rebind(updateShared), id, id)) },
		func(id ulid.ULID) (any, error) { return affected(db.Exec(db.Rebind(deleteShared), id)) },
	}
}

func prepared(db database) keeper {
	prepare := func(query string) *sqlx.Stmt { return must(db.Preparex(db.Rebind(query))) }
	return keeper{
		db.name + " prepared",
		func(e shared) error { _, err := prepare(addShared).Exec(e.ID, e.Ref, e.Name); return err },
		func(id ulid.ULID) (e shared, err error) { return e, prepare(selectShared).Get(&e, &id) },
		func(id ulid.ULID) (any, error) { return affected(prepare(updateShared).Exec(&id, id)) },
		func(id ulid.ULID) (any, error) { return affected(prepare(deleteShared).Exec(id)) },
	}
}

func named(db database) keeper {
	return keeper{
		"sqlx named",
		func(e shared) error {
			_, err := db.NamedExec("INSERT INTO shared (id, ref, name) VALUES (:id, :ref, :name)", e)
			return err
		},
		func(id ulid.ULID) (e shared, err error) {
			rows, err := db.NamedQuery("SELECT id, ref, name FROM shared WHERE id = :id", h{"id": id})
			if err != nil {
				return e, err
			}
			defer rows.Close()
			if !rows.Next() {
				return e, errors.New("no row")
			}
			return e, rows.StructScan(&e)
		},
		func(id ulid.ULID) (any, error) {
			return affected(db.NamedExec("UPDATE shared SET ref = :id WHERE id = :id", h{"id": id}))
		},
		func(id ulid.ULID) (any, error) {
			return affected(db.NamedExec("DELETE FROM shared WHERE id = :id", shared{ID: id}))
		},
	}
}

func ofGorm(db *gorm.DB) keeper {
	return keeper{
		"gorm",
		func(e shared) error { return db.Create(&e).Error },
		func(id ulid.ULID) (e shared, err error) { return e, db.Take(&e, "id = ?", id).Error },
		func(id ulid.ULID) (any, error) {
			r := db.Model(&shared{}).Where(map[string]any{"id": id}).Update("ref", id)
			return r.RowsAffected, r.Error
		},
		func(id ulid.ULID) (any, error) { r := db.Delete(&shared{ID: id}); return r.RowsAffected, r.Error },
	}
}

func ofBun(d database) keeper {
	db := bun.NewDB(d.DB.DB, d.bun())
	return keeper{
		"bun",
		func(e shared) error { _, err := db.NewInsert().Model(&e).Exec(ctx); return err },
		func(id ulid.ULID) (e shared, err error) {
			return e, db.NewSelect().Model(&e).Where("id = ?", id).Scan(ctx)
		},
		func(id ulid.ULID) (any, error) {
			return affected(db.NewUpdate().Table("shared").Set("ref = ?", id).Where("id = ?", id).Exec(ctx))
		},
		func(id ulid.ULID) (any, error) {
			list := bun.Tuple([]ulid.ULID{id})
			return affected(db.NewDelete().Table("shared").Where("id IN ?", list).Exec(ctx))
		},
	}
}

func ofPgx(name string, conn *pgx.Conn) keeper {
	columns := []string{"id", "ref", "name"}
	return keeper{
		"native pgx " + name,
		func(e shared) error {
			_, err := conn.CopyFrom(ctx, pgx.Identifier{"shared"}, columns, pgx.CopyFromRows([][]any{{e.ID, e.Ref, e.Name}}))
			return err
		},
		func(id ulid.ULID) (e shared, err error) {
			return e, conn.QueryRow(ctx, "SELECT id, ref, name FROM shared WHERE id = ANY($1)", []ulid.ULID{id}).
				Scan(&e.ID, &e.Ref, &e.Name)
		},
		func(id ulid.ULID) (any, error) {
			tag, err := conn.Exec(ctx, "UPDATE shared SET ref = $1 WHERE id = $1", id)
			return tag.String(), err
		},
		func(id ulid.ULID) (any, error) {
			tag, err := conn.Exec(ctx, "DELETE FROM shared WHERE id = $1", &id)
			return tag.String(), err
		},
	}
}
