-- Turns the texts in two BLOB columns into the 16 bytes, in one transaction. Replace events, items and their columns by your names.
-- It needs SQLite 3.41 or later, for unhex:
--
--   sqlite3 -bail DATABASE <mend_sqlite.sql
--
-- docs/migrating-columns.md says what to do first. If the first UPDATE fails, it rolls back the transaction with the table mended,
-- so the second UPDATE fails too, even in a client that goes on after an error.
BEGIN;
PRAGMA defer_foreign_keys = ON;
CREATE TEMP TABLE mended AS SELECT id AS text, (
  WITH RECURSIVE d(i, hex) AS (
    VALUES (0, '')
    UNION ALL
    SELECT i + 1, hex || substr('0123456789ABCDEF', 1 + (
      32 * (instr('0123456789ABCDEFGHJKMNPQRSTVWXYZ', upper(substr(id, (4 * i + 2) / 5 + 1, 1))) - 1)
      + instr('0123456789ABCDEFGHJKMNPQRSTVWXYZ', upper(substr(id, (4 * i + 2) / 5 + 2, 1))) - 1
      >> 6 - (4 * i + 2) % 5 & 15), 1)
    FROM d WHERE i < 32)
  SELECT unhex(hex) FROM d WHERE i = 32) AS bytes
FROM (SELECT id FROM events UNION SELECT event_id FROM items)
WHERE typeof(id) = 'text' AND length(id) = 26 AND length(CAST(id AS BLOB)) = 26
  AND id NOT GLOB '*[^0-9A-HJKMNP-TV-Za-hjkmnp-tv-z]*' AND id < '8';
UPDATE OR ROLLBACK events SET id = (SELECT bytes FROM mended WHERE text = id) WHERE id IN (SELECT text FROM mended);
UPDATE items SET event_id = (SELECT bytes FROM mended WHERE text = event_id) WHERE event_id IN (SELECT text FROM mended);
DROP TABLE mended;
COMMIT;
