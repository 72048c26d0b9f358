-- Statements for the tables and views of sqlite.sql, to copy. Put in your own names. The DEFAULT of events_blob, the view
-- events_text_blobs and the range of blobs call unhex, so they need SQLite 3.41.

-- insert: leave out the column to get an ID from the database.
INSERT INTO events_text (note) VALUES ('made by the database') RETURNING id;
INSERT INTO events_blob (note) VALUES ('made by the database') RETURNING hex(id);

-- time: the result is a text in UTC, or NULL for what is not a ULID and after the year 9999.
SELECT id, time FROM events_text_times;
SELECT hex(id), time FROM events_blob_times;

-- convert: each query returns the other format of an ID.
SELECT id, blob FROM events_text_blobs;
SELECT id, text FROM events_blob_texts;

-- find: these rows are not ULIDs in the format of their column.
SELECT id, problem FROM events_text_wrong;
SELECT hex(id), problem FROM events_blob_wrong;

-- range: compare the column with IDs, because a condition on the time of a view reads the whole table. SQLite rounds a time to the
-- millisecond. The ends of a range of strings are the first ten characters of an ID, which hold its time.
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
SELECT * FROM events_blob
WHERE id >= unhex(printf('%012X', max(0, CAST(round((julianday('2026-11-01') - 2440587.5) * 86400000) AS INTEGER))))
  AND id < unhex(printf('%012X', max(0, CAST(round((julianday('2026-12-01') - 2440587.5) * 86400000) AS INTEGER))))
ORDER BY id;
