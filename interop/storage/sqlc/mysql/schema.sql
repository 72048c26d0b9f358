CREATE TABLE sqlc_users (
    id BINARY(16) NOT NULL PRIMARY KEY,
    owner_id BINARY(16) NOT NULL,
    manager_id BINARY(16) NULL,
    FOREIGN KEY (owner_id) REFERENCES sqlc_users (id),
    FOREIGN KEY (manager_id) REFERENCES sqlc_users (id)
);
