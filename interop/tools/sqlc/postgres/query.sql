-- name: AddDoc :exec
INSERT INTO docs (id, parent_id, import_id, former_import_id, external_id, currency) VALUES ($1, $2, $3, $4, $5, $6);

-- name: GetDocs :many
SELECT * FROM docs WHERE id = ANY(@ids::uuid[]) ORDER BY id;

-- name: GetParents :many
SELECT docs.id, parents.id AS parent FROM docs LEFT JOIN docs AS parents ON parents.id = docs.parent_id ORDER BY docs.id;
