// This program tries frameworks whose modules would make interop heavy: gin here, and the others in others.go. It prints
// the setting that forms of gin need, for the matrix.
package main

import (
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"
	"net/url"
	"reflect"
	"strings"

	"github.com/gin-gonic/gin"

	"github.com/seed-961d0905/ulid"
)

const (
	text    = "01ARYZ6S41TSV4RRFFQ69G5FAV"
	badText = "01ARYZ6S41TSV4RRFFQ69G5FAU"
)

var id = ulid.MustParse(text)

type params struct {
	ID ulid.ULID `uri:"id,parser=encoding.TextUnmarshaler" binding:"required"`
}

type input struct {
	ID  ulid.ULID   `form:"id,parser=encoding.TextUnmarshaler"`
	Ref *ulid.ULID  `form:"ref,parser=encoding.TextUnmarshaler"`
	IDs []ulid.ULID `form:"ids,parser=encoding.TextUnmarshaler"`
}

type untagged struct {
	ID ulid.ULID `uri:"id" form:"id"`
}

func main() {
	log.SetFlags(0)
	trySchemas()
	tryClient()
	tryMapstructure()
	tryZerolog()
	gin.SetMode(gin.ReleaseMode)
	tryPath()
	for _, method := range []string{http.MethodGet, http.MethodPost} {
		tryForm(method)
	}
	setting := "`form:\"id,parser=encoding.TextUnmarshaler\"`"
	uriErr := bind(request(http.MethodGet, text, nil), func(c *gin.Context) error { return c.ShouldBindUri(&untagged{}) })
	formErr := bind(request(http.MethodGet, text, url.Values{"id": {text}}), func(c *gin.Context) error { return c.ShouldBind(&untagged{}) })
	if uriErr != nil && formErr != nil {
		setting += "; without the parser every text is refused"
	}
	fmt.Print(setting)
}

func tryPath() {
	var p params
	uri := func(c *gin.Context) error { return c.ShouldBindUri(&p) }
	if err := bind(request(http.MethodGet, text, nil), uri); err != nil || p.ID != id {
		log.Fatalf("the path gave %+v, %v", p, err)
	}
	for _, bad := range []string{badText, ulid.ULID{}.String(), text[1:]} {
		p = params{}
		if bind(request(http.MethodGet, bad, nil), uri) == nil {
			log.Fatalf("the path took %s", bad)
		}
	}
}

func tryForm(method string) {
	var in input
	form := func(c *gin.Context) error { return c.ShouldBind(&in) }
	err := bind(request(method, text, url.Values{"id": {text}, "ref": {text}, "ids": {text, text}}), form)
	if want := (input{id, &id, []ulid.ULID{id, id}}); err != nil || !reflect.DeepEqual(in, want) {
		log.Fatalf("the form gave %+v, %v", in, err)
	}
	for _, bad := range []url.Values{{"id": {badText}}, {"id": {""}}, {"ref": {badText}}, {"ids": {text, badText}}} {
		if bind(request(method, text, bad), form) == nil {
			log.Fatalf("the form took %v", bad)
		}
	}
}

// request makes a GET of a path with the values in its query, or a POST with them as a form.
func request(method, path string, values url.Values) *http.Request {
	if method == http.MethodGet {
		return httptest.NewRequest(method, "/users/"+path+"?"+values.Encode(), nil)
	}
	r := httptest.NewRequest(method, "/users/"+path, strings.NewReader(values.Encode()))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	return r
}

// bind serves a request by a handler that binds it, and returns the handler's error.
func bind(r *http.Request, handler func(*gin.Context) error) (err error) {
	engine := gin.New()
	engine.Any("/users/:id", func(c *gin.Context) { err = handler(c) })
	engine.ServeHTTP(httptest.NewRecorder(), r)
	return err
}
