package encoders

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"reflect"
	"strings"
	"testing"

	"github.com/go-playground/validator/v10"
	"github.com/gorilla/schema"
	"github.com/labstack/echo/v5"

	"github.com/seed-961d0905/ulid"
	"github.com/seed-961d0905/ulid/interop/page"
)

// query is what the binders below read: the names and values of a URL's query or a form.
var (
	query    = url.Values{"id": {text}, "ref": {text}, "ids": {text, text}}
	badQuery = []url.Values{{"id": {badText}}, {"id": {""}}, {"ref": {badText}}, {"ids": {text, badText}}}
)

// path is what stands in the path /users/:id.
const path = "/users/" + text

// request makes a GET with the values in its query, or a POST with them as a form.
func request(method, path string, values url.Values) *http.Request {
	if method == http.MethodGet {
		return httptest.NewRequest(method, path+"?"+values.Encode(), nil)
	}
	r := httptest.NewRequest(method, path, strings.NewReader(values.Encode()))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	return r
}

// TestFrameworks runs testdata/frameworks, a module that keeps some fifty modules out of this one. The program fails
// unless everything is as the page and these cells say.
func TestFrameworks(t *testing.T) {
	command := exec.CommandContext(t.Context(), "go", "run", ".")
	command.Dir = "testdata/frameworks"
	command.Env = append(os.Environ(), "GOWORK=off")
	var stderr strings.Builder
	command.Stderr = &stderr
	setting, err := command.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, &stderr)
	}
	cells(t, "Web and config", "gin, uri", "", "yes", "refused",
		"`uri:\"id,parser=encoding.TextUnmarshaler\"`; `binding:\"required\"` refuses the zero ULID")
	cells(t, "Web and config", "gin, form and query", "", "yes, with pointers and slices", "refused", string(setting))
	for _, words := range []string{
		"`uri:\"id,parser=encoding.TextUnmarshaler\"`, and the same for `form`",
		"\n| google/jsonschema-go | array | object | `ForOptions.TypeSchemas`",
		"\n| invopop/jsonschema | array | object | `Reflector.Mapper`",
		"\n| kin-openapi's openapi3gen | any | any | `SchemaCustomizer`",
		"\n| huma, swaggest/jsonschema-go | string | string | none |",
		"`mapstructure.TextUnmarshallerHookFunc()`",
		"writes a `[]ulid.ULID` in a query **as UUIDs, without an error**",
		"**zerolog** panics if `Stringer` gets a nil `*ulid.ULID`",
	} {
		page.Contains(t, "docs/types.md", words)
	}
}

func TestEcho(t *testing.T) {
	type input struct {
		ID  ulid.ULID   `param:"id"`
		Key ulid.ULID   `query:"id" form:"id"`
		Ref *ulid.ULID  `query:"ref" form:"ref"`
		IDs []ulid.ULID `query:"ids" form:"ids"`
	}
	var in input
	var single ulid.ULID
	var bindErr, singleErr error
	serve := func(r *http.Request) {
		in = input{}
		e := echo.New()
		e.Any("/users/:id", func(c *echo.Context) error {
			bindErr = c.Bind(&in)
			single, singleErr = echo.PathParam[ulid.ULID](c, "id")
			return nil
		})
		e.ServeHTTP(httptest.NewRecorder(), r)
	}
	for _, method := range []string{http.MethodGet, http.MethodPost} {
		serve(request(method, path, query))
		if bindErr != nil || !reflect.DeepEqual(in, input{id, id, &id, []ulid.ULID{id, id}}) {
			t.Errorf("Bind gave %+v, %v", in, bindErr)
		}
		if singleErr != nil || single != id {
			t.Errorf("PathParam gave %v, %v", single, singleErr)
		}
		serve(request(method, "/users/"+badText, query))
		if bindErr == nil || singleErr == nil {
			t.Errorf("the path took %s", badText)
		}
		for _, bad := range badQuery {
			serve(request(method, path, bad))
			if bindErr == nil {
				t.Errorf("Bind took %v", bad)
			}
		}
	}
	cells(t, "Web and config", "echo, param, query and form", "", "yes, with pointers and slices", "refused",
		"none: `param:\"id\"`, `query:\"id\"`, `form:\"id\"`, or `echo.PathParam[ulid.ULID](c, \"id\")`")
}

func TestSchema(t *testing.T) {
	type plain struct {
		ID  ulid.ULID  `schema:"id"`
		Ref *ulid.ULID `schema:"ref"`
	}
	type input struct {
		ID  ulid.ULID   `schema:"id"`
		Ref *ulid.ULID  `schema:"ref"`
		IDs []ulid.ULID `schema:"ids"`
	}
	var p plain
	decoder := schema.NewDecoder()
	if err := decoder.Decode(&p, url.Values{"id": {text}, "ref": {text}}); err != nil || !reflect.DeepEqual(p, plain{id, &id}) {
		t.Errorf("%v gave %+v, %v", query, p, err)
	}
	setting := "none"
	if err := decoder.Decode(&input{}, query); err != nil {
		setting = "`RegisterConverter` for `[]ulid.ULID` only"
	}
	decoder.RegisterConverter(ulid.ULID{}, func(s string) reflect.Value {
		id, err := ulid.Parse(s)
		if err != nil {
			return reflect.Value{}
		}
		return reflect.ValueOf(id)
	})
	var in input
	if err := decoder.Decode(&in, query); err != nil || !reflect.DeepEqual(in, input{id, &id, []ulid.ULID{id, id}}) {
		t.Errorf("%v gave %+v, %v", query, in, err)
	}
	for _, bad := range badQuery {
		if err := decoder.Decode(&input{}, bad); err == nil {
			t.Errorf("it took %v", bad)
		}
	}

	if err := schema.NewEncoder().Encode(struct{ ID ulid.ULID }{id}, url.Values{}); err != nil {
		setting += "; `RegisterEncoder` for `Encode`"
	}
	if panics(func() { schema.NewEncoder().Encode(struct{ Ref *ulid.ULID }{&id}, url.Values{}) }) {
		setting += ", which panics on a `*ULID` without"
	}
	encoder := schema.NewEncoder()
	encoder.RegisterEncoder(ulid.ULID{}, func(v reflect.Value) string { return v.Interface().(ulid.ULID).String() })
	values := url.Values{}
	if err := encoder.Encode(in, values); err != nil || !reflect.DeepEqual(values, query) {
		t.Errorf("Encode gave %v, %v", values, err)
	}
	cells(t, "Web and config", "gorilla/schema", "text", "yes", "refused", setting)
}

func panics(f func()) (yes bool) {
	defer func() { yes = recover() != nil }()
	f()
	return false
}

func TestValidator(t *testing.T) {
	v := validator.New()
	for _, c := range []struct {
		value any
		tag   string
		valid bool
	}{
		{id, "required", true}, {&id, "required", true},
		{ulid.ULID{}, "required", false}, {(*ulid.ULID)(nil), "required", false},
		{id, "ulid", true}, {&id, "ulid", true}, {(*ulid.ULID)(nil), "omitempty,ulid", true},
		{text, "ulid", true}, {strings.ToLower(text), "ulid", true}, {other.String(), "ulid", true},
		{badText, "ulid", false}, {text[1:], "ulid", false}, {"", "ulid", false}, {"8" + text[1:], "ulid", false},
	} {
		if err := v.Var(c.value, c.tag); (err == nil) != c.valid {
			t.Errorf("%q of %v: %v", c.tag, c.value, err)
		}
	}
	// Every character of 16 bits, in the first place and in another one. The tag ignores case as Unicode has it.
	var more []rune
	for r := rune(0); r <= 0xffff; r++ {
		for _, s := range []string{string(r) + text[1:], text[:20] + string(r) + text[21:]} {
			_, err := ulid.Parse(s)
			switch valid := v.Var(s, "ulid") == nil; {
			case valid && err != nil:
				more = append(more, r)
			case !valid && err == nil:
				t.Errorf("the tag refuses %s", s)
			}
		}
	}
	takes := "`validate:\"ulid\"` on a string takes what `Parse` takes"
	switch {
	case string(more) == "\u017f\u212a":
		takes += ", and U+017F (`ſ`) for S and U+212A (the Kelvin sign) for K: call `Parse` as well"
	case len(more) > 0:
		takes += fmt.Sprintf(", and %U: call `Parse` as well", more)
	}
	cells(t, "Web and config", "validator", "", "", takes, "`validate:\"required\"` refuses the zero ULID and nil")
}
