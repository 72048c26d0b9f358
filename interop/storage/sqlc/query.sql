-- name: CreateUser :exec
INSERT INTO users (id, owner_id, manager_id) VALUES (?, ?, ?);

-- name: GetUser :one
SELECT id, owner_id, manager_id FROM users WHERE id = ?;

-- name: ListUsers :many
SELECT id, owner_id, manager_id FROM users WHERE id IN (sqlc.slice('ids')) ORDER BY id;

-- name: DeleteUser :execrows
DELETE FROM users WHERE id = ?;
