package prefixed

import (
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/seed-961d0905/ulid"
)

// More kinds: of orders, and those of the vectors.
type (
	orderKind      struct{}
	vectorKind     struct{}
	underscoreKind struct{}
)

func (orderKind) Prefix() string      { return "order" }
func (vectorKind) Prefix() string     { return "prefix" }
func (underscoreKind) Prefix() string { return "pre_fix" }

// The vectors of version 0.3 of the TypeID specification. Those without a prefix have one here.
func TestVectors(t *testing.T) {
	for text, uuid := range map[string]string{
		"prefix_00000000000000000000000000": "00000000-0000-0000-0000-000000000000",
		"prefix_00000000000000000000000001": "00000000-0000-0000-0000-000000000001",
		"prefix_0000000000000000000000000a": "00000000-0000-0000-0000-00000000000a",
		"prefix_0000000000000000000000000g": "00000000-0000-0000-0000-000000000010",
		"prefix_00000000000000000000000010": "00000000-0000-0000-0000-000000000020",
		"prefix_7zzzzzzzzzzzzzzzzzzzzzzzzz": "ffffffff-ffff-ffff-ffff-ffffffffffff",
		"prefix_0123456789abcdefghjkmnpqrs": "0110c853-1d09-52d8-d73e-1194e95b5f19",
		"prefix_01h455vb4pex5vsknk084sn02q": "01890a5d-ac96-774b-bcce-b302099a8057",
	} {
		var id ID[vectorKind]
		if err := id.UnmarshalText([]byte(text)); err != nil || id.UUIDString() != uuid || id.String() != text {
			t.Errorf("%s is read as %s, %s, %v, want %s", text, id, id.UUIDString(), err, uuid)
		}
	}
	const zeros = "00000000000000000000000000"
	if err := new(ID[underscoreKind]).UnmarshalText([]byte("pre_fix_" + zeros)); err != nil {
		t.Error(err)
	}
	for _, bad := range []string{
		"PREFIX_" + zeros, "12345_" + zeros, "pre.fix_" + zeros, "préfix_" + zeros, "  prefix_" + zeros,
		strings.Repeat("abcdefghijklmnop", 4) + "_" + zeros, "_" + zeros, "_", "", zeros, "prefix_",
		"prefix_1234567890123456789012345", "prefix_123456789012345678901234567", "prefix_1234567890123456789012345 ",
		"prefix_0123456789ABCDEFGHJKMNPQRS", "prefix_123456789-123456789-123456", "prefix_ooooooiiiiiiuuuuuuulllllll",
		"prefix_i23456789ol23456789oi23456", "prefix_123456789-0123456789-0123456", "prefix_8zzzzzzzzzzzzzzzzzzzzzzzzz",
		"_prefix_" + zeros, "prefix__" + zeros, "prefix_prefix_" + zeros, "order_" + zeros,
	} {
		kept := newID[vectorKind]()
		id := kept
		if err := id.UnmarshalText([]byte(bad)); err == nil || id != kept {
			t.Errorf("UnmarshalText(%q) = %v and leaves %s, want an error", bad, err, id)
		}
	}
}

func TestUserID(t *testing.T) {
	id := NewUserID()
	if got, err := ParseUserID(fmt.Sprint(id)); err != nil || got != id || !id.IsUUIDv7() || id.Compare(NewUserID().AsUUID) != -1 {
		t.Errorf("%s came back as %s, %v, or is not a UUIDv7, or is not in order", id, got, err)
	}
	order := ID[orderKind](id)
	if got, err := ParseUserID(order.String()); err == nil || got != (UserID{}) || err.Error() != "not an ID of a user" {
		t.Errorf("%s was read as %s, %v", order, got, err)
	}
	in := map[UserID]UserID{id: id}
	text, err := json.Marshal(in)
	if want := `{"` + id.String() + `":"` + id.String() + `"}`; err != nil || string(text) != want {
		t.Fatalf("in JSON %s, %v, want %s", text, err, want)
	}
	var out map[UserID]UserID
	if err := json.Unmarshal(text, &out); err != nil || !maps.Equal(out, in) {
		t.Errorf("from JSON %v, %v, want %v", out, err, in)
	}
	// A column holds no prefix.
	kept := id
	if err := id.Scan(id.String()); err == nil || id != kept {
		t.Errorf("a text with a prefix was read from a column as %s", id)
	}
	// A row that is missing in a LEFT JOIN.
	if err := id.Scan(nil); err != nil || id.String() != "user_"+strings.ToLower(ulid.ULID{}.String()) {
		t.Errorf("NULL was read as %s, %v", id, err)
	}
}
