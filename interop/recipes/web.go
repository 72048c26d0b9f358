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

func getUser(w http.ResponseWriter, r *http.Request) {
	id, err := ulid.Parse(r.PathValue("id"))
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	writeJSON(w, http.StatusOK, User{ID: id, Name: "Ada"})
}

func createUser(w http.ResponseWriter, r *http.Request) {
	var user User
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, 1<<20)).Decode(&user); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	user.ID = ulid.Make() // whatever the client sent
	writeJSON(w, http.StatusCreated, user)
}

func writeJSON(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(v)
}
