package messages

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/glebarez/sqlite"
	"gorm.io/gorm"

	"github.com/seed-961d0905/ulid"
	"github.com/seed-961d0905/ulid/interop/db"
	"github.com/seed-961d0905/ulid/interop/page"
)

// Each ID of the service is greater than the one that the message brought, although that is of a clock ahead.
func TestMessages(t *testing.T) {
	table := openPayments(t)
	before := ulid.Make()
	for _, ahead := range []time.Duration{0, 10 * time.Second, 20 * time.Second} {
		cause := ulid.FirstAt(time.Now().Add(ahead))
		answer, err := Answer(Message{cause})
		if err != nil || answer.ID.Compare(cause) <= 0 {
			t.Errorf("%s of a queue is answered by %s, %v", cause, answer.ID, err)
		}
		id := pay(t, table, ulid.FirstAt(time.Now().Add(ahead+5*time.Second)).String())
		if id.Compare(answer.ID) <= 0 || time.Until(id.Timestamp()) < ahead {
			t.Errorf("the row of a request that came %v ahead has %s", ahead, id)
		}
		before = id
	}
	if id := pay(t, table, ""); id.Compare(before) <= 0 {
		t.Errorf("after %s a request without an ID gives %s", before, id)
	}
}

// An ID that is too far ahead, or none, holds up no message, and changes no ID. One within the limit changes all.
func TestMessagesTooFarAhead(t *testing.T) {
	page.Fact(t, "docs/order.md", "id-of-a-stranger-pins-timestamps")
	table := openPayments(t)
	var log strings.Builder
	defer slog.SetDefault(slog.Default())
	slog.SetDefault(slog.New(slog.NewTextHandler(&log, nil)))
	cause := ulid.FirstAt(time.Now().Add(time.Hour))
	for _, header := range []string{cause.String(), "yesterday"} {
		if id := pay(t, table, header); time.Until(id.Timestamp()) > time.Minute {
			t.Errorf("a request with %q gives %s", header, id)
		}
	}
	const want = `level=WARN msg="IDs may sort before their cause"`
	if !strings.Contains(log.String(), want) || !strings.Contains(log.String(), "cause="+cause.String()) {
		t.Errorf("the log has %q, want %s", &log, want)
	}
	stranger := ulid.LastAt(time.Now().Add(50 * time.Second))
	for range 2 {
		if id := pay(t, table, stranger.String()); id.Time() != stranger.Time()+1 {
			t.Errorf("after %s comes %s, want a timestamp 50 seconds ahead", stranger, id)
		}
	}
}

func openPayments(t *testing.T) *gorm.DB {
	table, err := gorm.Open(sqlite.Open(filepath.Join(t.TempDir(), "test.db")), &gorm.Config{})
	db.Check(t, err)
	db.Check(t, table.AutoMigrate(&Payment{}))
	t.Cleanup(func() {
		if pool, err := table.DB(); err == nil {
			pool.Close()
		}
	})
	return table
}

// pay sends a request with the header, and returns the ID of the row, which the answer has too.
func pay(t *testing.T, table *gorm.DB, header string) ulid.ULID {
	t.Helper()
	r := httptest.NewRequest(http.MethodPost, "/payments", nil)
	if header != "" {
		r.Header.Set("Last-Id", header)
	}
	w := httptest.NewRecorder()
	Following(Pay(table)).ServeHTTP(w, r)
	id, err := ulid.Parse(w.Header().Get("Last-Id"))
	db.Check(t, err)
	var payment Payment
	db.Check(t, table.First(&payment, "id = ?", id).Error)
	if w.Code != http.StatusCreated || payment.Amount != 100 {
		t.Errorf("status %d, and the row %+v", w.Code, payment)
	}
	return id
}
