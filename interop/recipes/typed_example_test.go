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
	fmt.Printf("sign-in of %v\n", id)
	fmt.Println("https://example.com/users/" + id.String())
	fmt.Println(id.Timestamp().UTC())

	type User struct {
		ID   UserID  `json:"id"`
		Boss *UserID `json:"boss"`
	}
	json.NewEncoder(os.Stdout).Encode(User{ID: id})

	// What a query passes to a uuid column.
	fmt.Println(id.Value())

	// IDs of other kinds and malformed input.
	_, err = ParseUserID("order_01h455vb4pex5vsknk084sn02q")
	fmt.Println(err)
	_, err = ParseUserID("unknown")
	fmt.Println(err)

	// Output:
	// sign-in of user_01h455vb4pex5vsknk084sn02q
	// https://example.com/users/user_01h455vb4pex5vsknk084sn02q
	// 2023-06-30 03:34:18.518 +0000 UTC
	// {"id":"user_01h455vb4pex5vsknk084sn02q","boss":null}
	// 01890a5d-ac96-774b-bcce-b302099a8057 <nil>
	// user ID: prefix "order", want "user"
	// user ID: 7 characters, want 31
}
