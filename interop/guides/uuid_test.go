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
	fmt.Println(id.UUIDString())

	// google/uuid, gofrs/uuid and Go 1.27's uuid: plain conversions, both ways
	u := uuid.UUID(id)
	id = ulid.ULID(u)
	fmt.Println(id.Timestamp().UTC()) // of a UUIDv7

	// pgtype: check p.Valid before you convert back
	p := pgtype.UUID{Bytes: id, Valid: true}
	id = ulid.ULID(p.Bytes)

	id, err := ulid.ParseUUID("017f22e2-79b0-7cc3-98c4-dc0c0c07398f") // 36 characters only
	fmt.Println(id, err)
	// Output:
	// 017f22e2-79b0-7cc3-98c4-dc0c0c07398f
	// 2022-02-22 19:22:22 +0000 UTC
	// 01FWHE4YDGFK1SHH6W1G60EECF <nil>
}
