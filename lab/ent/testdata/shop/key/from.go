// page: From
package key

import (
	"github.com/seed-961d0905/ulid"
	"github.com/seed-961d0905/ulid/typed"
)

func OrderIDFrom(g *ulid.Generator) (OrderID, error) { return typed.From[order](g) }
