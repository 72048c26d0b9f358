-- The statements of docs/sql.md for PostgreSQL, in its order. postgres.sql has the functions.

-- page: columns
CREATE TABLE events (id uuid PRIMARY KEY DEFAULT ulid_make(), note text);
CREATE TABLE events_text (id text COLLATE "C" PRIMARY KEY DEFAULT ulid_to_text(ulid_make()), note text);
CREATE TABLE events_bytea (id bytea PRIMARY KEY DEFAULT uuid_send(ulid_make()), note text);

-- page: insert
INSERT INTO events (note) VALUES ('made by the database') RETURNING id;
INSERT INTO events_text (note) VALUES ('made by the database') RETURNING id;
INSERT INTO events_bytea (note) VALUES ('made by the database') RETURNING id;

-- page: time
SELECT id, ulid_time(id) FROM events;
SELECT id, ulid_time(id) FROM events_text;
SELECT id, ulid_time(id) FROM events_bytea;

-- page: convert
SELECT id, ulid_to_text(id), uuid_send(id) FROM events;
SELECT id, ulid_to_uuid(id), uuid_send(ulid_to_uuid(id)) FROM events_text;
SELECT id, ulid_to_uuid(id), ulid_to_text(id) FROM events_bytea;

-- page: look up
SELECT * FROM events WHERE id = ulid_to_uuid('01ARYZ6S41TSV4RRFFQ69G5FAV');

-- page: range
SELECT * FROM events
WHERE id >= ulid_first_at('2026-11-01Z') AND id < ulid_first_at('2026-12-01Z') ORDER BY id;
SELECT * FROM events_text
WHERE id >= ulid_to_text(ulid_first_at('2026-11-01Z')) AND id < ulid_to_text(ulid_first_at('2026-12-01Z')) ORDER BY id;
SELECT * FROM events_bytea
WHERE id >= uuid_send(ulid_first_at('2026-11-01Z')) AND id < uuid_send(ulid_first_at('2026-12-01Z')) ORDER BY id;

-- page: find
SELECT id, CASE
  WHEN id ~ '^[0-7][0-9A-HJKMNP-TV-Za-hjkmnp-tv-z]{25}$' THEN 'lower case'
  WHEN id ~ '^[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$' THEN 'UUID notation'
  WHEN id ~ '^\\x[0-9a-f]{32}$' THEN 'bytes in hexadecimal'
  ELSE 'no ULID' END AS form
FROM events_text WHERE id !~ '^[0-7][0-9A-HJKMNP-TV-Z]{25}$';
SELECT id, CASE length(id) WHEN 26 THEN 'text' WHEN 36 THEN 'UUID notation' ELSE 'no ULID' END AS form
FROM events_bytea WHERE length(id) <> 16;

-- page: references
CREATE TABLE items_text (event_id text COLLATE "C" REFERENCES events_text, n int);
CREATE TABLE items_bytea (event_id bytea REFERENCES events_bytea, n int);

-- page: text to uuid
BEGIN;
ALTER TABLE items_text DROP CONSTRAINT items_text_event_id_fkey;
ALTER TABLE events_text ALTER id DROP DEFAULT, ALTER id TYPE uuid USING ulid_to_uuid(id),
  ALTER id SET DEFAULT ulid_make();
ALTER TABLE items_text ALTER event_id TYPE uuid USING ulid_to_uuid(event_id);
ALTER TABLE items_text ADD CONSTRAINT items_text_event_id_fkey FOREIGN KEY (event_id) REFERENCES events_text;
COMMIT;

-- page: bytea to uuid
BEGIN;
ALTER TABLE items_bytea DROP CONSTRAINT items_bytea_event_id_fkey;
ALTER TABLE events_bytea ALTER id DROP DEFAULT, ALTER id TYPE uuid USING ulid_to_uuid(id),
  ALTER id SET DEFAULT ulid_make();
ALTER TABLE items_bytea ALTER event_id TYPE uuid USING ulid_to_uuid(event_id);
ALTER TABLE items_bytea ADD CONSTRAINT items_bytea_event_id_fkey FOREIGN KEY (event_id) REFERENCES events_bytea;
COMMIT;
