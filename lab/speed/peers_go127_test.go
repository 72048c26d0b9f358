//go:build go1.27

package speed

import "uuid"

func init() { libs = append(libs, libOf("std-v7", uuid.NewV7, uuid.UUID.String, uuid.Parse)) }
