package recipes

import (
	"encoding/json"
	"net/http"

	"github.com/seed-961d0905/ulid"
)

type User struct {
	ID     ulid.ULID  `json:"id"`
	Name   string     `json:"name"`
	BossID *ulid.ULID `json:"boss_id"` // null for none
}

func Routes(mux *http.ServeMux) {
	mux.HandleFunc("GET /users/{id}", getUser)
	mux.HandleFunc("POST /users", createUser)
}

func createUser(w http.ResponseWriter, r *http.Request) {
	var user User
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, 1<<20)).Decode(&user); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	user.ID = ulid.Make() // whatever the client sent
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusCreated)
	json.NewEncoder(w).Encode(user)
}

// page: getUser

func getUser(w http.ResponseWriter, r *http.Request) { // of GET /users/{id}
	id, err := ulid.Parse(r.PathValue("id"))
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	json.NewEncoder(w).Encode(map[string]any{"id": id, "name": "Ada"})
}
