//go:build go1.27

package uuids

import "uuid"

func init() {
	stdLibs = []lib{newLib("Go 1.27 `uuid.NewV7`", uuid.NewV7, uuid.UUID.Compare)}
}
