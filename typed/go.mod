module github.com/seed-961d0905/ulid/typed

go 1.25.0

require github.com/seed-961d0905/ulid v1.0.0
