package main

import (
	"database/sql"
	"fmt"

	"github.com/oklog/ulid/v2"
	"github.com/uptrace/bun"
	"gorm.io/gorm"
	"gorm.io/gorm/logger"
)

// The tables of gorm and bun, which these make without a name of a type in the tags.
type (
	user struct {
		ID     ulid.ULID  `gorm:"primaryKey;size:16" bun:",pk"`
		BossID *ulid.ULID `gorm:"size:16"`
		Boss   *user      `bun:"rel:belongs-to,join:boss_id=id"`
		Pets   []pet      `gorm:"foreignKey:OwnerID" bun:"rel:has-many,join:id=owner_id"`
		Name   string
	}
	pet struct {
		ID      ulid.ULID `gorm:"primaryKey;size:16" bun:",pk"`
		OwnerID ulid.ULID `gorm:"size:16"`
	}
	// plain has NULL where the program has an ID.
	plain struct {
		bun.BaseModel `gorm:"-" bun:"table:users"`
		ID            ulid.ULID
		BossID        ulid.ULID
	}
)

func (plain) TableName() string { return "users" }

func (u user) String() string {
	return fmt.Sprint(u.ID, " ", show(u.BossID), " ", u.Boss, " ", u.Pets, " ", u.Name)
}

func users() []user {
	return []user{
		{ID: first, Name: "a", Pets: []pet{{letters, first}, {last, first}}},
		{ID: second, BossID: &first, Name: "b"},
		{ID: letters, BossID: &first, Name: "c", Pets: []pet{{ulid.ULID{5}, letters}}},
		{ID: last, BossID: &second, Name: "d"},
	}
}

// both are the arguments of lists.
var both = []ulid.ULID{first, last}

type (
	gormQuery = func(*gorm.DB) *gorm.DB
	bunQuery  = func(*bun.SelectQuery) *bun.SelectQuery
)

func openGorm(familyName, dsn string) *gorm.DB {
	config := &gorm.Config{Logger: logger.Default.LogMode(logger.Silent)}
	return must(gorm.Open(families[familyName].gorm(dsn), config))
}

func observeGorm(familyName, dsn string) {
	db := openGorm(familyName, dsn)
	g := group("gorm")
	g.sees("AutoMigrate", func() (any, error) { return nil, db.AutoMigrate(&user{}, &pet{}) })
	g.sees("AutoMigrate again", func() (any, error) { return nil, db.AutoMigrate(&user{}, &pet{}) })
	g.sees("columns", func() (any, error) {
		types, err := db.Migrator().ColumnTypes(&user{})
		var list []string
		for _, t := range types {
			list = append(list, t.Name()+" "+t.DatabaseTypeName())
		}
		return list, err
	})
	all := users()
	g.sees("Create", func() (any, error) { return nil, db.Create(&all).Error })
	g.sees("Create again", func() (any, error) { return nil, db.Create(&user{ID: first}).Error })
	id := first
	for name, find := range inOrder(map[string]gormQuery{
		"Find":                 func(db *gorm.DB) *gorm.DB { return db },
		"Where":                func(db *gorm.DB) *gorm.DB { return db.Where("id = ?", first) },
		"Where pointer":        func(db *gorm.DB) *gorm.DB { return db.Where("id = ?", &id) },
		"Where struct":         func(db *gorm.DB) *gorm.DB { return db.Where(&user{ID: first}) },
		"Where map":            func(db *gorm.DB) *gorm.DB { return db.Where(map[string]any{"id": first}) },
		"Where map of a slice": func(db *gorm.DB) *gorm.DB { return db.Where(map[string]any{"id": both}) },
		"Where named map":      func(db *gorm.DB) *gorm.DB { return db.Where("id = @id", h{"id": first}) },
		"Where named argument": func(db *gorm.DB) *gorm.DB { return db.Where("id = @id", sql.Named("id", first)) },
		"Where IN":             func(db *gorm.DB) *gorm.DB { return db.Where("id IN ?", both) },
		"Where IN any":         func(db *gorm.DB) *gorm.DB { return db.Where("id IN ?", []any{first, &last}) },
		"Where IN ()":          func(db *gorm.DB) *gorm.DB { return db.Where("id IN (?)", both) },
		"Where NOT IN":         func(db *gorm.DB) *gorm.DB { return db.Where("id NOT IN ?", both) },
		"Where <":              func(db *gorm.DB) *gorm.DB { return db.Where("id < ?", second) },
		"Where text":           func(db *gorm.DB) *gorm.DB { return db.Where("id = ?", first.String()) },
		"Not":                  func(db *gorm.DB) *gorm.DB { return db.Not("id = ?", first) },
		"Not map":              func(db *gorm.DB) *gorm.DB { return db.Not(map[string]any{"id": both}) },
		"Or":                   func(db *gorm.DB) *gorm.DB { return db.Where("id = ?", first).Or(user{BossID: &second}) },
		"Preload":              func(db *gorm.DB) *gorm.DB { return db.Preload("Pets").Preload("Boss") },
		"Joins":                func(db *gorm.DB) *gorm.DB { return db.Joins("Boss").Where("users.boss_id = ?", first) },
		"latest":               func(db *gorm.DB) *gorm.DB { return db.Order("id DESC").Limit(1) },
		"subquery": func(db *gorm.DB) *gorm.DB {
			owners := db.Session(&gorm.Session{NewDB: true}).Model(&pet{}).Select("owner_id")
			return db.Where("id IN (?)", owners.Where("id = ?", letters))
		},
	}) {
		g.sees(name, func() (any, error) {
			var list []user
			err := find(db.Model(&user{})).Order("users.id").Find(&list).Error
			return fmt.Sprint(list), err
		})
	}
	g.sees("First", func() (any, error) { var u user; return &u.Name, db.First(&u, "id = ?", second).Error })
	g.sees("First by ID", func() (any, error) { u := user{ID: second}; return &u.Name, db.First(&u).Error })
	g.sees("First by argument", func() (any, error) { var u user; return &u.Name, db.First(&u, second).Error })
	g.sees("Find by arguments", func() (any, error) {
		var list []user
		err := db.Order("id").Find(&list, []ulid.ULID{first, second}).Error
		return fmt.Sprint(list), err
	})
	g.sees("Pluck", func() (any, error) {
		var ids []ulid.ULID
		return &ids, db.Model(&user{}).Order("id").Pluck("id", &ids).Error
	})
	g.sees("NULL into an ID", func() (any, error) { // gorm's own Scan does not call ours
		p := plain{BossID: before}
		err := db.Where("id = ?", first).First(&p).Error
		return p.BossID, err
	})
	g.sees("Scan of NULL into an ID", func() (any, error) {
		id := before
		return &id, db.Raw("SELECT boss_id FROM users WHERE id = ?", first).Row().Scan(&id)
	})
	g.sees("Raw", func() (any, error) {
		var names []string
		return &names, db.Raw("SELECT name FROM users WHERE id IN @ids ORDER BY id", map[string]any{"ids": both}).
			Scan(&names).Error
	})
	g.sees("ToSQL", func() (any, error) {
		return db.ToSQL(func(tx *gorm.DB) *gorm.DB { return tx.Find(&[]user{}, "id = ?", letters) }), nil
	})
	changed := func(name string, f func() *gorm.DB) {
		g.sees(name, func() (any, error) { r := f(); return r.RowsAffected, r.Error })
	}
	changed("Update", func() *gorm.DB { return db.Model(&user{ID: last}).Update("boss_id", letters) })
	changed("Updates", func() *gorm.DB { return db.Model(&user{ID: last}).Updates(user{BossID: &first, Name: "e"}) })
	changed("Save", func() *gorm.DB { return db.Save(&user{ID: last, BossID: &letters, Name: "f"}) })
	g.sees("Association", func() (any, error) {
		return nil, db.Model(&user{ID: second}).Association("Pets").Append(&pet{ID: ulid.ULID{6}})
	})
	g.sees("pets", func() (any, error) { var pets []pet; return &pets, db.Order("id").Find(&pets).Error })
	changed("Delete pets", func() *gorm.DB { return db.Delete(&pet{}, "owner_id IN ?", []ulid.ULID{first, letters}) })
	changed("Delete", func() *gorm.DB { return db.Delete(&user{ID: last}) })
	changed("Delete by argument", func() *gorm.DB { return db.Delete(&user{}, letters) })
	changed("Delete NOT IN", func() *gorm.DB { return db.Delete(&pet{}, "id NOT IN ?", []ulid.ULID{first}) })
	g.sees("at last", func() (any, error) {
		var list []user
		err := db.Order("id").Find(&list).Error
		return fmt.Sprint(list), err
	})
	must(0, db.Migrator().DropTable(&pet{}, &user{}))
	must(0, must(db.DB()).Close())
}

func observeBun(d database) {
	db := bun.NewDB(d.DB.DB, d.bun())
	defer db.Close()
	g := group("bun")
	for name, model := range inOrder(map[string]any{"users": (*user)(nil), "pets": (*pet)(nil)}) {
		g.sees("create "+name, func() (any, error) {
			create := db.NewCreateTable().Model(model)
			_, err := create.Exec(ctx)
			return create.String(), err
		})
	}
	// MySQL takes none of bun's own columns, so it gets others.
	for _, name := range []string{"users", "pets"} {
		must(db.Exec("DROP TABLE IF EXISTS " + name))
	}
	bytes := d.columns[0]
	must(db.Exec("CREATE TABLE users (id " + bytes + " PRIMARY KEY, boss_id " + bytes + ", name VARCHAR(9))"))
	must(db.Exec("CREATE TABLE pets (id " + bytes + " PRIMARY KEY, owner_id " + bytes + ")"))
	all, pets := users(), []pet{{letters, first}, {last, first}, {ulid.ULID{5}, letters}}
	insert := db.NewInsert().Model(&all)
	g.sees("insert", func() (any, error) { return affected(insert.Exec(ctx)) })
	g.sees("insert as SQL", func() (any, error) { return insert.String(), nil })
	g.sees("insert pets", func() (any, error) { return affected(db.NewInsert().Model(&pets).Exec(ctx)) })
	g.sees("insert map", func() (any, error) {
		row := map[string]any{"id": ulid.ULID{7}, "name": "g"}
		return affected(db.NewInsert().Model(&row).Table("users").Exec(ctx))
	})
	id := first
	for name, where := range inOrder(map[string]bunQuery{
		"select":   func(q *bun.SelectQuery) *bun.SelectQuery { return q },
		"Where":    func(q *bun.SelectQuery) *bun.SelectQuery { return q.Where("?TableAlias.id = ?", first) },
		"Where <>": func(q *bun.SelectQuery) *bun.SelectQuery { return q.Where("?TableAlias.id <> ?", &id) },
		"Where <":  func(q *bun.SelectQuery) *bun.SelectQuery { return q.Where("?TableAlias.id < ?", second) },
		"Where any": func(q *bun.SelectQuery) *bun.SelectQuery {
			return q.Where("?TableAlias.id = ?", pair[any]{first, 1}.Left)
		},
		"Where array": func(q *bun.SelectQuery) *bun.SelectQuery { return q.Where("?TableAlias.id = ?", [16]byte(first)) },
		"Where text":  func(q *bun.SelectQuery) *bun.SelectQuery { return q.Where("?TableAlias.id = ?", first.String()) },
		"Where bytes": func(q *bun.SelectQuery) *bun.SelectQuery { return q.Where("?TableAlias.id = ?", first[:]) },
		"Where nil":   func(q *bun.SelectQuery) *bun.SelectQuery { return q.Where("boss_id = ?", (*ulid.ULID)(nil)) },
		"Tuple":       func(q *bun.SelectQuery) *bun.SelectQuery { return q.Where("?TableAlias.id IN ?", bun.Tuple(both)) },
		"NOT Tuple": func(q *bun.SelectQuery) *bun.SelectQuery {
			return q.Where("?TableAlias.id NOT IN ?", bun.Tuple(both))
		},
		"Tuple of any": func(q *bun.SelectQuery) *bun.SelectQuery {
			return q.Where("?TableAlias.id IN ?", bun.Tuple([]any{first, &last}))
		},
		"relations": func(q *bun.SelectQuery) *bun.SelectQuery { return q.Relation("Boss").Relation("Pets") },
	}) {
		g.sees(name, func() (any, error) {
			var list []user
			q := where(db.NewSelect().Model(&list)).OrderExpr("?TableAlias.id")
			err := q.Scan(ctx)
			return fmt.Sprint(q.String(), list), err
		})
	}
	g.sees("WherePK", func() (any, error) {
		u := user{ID: second}
		err := db.NewSelect().Model(&u).WherePK().Scan(ctx)
		return u.String(), err
	})
	g.sees("NULL into an ID", func() (any, error) {
		p := plain{BossID: before}
		err := db.NewSelect().Model(&p).Where("id = ?", first).Scan(ctx)
		return p.BossID, err
	})
	g.sees("Scan of IDs", func() (any, error) {
		var ids []ulid.ULID
		return &ids, db.NewSelect().Table("users").Column("id").OrderExpr("id").Scan(ctx, &ids)
	})
	g.sees("latest", func() (any, error) {
		var id ulid.ULID
		return &id, db.NewSelect().Table("users").Column("id").OrderExpr("id DESC").Limit(1).Scan(ctx, &id)
	})
	g.sees("update", func() (any, error) {
		return affected(db.NewUpdate().Model(&user{ID: last, BossID: &letters, Name: "f"}).WherePK().Exec(ctx))
	})
	g.sees("update a column", func() (any, error) {
		return affected(db.NewUpdate().Table("users").Set("boss_id = ?", last).Where("id = ?", letters).Exec(ctx))
	})
	g.sees("delete", func() (any, error) { return affected(db.NewDelete().Model(&user{ID: second}).WherePK().Exec(ctx)) })
	g.sees("delete list", func() (any, error) {
		return affected(db.NewDelete().Table("users").Where("id NOT IN ?", bun.Tuple([]ulid.ULID{last, letters})).Exec(ctx))
	})
	g.sees("at last", func() (any, error) {
		var list []user
		err := db.NewSelect().Model(&list).OrderExpr("?TableAlias.id").Scan(ctx)
		return fmt.Sprint(list), err
	})
}
