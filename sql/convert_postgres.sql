-- Turns a text column, and a column that refers to it, into uuid, in one transaction. Put in your own names, and keep the options
-- of your foreign key, such as ON DELETE CASCADE. It needs PostgreSQL 14 or later, and the functions of postgres.sql:
--
--   psql -v ON_ERROR_STOP=1 -f convert_postgres.sql
--
-- docs/postgresql.md says when to run it. A string that is not a ULID, or an ID that is there in two formats, ends it with an
-- error that names it, and nothing has changed. For a bytea column write ulid_to_uuid(id) in place of each CASE, which accepts the
-- UUID format besides the 26 characters.
BEGIN;
ALTER TABLE items_text DROP CONSTRAINT items_text_event_id_fkey;
ALTER TABLE events_text ALTER id DROP DEFAULT, ALTER id SET DEFAULT ulid_make(),
  ALTER id TYPE uuid USING CASE length(id) WHEN 36 THEN id::uuid ELSE ulid_to_uuid(id) END;
ALTER TABLE items_text ALTER event_id TYPE uuid
  USING CASE length(event_id) WHEN 36 THEN event_id::uuid ELSE ulid_to_uuid(event_id) END;
ALTER TABLE items_text ADD CONSTRAINT items_text_event_id_fkey FOREIGN KEY (event_id) REFERENCES events_text;
COMMIT;
