package recipes

import (
	"encoding/json"
	"fmt"
	"log"
	"os"
)

// page: Example

func Example_userID() {
	id, err := ParseUserID("user_01h455vb4pex5vsknk084sn02q")
	if err != nil {
		log.Fatal(err)
	}
	log.New(os.Stdout, "log: ", 0).Print("sign-in of ", id)
	json.NewEncoder(os.Stdout).Encode(map[string]any{"id": id, "boss": (*UserID)(nil)})
	fmt.Println("https://example.com/users/" + id.String())
	fmt.Println(id.Timestamp().UTC())

	// What a query gets, for a uuid column.
	fmt.Println(id.Value())

	_, err = ParseUserID("order_01h455vb4pex5vsknk084sn02q")
	fmt.Println(err)
	_, err = ParseUserID("unknown")
	fmt.Println(err)

	// Output:
	// log: sign-in of user_01h455vb4pex5vsknk084sn02q
	// {"boss":null,"id":"user_01h455vb4pex5vsknk084sn02q"}
	// https://example.com/users/user_01h455vb4pex5vsknk084sn02q
	// 2023-06-30 03:34:18.518 +0000 UTC
	// 01890a5d-ac96-774b-bcce-b302099a8057 <nil>
	// user ID: prefix "order", want "user"
	// user ID: 7 characters, want 31
}
