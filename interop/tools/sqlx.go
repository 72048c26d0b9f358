package tools

import (
	"context"

	"github.com/jmoiron/sqlx"

	"github.com/seed-961d0905/ulid/typed"
)

// page: sqlx

type Note struct {
	ID       DocID  `db:"id"`
	ParentID *DocID `db:"parent_id"` // nil for NULL
	Title    string `db:"title"`
}

func addNote(ctx context.Context, db *sqlx.DB, title string) (Note, error) {
	note := Note{ID: typed.Make[DocKind](), Title: title} // sqlx would store a zero ID
	_, err := db.NamedExecContext(ctx,
		`INSERT INTO notes (id, parent_id, title) VALUES (:id, :parent_id, :title)`, note)
	return note, err
}

func getNotes(ctx context.Context, db *sqlx.DB, ids []DocID) (notes []Note, err error) {
	query, args, err := sqlx.In(`SELECT * FROM notes WHERE id IN (?) ORDER BY id`, ids)
	if err != nil {
		return nil, err // an empty list
	}
	err = db.SelectContext(ctx, &notes, db.Rebind(query), args...)
	return notes, err
}

// page: end
