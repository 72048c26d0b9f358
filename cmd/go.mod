module github.com/seed-961d0905/ulid/cmd

go 1.25.0

require (
	github.com/oklog/ulid/v2 v2.1.2
	github.com/rogpeppe/go-internal v1.16.0
	github.com/seed-961d0905/ulid v1.0.0
	golang.org/x/mod v0.39.0
	golang.org/x/tools v0.49.0
)

require (
	golang.org/x/sync v0.22.0 // indirect
	golang.org/x/sys v0.47.0 // indirect
)
