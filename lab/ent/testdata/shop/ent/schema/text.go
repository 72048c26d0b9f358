// page: Text
package schema

import "entgo.io/ent/dialect"

// text creates a column of 26 characters that sorts by bytes.
var text = map[string]string{
	dialect.Postgres: "text collate ucs_basic",
	dialect.MySQL:    "char(26)", // ent adds: collate utf8mb4_bin
	dialect.SQLite:   "text",
}
