-- Statements for PostgreSQL 14 and later, to copy, for a column of each type: uuid, text and bytea. They need the functions of
-- postgres.sql. Put in your own names, and take the column from docs/postgresql.md.

-- columns: the DEFAULT is for rows that no Go program inserts. Its IDs are not in order, and it does not replace a zero ULID.
CREATE TABLE events (id uuid PRIMARY KEY DEFAULT ulid_make(), note text);
CREATE TABLE events_text (id text COLLATE "C" PRIMARY KEY DEFAULT ulid_to_text(ulid_make()), note text);
CREATE TABLE events_bytea (id bytea PRIMARY KEY DEFAULT uuid_send(ulid_make()), note text);

-- insert: leave out the column to get an ID from the database.
INSERT INTO events (note) VALUES ('made by the database') RETURNING id;
INSERT INTO events_text (note) VALUES ('made by the database') RETURNING id;
INSERT INTO events_bytea (note) VALUES ('made by the database') RETURNING id;

-- time: the result is a timestamptz.
SELECT id, ulid_time(id) FROM events;
SELECT id, ulid_time(id) FROM events_text;
SELECT id, ulid_time(id) FROM events_bytea;

-- convert: each query returns the two other formats of an ID.
SELECT id, ulid_to_text(id), uuid_send(id) FROM events;
SELECT id, ulid_to_uuid(id), uuid_send(ulid_to_uuid(id)) FROM events_text;
SELECT id, ulid_to_uuid(id), ulid_to_text(id) FROM events_bytea;

-- look up: a uuid column does not accept the 26 characters.
SELECT * FROM events WHERE id = ulid_to_uuid('01ARYZ6S41TSV4RRFFQ69G5FAV');

-- range: compare the column with IDs, because a condition on ulid_time(id) reads the whole table. The Z makes a time UTC, and
-- without it the time is in the time zone of the session.
SELECT * FROM events
WHERE id >= ulid_first_at('2026-11-01Z') AND id < ulid_first_at('2026-12-01Z') ORDER BY id;
SELECT * FROM events_text
WHERE id >= ulid_to_text(ulid_first_at('2026-11-01Z')) AND id < ulid_to_text(ulid_first_at('2026-12-01Z')) ORDER BY id;
SELECT * FROM events_bytea
WHERE id >= uuid_send(ulid_first_at('2026-11-01Z')) AND id < uuid_send(ulid_first_at('2026-12-01Z')) ORDER BY id;

-- find: an ID in another format, such as lower case, is missed by = and may be matched wrongly by other operators. A uuid column
-- needs no such query, because it rejects other formats.
SELECT id, CASE
  WHEN id ~ '^[0-7][0-9A-HJKMNP-TV-Za-hjkmnp-tv-z]{25}$' THEN 'lower case'
  WHEN id ~ '^[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$' THEN 'UUID format'
  WHEN id ~ '^\\x[0-9a-f]{32}$' THEN 'bytes in hexadecimal'
  ELSE 'not a ULID' END AS problem
FROM events_text WHERE id !~ '^[0-7][0-9A-HJKMNP-TV-Z]{25}$';
SELECT id, CASE length(id) WHEN 26 THEN 'text' WHEN 36 THEN 'UUID format' ELSE 'not a ULID' END AS problem
FROM events_bytea WHERE length(id) <> 16;

-- partitions: one for each month, by the ID alone. A row needs a partition for its time, so create those of later months ahead.
CREATE TABLE logs (id uuid PRIMARY KEY DEFAULT ulid_make(), line text) PARTITION BY RANGE (id);
CREATE TABLE logs_2026_11 PARTITION OF logs
  FOR VALUES FROM (ulid_first_at('2026-11-01Z')) TO (ulid_first_at('2026-12-01Z'));

-- drop: deletes the rows of a month at once.
DROP TABLE logs_2026_11;
