CREATE TABLE sqlc_users (
    id uuid NOT NULL PRIMARY KEY,
    manager_id uuid NULL
);
