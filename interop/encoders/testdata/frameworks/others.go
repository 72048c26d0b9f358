package main

import (
	"encoding/json"
	"fmt"
	"io"
	"log"
	"reflect"

	"github.com/danielgtaylor/huma/v2"
	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3gen"
	"github.com/go-viper/mapstructure/v2"
	google "github.com/google/jsonschema-go/jsonschema"
	"github.com/invopop/jsonschema"
	"github.com/oapi-codegen/runtime"
	"github.com/rs/zerolog"
	swaggest "github.com/swaggest/jsonschema-go"

	"github.com/seed-961d0905/ulid"
)

type userID struct{ ulid.ULID }

type document struct {
	ID   ulid.ULID   `json:"id"`
	IDs  []ulid.ULID `json:"ids"`
	User userID      `json:"user"`
}

// isID says which types the settings below make strings of.
func isID(t reflect.Type) bool {
	return t == reflect.TypeFor[ulid.ULID]() || t == reflect.TypeFor[userID]()
}

func mapper(t reflect.Type) *jsonschema.Schema {
	if isID(t) {
		return &jsonschema.Schema{Type: "string"}
	}
	return nil
}

func customize(_ string, t reflect.Type, _ reflect.StructTag, schema *openapi3.Schema) error {
	if isID(t) {
		schema.Type = &openapi3.Types{"string"}
	}
	return nil
}

// trySchemas shows the types that a JSON schema has for the three fields of a document, without and with the setting.
func trySchemas() {
	types := map[reflect.Type]*google.Schema{reflect.TypeFor[ulid.ULID](): {Type: "string"}, reflect.TypeFor[userID](): {Type: "string"}}
	registry := huma.NewMapRegistry("#/", huma.DefaultSchemaNamer)
	const texts = "string string string"
	for _, c := range []struct {
		name, want string
		schema     any
	}{
		{"google", "array array object", must(google.For[document](nil))},
		{"google, set", texts, must(google.For[document](&google.ForOptions{TypeSchemas: types}))},
		{"invopop", "array array object", (&jsonschema.Reflector{DoNotReference: true}).Reflect(document{})},
		{"invopop, set", texts, (&jsonschema.Reflector{DoNotReference: true, Mapper: mapper}).Reflect(document{})},
		{"kin-openapi", "<nil> <nil> <nil>", must(openapi3gen.NewSchemaRefForValue(document{}, nil))},
		{"kin-openapi, set", texts, must(openapi3gen.NewSchemaRefForValue(document{}, nil, openapi3gen.SchemaCustomizer(customize)))},
		{"huma", texts, huma.SchemaFromType(registry, reflect.TypeFor[document]())},
		{"swaggest", texts, must((&swaggest.Reflector{}).Reflect(document{}))},
	} {
		var s struct {
			Properties struct {
				ID, User struct{ Type any }
				IDs      struct{ Items struct{ Type any } }
			}
		}
		encoded := must(json.Marshal(c.schema))
		err := json.Unmarshal(encoded, &s)
		if got := fmt.Sprint(s.Properties.ID.Type, " ", s.Properties.IDs.Items.Type, " ", s.Properties.User.Type); got != c.want {
			log.Fatalf("%s makes %s of a document, %v, want %s: %s", c.name, got, err, c.want, encoded)
		}
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return v
}

// tryClient shows what a client that oapi-codegen made writes into a query.
func tryClient() {
	const uuids = "id=01563df3-6481-d676-4c61-efb99302bd5b&id=01563df3-6481-d676-4c61-efb99302bd5b"
	for want, values := range map[string][]any{
		"id=" + text:                 {id, &id, userID{id}},
		"id=" + text + "&id=" + text: {[]userID{{id}, {id}}},
		uuids:                        {[]ulid.ULID{id, id}},
	} {
		for _, v := range values {
			if got := must(runtime.StyleParamWithLocation("form", true, "id", runtime.ParamLocationQuery, v)); got != want {
				log.Fatalf("oapi-codegen writes a %T as %s, want %s", v, got, want)
			}
		}
	}
}

func tryMapstructure() {
	for _, hook := range []mapstructure.DecodeHookFunc{nil, mapstructure.TextUnmarshallerHookFunc()} {
		var got document
		decoder := must(mapstructure.NewDecoder(&mapstructure.DecoderConfig{DecodeHook: hook, Result: &got}))
		err := decoder.Decode(map[string]any{"id": text, "ids": []string{text}, "user": text})
		if hook == nil && err == nil || hook != nil && !reflect.DeepEqual(got, document{id, []ulid.ULID{id}, userID{id}}) {
			log.Fatalf("mapstructure gives %+v, %v", got, err)
		}
	}
}

func tryZerolog() {
	logger := zerolog.New(io.Discard)
	logger.Info().Any("id", (*ulid.ULID)(nil)).Send()
	defer func() {
		if recover() == nil {
			log.Fatal("zerolog's Stringer takes a nil *ULID")
		}
	}()
	logger.Info().Stringer("id", (*ulid.ULID)(nil)).Send()
}
