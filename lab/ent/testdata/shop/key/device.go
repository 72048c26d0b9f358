// page: Device
package key

import "github.com/seed-961d0905/ulid/typed"

type device struct{ typed.TextColumn }

func (device) Prefix() string { return "device" }

type DeviceID = typed.ID[device]

func NewDeviceID() DeviceID { return typed.Make[device]() }
