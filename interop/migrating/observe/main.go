// Observe uses oklog/ulid's type as programs do, and prints a line "group/name: result" for each observation.
// TestObservations builds it twice, with oklog/ulid and with the module oklog in its place, and compares the lines.
//
//	observe values
//	observe write DIR           writes what encoders make of IDs into files
//	observe read DIR            reads the files of either program
//	observe database FAMILY DSN
//	observe store FAMILY DSN    adds rows
//	observe find FAMILY DSN     finds the rows of either program
package main

import (
	"fmt"
	"log"
	"os"
	"reflect"
	"regexp"
	"strings"

	"github.com/oklog/ulid/v2"
)

// The IDs of the observations. The bytes of letters are a text too, which a column of texts takes.
var (
	first   = ulid.MustParse("01ARYZ6S41TSV4RRFFQ69G5FAV")
	second  = ulid.MustParse("01ARYZ6S41TSV4RRFFQ69G5FAW")
	letters = ulid.ULID([]byte("abcdefghijklmnop"))
	last    = ulid.MustParse("7ZZZZZZZZZZZZZZZZZZZZZZZZZ")
	before  = ulid.MustParse("7BEF0REBEF0REBEF0REBEF0RE0") // what a variable has into which something is read
)

func main() {
	log.SetFlags(0)
	args := append(os.Args[1:], "", "", "")
	switch args[0] {
	case "values":
		values()
		encoders()
		texts()
	case "write":
		writeFiles(args[1])
	case "read":
		readFiles(args[1])
	case "database":
		observeDatabase(args[1], args[2])
	case "store":
		store(args[1], args[2])
	case "find":
		find(args[1], args[2])
	default:
		log.Fatalf("observe: there is no command %q", args[0])
	}
}

// A group is the first word of observations.
type group string

// sees prints what a function returns. A panic is a result, too.
func (g group) sees(name string, f func() (any, error)) {
	fmt.Printf("%s/%s: %s\n", g, name, oneLine(result(f)))
}

func (g group) sub(name string) group { return g + "/" + group(name) }

func result(f func() (any, error)) (text string) {
	defer func() {
		if r := recover(); r != nil {
			text = fmt.Sprint("panic: ", r)
		}
	}()
	got, err := f()
	if err != nil {
		return "error: " + err.Error()
	}
	return show(got)
}

// show writes a value with its type, as far as it is not an ID, and follows pointers.
func show(v any) string {
	switch v := v.(type) {
	case nil:
		return "nil"
	case ulid.ULID:
		return v.String()
	case []byte:
		return fmt.Sprintf("[]byte %x", v)
	case string:
		return fmt.Sprintf("%q", v)
	case error:
		return "error: " + v.Error()
	}
	value := reflect.ValueOf(v)
	switch {
	case value.Kind() == reflect.Pointer && value.IsNil():
		return fmt.Sprintf("nil %T", v)
	case value.Kind() == reflect.Pointer:
		return "&" + show(value.Elem().Interface())
	case value.Kind() == reflect.Slice || value.Kind() == reflect.Struct:
		return fmt.Sprintf("%T{%s}", v, strings.Join(parts(value), ", "))
	}
	return fmt.Sprintf("%T %v", v, v)
}

// parts shows the elements of a slice or the exported fields of a struct.
func parts(value reflect.Value) (list []string) {
	if value.Kind() == reflect.Slice {
		for i := range value.Len() {
			list = append(list, show(value.Index(i).Interface()))
		}
		return list
	}
	for i, field := range reflect.VisibleFields(value.Type()) {
		if field.IsExported() && len(field.Index) == 1 {
			list = append(list, show(value.Field(i).Interface()))
		}
	}
	return list
}

// oneLine leaves out addresses.
func oneLine(text string) string {
	return address.ReplaceAllString(strings.ReplaceAll(text, "\n", `\n`), "(address)")
}

var address = regexp.MustCompile(`\(0x[0-9a-f]+\)`)

func must[T any](v T, err error) T {
	if err != nil {
		log.Fatal("observe: ", err)
	}
	return v
}
