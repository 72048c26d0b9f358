// Package tools has the code that docs/tools.md gives for gorm.
package tools

import "github.com/seed-961d0905/ulid/typed"

// page: kind

type DocKind struct{ typed.UUIDColumn } // in MySQL, MariaDB and SQLite: typed.PrefixColumn

func (DocKind) Prefix() string { return "doc" }

type DocID = typed.ID[DocKind]

// page: end
