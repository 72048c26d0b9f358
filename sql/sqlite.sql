-- Tables and views for ULIDs in SQLite 3.40 and later:
--
--   sqlite3 DATABASE <sqlite.sql
--
-- SQLite has no CREATE FUNCTION, so these are examples. Copy the column into your table, replace events_text or events_blob
-- and id by your names, and leave out the views that you do not need. examples_sqlite.sql shows their use. What calls unhex
-- needs SQLite 3.41 when it is used, but not when it is created. All times are UTC.

-- A column of text, for ulid.ULID. The CHECK rejects NULL and other formats of an ID, including lower case. A column that may be NULL
-- needs CHECK (id IS NULL OR typeof(id) = 'text' AND …). An ID that the DEFAULT makes has the time at which the statement began
-- and 80 random bits, so IDs of one statement are in no order.
CREATE TABLE events_text (
  id TEXT PRIMARY KEY NOT NULL DEFAULT (
    substr('0123456789ABCDEFGHJKMNPQRSTVWXYZ', 1 + ((strftime('%s', 'now') || substr(strftime('%f', 'now'), 4)) >> 45 & 31), 1) ||
    substr('0123456789ABCDEFGHJKMNPQRSTVWXYZ', 1 + ((strftime('%s', 'now') || substr(strftime('%f', 'now'), 4)) >> 40 & 31), 1) ||
    substr('0123456789ABCDEFGHJKMNPQRSTVWXYZ', 1 + ((strftime('%s', 'now') || substr(strftime('%f', 'now'), 4)) >> 35 & 31), 1) ||
    substr('0123456789ABCDEFGHJKMNPQRSTVWXYZ', 1 + ((strftime('%s', 'now') || substr(strftime('%f', 'now'), 4)) >> 30 & 31), 1) ||
    substr('0123456789ABCDEFGHJKMNPQRSTVWXYZ', 1 + ((strftime('%s', 'now') || substr(strftime('%f', 'now'), 4)) >> 25 & 31), 1) ||
    substr('0123456789ABCDEFGHJKMNPQRSTVWXYZ', 1 + ((strftime('%s', 'now') || substr(strftime('%f', 'now'), 4)) >> 20 & 31), 1) ||
    substr('0123456789ABCDEFGHJKMNPQRSTVWXYZ', 1 + ((strftime('%s', 'now') || substr(strftime('%f', 'now'), 4)) >> 15 & 31), 1) ||
    substr('0123456789ABCDEFGHJKMNPQRSTVWXYZ', 1 + ((strftime('%s', 'now') || substr(strftime('%f', 'now'), 4)) >> 10 & 31), 1) ||
    substr('0123456789ABCDEFGHJKMNPQRSTVWXYZ', 1 + ((strftime('%s', 'now') || substr(strftime('%f', 'now'), 4)) >> 5 & 31), 1) ||
    substr('0123456789ABCDEFGHJKMNPQRSTVWXYZ', 1 + ((strftime('%s', 'now') || substr(strftime('%f', 'now'), 4)) >> 0 & 31), 1) ||
    substr('0123456789ABCDEFGHJKMNPQRSTVWXYZ', 1 + (random() & 31), 1) ||
    substr('0123456789ABCDEFGHJKMNPQRSTVWXYZ', 1 + (random() & 31), 1) ||
    substr('0123456789ABCDEFGHJKMNPQRSTVWXYZ', 1 + (random() & 31), 1) ||
    substr('0123456789ABCDEFGHJKMNPQRSTVWXYZ', 1 + (random() & 31), 1) ||
    substr('0123456789ABCDEFGHJKMNPQRSTVWXYZ', 1 + (random() & 31), 1) ||
    substr('0123456789ABCDEFGHJKMNPQRSTVWXYZ', 1 + (random() & 31), 1) ||
    substr('0123456789ABCDEFGHJKMNPQRSTVWXYZ', 1 + (random() & 31), 1) ||
    substr('0123456789ABCDEFGHJKMNPQRSTVWXYZ', 1 + (random() & 31), 1) ||
    substr('0123456789ABCDEFGHJKMNPQRSTVWXYZ', 1 + (random() & 31), 1) ||
    substr('0123456789ABCDEFGHJKMNPQRSTVWXYZ', 1 + (random() & 31), 1) ||
    substr('0123456789ABCDEFGHJKMNPQRSTVWXYZ', 1 + (random() & 31), 1) ||
    substr('0123456789ABCDEFGHJKMNPQRSTVWXYZ', 1 + (random() & 31), 1) ||
    substr('0123456789ABCDEFGHJKMNPQRSTVWXYZ', 1 + (random() & 31), 1) ||
    substr('0123456789ABCDEFGHJKMNPQRSTVWXYZ', 1 + (random() & 31), 1) ||
    substr('0123456789ABCDEFGHJKMNPQRSTVWXYZ', 1 + (random() & 31), 1) ||
    substr('0123456789ABCDEFGHJKMNPQRSTVWXYZ', 1 + (random() & 31), 1))
    CHECK (typeof(id) = 'text' AND length(id) = 26 AND length(CAST(id AS BLOB)) = 26
      AND id NOT GLOB '*[^0-9A-HJKMNP-TV-Z]*' AND id < '8'),
  note TEXT);

-- The time of each ID, in either case, or NULL for what is not a ULID.
CREATE VIEW events_text_times AS
SELECT id, (
  WITH RECURSIVE d(i, ms) AS (
    VALUES (0, 0)
    UNION ALL
    SELECT i + 1, ms * 32 + instr('0123456789ABCDEFGHJKMNPQRSTVWXYZ', upper(substr(id, i + 1, 1))) - 1 FROM d WHERE i < 10)
  SELECT strftime('%Y-%m-%d %H:%M:%f', ms / 1000.0, 'unixepoch') FROM d
  WHERE i = 10 AND typeof(id) = 'text' AND length(id) = 26 AND length(CAST(id AS BLOB)) = 26
    AND id NOT GLOB '*[^0-9A-HJKMNP-TV-Za-hjkmnp-tv-z]*' AND id < '8') AS time
FROM events_text;

-- The 16 bytes of each ID, or NULL.
CREATE VIEW events_text_blobs AS
SELECT id, (
  WITH RECURSIVE d(i, hex) AS (
    VALUES (0, '')
    UNION ALL
    SELECT i + 1, hex || substr('0123456789ABCDEF', 1 + (
      32 * (instr('0123456789ABCDEFGHJKMNPQRSTVWXYZ', upper(substr(id, (4 * i + 2) / 5 + 1, 1))) - 1)
      + instr('0123456789ABCDEFGHJKMNPQRSTVWXYZ', upper(substr(id, (4 * i + 2) / 5 + 2, 1))) - 1
      >> 6 - (4 * i + 2) % 5 & 15), 1)
    FROM d WHERE i < 32)
  SELECT unhex(hex) FROM d
  WHERE i = 32 AND typeof(id) = 'text' AND length(id) = 26 AND length(CAST(id AS BLOB)) = 26
    AND id NOT GLOB '*[^0-9A-HJKMNP-TV-Za-hjkmnp-tv-z]*' AND id < '8') AS blob
FROM events_text;

-- The rows that the CHECK would reject, in a table without it.
CREATE VIEW events_text_wrong AS
SELECT id, CASE
  WHEN typeof(id) <> 'text' THEN typeof(id)
  WHEN length(id) = 36 THEN 'UUID format'
  WHEN length(id) = 26 AND length(CAST(id AS BLOB)) = 26 AND upper(id) NOT GLOB '*[^0-9A-HJKMNP-TV-Z]*' AND id < '8' THEN 'lower case'
  ELSE 'not a ULID' END AS problem
FROM events_text
WHERE typeof(id) <> 'text' OR length(id) <> 26 OR length(CAST(id AS BLOB)) <> 26
  OR id GLOB '*[^0-9A-HJKMNP-TV-Z]*' OR id >= '8';

-- A column of blobs, for ulid.AsBinary.
CREATE TABLE events_blob (
  id BLOB PRIMARY KEY NOT NULL DEFAULT (
    unhex(printf('%012X', strftime('%s', 'now') || substr(strftime('%f', 'now'), 4)) || hex(randomblob(10))))
    CHECK (typeof(id) = 'blob' AND length(id) = 16),
  note TEXT);

-- The time of each ID, or NULL for what is not 16 bytes.
CREATE VIEW events_blob_times AS
SELECT id, (
  WITH RECURSIVE d(i, ms) AS (
    VALUES (0, 0)
    UNION ALL
    SELECT i + 1, ms * 16 + instr('0123456789ABCDEF', substr(hex(id), i + 1, 1)) - 1 FROM d WHERE i < 12)
  SELECT strftime('%Y-%m-%d %H:%M:%f', ms / 1000.0, 'unixepoch') FROM d
  WHERE i = 12 AND typeof(id) = 'blob' AND length(id) = 16) AS time
FROM events_blob;

-- The text of each ID, or NULL.
CREATE VIEW events_blob_texts AS
SELECT id, (
  WITH RECURSIVE d(i, ulid) AS (
    VALUES (0, '')
    UNION ALL
    SELECT i + 1, ulid || substr('0123456789ABCDEFGHJKMNPQRSTVWXYZ', 1 + (
      16 * (instr('0123456789ABCDEF', substr('0' || hex(id), (5 * i + 2) / 4 + 1, 1)) - 1)
      + instr('0123456789ABCDEF', substr('0' || hex(id), (5 * i + 2) / 4 + 2, 1)) - 1
      >> 3 - (5 * i + 2) % 4 & 31), 1)
    FROM d WHERE i < 26)
  SELECT ulid FROM d WHERE i = 26 AND typeof(id) = 'blob' AND length(id) = 16) AS text
FROM events_blob;

-- The rows that the CHECK would reject.
CREATE VIEW events_blob_wrong AS
SELECT id, CASE
  WHEN typeof(id) = 'text' THEN 'text'
  WHEN typeof(id) <> 'blob' THEN typeof(id)
  WHEN length(id) = 26 THEN 'text, as a blob'
  ELSE 'not a ULID' END AS problem
FROM events_blob WHERE typeof(id) <> 'blob' OR length(id) <> 16;
