package shop

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"entgo.io/ent/dialect"
	"entgo.io/ent/dialect/sql"
	"github.com/seed-961d0905/ulid"
	"github.com/seed-961d0905/ulid/interop/db"
	"github.com/seed-961d0905/ulid/interop/page"
	_ "modernc.org/sqlite"

	"example.com/shop/ent"
	"example.com/shop/ent/device"
	"example.com/shop/ent/event"
	"example.com/shop/ent/mistaken"
	"example.com/shop/ent/note"
	"example.com/shop/ent/order"
	"example.com/shop/ent/predicate"
	"example.com/shop/ent/ticket"
	"example.com/shop/ent/user"
	"example.com/shop/ent/visit"
	"example.com/shop/key"
)

const doc = "docs/ent.md"

var ctx = context.Background()

// A shop is a database with the schema.
type shop struct {
	*ent.Client
	*testing.T
	db *db.DB
}

// each runs a test in each of the databases.
func each(t *testing.T, test func(shop)) {
	db.Each(t, func(t *testing.T, d *db.Database) {
		raw := d.Open(t, map[string]string{"mysql": "parseTime=true"}[d.Family]) // for the time of a ticket
		name := map[string]string{"postgres": dialect.Postgres, "mysql": dialect.MySQL, "sqlite": dialect.SQLite}[d.Family]
		client := ent.NewClient(ent.Driver(sql.OpenDB(name, raw.DB.DB)))
		db.Check(t, client.Schema.Create(ctx))
		test(shop{client, t, raw})
	})
}

func (s shop) user(email string) *ent.User {
	s.Helper()
	return must(s, s.User.Create().SetEmail(email).Save)
}

func must[R any](s shop, do func(context.Context) (R, error)) R {
	s.Helper()
	result, err := do(ctx)
	db.Check(s, err)
	return result
}

// asText returns an ID as its column holds it.
func asText(id ulid.ULID) string { return id.UUIDString() }

func TestOpen(t *testing.T) {
	client, err := Open(ctx, db.PostgreSQL.Own(t, ""))
	db.Check(t, err)
	defer client.Close()
	if _, err := Buy(ctx, client, "ann@example.com", 990); err != nil {
		t.Error(err)
	}
}

func TestColumns(t *testing.T) {
	each(t, func(s shop) {
		name := s.db.Family
		if s.db.Database == db.MariaDB {
			name = s.db.Name
		}
		want := map[string][3]string{ // of users.id, events.id and notes.id
			"postgres": {"uuid", "uuid", "text"},
			"mysql":    {"char", "char", "char"},
			"MariaDB":  {"uuid", "uuid", "char"},
			"sqlite":   {"uuid", "uuid", "TEXT"},
		}[name]
		for i, table := range []string{"users", "events", "notes"} {
			query := "SELECT data_type FROM information_schema.columns WHERE table_schema = " + s.db.Schema +
				" AND table_name = ? AND column_name = 'id'"
			if s.db.Family == "sqlite" {
				query = "SELECT type FROM pragma_table_info(?) WHERE name = 'id'"
			}
			if got := s.db.Text(query, table); !strings.EqualFold(got, want[i]) {
				s.Errorf("%s.id is %s, want %s", table, got, want[i])
			}
		}
		if s.db.Family != "sqlite" {
			for _, table := range []string{"devices", "notes"} {
				got := s.db.Text("SELECT collation_name FROM information_schema.columns WHERE table_schema = "+s.db.Schema+
					" AND table_name = ? AND column_name = 'id'", table)
				if got != map[string]string{"postgres": "ucs_basic", "mysql": "utf8mb4_bin"}[s.db.Family] {
					s.Errorf("%s.id has the collation %s", table, got)
				}
			}
		}
		db.Check(s, s.Schema.Create(ctx)) // again
		id := s.user("ann@example.com").ID
		if got := s.db.Text("SELECT id FROM users"); got != asText(id.ULID()) {
			s.Errorf("the column has %s, want %s", got, asText(id.ULID()))
		}
	})
}

func TestCreateAndFind(t *testing.T) {
	each(t, func(s shop) {
		o, err := Buy(ctx, s.Client, "ann@example.com", 990)
		db.Check(s, err)
		for _, id := range []ulid.ULID{o.ID.ULID(), o.UserID.ULID()} {
			if b := id.Bytes(); b[6]>>4 != 7 {
				s.Errorf("%s is no UUIDv7", id.UUIDString())
			}
		}
		found, err := FindOrder(ctx, s.Client, o.ID.String())
		db.Check(s, err)
		if found.ID != o.ID || found.Edges.User.Email != "ann@example.com" || found.Edges.User.ID != o.UserID {
			s.Errorf("found %v of %v, want %v", found, found.Edges.User, o)
		}
		_, err = FindOrder(ctx, s.Client, o.UserID.String())
		if want := `order ID: prefix "user", want "order"`; err == nil || err.Error() != want {
			s.Errorf("the ID of a user gives the error %v, want %s", err, want)
		}
		if _, err := FindOrder(ctx, s.Client, key.NewOrderID().String()); !ent.IsNotFound(err) {
			s.Errorf("an ID that is not there gives the error %v", err)
		}
		orders := must(s, s.User.Query().Where(user.ID(o.UserID)).QueryOrders().All)
		if len(orders) != 1 || orders[0].ID != o.ID {
			s.Errorf("the user's orders are %v", orders)
		}
		// The foreign key.
		if _, err := s.Order.Create().SetUserID(key.NewUserID()).SetCents(1).Save(ctx); !ent.IsConstraintError(err) {
			s.Errorf("an order of nobody gives the error %v", err)
		}
	})
}

func TestJSON(t *testing.T) {
	page.Fact(t, doc, "ent-select-leaves-zero-ids")
	each(t, func(s shop) {
		userID, err := key.ParseUserID("user_01h455vb4pex5vsknk084sn02r")
		db.Check(s, err)
		orderID, err := key.ParseOrderID("order_01h455vb4pex5vsknk084sn02q")
		db.Check(s, err)
		must(s, s.User.Create().SetID(userID).SetEmail("ann@example.com").Save)
		must(s, s.Order.Create().SetID(orderID).SetUserID(userID).SetCents(990).Save)
		o, err := FindOrder(ctx, s.Client, orderID.String())
		db.Check(s, err)
		got, err := json.MarshalIndent(o, "", "  ")
		db.Check(s, err)
		want, err := os.ReadFile("order.json")
		db.Check(s, err)
		if string(got)+"\n" != string(want) {
			s.Errorf("the order is\n%s\nwant\n%s", got, want)
		}

		some := must(s, s.Order.Query().Select(order.FieldCents).All)
		got, err = json.Marshal(some[0])
		db.Check(s, err)
		if zero := `"user_id":"user_00000000000000000000000000","cents":990,`; !strings.Contains(string(got), zero) {
			s.Errorf("with cents alone the order is %s, want %s in it", got, zero)
		}
		if some[0].ID != orderID {
			s.Errorf("with cents alone its ID is %v, want %v", some[0].ID, orderID)
		}
		must(s, s.User.UpdateOneID(userID).SetInvitedBy(userID).Save)
		if u := must(s, s.User.Query().Select(user.FieldEmail).Only); u.ID != userID || u.InvitedBy != nil {
			s.Errorf("with the email alone the user is %v, invited by %v", u.ID, u.InvitedBy)
		}
	})
}

func TestStrings(t *testing.T) {
	page.Fact(t, doc, "ent-reads-uuid-strings")
	each(t, func(s shop) {
		o, err := Buy(ctx, s.Client, "ann@example.com", 990)
		db.Check(s, err)
		must(s, s.Order.Create().SetUserID(o.UserID).SetCents(10).Save)
		if ids := must(s, s.User.Query().IDs); !slices.Equal(ids, []key.UserID{o.UserID}) {
			s.Errorf("IDs returns %v", ids)
		}

		uuid := o.UserID.ULID().UUIDString()
		if _, err := key.ParseUserID(uuid); err == nil {
			s.Error("ParseUserID accepts", uuid)
		}
		var rows []struct {
			UserID string `json:"user_id"`
		}
		var grouped []string
		db.Check(s, s.Order.Query().Where(order.ID(o.ID)).Select(order.FieldUserID).Scan(ctx, &rows))
		db.Check(s, s.Order.Query().GroupBy(order.FieldUserID).Scan(ctx, &grouped))
		for call, got := range map[string]string{
			"Strings": must(s, s.User.Query().Select(user.FieldID).Strings)[0],
			"Scan":    rows[0].UserID,
			"GroupBy": grouped[0],
		} {
			if got != uuid {
				s.Errorf("%s returns %q, want %s", call, got, uuid)
			}
		}
	})
}

func TestNull(t *testing.T) {
	page.Fact(t, doc, "ent-optional-writes-zero-id")
	page.Fact(t, doc, "ent-nil-keeps-the-value")
	page.Fact(t, doc, "ent-null-is-not-unequal")
	each(t, func(s shop) {
		ann := s.user("ann@example.com")
		var none *key.UserID
		bob := must(s, s.User.Create().SetEmail("bob@example.com").SetNillableInvitedBy(none).Save)
		if bob.InvitedBy != nil || s.db.Count("SELECT count(*) FROM users WHERE invited_by IS NULL") != 2 {
			s.Errorf("invited by %v", bob.InvitedBy)
		}
		bob = must(s, bob.Update().SetInvitedBy(ann.ID).Save)
		got := must(s, s.User.Query().Where(user.InvitedByNotNil()).WithInviter().Only)
		if got.ID != bob.ID || *got.InvitedBy != ann.ID || got.Edges.Inviter.ID != ann.ID {
			s.Errorf("invited: %v", got)
		}

		// In an update nil keeps the old value, and so in an upsert unless it names the field.
		if u := must(s, bob.Update().SetNillableInvitedBy(none).Save); u.InvitedBy == nil {
			s.Error("an update with nil stores NULL")
		}
		upsert := func() *ent.UserUpsertOne {
			return s.User.Create().SetEmail("bob@example.com").SetNillableInvitedBy(none).OnConflictColumns(user.FieldEmail)
		}
		for name, u := range map[string]struct {
			do    *ent.UserUpsertOne
			keeps bool
		}{
			"UpdateNewValues":                {upsert().UpdateNewValues(), true},
			"UpdateNewValues ClearInvitedBy": {upsert().UpdateNewValues().ClearInvitedBy(), false},
			"UpdateInvitedBy":                {upsert().UpdateInvitedBy(), false},
		} {
			must(s, bob.Update().SetInvitedBy(ann.ID).Save)
			db.Check(s, u.do.Exec(ctx))
			if got := must(s, s.User.Query().Where(user.ID(bob.ID)).Only); (got.InvitedBy != nil) != u.keeps {
				s.Errorf("after an upsert of nil with %s, bob is invited by %v", name, got.InvitedBy)
			}
		}
		err := s.User.Create().SetEmail("bob@example.com").SetNillableInvitedBy(&ann.ID).
			OnConflictColumns(user.FieldEmail).UpdateInvitedBy().Exec(ctx)
		db.Check(s, err)
		if got := must(s, s.User.Query().Where(user.ID(bob.ID)).Only); got.InvitedBy == nil || *got.InvitedBy != ann.ID {
			s.Errorf("after an upsert of Ann, bob is invited by %v", got.InvitedBy)
		}
		must(s, bob.Update().ClearInvitedBy().Save)
		if n := must(s, s.User.Query().Where(user.InvitedByIsNil()).Count); n != 2 {
			s.Errorf("%d users were not invited, want 2", n)
		}

		// A row with NULL is not unequal to anything.
		for name, p := range map[string]predicate.User{
			"NEQ": user.InvitedByNEQ(ann.ID), "NotIn": user.InvitedByNotIn(ann.ID), "Not": user.Not(user.InvitedBy(ann.ID)),
		} {
			if n := must(s, s.User.Query().Where(p).Count); n != 0 {
				s.Errorf("%s finds %d of the users who were not invited", name, n)
			}
		}

		// Without Nillable.
		must(s, s.Visit.Create().Save)
		v := must(s, s.Visit.Query().Where(visit.UserIDIsNil(), visit.GuestIDIsNil()).Only)
		text, err := json.Marshal(v)
		db.Check(s, err)
		if want := `{"id":1,"user_id":"user_00000000000000000000000000"}`; string(text) != want {
			s.Errorf("the visit is %s, want %s", text, want)
		}
	})
}

func TestUpsert(t *testing.T) {
	page.Fact(t, doc, "ent-upsert-id-not-in-mysql")
	page.Fact(t, doc, "ent-upsert-replaces-key")
	page.Fact(t, doc, "ent-upsert-any-key-in-mysql")
	each(t, func(s shop) {
		ann := s.user("ann@example.com")
		db.Check(s, SetName(ctx, s.Client, "ann@example.com", "Ann"))
		db.Check(s, SetName(ctx, s.Client, "bob@example.com", "Bob"))
		users := must(s, s.User.Query().Order(user.ByID()).All)
		if len(users) != 2 || users[0].ID != ann.ID || users[0].Name != "Ann" || users[1].Name != "Bob" {
			s.Fatalf("users are %v", users)
		}

		upsert := func(name string) *ent.UserUpsertOne {
			return s.User.Create().SetEmail("ann@example.com").SetName(name).OnConflictColumns(user.FieldEmail)
		}
		for name, u := range map[string]*ent.UserUpsertOne{
			"UpdateName":      upsert("Anna").UpdateName(),
			"UpdateNewValues": upsert("Anna").UpdateNewValues(),
			"Ignore":          upsert("no").Ignore(),
		} {
			id, err := u.ID(ctx)
			switch {
			case s.db.IsMySQL():
				if err == nil || !strings.Contains(err.Error(), "not supported by MySQL") {
					s.Errorf("%s: ID returns %v, %v", name, id, err)
				}
			case err != nil || id != ann.ID:
				s.Errorf("%s: ID returns %v, %v, want %v", name, id, err, ann.ID)
			}
		}
		if !s.db.IsMySQL() {
			create := s.User.Create().SetEmail("cid@example.com").OnConflictColumns(user.FieldEmail).UpdateName()
			id := must(s, create.ID)
			if cid := must(s, s.User.Query().Where(user.Email("cid@example.com")).Only); cid.ID != id {
				s.Errorf("the ID of the new row is %v, and ID returns %v", cid.ID, id)
			}
		}

		err := s.User.Create().SetID(ann.ID).SetEmail("eve@example.com").SetName("Eve").
			OnConflictColumns(user.FieldEmail).UpdateName().Exec(ctx)
		row, getErr := s.User.Get(ctx, ann.ID)
		db.Check(s, getErr)
		if overwritten := err == nil && row.Name == "Eve"; overwritten != s.db.IsMySQL() {
			s.Errorf("an upsert with Ann's ID and another email gives %v, and %v", row, err)
		}

		replace := s.User.Create().SetEmail("ann@example.com").
			OnConflict(sql.ConflictColumns(user.FieldEmail), sql.ResolveWithNewValues())
		db.Check(s, replace.Exec(ctx))
		now := must(s, s.User.Query().Where(user.Email("ann@example.com")).Only)
		if now.ID == ann.ID {
			s.Error("ResolveWithNewValues keeps the ID")
		}
		// With an order, the foreign key refuses it.
		must(s, s.Order.Create().SetUserID(now.ID).SetCents(1).Save)
		err = s.User.Create().SetEmail("ann@example.com").
			OnConflict(sql.ConflictColumns(user.FieldEmail), sql.ResolveWithNewValues()).Exec(ctx)
		if !ent.IsConstraintError(err) {
			s.Errorf("with an order it gives the error %v", err)
		}
	})
}

// TestUpsertDefaults lets upserts find a row whose other fields have defaults.
func TestUpsertDefaults(t *testing.T) {
	page.Fact(t, doc, "ent-upsert-writes-defaults")
	each(t, func(s shop) {
		long := time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)
		must(s, s.Ticket.Create().SetCode("A1").SetSeat("7").SetPrinted(long).Save)
		first := must(s, s.Ticket.Query().Only)
		upsert := func() *ent.TicketUpsertOne {
			return s.Ticket.Create().SetCode("A1").OnConflictColumns(ticket.FieldCode)
		}
		for name, u := range map[string]*ent.TicketUpsertOne{
			"UpdateCode": upsert().UpdateCode(),
			"Update":     upsert().Update(func(u *ent.TicketUpsert) { u.UpdateCode() }),
			"Ignore":     upsert().Ignore(),
		} {
			db.Check(s, u.Exec(ctx))
			if got := must(s, s.Ticket.Query().Only); got.String() != first.String() {
				s.Errorf("%s makes %v of %v", name, got, first)
			}
		}
		db.Check(s, upsert().UpdateNewValues().Exec(ctx))
		got := must(s, s.Ticket.Query().Only)
		if got.Seat != "" || got.Holder == first.Holder || got.Printed.Equal(first.Printed) {
			s.Errorf("UpdateNewValues makes %v of %v, and should change seat, holder and printed", got, first)
		}
		if got.ID != first.ID || got.Issuer != first.Issuer {
			s.Errorf("UpdateNewValues makes %v of %v, whose ID and issuer it must keep", got, first)
		}
	})
}

func TestRangesAndPages(t *testing.T) {
	each(t, func(s shop) {
		ann, bob := s.user("ann@example.com"), s.user("bob@example.com")
		var want []key.OrderID
		start := time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)
		at := start
		g := &ulid.Generator{UUIDv7: true, Clock: func() time.Time { return at }}
		for i := range 120 {
			at = start.Add(time.Duration(i) * time.Minute)
			id, err := key.OrderIDFrom(g)
			db.Check(s, err)
			of := ann.ID
			if i%12 == 0 {
				of = bob.ID
			} else {
				want = append(want, id)
			}
			must(s, s.Order.Create().SetID(id).SetUserID(of).SetCents(i).Save)
		}
		orders, err := OrdersBetween(ctx, s.Client, start.Add(30*time.Minute), start.Add(time.Hour))
		db.Check(s, err)
		if len(orders) != 30 || orders[0].Cents != 30 || orders[29].Cents != 59 {
			s.Errorf("the half hour has %d orders", len(orders))
		}
		slices.Reverse(want)
		for limit, pages := range map[string]int{
			"": 3, "0": 3, "-1": 3, "x": 3, "50": 3,
			"22": 5, "55": 2, "100": 2, "109": 2, "200": 2,
		} {
			var got []key.OrderID
			cursor, n := "", 0
			for n == 0 || cursor != "" {
				orders, next, err := ListOrders(ctx, s.Client, ann.ID, cursor, limit)
				db.Check(s, err)
				for _, o := range orders {
					got = append(got, o.ID)
				}
				cursor = next
				n++
			}
			if n != pages || !slices.Equal(got, want) {
				s.Errorf("with the limit %q, %d pages have %d orders, want %d and %d", limit, n, len(got), pages, len(want))
			}
		}
		if _, _, err := ListOrders(ctx, s.Client, ann.ID, ann.ID.String(), ""); err == nil {
			s.Error("the ID of a user is accepted as the cursor")
		}
		orders, next, err := ListOrders(ctx, s.Client, key.NewUserID(), "", "")
		if text, _ := json.Marshal(orders); string(text) != "[]" || next != "" || err != nil {
			s.Errorf("the orders of nobody are %s, %q, %v", text, next, err)
		}

		up := must(s, s.Order.Query().Where(order.UserID(ann.ID), order.IDGT(key.OrderID{})).Order(order.ByID()).Limit(3).IDs)
		if len(up) != 3 || up[0] != want[len(want)-1] || up[2] != want[len(want)-3] {
			s.Errorf("the first page upwards has %v", up)
		}
	})
}

func TestLimit(t *testing.T) {
	page.Fact(t, doc, "ent-limit-zero")
	each(t, func(s shop) {
		s.user("ann@example.com")
		s.user("bob@example.com")
		if n := len(must(s, s.User.Query().Limit(0).All)); n != 2 {
			s.Errorf("Limit(0) returns %d of 2", n)
		}
		users, err := s.User.Query().Limit(-1).All(ctx)
		if all := err == nil && len(users) == 2; all != (s.db.Family == "sqlite") {
			s.Errorf("Limit(-1) returns %d of 2, and %v", len(users), err)
		}
	})
}

func TestGenerator(t *testing.T) {
	old := order.DefaultID
	defer func() { order.DefaultID = old }()
	each(t, func(s shop) {
		order.DefaultID = old
		ann := s.user("ann@example.com")
		future := ulid.FirstAt(time.Now().Add(time.Hour))
		g := &ulid.Generator{UUIDv7: true}
		db.Check(s, g.AdvancePast(future, 2*time.Hour))
		db.Check(s, UseGenerator(g))
		o := must(s, s.Order.Create().SetUserID(ann.ID).SetCents(1).Save)
		if o.ID.ULID().Compare(future) <= 0 {
			s.Errorf("%v does not come from the Generator", o.ID)
		}
		explicit := key.NewOrderID()
		if o := must(s, s.Order.Create().SetID(explicit).SetUserID(ann.ID).SetCents(1).Save); o.ID != explicit {
			s.Errorf("SetID stores %v", o.ID)
		}
		if err := UseGenerator(new(ulid.Generator)); err == nil {
			s.Error("a Generator without UUIDv7 gives no error")
		}
	})
}

func TestZeroIDs(t *testing.T) {
	page.Fact(t, doc, "ent-stores-zero-id")
	each(t, func(s shop) {
		zero := must(s, s.User.Create().SetID(key.UserID{}).SetEmail("zero@example.com").Save)
		if !zero.ID.IsZero() || s.db.Text("SELECT id FROM users") != asText(ulid.ULID{}) {
			s.Errorf("stored %v", zero)
		}
		// The check of the schema.
		if _, err := s.Order.Create().SetID(key.OrderID{}).SetUserID(zero.ID).SetCents(1).Save(ctx); err == nil {
			s.Error("an order with a zero ID was stored")
		}
		must(s, s.Order.Create().SetUserID(zero.ID).SetCents(1).Save)
		if _, err := s.Device.Create().SetID(key.DeviceID{}).Save(ctx); err == nil {
			s.Error("a device with a zero ID was stored")
		}
	})
}

func TestUntyped(t *testing.T) {
	page.Fact(t, doc, "ent-untyped-predicates")
	each(t, func(s shop) {
		ann := s.user("ann@example.com")
		find := func(id any) (int, error) {
			return s.User.Query().Where(predicate.User(sql.FieldEQ(user.FieldID, id))).Count(ctx)
		}
		if n, err := find(ann.ID); n != 1 || err != nil {
			s.Errorf("the ID finds %d, %v", n, err)
		}
		if n, err := find(key.OrderID(ann.ID)); n != 1 || err != nil {
			s.Errorf("an ID of an order finds %d, %v", n, err)
		}
		n, err := find(ann.ID.String())
		if failed := err != nil; failed != (s.db.Family == "postgres") || n != 0 {
			s.Errorf("the string finds %d, %v", n, err)
		}
		for name, p := range map[string]func(*sql.Selector){
			"FieldNEQ":   sql.FieldNEQ(user.FieldID, ann.ID.String()),
			"FieldLT":    sql.FieldLT(user.FieldID, ann.ID.String()),
			"FieldNotIn": sql.FieldNotIn(user.FieldID, ann.ID.String()),
		} {
			n, err := s.User.Query().Where(predicate.User(p)).Count(ctx)
			if failed := err != nil; failed != (s.db.Family == "postgres") {
				s.Errorf("%s with a string gives the error %v", name, err)
			}
			// The type uuid of MariaDB takes the string for NULL.
			if matches := n == 1; matches != (s.db.Database == db.MySQL || s.db.Database == db.SQLite) {
				s.Errorf("%s with a string finds %d of the row itself", name, n)
			}
		}
	})
}

func TestPlain(t *testing.T) {
	each(t, func(s shop) {
		d := must(s, s.Device.Create().Save)
		got := s.db.Text("SELECT id FROM devices")
		if got != d.ID.ULID().String() || d.ID.String() != "device_"+strings.ToLower(got) {
			s.Errorf("the device is %s", got)
		}
		must(s, s.Device.Query().Where(device.ID(d.ID)).Only)
		must(s, s.Device.Create().SetOldID(d.ID).Save)
		if old := must(s, s.Device.Query().Where(device.OldIDNotNil()).WithOld().Only); *old.OldID != d.ID || old.Edges.Old.ID != d.ID {
			s.Errorf("the old device is %v, want %v", old.OldID, d.ID)
		}
		if s.db.Database == db.MariaDB {
			return // whose type uuid rejects some of the events
		}
		e := must(s, s.Event.Create().SetName("a").Save)
		n := must(s, s.Note.Create().SetName("b").Save)
		if got := must(s, s.Event.Query().Where(event.ID(e.ID)).Only); got.ID != e.ID {
			s.Error(got)
		}
		if got := must(s, s.Note.Query().Where(note.ID(n.ID)).Only); got.ID != n.ID {
			s.Error(got)
		}
		if got := s.db.Text("SELECT id FROM events"); got != asText(ulid.ULID(e.ID)) {
			s.Errorf("the event is %s", got)
		}
		if got := s.db.Text("SELECT id FROM notes"); got != n.ID.String() {
			s.Errorf("the note is %s", got)
		}
		text, err := json.Marshal(e)
		db.Check(s, err)
		if want := `{"id":"` + e.ID.String() + `",`; !strings.HasPrefix(string(text), want) || len(e.ID.String()) != 26 {
			s.Errorf("the event is %s", text)
		}
	})
}

// MariaDB's type uuid is for UUIDs, which plain ULIDs are not. It sorts those of Make wrongly, and rejects ULIDs with a
// version from 8 on and the variant of none: a quarter of those with 80 random bits, such as other libraries make, but
// none from Make, unless thousands share a millisecond.
func TestPlainUUIDsInMariaDB(t *testing.T) {
	page.Fact(t, doc, "ent-plain-ids-in-mariadb")
	each(t, func(s shop) {
		if s.db.Database != db.MariaDB {
			return
		}
		for range 200 {
			must(s, s.Event.Create().SetName("of MakeUUIDv7").Save)
		}
		if ids := must(s, s.Event.Query().Order(event.ByID()).IDs); !slices.IsSortedFunc(ids, ulid.AsUUID.Compare) {
			s.Error("it sorts IDs of MakeUUIDv7 wrongly")
		}
		for range 200 {
			must(s, s.Event.Create().SetID(ulid.AsUUID(ulid.Make())).SetName("of Make").Save)
		}
		plain := s.Event.Query().Where(event.Name("of Make")).Order(event.ByID())
		if ids := must(s, plain.IDs); slices.IsSortedFunc(ids, ulid.AsUUID.Compare) {
			s.Error("it sorts plain IDs by time")
		}
		refused := 0
		for range 200 {
			id, err := ulid.New(ulid.Now(), rand.Reader)
			db.Check(s, err)
			if _, err := s.Event.Create().SetID(ulid.AsUUID(id)).SetName("a").Save(ctx); err != nil {
				refused++
			}
		}
		if refused == 0 {
			s.Error("it refuses none of 200 random IDs")
		}
	})
}

// TestTypeOverRows opens tables in SQLite that ent created when the IDs were fields of plain ULIDs, which are text.
func TestTypeOverRows(t *testing.T) {
	page.Fact(t, "docs/storage.md", "other-format-loses-rows")
	raw := db.SQLite.Open(t, "")
	raw.MustExec(`CREATE TABLE users (id text NOT NULL, email text NOT NULL, name text NOT NULL DEFAULT (''),
		invited_by text NULL, PRIMARY KEY (id))`)
	raw.MustExec(`CREATE TABLE orders (id text NOT NULL, user_id text NOT NULL, cents integer NOT NULL,
		PRIMARY KEY (id), FOREIGN KEY (user_id) REFERENCES users (id))`)
	ann, first, second := ulid.Make(), ulid.Make(), ulid.Make()
	raw.MustExec("INSERT INTO users (id, email) VALUES (?, 'ann@example.com')", ann)
	raw.MustExec("INSERT INTO orders (id, user_id, cents) VALUES (?, ?, 1), (?, ?, 2)", first, ann, second, ann)

	client := ent.NewClient(ent.Driver(sql.OpenDB(dialect.SQLite, raw.DB.DB)))
	db.Check(t, client.Schema.Create(ctx))
	s := shop{client, t, raw}
	if got := s.db.Text("SELECT typeof(id) || length(id) FROM orders LIMIT 1"); got != "text26" {
		t.Errorf("after the migration orders.id holds %s", got)
	}
	if got := s.db.Text("SELECT type FROM pragma_table_info('orders') WHERE name = 'id'"); got != "uuid" {
		t.Errorf("after the migration orders.id is %s", got)
	}
	// Scan reads both formats.
	u := must(s, s.User.Query().Where(user.Email("ann@example.com")).Only)
	if u.ID != key.UserID(ann) {
		t.Errorf("found %v by the email, want %v", u.ID, key.UserID(ann))
	}
	// An argument has the format of its type.
	now := time.Now().Add(time.Minute)
	inRange, err := OrdersBetween(ctx, s.Client, now.Add(-time.Hour), now)
	db.Check(t, err)
	for name, found := range map[string]int{
		"ID":    must(s, s.Order.Query().Where(order.ID(key.OrderID(first))).Count),
		"IDIn":  must(s, s.Order.Query().Where(order.IDIn(key.OrderID(first), key.OrderID(second))).Count),
		"edge":  must(s, u.QueryOrders().Count),
		"range": len(inRange),
	} {
		if found != 0 {
			t.Errorf("%s finds %d rows of the old format", name, found)
		}
	}
	deleted := must(s, s.Order.Delete().Where(order.IDNotIn(key.OrderID(first))).Exec)
	if deleted != 2 {
		t.Errorf("a delete of all orders but the first deletes %d of 2", deleted)
	}
}

// TestStringFields has IDs in a field.String, for which ent also generates predicates of strings.
func TestStringFields(t *testing.T) {
	page.Fact(t, doc, "ent-string-predicates")
	each(t, func(s shop) {
		id := key.NewDeviceID()
		must(s, s.Mistaken.Create().SetDeviceID(id).Save)
		if n := must(s, s.Mistaken.Query().Where(mistaken.DeviceID(id)).Count); n != 1 {
			s.Errorf("the ID finds %d rows", n)
		}
		for name, p := range map[string]predicate.Mistaken{
			"EqualFold": mistaken.DeviceIDEqualFold(id), "Contains": mistaken.DeviceIDContains(id),
			"ContainsFold": mistaken.DeviceIDContainsFold(id), "HasPrefix": mistaken.DeviceIDHasPrefix(id),
			"HasSuffix": mistaken.DeviceIDHasSuffix(id),
		} {
			found := must(s, s.Mistaken.Query().Where(p).Count)
			not := must(s, s.Mistaken.Query().Where(mistaken.Not(p)).Count)
			if found != 0 || not != 1 {
				s.Errorf("%s finds %d of the row itself, and Not of it %d, want 0 and 1", name, found, not)
			}
		}
	})
}

// TestList stores a list of IDs as JSON.
func TestList(t *testing.T) {
	each(t, func(s shop) {
		id := key.NewDeviceID()
		must(s, s.Mistaken.Create().SetDeviceID(id).SetList(key.DeviceIDs{id}).Save)
		got := must(s, s.Mistaken.Query().Only)
		if !slices.Equal(got.List, key.DeviceIDs{id}) {
			s.Errorf("the list is %v, want %v", got.List, id)
		}
		if text := s.db.Text("SELECT list FROM mistakens"); text != `["`+id.String()+`"]` {
			s.Errorf("the column has %s", text)
		}
	})
}

func TestDelete(t *testing.T) {
	each(t, func(s shop) {
		ann := s.user("ann@example.com")
		var ids []key.OrderID
		for i := range 4 {
			ids = append(ids, must(s, s.Order.Create().SetUserID(ann.ID).SetCents(i).Save).ID)
		}
		for _, id := range []key.OrderID{{}, key.NewOrderID()} {
			if err := DeleteOrder(ctx, s.Client, id); !ent.IsNotFound(err) {
				s.Errorf("deleting %v, which is not there, gives the error %v", id, err)
			}
		}
		db.Check(s, DeleteOrder(ctx, s.Client, ids[0]))
		for _, test := range []struct {
			ids  []key.OrderID
			want int
		}{{nil, 0}, {[]key.OrderID{{}}, 0}, {ids[:3], 2}} {
			if n, err := DeleteOrders(ctx, s.Client, test.ids); n != test.want || err != nil {
				s.Errorf("deleting %v gives %d, %v, want %d", test.ids, n, err, test.want)
			}
		}
		if left := must(s, s.Order.Query().IDs); !slices.Equal(left, ids[3:]) {
			s.Errorf("%v are left, want %v", left, ids[3:])
		}
	})
}

func TestEmptyLists(t *testing.T) {
	page.Fact(t, doc, "ent-empty-lists")
	each(t, func(s shop) {
		ann, bob := s.user("ann@example.com"), s.user("bob@example.com")
		if n := must(s, s.User.Delete().Where(user.IDIn()).Exec); n != 0 {
			s.Errorf("IDIn of nothing deletes %d", n)
		}
		if n := must(s, s.User.Query().Where(user.IDIn(ann.ID, bob.ID)).Count); n != 2 {
			s.Errorf("IDIn finds %d of 2", n)
		}
		for name, p := range map[string]predicate.User{
			"IDNotIn": user.IDNotIn(), "Not(IDIn)": user.Not(user.IDIn()), "Or": user.Or(), "And": user.And(),
		} {
			if n := must(s, s.User.Query().Where(p).Count); n != 2 {
				s.Errorf("%s of nothing finds %d of 2", name, n)
			}
		}
		if n := must(s, s.User.Delete().Where().Exec); n != 2 {
			s.Errorf("Where of nothing deletes %d of 2", n)
		}
	})
}

// TestAsciiColumns opens tables that have the column of docs/mysql.md.
func TestAsciiColumns(t *testing.T) {
	page.Fact(t, doc, "ent-changes-ascii-columns")
	const column = "CHAR(26) CHARACTER SET ascii COLLATE ascii_bin"
	for _, d := range []*db.Database{db.MySQL, db.MariaDB} {
		t.Run(d.Name, func(t *testing.T) {
			raw := d.Open(t, "parseTime=true")
			raw.Run("CREATE TABLE notes (id " + column + " PRIMARY KEY, name VARCHAR(255) NOT NULL)")
			client := ent.NewClient(ent.Driver(sql.OpenDB(dialect.MySQL, raw.DB.DB)))
			db.Check(t, client.Schema.Create(ctx))
			got := raw.Text("SELECT collation_name FROM information_schema.columns WHERE table_schema = database()" +
				" AND table_name = 'notes' AND column_name = 'id'")
			if got != "utf8mb4_bin" {
				t.Errorf("after the migration the collation is %s", got)
			}
		})
	}
}
