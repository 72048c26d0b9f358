-- name: CreateUser :exec
INSERT INTO sqlc_users (id, owner_id, manager_id) VALUES ($1, $2, $3);

-- name: GetUser :one
SELECT id, owner_id, manager_id FROM sqlc_users WHERE id = $1;

-- name: ListUsers :many
SELECT id, owner_id, manager_id FROM sqlc_users WHERE id = ANY(@ids::uuid[]) ORDER BY id;

-- name: DeleteUser :exec
DELETE FROM sqlc_users WHERE id = $1;
