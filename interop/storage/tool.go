package storage

import "github.com/seed-961d0905/ulid/interop/golden"

// A Tool is a row of the table in gorm/RESULTS.md: what a Go type needs, and what works.
type Tool struct {
	Name     string // and the Go type
	Field    string // type and tag
	Create   string
	Find     string
	Delete   string
	Relation string
	Null     string
}

// Fill fills the row.
func (tool Tool) Fill(table *golden.Table) {
	table.Cell(tool.Name, "Field type and tag", tool.Field)
	table.Cell(tool.Name, "create", tool.Create)
	table.Cell(tool.Name, "find by id", tool.Find)
	table.Cell(tool.Name, "delete by id", tool.Delete)
	table.Cell(tool.Name, "relation", tool.Relation)
	table.Cell(tool.Name, "NULL", tool.Null)
}
