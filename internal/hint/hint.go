// Package hint names the type that reads a database value, for the error of another type's Scan.
package hint

import "strings"

// The hints, as they end an error message.
const (
	Text   = "; ULID strings are for ULID or TextColumn"
	UUID   = "; UUIDs are for AsUUID or UUIDColumn"
	Binary = "; 16 bytes are for AsBinary or BinaryColumn"
	Prefix = "; IDs with a prefix are for PrefixColumn"
)

const (
	textSize  = 26
	uuidSize  = 36
	maxPrefix = 63
)

// For returns the hint for a value in the format of one of the types, and otherwise "".
func For(value any) string {
	switch value := value.(type) {
	case string:
		return forText(value)
	case []byte:
		// Not every 16 bytes are an ID: a column may have cut a text, and SQL Server's uniqueidentifier has another
		// order. IDs of the years 2004 to 2039 begin with this byte.
		if len(value) == 16 && value[0] == 1 {
			return Binary
		}
		if len(value) <= maxPrefix+1+textSize { // longer ones are not copied
			return forText(string(value))
		}
	}
	return ""
}

func forText(text string) string {
	switch {
	case isULID(text):
		return Text
	case isUUID(text):
		return UUID
	case hasPrefix(text):
		return Prefix
	}
	return ""
}

func isULID(text string) bool {
	const digits = "0123456789ABCDEFGHJKMNPQRSTVWXYZabcdefghjkmnpqrstvwxyz"
	return len(text) == textSize && text[0] <= '7' && consistsOf(text, digits)
}

func isUUID(text string) bool {
	if len(text) != uuidSize || text[8] != '-' || text[13] != '-' || text[18] != '-' || text[23] != '-' {
		return false
	}
	return consistsOf(text[:8]+text[9:13]+text[14:18]+text[19:23]+text[24:], "0123456789abcdefABCDEF")
}

// hasPrefix reports whether text is a prefix, an underscore and a ULID in lower case.
func hasPrefix(text string) bool {
	at := len(text) - textSize - 1
	if at < 1 || at > maxPrefix || text[at] != '_' {
		return false
	}
	prefix, id := text[:at], text[at+1:]
	return consistsOf(prefix, "abcdefghijklmnopqrstuvwxyz_") && prefix[0] != '_' && prefix[at-1] != '_' &&
		isULID(id) && id == strings.ToLower(id)
}

// consistsOf reports whether each byte of text is one of the characters.
func consistsOf(text, characters string) bool {
	return strings.Trim(text, characters) == ""
}
