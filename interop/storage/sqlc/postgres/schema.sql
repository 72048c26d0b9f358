CREATE TABLE sqlc_users (
    id uuid NOT NULL PRIMARY KEY,
    owner_id uuid NOT NULL REFERENCES sqlc_users (id),
    manager_id uuid NULL REFERENCES sqlc_users (id)
);
