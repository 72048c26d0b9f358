package speed

import (
	"database/sql/driver"
	"testing"

	sumup "github.com/sumup/typeid"
	jetify "go.jetify.com/typeid/v2"

	"github.com/seed-961d0905/ulid/typed"
)

// Module typed beside two libraries of TypeIDs, with the same prefix. jetify's type holds the text and its prefix is
// chosen at run time, so making an ID writes the text, and printing it does nothing.

type user struct{ typed.UUIDColumn }

func (user) Prefix() string { return "user" }

type (
	userID  = typed.ID[user]
	sumupID = sumup.Sortable[user] // needs no more than Prefix
)

var (
	sinkTyped  userID
	sinkSumup  sumupID
	sinkJetify jetify.TypeID
	sinkBytes  []byte
	sinkValue  driver.Value
)

func BenchmarkTypedMake(b *testing.B) {
	runLib(b, "typed", func(b *testing.B) {
		for b.Loop() {
			sinkTyped = typed.Make[user]()
		}
	})
	runLib(b, "sumup", func(b *testing.B) {
		for b.Loop() {
			sinkSumup, _ = sumup.New[sumupID]()
		}
	})
	runLib(b, "jetify", func(b *testing.B) {
		for b.Loop() {
			sinkJetify, _ = jetify.Generate("user")
		}
	})
}

func BenchmarkTypedMakeString(b *testing.B) {
	runLib(b, "typed", func(b *testing.B) {
		for b.Loop() {
			sinkText = typed.Make[user]().String()
		}
	})
	runLib(b, "sumup", func(b *testing.B) {
		for b.Loop() {
			id, _ := sumup.New[sumupID]()
			sinkText = id.String()
		}
	})
	runLib(b, "jetify", func(b *testing.B) {
		for b.Loop() {
			id, _ := jetify.Generate("user")
			sinkText = id.String()
		}
	})
}

func BenchmarkTypedParse(b *testing.B) {
	text := typed.Make[user]().String()
	runLib(b, "typed", func(b *testing.B) {
		for b.Loop() {
			sinkTyped, _ = typed.Parse[user](text)
		}
	})
	runLib(b, "sumup", func(b *testing.B) {
		for b.Loop() {
			sinkSumup, _ = sumup.FromString[sumupID](text)
		}
	})
	runLib(b, "jetify", func(b *testing.B) {
		for b.Loop() {
			sinkJetify, _ = jetify.Parse(text)
		}
	})
}

func BenchmarkTypedString(b *testing.B) {
	id, other, text := sameIDs(b)
	runLib(b, "typed", func(b *testing.B) {
		for b.Loop() {
			sinkText = id.String()
		}
	})
	runLib(b, "sumup", func(b *testing.B) {
		for b.Loop() {
			sinkText = other.String()
		}
	})
	runLib(b, "jetify", func(b *testing.B) {
		for b.Loop() {
			sinkText = text.String()
		}
	})
}

func BenchmarkTypedMarshalText(b *testing.B) {
	id, other, text := sameIDs(b)
	runLib(b, "typed", func(b *testing.B) {
		for b.Loop() {
			sinkBytes, _ = id.MarshalText()
		}
	})
	runLib(b, "sumup", func(b *testing.B) {
		for b.Loop() {
			sinkBytes, _ = other.MarshalText()
		}
	})
	runLib(b, "jetify", func(b *testing.B) {
		for b.Loop() {
			sinkBytes, _ = text.MarshalText()
		}
	})
}

// BenchmarkTypedValue returns the UUID for typed, and the text with its prefix for the others.
func BenchmarkTypedValue(b *testing.B) {
	id, other, text := sameIDs(b)
	runLib(b, "typed", func(b *testing.B) {
		for b.Loop() {
			sinkValue, _ = id.Value()
		}
	})
	runLib(b, "sumup", func(b *testing.B) {
		for b.Loop() {
			sinkValue, _ = other.Value()
		}
	})
	runLib(b, "jetify", func(b *testing.B) {
		for b.Loop() {
			sinkValue, _ = text.Value()
		}
	})
}

// sameIDs returns an ID of each library with the same text, which it checks.
func sameIDs(tb testing.TB) (userID, sumupID, jetify.TypeID) {
	id := typed.Make[user]()
	other, err := sumup.FromString[sumupID](id.String())
	if err != nil {
		tb.Fatal(err)
	}
	text, err := jetify.Parse(id.String())
	if err != nil {
		tb.Fatal(err)
	}
	if id.String() != other.String() || id.String() != text.String() {
		tb.Fatalf("the texts of one ID are %s, %s and %s", id, other, text)
	}
	return id, other, text
}

func TestSameIDs(t *testing.T) { sameIDs(t) }
