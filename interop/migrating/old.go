package migrating

import (
	"github.com/seed-961d0905/ulid"
	"go.mongodb.org/mongo-driver/v2/bson"
)

// fromObjectID returns the ULID of an ObjectID: its second, its other 8 bytes, and two zero bytes.
func fromObjectID(old bson.ObjectID) ulid.ULID {
	id := ulid.FirstAt(old.Timestamp())
	copy(id[6:], old[4:])
	return id
}
