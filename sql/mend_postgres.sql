-- Turns the strings in two bytea columns into the 16 bytes, in one transaction. Write your names in place of events,
-- items and their columns, and keep the options of your foreign key, such as ON DELETE CASCADE. It needs PostgreSQL
-- 14 or later, and the functions of postgres.sql:
--
--   psql -v ON_ERROR_STOP=1 < mend_postgres.sql
--
-- README.md says what to do first. After an error nothing has changed.
BEGIN;
ALTER TABLE items DROP CONSTRAINT items_event_id_fkey;
UPDATE events SET id = uuid_send(ulid_to_uuid(convert_from(id, 'UTF8'))) WHERE octet_length(id) = 26;
UPDATE items SET event_id = uuid_send(ulid_to_uuid(convert_from(event_id, 'UTF8'))) WHERE octet_length(event_id) = 26;
ALTER TABLE items ADD CONSTRAINT items_event_id_fkey FOREIGN KEY (event_id) REFERENCES events;
COMMIT;
