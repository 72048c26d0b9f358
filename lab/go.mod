module github.com/seed-961d0905/ulid/lab

go 1.26.0

require (
	github.com/google/uuid v1.6.0
	github.com/oklog/ulid/v2 v2.1.2
	github.com/seed-961d0905/ulid v1.0.0
)

require github.com/gofrs/uuid/v5 v5.5.1

replace github.com/seed-961d0905/ulid => ../
