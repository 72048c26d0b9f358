package recipes

import "github.com/seed-961d0905/ulid"

// A Service takes its IDs from NewID.
type Service struct {
	NewID func() ulid.ULID
}

func NewService() *Service { return &Service{NewID: ulid.Make} }

func (s *Service) Order() string { return "order " + s.NewID().String() }
