-- The statements of docs/sql.md for SQLite, in its order. Those with unhex need SQLite 3.41. What is not a ULID
-- gives NULL.

-- page: text column
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
    substr('0123456789ABCDEFGHJKMNPQRSTVWXYZ', 1 + (random() & 31), 1)),
  note TEXT);
INSERT INTO events_text (note) VALUES ('made by the database') RETURNING id;

-- page: time of text
SELECT id, (
  WITH RECURSIVE d(i, ms) AS (
    VALUES (0, 0)
    UNION ALL
    SELECT i + 1, ms * 32 + instr('0123456789ABCDEFGHJKMNPQRSTVWXYZ', upper(substr(id, i + 1, 1))) - 1 FROM d WHERE i < 10)
  SELECT strftime('%Y-%m-%d %H:%M:%f', ms / 1000.0, 'unixepoch') FROM d
  WHERE i = 10 AND typeof(id) = 'text' AND length(id) = 26 AND length(CAST(id AS BLOB)) = 26
    AND id NOT GLOB '*[^0-9A-HJKMNP-TV-Za-hjkmnp-tv-z]*' AND id < '8') AS time
FROM events_text;

-- page: text range
WITH RECURSIVE bound(name, ms, i, ulid) AS (
  SELECT column1, max(0, CAST(round((julianday(column2) - 2440587.5) * 86400000) AS INTEGER)), 0, ''
  FROM (VALUES ('from', '2026-11-01'), ('to', '2026-12-01'))
  UNION ALL
  SELECT name, ms, i + 1, ulid || substr('0123456789ABCDEFGHJKMNPQRSTVWXYZ', 1 + (ms >> 45 - 5 * i & 31), 1)
  FROM bound WHERE i < 10)
SELECT * FROM events_text
WHERE id >= (SELECT ulid FROM bound WHERE name = 'from' AND i = 10)
  AND id < (SELECT ulid FROM bound WHERE name = 'to' AND i = 10)
ORDER BY id;

-- page: find in text
SELECT id, CASE
  WHEN typeof(id) <> 'text' THEN typeof(id)
  WHEN length(id) = 36 THEN 'UUID notation'
  WHEN length(id) = 26 AND length(CAST(id AS BLOB)) = 26 AND upper(id) NOT GLOB '*[^0-9A-HJKMNP-TV-Z]*' AND id < '8' THEN 'lower case'
  ELSE 'no ULID' END AS form
FROM events_text
WHERE typeof(id) <> 'text' OR length(id) <> 26 OR length(CAST(id AS BLOB)) <> 26
  OR id GLOB '*[^0-9A-HJKMNP-TV-Z]*' OR id >= '8';

-- page: text to blob
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

-- page: blob column
CREATE TABLE events_blob (
  id BLOB PRIMARY KEY NOT NULL DEFAULT (
    unhex(printf('%012X', strftime('%s', 'now') || substr(strftime('%f', 'now'), 4)) || hex(randomblob(10)))),
  note TEXT);
INSERT INTO events_blob (note) VALUES ('made by the database') RETURNING hex(id);

-- page: time of blob
SELECT hex(id), (
  WITH RECURSIVE d(i, ms) AS (
    VALUES (0, 0)
    UNION ALL
    SELECT i + 1, ms * 16 + instr('0123456789ABCDEF', substr(hex(id), i + 1, 1)) - 1 FROM d WHERE i < 12)
  SELECT strftime('%Y-%m-%d %H:%M:%f', ms / 1000.0, 'unixepoch') FROM d
  WHERE i = 12 AND typeof(id) = 'blob' AND length(id) = 16) AS time
FROM events_blob;

-- page: blob to text
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

-- page: blob range
SELECT * FROM events_blob
WHERE id >= unhex(printf('%012X', max(0, CAST(round((julianday('2026-11-01') - 2440587.5) * 86400000) AS INTEGER))))
  AND id < unhex(printf('%012X', max(0, CAST(round((julianday('2026-12-01') - 2440587.5) * 86400000) AS INTEGER))))
ORDER BY id;

-- page: find in blob
SELECT hex(id), CASE
  WHEN typeof(id) = 'text' THEN 'text'
  WHEN typeof(id) <> 'blob' THEN typeof(id)
  WHEN length(id) = 26 THEN 'text, as a blob'
  ELSE 'no ULID' END AS form
FROM events_blob WHERE typeof(id) <> 'blob' OR length(id) <> 16;
