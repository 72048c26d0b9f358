// Package collation checks that the text which ORMs make columns for sorts by its bytes.
package collation

import (
	"database/sql"
	"slices"
	"testing"
)

// binary are the collations that do. In a UTF-8 database ucs_basic is "C" without the quotes. SQLite
// needs none.
var binary = map[string][]string{
	"postgres": {"C", "ucs_basic"},
	"mysql":    {"ascii_bin", "utf8mb4_bin"},
}

// Want fails the test unless these columns have such a collation of their own.
func Want(t *testing.T, db *sql.DB, dialect, table string, columns ...string) {
	t.Helper()
	if dialect == "sqlite" {
		return
	}
	for _, column := range columns {
		var got sql.NullString // NULL is the default of the database
		err := db.QueryRow(`SELECT collation_name FROM information_schema.columns
			WHERE table_name = '` + table + `' AND column_name = '` + column + `'`).Scan(&got)
		if err != nil || !slices.Contains(binary[dialect], got.String) {
			t.Errorf("the collation of %s in %s is %q, %v; want one of %q", column, table, got.String, err, binary[dialect])
		}
	}
}
