// Package ent proves ULIDs as the keys of ent's entities. Its folder gen is generated from
// its folder schema.
package ent

//go:generate go run entgo.io/ent/cmd/ent@v0.14.5 generate --target gen ./schema
