package main

import (
	"context"
	"database/sql"
	"time"

	"github.com/seed-961d0905/ulid/typed"
)

// page: users

type UserKind struct{ typed.UUIDColumn } // for id uuid PRIMARY KEY

func (UserKind) Prefix() string { return "user" }

type UserID = typed.ID[UserKind]

// userName returns the name of a user by the string in a URL,
// such as user_01m83etbpdfx9rtt17bzesqdpd.
func userName(ctx context.Context, db *sql.DB, s string) (name string, err error) {
	id, err := typed.Parse[UserKind](s)
	if err != nil {
		return "", err // wraps ulid.ErrSyntax: 400 Bad Request
	}
	row := db.QueryRowContext(ctx, `SELECT name FROM users WHERE id = $1`, id)
	err = row.Scan(&name)
	return name, err
}

// page: end

type User struct {
	ID   UserID
	Name string
}

func insertUser(ctx context.Context, db *sql.DB, name string) (User, error) {
	u := User{typed.Make[UserKind](), name}
	_, err := db.ExecContext(ctx, `INSERT INTO users (id, name) VALUES ($1, $2)`, u.ID, u.Name)
	return u, err
}

// usersAfter returns a page of users after last: the last ID of the page before, or UserID{} for the first page.
func usersAfter(ctx context.Context, db *sql.DB, last UserID, limit int) (page []User, err error) {
	rows, err := db.QueryContext(ctx,
		`SELECT id, name FROM users WHERE id > $1 ORDER BY id LIMIT $2`, last, limit)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var u User
		if err := rows.Scan(&u.ID, &u.Name); err != nil {
			return nil, err
		}
		page = append(page, u)
	}
	return page, rows.Err()
}

// countUsers returns how many users were created from a time until before another.
func countUsers(ctx context.Context, db *sql.DB, from, to time.Time) (n int, err error) {
	row := db.QueryRowContext(ctx, `SELECT count(*) FROM users WHERE id >= $1 AND id < $2`,
		typed.FirstAt[UserKind](from), typed.FirstAt[UserKind](to))
	err = row.Scan(&n)
	return n, err
}
