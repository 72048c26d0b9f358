package key

type DeviceIDs []DeviceID
