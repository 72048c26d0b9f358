-- Turns a text column, and a column that refers to it, into uuid, in one transaction. Write your names in place of
-- events, items and their columns, and keep the options of your foreign key, such as ON DELETE CASCADE. It needs
-- PostgreSQL 14 or later, and the functions of postgres.sql:
--
--   psql -v ON_ERROR_STOP=1 -f convert_postgres.sql
--
-- Each CASE accepts the 26 characters in either case, and the UUID format. For a bytea column write ulid_to_uuid(id)
-- in its place. Any other value, or an ID that is there in two formats, ends the script with an error that quotes
-- it, and nothing has changed.
--
-- Stop all programs that use the columns first, and start them with ulid.AsUUID in place of ulid.ULID. Code for one
-- format does not always fail on the other: an ulid.AsUUID is stored in a text column as 36 characters, and finds
-- nothing there. If you write a script for the way back, to text, an INSERT that was prepared or cached before goes
-- on succeeding after it, and stores 36 characters in place of a uuid, and \x01a2… in place of a bytea.
--
-- A DEFAULT of the column is dropped. Drop views of it yourself, and create them again. Both tables are locked, for
-- readers too: with a million rows in each it took 8 seconds on two cores, so try a copy first. Convert logical
-- replicas too.
BEGIN;
ALTER TABLE items DROP CONSTRAINT items_event_id_fkey;
ALTER TABLE events ALTER id DROP DEFAULT,
  ALTER id TYPE uuid USING CASE length(id) WHEN 36 THEN id::uuid ELSE ulid_to_uuid(id) END;
ALTER TABLE items
  ALTER event_id TYPE uuid USING CASE length(event_id) WHEN 36 THEN event_id::uuid ELSE ulid_to_uuid(event_id) END;
ALTER TABLE items ADD CONSTRAINT items_event_id_fkey FOREIGN KEY (event_id) REFERENCES events;
COMMIT;
