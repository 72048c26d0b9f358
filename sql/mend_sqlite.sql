-- Turns the strings in two columns that hold blobs into the 16 bytes, in one transaction, whatever types the columns
-- are declared with. Write your names in place of events, items and their columns. For SQLite 3.37 and later:
--
--   sqlite3 -bail DATABASE < mend_sqlite.sql
--
-- For UUID format, as ulid.AsUUID or a typed.UUIDColumn is stored, write SELECT uuid in place of SELECT bytes in the
-- two UPDATEs.
--
-- README.md says what to do first. If an ID is there in both formats, the first UPDATE rolls back the transaction
-- with the table "repaired", so the second UPDATE fails too, even in a client that goes on after an error. A string
-- that is not a ULID stays. So does a database of UTF-16 as a whole.
BEGIN;
PRAGMA defer_foreign_keys = ON;

-- Every byte by its number, because unhex comes with SQLite 3.41, and char makes UTF-8.
CREATE TEMP TABLE byte (number INTEGER PRIMARY KEY, byte);
INSERT INTO byte
WITH RECURSIVE n(i) AS (VALUES (0) UNION ALL SELECT i + 1 FROM n WHERE i < 255)
SELECT i, substr(CAST(
  x'000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F' ||
  x'202122232425262728292A2B2C2D2E2F303132333435363738393A3B3C3D3E3F' ||
  x'404142434445464748494A4B4C4D4E4F505152535455565758595A5B5C5D5E5F' ||
  x'606162636465666768696A6B6C6D6E6F707172737475767778797A7B7C7D7E7F' ||
  x'808182838485868788898A8B8C8D8E8F909192939495969798999A9B9C9D9E9F' ||
  x'A0A1A2A3A4A5A6A7A8A9AAABACADAEAFB0B1B2B3B4B5B6B7B8B9BABBBCBDBEBF' ||
  x'C0C1C2C3C4C5C6C7C8C9CACBCCCDCECFD0D1D2D3D4D5D6D7D8D9DADBDCDDDEDF' ||
  x'E0E1E2E3E4E5E6E7E8E9EAEBECEDEEEFF0F1F2F3F4F5F6F7F8F9FAFBFCFDFEFF' AS BLOB), i + 1, 1) AS byte FROM n;

CREATE TEMP TABLE repaired (
  text PRIMARY KEY,
  bytes,
  uuid AS (lower(substr(hex(bytes), 1, 8) || '-' || substr(hex(bytes), 9, 4) || '-' || substr(hex(bytes), 13, 4)
    || '-' || substr(hex(bytes), 17, 4) || '-' || substr(hex(bytes), 21)))
);
INSERT INTO repaired SELECT text, (
  WITH RECURSIVE d(i, bytes) AS (
    VALUES (0, x'')
    UNION ALL
    SELECT i + 1, bytes || (SELECT byte FROM byte WHERE number = (
      1024 * (instr('0123456789ABCDEFGHJKMNPQRSTVWXYZ', upper(substr(text, (8 * i + 2) / 5 + 1, 1))) - 1)
      + 32 * (instr('0123456789ABCDEFGHJKMNPQRSTVWXYZ', upper(substr(text, (8 * i + 2) / 5 + 2, 1))) - 1)
      + instr('0123456789ABCDEFGHJKMNPQRSTVWXYZ', upper(substr(text, (8 * i + 2) / 5 + 3, 1))) - 1
      >> 7 - (8 * i + 2) % 5 & 255))
    FROM d WHERE i < 16)
  SELECT CAST(bytes AS BLOB) FROM d WHERE i = 16)
FROM (SELECT id AS text FROM events UNION SELECT event_id FROM items)
WHERE typeof(text) = 'text' AND length(text) = 26 AND length(CAST(text AS BLOB)) = 26
  AND text NOT GLOB '*[^0-9A-HJKMNP-TV-Za-hjkmnp-tv-z]*' AND substr(text, 1, 1) < '8';

UPDATE OR ROLLBACK events SET id = (SELECT bytes FROM repaired WHERE text = events.id)
WHERE id IN (SELECT text FROM repaired);
UPDATE items SET event_id = (SELECT bytes FROM repaired WHERE text = items.event_id)
WHERE event_id IN (SELECT text FROM repaired);
DROP TABLE repaired;
DROP TABLE byte;
COMMIT;
