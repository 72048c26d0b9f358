package nullable

import (
	"testing"

	"github.com/seed-961d0905/ulid/interop/internal/page"
)

const check = "CHECK (id <> '00000000000000000000000000')"

func TestCheckOnPage(t *testing.T) { page.Contains(t, "docs/recipes.md", "`"+check+"`") }
