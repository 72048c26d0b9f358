// Package sqlc is what sqlc generates for typed IDs.
package sqlc

import "embed"

//go:generate go run github.com/sqlc-dev/sqlc/cmd/sqlc@v1.31.1 generate

//go:embed schema.sql
var Schema embed.FS
