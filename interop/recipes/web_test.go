package recipes

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/go-chi/chi/v5"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"gopkg.in/yaml.v3"

	"github.com/seed-961d0905/ulid"
	"github.com/seed-961d0905/ulid/interop/page"
)

func TestRoutes(t *testing.T) {
	mux := http.NewServeMux()
	Routes(mux)
	for name, handler := range map[string]http.Handler{"net/http": mux, "chi": chiRoutes()} {
		t.Run(name, func(t *testing.T) {
			for _, c := range []struct {
				method, path, body string
				status             int
				want               string
			}{
				{"GET", "/users/" + text, "", 200, `{"id":"` + text + `","name":"Ada","boss_id":null}`},
				{"GET", "/users/" + strings.ToLower(text), "", 200, `{"id":"` + text + `","name":"Ada","boss_id":null}`},
				{"GET", "/users/" + text[:25] + "U", "", 400, `ulid: invalid character 'U' at offset 25`},
				{"GET", "/users/7", "", 400, `ulid: bad data size when unmarshaling`},
				{"GET", "/users/8" + text[1:], "", 400, `ulid: overflow when unmarshaling`},
				{"POST", "/users", `{"name":"Bob","boss_id":"` + text + `"}`, 201, `"name":"Bob","boss_id":"` + text + `"`},
				{"POST", "/users", `{"name":"Bob","boss_id":null}`, 201, `"name":"Bob","boss_id":null`},
				{"POST", "/users", `{"boss_id":"` + text[:25] + `U"}`, 400, `ulid: invalid character 'U' at offset 25`},
				{"POST", "/users", `{"boss_id":7}`, 400, "json: "},
			} {
				w := httptest.NewRecorder()
				handler.ServeHTTP(w, httptest.NewRequest(c.method, c.path, strings.NewReader(c.body)))
				if w.Code != c.status || !strings.Contains(w.Body.String(), c.want) {
					t.Errorf("%s %s %s: %d %s; want %d %s", c.method, c.path, c.body, w.Code, w.Body, c.status, c.want)
				}
				if c.status != 201 {
					continue
				}
				var made User
				if err := json.Unmarshal(w.Body.Bytes(), &made); err != nil || made.ID.IsZero() {
					t.Errorf("made %s, %v", made.ID, err)
				}
			}
		})
	}
}

// The schema says of a text what Parse does, and has the pattern of the package documentation.
func TestOpenAPI(t *testing.T) {
	document, err := os.ReadFile("openapi.yaml")
	check(t, err)
	var api struct {
		Components struct {
			Schemas map[string]any
		}
	}
	check(t, yaml.Unmarshal(document, &api))
	schema, ok := api.Components.Schemas["ULID"].(map[string]any)
	if !ok {
		t.Fatal("there is no schema of ULID")
	}
	page.Contains(t, "docs/guarantees.md", fmt.Sprintf("A valid text matches `%s`. ", schema["pattern"]))
	compiler := jsonschema.NewCompiler()
	check(t, compiler.AddResource("ulid.json", schema))
	compiled, err := compiler.Compile("ulid.json")
	check(t, err)
	if compiled.DraftVersion != 2020 {
		t.Errorf("the schema is of draft %d; OpenAPI 3.1 has 2020-12", compiled.DraftVersion)
	}
	texts := []string{"", text[:25], text + "0", "8" + text[1:], strings.Repeat("Z", 26), "7" + strings.Repeat("Z", 25), text + "\n"}
	for range 1000 {
		texts = append(texts, ulid.Make().String(), strings.ToLower(ulid.Make().String()))
	}
	for c := range rune(256) {
		texts = append(texts, string(c)+text[1:], text[:25]+string(c), text[:12]+string(c)+text[13:])
	}
	for _, s := range append(texts, schema["examples"].([]any)[0].(string)) {
		_, parseErr := ulid.Parse(s)
		if err := compiled.Validate(s); (err == nil) != (parseErr == nil) {
			t.Errorf("%q: the schema says %v, Parse %v", s, err, parseErr)
		}
	}
}

// The handlers are the same: chi sets what PathValue returns.
func chiRoutes() http.Handler {
	r := chi.NewRouter()
	r.Get("/users/{id}", getUser)
	r.Post("/users", createUser)
	return r
}
