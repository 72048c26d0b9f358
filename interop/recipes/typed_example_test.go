package recipes

import (
	"encoding/json"
	"fmt"
)

// page: Example

func Example_userID() {
	id, err := ParseUserID("user_01h455vb4pex5vsknk084sn02q")
	fmt.Println(id, err)
	fmt.Println(id.Timestamp().UTC())

	data, err := json.Marshal(map[string]any{"id": id})
	fmt.Println(string(data), err)
	fmt.Println(id.Value()) // what a query passes to a uuid column

	_, err = ParseUserID("order_01h455vb4pex5vsknk084sn02q")
	fmt.Println(err)
	_, err = ParseUserID("unknown")
	fmt.Println(err)

	// Output:
	// user_01h455vb4pex5vsknk084sn02q <nil>
	// 2023-06-30 03:34:18.518 +0000 UTC
	// {"id":"user_01h455vb4pex5vsknk084sn02q"} <nil>
	// 01890a5d-ac96-774b-bcce-b302099a8057 <nil>
	// user ID: prefix "order", want "user"
	// user ID: 7 characters, want 31
}
