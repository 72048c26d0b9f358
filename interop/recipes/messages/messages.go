// Package messages has the recipe of a service that goes on after the IDs of messages, in docs/recipes.md.
package messages

import (
	"log/slog"
	"net/http"
	"time"

	"gorm.io/gorm"

	"github.com/seed-961d0905/ulid"
)

// page: messages

// ids generates every ID of this service. ulid.Make and typed.Make cannot be told what
// IDs have come in. UUIDv7 is for uuid columns; a text column does not need it.
var ids = ulid.Generator{UUIDv7: true}

// maxSkew is more than the clocks of your services ever differ. Beyond it, the order is
// lost.
const maxSkew = time.Minute

// follow makes every later ID of this service greater than the ID of a message. If that
// is too far ahead of the clock, the service continues without this order, because
// losing the message would be worse.
func follow(cause ulid.ULID) {
	if err := ids.AdvancePast(cause, maxSkew); err != nil {
		slog.Warn("IDs may sort before their cause", "cause", cause, "error", err)
	}
}

// Following is the middleware of routes that only your own services can reach. They
// send the ID of the cause.
func Following(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		// A missing or malformed header is ignored.
		if cause, err := ulid.Parse(r.Header.Get("Last-Id")); err == nil {
			follow(cause)
		}
		next.ServeHTTP(w, r)
	})
}

// A Message is what a queue brings.
type Message struct{ ID ulid.ULID }

// Answer returns the message that follows from another.
func Answer(m Message) (answer Message, err error) {
	follow(m.ID)
	answer.ID, err = ids.Make()
	return answer, err
}

// A Payment is a row that gorm creates, here in SQLite.
type Payment struct {
	ID     ulid.ULID `gorm:"type:char(26);not null"`
	Amount int
}

func (p *Payment) BeforeCreate(*gorm.DB) (err error) {
	if p.ID.IsZero() {
		p.ID, err = ids.Make()
	}
	return err
}

// Pay is a handler behind Following.
func Pay(db *gorm.DB) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		payment := Payment{Amount: 100}
		if err := db.WithContext(r.Context()).Create(&payment).Error; err != nil {
			http.Error(w, "not paid", http.StatusInternalServerError)
			return
		}
		w.Header().Set("Last-Id", payment.ID.String()) // an answer is a message too
		w.WriteHeader(http.StatusCreated)
	}
}
