-- Statements for MySQL 8.0.13 and later, and MariaDB 10.10 and later, to copy, for both columns: CHAR(26) and BINARY(16). They
-- need the functions of mysql.sql, except for columns and insert. Put in your own names, and take the column from docs/mysql.md.

-- columns: the DEFAULT is for rows that no Go program inserts. Its IDs are not in order, and it does not replace a zero ULID. It
-- spells out what ulid_make does, because a DEFAULT cannot call a stored function. CONV writes base 32 with the digits 0 to 9 and A
-- to V, so REPLACE changes the letters afterwards.
CREATE TABLE events_text (
  id CHAR(26) CHARACTER SET ascii COLLATE ascii_bin PRIMARY KEY DEFAULT (
    REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(
      CONCAT(LPAD(CONV(TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(3)) DIV 1000, 10, 32), 10, '0'),
        LPAD(CONV(HEX(RANDOM_BYTES(5)), 16, 32), 8, '0'), LPAD(CONV(HEX(RANDOM_BYTES(5)), 16, 32), 8, '0')),
      'V', 'Z'), 'U', 'Y'), 'T', 'X'), 'S', 'W'), 'R', 'V'), 'Q', 'T'), 'P', 'S'), 'O', 'R'), 'N', 'Q'), 'M', 'P'),
      'L', 'N'), 'K', 'M'), 'J', 'K'), 'I', 'J')),
  note TEXT);
CREATE TABLE events_bin (
  id BINARY(16) PRIMARY KEY DEFAULT (UNHEX(CONCAT(
    LPAD(CONV(TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(3)) DIV 1000, 10, 16), 12, '0'),
    HEX(RANDOM_BYTES(10))))),
  note TEXT);

-- insert in MariaDB: leave out the column to get an ID from the database.
INSERT INTO events_text (note) VALUES ('made by the database') RETURNING id;
INSERT INTO events_bin (note) VALUES ('made by the database') RETURNING HEX(id);

-- make in MySQL: make an ID that you need before you insert it, because MySQL has no RETURNING.
SET @id = ulid_make();
INSERT INTO events_bin (id, note) VALUES (@id, 'made by the database');

-- time: the result is a DATETIME(3) in UTC.
SELECT id, ulid_time(id) FROM events_text;
SELECT HEX(id), ulid_time(id) FROM events_bin;

-- convert: each query returns the other format of an ID.
SELECT id, HEX(ulid_to_bin(id)) FROM events_text;
SELECT HEX(id), ulid_to_text(id) FROM events_bin;

-- look up: a BINARY(16) column does not match the 26 characters.
SELECT * FROM events_bin WHERE id = ulid_to_bin('01ARYZ6S41TSV4RRFFQ69G5FAV');

-- bounds: variables let the range below use the index. With a function in the condition MySQL reads the whole table.
SET @first = ulid_first_at('2026-11-01'), @end = ulid_first_at('2026-12-01');
SET @first_text = ulid_to_text(@first), @end_text = ulid_to_text(@end);

-- range: compare the column with the bounds, because both databases read the whole table for a condition on ulid_time(id).
SELECT * FROM events_text WHERE id >= @first_text AND id < @end_text ORDER BY id;
SELECT * FROM events_bin WHERE id >= @first AND id < @end ORDER BY id;

-- find: an ID in another format is missed by = and may be matched wrongly by other operators. In BINARY(16) a string that was cut
-- begins with a greater byte than an ID of today, so it seems to lie in the future. A value of fewer than 16 bytes was filled up
-- with zeros, and no query can tell it from an ID.
SELECT id, CASE
  WHEN id REGEXP '^[0-7][0-9A-HJKMNP-TV-Za-hjkmnp-tv-z]{25}$' THEN 'lower case'
  WHEN id REGEXP '^[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-' THEN 'UUID format, cut to 26 characters'
  ELSE 'not a ULID' END AS problem
FROM events_text WHERE CHAR_LENGTH(id) <> 26 OR id NOT REGEXP '^[0-7][0-9A-HJKMNP-TV-Z]{25}$';
SELECT HEX(id), CASE
  WHEN CONVERT(id USING latin1) REGEXP '^[0-7][0-9A-HJKMNP-TV-Za-hjkmnp-tv-z]{15}$' THEN 'text, cut to 16 characters'
  WHEN CONVERT(id USING latin1) REGEXP '^[0-9A-Fa-f]{8}-' THEN 'UUID format, cut to 16 characters'
  ELSE 'in the future' END AS problem
FROM events_bin WHERE id >= ulid_first_at(UTC_TIMESTAMP() + INTERVAL 1 DAY);
