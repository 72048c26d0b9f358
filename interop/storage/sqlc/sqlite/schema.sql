CREATE TABLE sqlc_users (
    id TEXT NOT NULL PRIMARY KEY,
    owner_id TEXT NOT NULL REFERENCES sqlc_users (id),
    manager_id TEXT NULL REFERENCES sqlc_users (id)
);
