// Package protobuf is a recipe of docs/recipes.md.
package protobuf

import "github.com/seed-961d0905/ulid"

func NewUser(id ulid.ULID, boss *ulid.ULID) *User {
	user := &User{Id: id.String()}
	if boss != nil {
		user.BossId = boss.Bytes()
	}
	return user
}

func IDs(user *User) (id ulid.ULID, boss *ulid.ULID, err error) {
	if id, err = ulid.Parse(user.GetId()); err != nil {
		return ulid.ULID{}, nil, err
	}
	if b := user.GetBossId(); len(b) > 0 {
		boss = new(ulid.ULID)
		if err := boss.UnmarshalBinary(b); err != nil {
			return ulid.ULID{}, nil, err
		}
	}
	return id, boss, nil
}
