CREATE TABLE docs (
  id CHAR(26) CHARACTER SET ascii COLLATE ascii_bin PRIMARY KEY,
  parent_id CHAR(26) CHARACTER SET ascii COLLATE ascii_bin,
  external_id VARCHAR(40),
  currency CHAR(3) NOT NULL
);
