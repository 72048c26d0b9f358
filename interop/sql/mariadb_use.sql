-- The statements of docs/sql.md for MariaDB, in its order. mariadb.sql has the functions.

-- page: columns
CREATE TABLE events_text (
  id CHAR(26) CHARACTER SET ascii COLLATE ascii_bin PRIMARY KEY DEFAULT (
    REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(
      CONCAT(
        LPAD(CONV(TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(3)) DIV 1000, 10, 32), 10, '0'),
        LPAD(CONV(HEX(RANDOM_BYTES(5)), 16, 32), 8, '0'),
        LPAD(CONV(HEX(RANDOM_BYTES(5)), 16, 32), 8, '0')),
      'V', 'Z'), 'U', 'Y'), 'T', 'X'), 'S', 'W'), 'R', 'V'), 'Q', 'T'), 'P', 'S'), 'O', 'R'), 'N', 'Q'), 'M', 'P'),
      'L', 'N'), 'K', 'M'), 'J', 'K'), 'I', 'J')),
  note TEXT);
CREATE TABLE events_bin (
  id BINARY(16) PRIMARY KEY DEFAULT (UNHEX(CONCAT(
    LPAD(CONV(TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(3)) DIV 1000, 10, 16), 12, '0'),
    HEX(RANDOM_BYTES(10))))),
  note TEXT);

-- page: insert
INSERT INTO events_text (note) VALUES ('made by the database') RETURNING id;
INSERT INTO events_bin (note) VALUES ('made by the database') RETURNING HEX(id);

-- page: time
SELECT id, ulid_time(id) FROM events_text;
SELECT HEX(id), ulid_time(id) FROM events_bin;

-- page: convert
SELECT id, HEX(ulid_to_bin(id)) FROM events_text;
SELECT HEX(id), ulid_to_text(id) FROM events_bin;

-- page: look up
SELECT * FROM events_bin WHERE id = ulid_to_bin('01ARYZ6S41TSV4RRFFQ69G5FAV');

-- page: range
SELECT * FROM events_text
WHERE id >= ulid_to_text(ulid_first_at('2026-11-01')) AND id < ulid_to_text(ulid_first_at('2026-12-01')) ORDER BY id;
SELECT * FROM events_bin
WHERE id >= ulid_first_at('2026-11-01') AND id < ulid_first_at('2026-12-01') ORDER BY id;

-- page: find
SELECT id, CASE
  WHEN id REGEXP '^[0-7][0-9A-HJKMNP-TV-Za-hjkmnp-tv-z]{25}$' THEN 'lower case'
  WHEN id REGEXP '^[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-' THEN 'UUID notation, cut to 26 characters'
  ELSE 'no ULID' END AS form
FROM events_text WHERE CHAR_LENGTH(id) <> 26 OR id NOT REGEXP '^[0-7][0-9A-HJKMNP-TV-Z]{25}$';
SELECT HEX(id), CASE
  WHEN id REGEXP '^[0-7][0-9A-HJKMNP-TV-Za-hjkmnp-tv-z]{15}$' THEN 'text, cut to 16 characters'
  WHEN id REGEXP '^[0-9A-Fa-f]{8}-' THEN 'UUID notation, cut to 16 characters'
  ELSE 'in the future' END AS form
FROM events_bin WHERE id >= ulid_first_at(UTC_TIMESTAMP() + INTERVAL 1 DAY);

-- page: references
CREATE TABLE items_text (
  event_id CHAR(26) CHARACTER SET ascii COLLATE ascii_bin,
  n INT,
  CONSTRAINT items_text_event FOREIGN KEY (event_id) REFERENCES events_text (id));
CREATE TABLE items_bin (
  event_id BINARY(16),
  n INT,
  CONSTRAINT items_bin_event FOREIGN KEY (event_id) REFERENCES events_bin (id));

-- page: CHAR(26) to BINARY(16)
LOCK TABLES events_text WRITE, items_text WRITE;
DELIMITER //
BEGIN NOT ATOMIC
  ALTER TABLE events_text ADD COLUMN id_new BINARY(16) UNIQUE;
  ALTER TABLE items_text ADD COLUMN event_id_new BINARY(16);
  UPDATE events_text SET id_new = ulid_to_bin(id);
  UPDATE items_text SET event_id_new = ulid_to_bin(event_id);
  ALTER TABLE items_text DROP FOREIGN KEY items_text_event;
  ALTER TABLE events_text DROP PRIMARY KEY, DROP COLUMN id, DROP INDEX id_new,
    CHANGE COLUMN id_new id BINARY(16) PRIMARY KEY DEFAULT (UNHEX(CONCAT(
      LPAD(CONV(TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(3)) DIV 1000, 10, 16), 12, '0'),
      HEX(RANDOM_BYTES(10))))) FIRST;
  ALTER TABLE items_text DROP COLUMN event_id,
    CHANGE COLUMN event_id_new event_id BINARY(16) FIRST,
    ADD CONSTRAINT items_text_event FOREIGN KEY (event_id) REFERENCES events_text (id);
END //
DELIMITER ;
UNLOCK TABLES;

-- page: BINARY(16) to CHAR(26)
LOCK TABLES events_bin WRITE, items_bin WRITE;
DELIMITER //
BEGIN NOT ATOMIC
  ALTER TABLE events_bin ADD COLUMN id_new CHAR(26) CHARACTER SET ascii COLLATE ascii_bin UNIQUE;
  ALTER TABLE items_bin ADD COLUMN event_id_new CHAR(26) CHARACTER SET ascii COLLATE ascii_bin;
  UPDATE events_bin SET id_new = ulid_to_text(id);
  UPDATE items_bin SET event_id_new = ulid_to_text(event_id);
  ALTER TABLE items_bin DROP FOREIGN KEY items_bin_event;
  ALTER TABLE events_bin DROP PRIMARY KEY, DROP COLUMN id, DROP INDEX id_new,
    CHANGE COLUMN id_new id CHAR(26) CHARACTER SET ascii COLLATE ascii_bin PRIMARY KEY FIRST;
  ALTER TABLE items_bin DROP COLUMN event_id,
    CHANGE COLUMN event_id_new event_id CHAR(26) CHARACTER SET ascii COLLATE ascii_bin FIRST,
    ADD CONSTRAINT items_bin_event FOREIGN KEY (event_id) REFERENCES events_bin (id);
END //
DELIMITER ;
UNLOCK TABLES;
