package guides

import (
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/seed-961d0905/ulid"
)

// page: conversions

func Example_conversions() {
	id := ulid.MustParse("01FWHE4YDGFK1SHH6W1G60EECF")
	u := uuid.UUID(id) // of google/uuid, gofrs/uuid or Go 1.27
	id = ulid.ULID(u)
	p := pgtype.UUID{Bytes: id, Valid: true}
	id = ulid.ULID(p.Bytes) // if p.Valid

	fmt.Println(id.UUIDString())
	fmt.Println(ulid.ULID(ulid.MustParseUUID("017f22e2-79b0-7cc3-98c4-dc0c0c07398f")))
	// Output:
	// 017f22e2-79b0-7cc3-98c4-dc0c0c07398f
	// 01FWHE4YDGFK1SHH6W1G60EECF
}
