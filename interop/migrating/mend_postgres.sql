-- Turns texts in bytea columns into the 16 bytes. It needs the functions of interop/sql/postgres.sql.
-- Keep the options of the foreign key, such as ON DELETE CASCADE.
BEGIN;
ALTER TABLE items DROP CONSTRAINT items_event_id_fkey;
UPDATE events SET id = uuid_send(ulid_to_uuid(convert_from(id, 'UTF8'))) WHERE octet_length(id) = 26;
UPDATE items SET event_id = uuid_send(ulid_to_uuid(convert_from(event_id, 'UTF8'))) WHERE octet_length(event_id) = 26;
ALTER TABLE items ADD CONSTRAINT items_event_id_fkey FOREIGN KEY (event_id) REFERENCES events;
COMMIT;
