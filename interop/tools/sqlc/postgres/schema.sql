CREATE TABLE docs (
  id uuid PRIMARY KEY,
  parent_id uuid,
  import_id uuid NOT NULL,
  former_import_id uuid,
  external_id text,
  currency char(3) NOT NULL
);
