CREATE TABLE sqlc_users (
    id BINARY(16) NOT NULL PRIMARY KEY,
    manager_id BINARY(16) NULL
);
