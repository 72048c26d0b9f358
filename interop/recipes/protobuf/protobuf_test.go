package protobuf

import (
	"testing"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"

	"github.com/seed-961d0905/ulid"
)

const text = "01ARYZ6S41TSV4RRFFQ69G5FAV"

func TestUser(t *testing.T) {
	id := ulid.MustParse(text)
	for _, c := range []struct {
		boss *ulid.ULID
		json string
		size int // two bytes for each field's number and length
	}{{nil, `{"id":"` + text + `"}`, 28}, {&id, `{"id":"` + text + `","bossId":"AVY982SB1nZMYe+5kwK9Ww=="}`, 28 + 18}} {
		wire, err := proto.Marshal(NewUser(id, c.boss))
		if err != nil || len(wire) != c.size {
			t.Fatalf("%d bytes, %v; want %d", len(wire), err, c.size)
		}
		var user User
		if err := proto.Unmarshal(wire, &user); err != nil {
			t.Fatal(err)
		}
		gotID, gotBoss, err := IDs(&user)
		if err != nil || gotID != id || (gotBoss == nil) != (c.boss == nil) || gotBoss != nil && *gotBoss != id {
			t.Errorf("%s, %v, %v", gotID, gotBoss, err)
		}
		var fromJSON User
		if err := protojson.Unmarshal([]byte(c.json), &fromJSON); err != nil || !proto.Equal(&fromJSON, &user) {
			t.Errorf("%s is %v, %v; want %v", c.json, &fromJSON, err, &user)
		}
	}
}

// An empty field is an absent one.
func TestNoBoss(t *testing.T) {
	for _, none := range [][]byte{nil, {}} {
		if _, boss, err := IDs(&User{Id: text, BossId: none}); err != nil || boss != nil {
			t.Errorf("%#v is %v, %v", none, boss, err)
		}
	}
}

func TestBadUser(t *testing.T) {
	for _, bad := range []*User{nil, {}, {Id: text[:25]}, {Id: text, BossId: make([]byte, 15)}, {Id: text, BossId: []byte(text)}} {
		if id, boss, err := IDs(bad); err == nil || !id.IsZero() || boss != nil {
			t.Errorf("%v has %s, %v", bad, id, boss)
		}
	}
}
