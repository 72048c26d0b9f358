package tools

import "github.com/seed-961d0905/ulid"

// page: JSON

type Order struct {
	ID       ulid.ULID  `json:"id"`
	ParentID *ulid.ULID `json:"parent_id"`          // null if nil
	CouponID ulid.ULID  `json:"coupon_id,omitzero"` // absent if zero
}

// page: end
