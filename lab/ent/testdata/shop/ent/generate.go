// page: Generate
package ent

//go:generate go tool ent generate --feature sql/upsert ./schema
