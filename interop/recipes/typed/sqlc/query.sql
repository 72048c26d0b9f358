-- name: CreateOrder :exec
INSERT INTO orders (id, user_id) VALUES (?, ?);

-- name: ListOrders :many
SELECT * FROM orders WHERE user_id = ? ORDER BY id;
