package recipes

import (
	"context"
	"crypto/rand"

	"github.com/seed-961d0905/ulid"
	"go.opentelemetry.io/otel/trace"
)

// TraceIDs is an IDGenerator for OpenTelemetry. Its trace IDs sort by time.
type TraceIDs struct{}

func (t TraceIDs) NewIDs(ctx context.Context) (trace.TraceID, trace.SpanID) {
	id := trace.TraceID(ulid.MustNew(ulid.Now(), rand.Reader))
	return id, t.NewSpanID(ctx, id)
}

func (TraceIDs) NewSpanID(context.Context, trace.TraceID) (id trace.SpanID) {
	rand.Read(id[:])
	return id
}
