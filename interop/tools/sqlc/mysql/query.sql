-- name: AddDoc :exec
INSERT INTO docs (id, parent_id, external_id, currency) VALUES (?, ?, ?, ?);

-- name: GetDocs :many
SELECT * FROM docs WHERE id IN (sqlc.slice('ids')) ORDER BY id;

-- name: GetParents :many
SELECT docs.id, parents.id AS parent FROM docs LEFT JOIN docs AS parents ON parents.id = docs.parent_id ORDER BY docs.id;
