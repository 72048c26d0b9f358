-- name: CreateUser :exec
INSERT INTO sqlc_users (id, owner_id, manager_id) VALUES (?, ?, ?);

-- name: GetUser :one
SELECT id, owner_id, manager_id FROM sqlc_users WHERE id = ?;

-- name: ListUsers :many
SELECT id, owner_id, manager_id FROM sqlc_users WHERE id IN (sqlc.slice('ids')) ORDER BY id;

-- name: DeleteUser :exec
DELETE FROM sqlc_users WHERE id = ?;
