package recipes

import (
	"net/http"

	"github.com/go-chi/chi/v5"
)

// The handlers are the same: chi sets what PathValue returns.
func ChiRoutes() http.Handler {
	r := chi.NewRouter()
	r.Get("/users/{id}", getUser)
	r.Post("/users", createUser)
	return r
}
