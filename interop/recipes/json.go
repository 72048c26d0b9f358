package recipes

import "github.com/seed-961d0905/ulid"

// page: Order

type Order struct {
	// Always present.
	ID ulid.ULID `json:"id"`

	// null if nil.
	ParentID *ulid.ULID `json:"parent_id"`

	// Absent if zero. omitempty would write 26 zeros.
	CouponID ulid.ULID `json:"coupon_id,omitzero"`
}
