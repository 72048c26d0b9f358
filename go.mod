module github.com/seed-961d0905/ulid

go 1.25
