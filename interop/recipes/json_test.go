package recipes

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"testing"

	"github.com/seed-961d0905/ulid"
)

func TestJSONOrder(t *testing.T) {
	id := ulid.MustParse(text)
	for _, c := range []struct {
		order Order
		want  string
	}{
		{Order{ID: id, TraceID: UUID{ulid.AsUUID(id)}}, `{"id":"` + text + `","parent_id":null,"trace_id":"` + uuid + `"}`},
		{Order{ID: id, ParentID: &id, CouponID: id, TraceID: UUID{ulid.AsUUID(id)}}, `{"id":"` + text + `","parent_id":"` + text + `","coupon_id":"` + text + `","trace_id":"` + uuid + `"}`},
	} {
		got, err := json.Marshal(c.order)
		if err != nil || string(got) != c.want {
			t.Errorf("%s, %v; want %s", got, err, c.want)
		}
		var back Order
		if err := json.Unmarshal(got, &back); err != nil || !reflect.DeepEqual(back, c.order) {
			t.Errorf("%s came back as %+v, %v, want %+v", got, back, err, c.order)
		}
	}
}

func TestJSONNull(t *testing.T) {
	id := ulid.MustParse(text)
	order := Order{ID: id, ParentID: &id, CouponID: id, TraceID: UUID{ulid.AsUUID(id)}}
	err := json.Unmarshal([]byte(`{"id":null,"parent_id":null,"coupon_id":null,"trace_id":null}`), &order)
	if want := (Order{ID: id, CouponID: id, TraceID: UUID{ulid.AsUUID(id)}}); err != nil || order != want {
		t.Errorf("%+v, %v; want %+v", order, err, want)
	}
}

func TestJSONUUID(t *testing.T) {
	id := UUID{ulid.AsUUID(ulid.MustParse(text))}
	if got, err := json.Marshal(map[UUID]string{id: fmt.Sprint(id)}); err != nil || string(got) != `{"`+uuid+`":"`+uuid+`"}` {
		t.Errorf("%s, %v", got, err)
	}
	if got, err := id.Value(); err != nil || got != uuid {
		t.Errorf("it is stored as %v, %v", got, err)
	}
	for _, bad := range []string{text, uuid[1:], "{" + uuid + "}"} {
		kept := id
		if err := json.Unmarshal([]byte(`"`+bad+`"`), &kept); !errors.Is(err, ulid.ErrDataSize) || kept != id {
			t.Errorf("%s was read as %s, %v", bad, kept, err)
		}
	}
}
