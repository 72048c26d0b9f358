-- Tables and views for ULIDs in SQLite 3.40 and later, to copy: SQLite has no CREATE FUNCTION. Write your names in
-- place of events_text, events_blob and id. All times are UTC, and NULL after the year 9999.

-- A column of text, for ulid.ULID. The CHECK rejects NULL, lower case and every other format. For a column that may
-- be NULL write CHECK (id IS NULL OR typeof(id) = 'text' AND …).
CREATE TABLE events_text (
  id TEXT PRIMARY KEY NOT NULL
    CHECK (typeof(id) = 'text' AND length(id) = 26 AND length(CAST(id AS BLOB)) = 26
      AND id NOT GLOB '*[^0-9A-HJKMNP-TV-Z]*' AND substr(id, 1, 1) < '8'),
  note TEXT);

-- The time of each ID, in either case, or NULL for what is not a ULID.
CREATE VIEW events_text_times AS
SELECT id, (
  WITH RECURSIVE d(i, ms) AS (
    VALUES (0, 0)
    UNION ALL
    SELECT i + 1, ms * 32 + instr('0123456789ABCDEFGHJKMNPQRSTVWXYZ', upper(substr(id, i + 1, 1))) - 1
    FROM d WHERE i < 10)
  SELECT strftime('%Y-%m-%d %H:%M:%f', ms / 1000.0, 'unixepoch') FROM d
  WHERE i = 10 AND typeof(id) = 'text' AND length(id) = 26 AND length(CAST(id AS BLOB)) = 26
    AND id NOT GLOB '*[^0-9A-HJKMNP-TV-Za-hjkmnp-tv-z]*' AND substr(id, 1, 1) < '8') AS time
FROM events_text;

-- A column of blobs, for ulid.AsBinary.
CREATE TABLE events_blob (
  id BLOB PRIMARY KEY NOT NULL CHECK (typeof(id) = 'blob' AND length(id) = 16),
  note TEXT);

-- The time and the text of each ID, or NULL for what is not 16 bytes.
CREATE VIEW events_blob_times AS
SELECT id, (
  WITH RECURSIVE d(i, ms) AS (
    VALUES (0, 0)
    UNION ALL
    SELECT i + 1, ms * 16 + instr('0123456789ABCDEF', substr(hex(id), i + 1, 1)) - 1 FROM d WHERE i < 12)
  SELECT strftime('%Y-%m-%d %H:%M:%f', ms / 1000.0, 'unixepoch') FROM d
  WHERE i = 12 AND typeof(id) = 'blob' AND length(id) = 16) AS time
FROM events_blob;

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
