// Package sqlc proves ULIDs in the code that sqlc generates: sqlc.yaml tells it where they
// are, the packages beside it are what it makes of that.
package sqlc

//go:generate go run github.com/sqlc-dev/sqlc/cmd/sqlc@v1.31.1 generate
