package tools

import (
	"context"

	"github.com/uptrace/bun"

	"github.com/seed-961d0905/ulid/typed"
)

// page: bun

type Page struct {
	ID       DocID  `bun:"id,pk,type:uuid"`
	ParentID *DocID `bun:"parent_id,type:uuid"` // nil for NULL
	Title    string `bun:"title"`
}

// BeforeAppendModel generates the ID of a new row. Without it, bun stores zeros.
func (p *Page) BeforeAppendModel(_ context.Context, query bun.Query) error {
	if _, ok := query.(*bun.InsertQuery); ok && p.ID.IsZero() {
		p.ID = typed.Make[DocKind]()
	}
	return nil
}

func bunPages(ctx context.Context, db *bun.DB, ids []DocID) (pages []Page, err error) {
	err = db.NewSelect().Model(&pages).Where("id IN ?", bun.Tuple(ids)).Order("id").Scan(ctx)
	return pages, err
}

// page: end
