package encoders

import (
	"bytes"
	"context"
	"errors"
	"flag"
	htmltemplate "html/template"
	"io"
	"log/slog"
	"strings"
	"testing"
	"text/template"

	"github.com/redis/go-redis/v9"

	"github.com/seed-961d0905/ulid"
	"github.com/seed-961d0905/ulid/interop/db"
	"github.com/seed-961d0905/ulid/interop/internal/record"
)

func TestFlag(t *testing.T) {
	parse := func(args ...string) (got ulid.ULID, usage string, err error) {
		var out strings.Builder
		set := flag.NewFlagSet("", flag.ContinueOnError)
		set.SetOutput(&out)
		set.TextVar(&got, "id", id, "which one")
		err = set.Parse(args)
		set.PrintDefaults()
		return got, out.String(), err
	}
	got, usage, err := parse()
	if want := "(default " + text + ")"; err != nil || got != id || !strings.Contains(usage, want) {
		t.Errorf("the default is %v, %v, in the usage %q", got, err, usage)
	}
	if got, _, err := parse("-id", other.String()); err != nil || got != other {
		t.Errorf("-id %v gave %v, %v", other, got, err)
	}
	if got, _, err := parse("-id", badText); err == nil || got != id {
		t.Errorf("-id %v gave %v, %v", badText, got, err)
	}
	cells(t, "Web and config", "flag.TextVar", "text, the default too", "yes", "refused", "none")
}

func TestSlog(t *testing.T) {
	for _, c := range []struct {
		name    string
		handler func(io.Writer, *slog.HandlerOptions) slog.Handler
		want    string
	}{
		{
			"log/slog text",
			func(w io.Writer, o *slog.HandlerOptions) slog.Handler { return slog.NewTextHandler(w, o) },
			"msg=made id=" + text + " ref=" + text + " none=<nil>\n",
		},
		{
			"log/slog JSON",
			func(w io.Writer, o *slog.HandlerOptions) slog.Handler { return slog.NewJSONHandler(w, o) },
			`{"msg":"made","id":"` + text + `","ref":"` + text + `","none":null}` + "\n",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			var b bytes.Buffer
			undated := &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
				if a.Key == slog.TimeKey || a.Key == slog.LevelKey {
					return slog.Attr{}
				}
				return a
			}}
			slog.New(c.handler(&b, undated)).Info("made", "id", id, "ref", &id, "none", (*ulid.ULID)(nil))
			if got := b.String(); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
			cells(t, "Encoders", c.name, "text", "is not read", "is not read", "none")
		})
	}
}

func TestTemplates(t *testing.T) {
	const page = `<a href="/users/{{.ID}}" title="{{.Ref}}">{{.ID}}</a>`
	const want = `<a href="/users/` + text + `" title="` + text + `">` + text + `</a>`
	data := user{ID: id, Ref: &id}
	for _, c := range []struct {
		name    string
		execute func(io.Writer, any) error
	}{
		{"text/template", template.Must(template.New("").Parse(page)).Execute},
		{"html/template", htmltemplate.Must(htmltemplate.New("").Parse(page)).Execute},
	} {
		t.Run(c.name, func(t *testing.T) {
			var b strings.Builder
			if err := c.execute(&b, data); err != nil || b.String() != want {
				t.Errorf("got %q, %v; want %q", &b, err, want)
			}
			cells(t, "Encoders", c.name, "text", "is not read", "is not read", "none")
		})
	}
}

// go-redis writes a ULID by MarshalBinary. Scan reads it back by UnmarshalBinary, but a
// struct that is scanned from a hash reads its fields by UnmarshalText.
func TestRedis(t *testing.T) {
	ctx := context.Background()
	client := redis.NewClient(must(redis.ParseURL(db.DSN(t, "ULID_REDIS"))))
	defer client.Close()
	key := "friends:" + ulid.Make().String() + ":"
	defer client.Del(ctx, key+"value", key+"bad", key+"hash", key+"set")
	write := func(err error) {
		if err != nil {
			t.Error(err)
		}
	}

	write(client.Set(ctx, key+"value", id, 0).Err())
	if got := client.Get(ctx, key+"value").Val(); got != raw {
		t.Errorf("a value is %q, want %q", got, raw)
	}
	var got ulid.ULID
	if err := client.Get(ctx, key+"value").Scan(&got); err != nil || got != id {
		t.Errorf("a value came back as %v, %v", got, err)
	}
	write(client.SAdd(ctx, key+"set", id).Err())
	var members []ulid.ULID
	if err := client.SMembers(ctx, key+"set").ScanSlice(&members); err != nil || len(members) != 1 || members[0] != id {
		t.Errorf("a set came back as %v, %v", members, err)
	}
	for _, bad := range []string{text, raw[:15], raw + "\x00", ""} {
		write(client.Set(ctx, key+"bad", bad, 0).Err())
		got = other
		if err := client.Get(ctx, key+"bad").Scan(&got); !errors.Is(err, ulid.ErrDataSize) || got != other {
			t.Errorf("Scan read %q as %v, %v", bad, got, err)
		}
	}
	cells(t, "Encoders", "go-redis, values and members", "16 bytes", "yes, by `Scan`", "refused, text too",
		"none; for text write `id.String()` and read with `Parse`")

	type hash struct {
		ID  ulid.ULID  `redis:"id"`
		Ref *ulid.ULID `redis:"ref"`
	}
	write(client.HSet(ctx, key+"hash", hash{id, &id}).Err())
	var out hash
	back := "yes, by `Scan`"
	if err := client.HGetAll(ctx, key+"hash").Scan(&out); err != nil {
		back = "no: `Scan` refuses the bytes, it reads text only"
	} else if out.ID != id || out.Ref == nil || *out.Ref != id {
		t.Errorf("a hash of bytes came back as %+v", out)
	}
	write(client.HSet(ctx, key+"hash", "id", id.String(), "ref", id.String()).Err())
	out = hash{}
	if err := client.HGetAll(ctx, key+"hash").Scan(&out); err != nil || out.ID != id || out.Ref == nil || *out.Ref != id {
		t.Errorf("a hash of texts came back as %+v, %v", out, err)
	}
	for _, bad := range []string{badText, "", text[:25], text + "0", "8" + text[1:], raw[:15], raw + "\x00"} {
		write(client.HSet(ctx, key+"hash", "id", bad).Err())
		out = hash{ID: other}
		if err := client.HGetAll(ctx, key+"hash").Scan(&out); err == nil || out.ID != other {
			t.Errorf("%q came back as %+v, %v", bad, out, err)
		}
	}
	cells(t, "Encoders", "go-redis, a struct as a hash", "16 bytes", back, "refused",
		"`HSet(ctx, key, \"id\", id.String())`; then `HGetAll(…).Scan(&v)` reads it")
}

// cells records a row of the matrix, without the cells that are empty.
func cells(t *testing.T, table, row, out, back, bad, setting string) {
	t.Helper()
	for _, c := range [][2]string{
		{"what comes out", out}, {"comes back", back}, {"bad input", bad}, {"tag or setting needed", setting},
	} {
		if c[1] != "" {
			record.Cell(t, table, row, c[0], c[1])
		}
	}
}
