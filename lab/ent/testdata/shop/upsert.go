// page: Upsert
package shop

import (
	"context"

	"example.com/shop/ent"
	"example.com/shop/ent/user"
)

// SetName creates the user if the email is new, and otherwise renames the one who has it.
func SetName(ctx context.Context, client *ent.Client, email, name string) error {
	return client.User.Create().SetEmail(email).SetName(name).
		OnConflictColumns(user.FieldEmail).UpdateName().
		Exec(ctx)
}
