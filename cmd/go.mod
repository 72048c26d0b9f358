module github.com/seed-961d0905/ulid/cmd

go 1.25

require github.com/seed-961d0905/ulid v1.0.0
