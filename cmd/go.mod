module github.com/seed-961d0905/ulid/cmd

go 1.25.0

require (
	github.com/rogpeppe/go-internal v1.16.0
	github.com/seed-961d0905/ulid v1.0.0
)

require (
	golang.org/x/sys v0.47.0 // indirect
	golang.org/x/tools v0.49.0 // indirect
)
