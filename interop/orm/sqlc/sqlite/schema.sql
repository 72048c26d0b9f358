CREATE TABLE sqlc_users (
    id TEXT NOT NULL PRIMARY KEY,
    manager_id TEXT NULL
);
