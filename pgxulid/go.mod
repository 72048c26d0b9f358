module github.com/seed-961d0905/ulid/pgxulid

go 1.25.0

require (
	github.com/jackc/pgx/v5 v5.8.0 // the oldest with which the tests pass, so that other modules can choose
	github.com/seed-961d0905/ulid v1.0.0
)

require (
	github.com/jackc/pgpassfile v1.0.0 // indirect
	github.com/jackc/pgservicefile v0.0.0-20240606120523-5a60cdf6a761 // indirect
	github.com/jackc/puddle/v2 v2.2.2 // indirect
	golang.org/x/sync v0.17.0 // indirect
	golang.org/x/text v0.29.0 // indirect
)
