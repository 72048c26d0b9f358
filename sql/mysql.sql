-- Functions for ULIDs in MySQL 8.0.13 and later, and in MariaDB 10.10 and later:
--
--   mysql DATABASE < mysql.sql
--
-- README.md shows their use, and how a driver or a migration tool runs this file. What is not a ULID is an error:
-- SQLSTATE 22007, or the database's own if the text does not fit the parameter. So is what is not a time, such as the
-- zero date. For NULL the functions return NULL.
--
-- All times are UTC, whatever the time zone of the session. But NOW(), a TIMESTAMP column and in MySQL a literal with
-- an offset reach a function in that time zone, so SET time_zone = '+00:00' before you pass one.
--
-- To install a new version, or to complete a run that was interrupted, run the file again. It drops and creates each
-- function: for a moment the function is missing, and an EXECUTE that was granted on it alone is revoked. If the role
-- may not create and drop functions, the run ends at ulid_probe, before anything has changed. This holds if the client
-- stops at an error, as mysql does without -f. At its prompt, "source" goes on.
--
-- To remove the functions, write DROP FUNCTION with each name. An older file had two more, ulid_ms and ulid_last_at.
--
-- The file sets the sql_mode, because a function keeps the one under which it was created.

SET @ulid_sql_mode = @@sql_mode;
SET sql_mode = 'STRICT_ALL_TABLES';

DELIMITER //

DROP FUNCTION IF EXISTS ulid_probe //
CREATE FUNCTION ulid_probe() RETURNS INT DETERMINISTIC NO SQL RETURN 0 //
DROP FUNCTION ulid_probe //

-- ulid_to_bin reads the 26 characters in either case. CONV reads base 32, but with the digits 0 to 9 and A to V, so
-- REPLACE changes the letters first. The parameter is long, so that no text is cut to 26 characters.
DROP FUNCTION IF EXISTS ulid_to_bin //
CREATE FUNCTION ulid_to_bin(ulid VARCHAR(255) CHARACTER SET latin1 COLLATE latin1_bin)
RETURNS BINARY(16) DETERMINISTIC NO SQL SQL SECURITY INVOKER
BEGIN
  DECLARE digits VARCHAR(26) CHARACTER SET latin1 COLLATE latin1_bin;
  IF CHAR_LENGTH(ulid) <> 26 OR ulid NOT REGEXP '^[0-7][0-9A-HJKMNP-TV-Za-hjkmnp-tv-z]{25}$' THEN
    SIGNAL SQLSTATE '22007' SET MESSAGE_TEXT = 'not a ULID';
  END IF;
  SET digits = REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(
    UPPER(ulid), 'J', 'I'), 'K', 'J'), 'M', 'K'), 'N', 'L'), 'P', 'M'), 'Q', 'N'), 'R', 'O'), 'S', 'P'), 'T', 'Q'),
    'V', 'R'), 'W', 'S'), 'X', 'T'), 'Y', 'U');
  SET digits = REPLACE(digits, 'Z', 'V');
  RETURN UNHEX(CONCAT(
    LPAD(CONV(LEFT(digits, 10), 32, 16), 12, '0'),
    LPAD(CONV(SUBSTR(digits, 11, 8), 32, 16), 10, '0'),
    LPAD(CONV(SUBSTR(digits, 19), 32, 16), 10, '0')));
END //

-- ulid_to_text writes the 26 characters in upper case.
DROP FUNCTION IF EXISTS ulid_to_text //
CREATE FUNCTION ulid_to_text(ulid VARBINARY(255))
RETURNS CHAR(26) CHARACTER SET ascii COLLATE ascii_bin DETERMINISTIC NO SQL SQL SECURITY INVOKER
BEGIN
  DECLARE digits CHAR(26) CHARACTER SET ascii COLLATE ascii_bin;
  IF LENGTH(ulid) <> 16 THEN
    SIGNAL SQLSTATE '22007' SET MESSAGE_TEXT = 'not a ULID';
  END IF;
  SET digits = CONCAT(
    LPAD(CONV(HEX(LEFT(ulid, 6)), 16, 32), 10, '0'),
    LPAD(CONV(HEX(SUBSTR(ulid, 7, 5)), 16, 32), 8, '0'),
    LPAD(CONV(HEX(SUBSTR(ulid, 12)), 16, 32), 8, '0'));
  SET digits = REPLACE(digits, 'V', 'Z');
  RETURN REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(
    digits, 'U', 'Y'), 'T', 'X'), 'S', 'W'), 'R', 'V'), 'Q', 'T'), 'P', 'S'), 'O', 'R'), 'N', 'Q'), 'M', 'P'),
    'L', 'N'), 'K', 'M'), 'J', 'K'), 'I', 'J');
END //

-- ulid_time returns the time of 26 characters, in UTC. After the year 9999, which a DATETIME cannot hold, it is NULL.
-- CONV returns a string, which the BIGINT makes exact: in MariaDB a string * 1000 is a double.
DROP FUNCTION IF EXISTS ulid_time //
CREATE FUNCTION ulid_time(ulid VARCHAR(255) CHARACTER SET latin1 COLLATE latin1_bin)
RETURNS DATETIME(3) DETERMINISTIC NO SQL SQL SECURITY INVOKER
BEGIN
  DECLARE ms BIGINT DEFAULT CONV(HEX(LEFT(ulid_to_bin(ulid), 6)), 16, 10);
  IF ms > 253402300799999 THEN
    RETURN NULL;
  END IF;
  RETURN TIMESTAMP('1970-01-01') + INTERVAL ms * 1000 MICROSECOND;
END //

-- ulid_first_at returns the smallest ID of a millisecond in UTC, as 16 bytes. Before 1970 this is the zero ID. A time
-- whose month or day is 0 is none.
DROP FUNCTION IF EXISTS ulid_first_at //
CREATE FUNCTION ulid_first_at(t DATETIME(6)) RETURNS BINARY(16)
DETERMINISTIC NO SQL SQL SECURITY INVOKER
BEGIN
  DECLARE ms BIGINT DEFAULT TIMESTAMPDIFF(MICROSECOND, '1970-01-01', t) DIV 1000;
  IF ms IS NULL AND t IS NOT NULL THEN
    SIGNAL SQLSTATE '22007' SET MESSAGE_TEXT = 'not a time';
  END IF;
  IF t < '1970-01-01' THEN
    SET ms = 0;
  END IF;
  RETURN UNHEX(RPAD(LPAD(CONV(ms, 10, 16), 12, '0'), 32, '0'));
END //

-- ulid_make_at returns a new ID with a time in UTC, as 16 bytes. It is a UUID of version 7, as those of Go's Make and
-- New(t, nil): 48 bits of milliseconds, the version, 12 bits of the fraction of a millisecond, the variant, which is
-- 10 in binary, and 62 random bits. A time before 1970 is an error (22008).
DROP FUNCTION IF EXISTS ulid_make_at //
CREATE FUNCTION ulid_make_at(t DATETIME(6)) RETURNS BINARY(16)
NOT DETERMINISTIC NO SQL SQL SECURITY INVOKER
BEGIN
  DECLARE first BINARY(16) DEFAULT ulid_first_at(t);
  IF t < '1970-01-01' THEN
    SIGNAL SQLSTATE '22008' SET MESSAGE_TEXT = 'no ULID has a time before 1970';
  END IF;
  RETURN UNHEX(CONCAT(
    HEX(LEFT(first, 6)),
    '7', LPAD(CONV(MICROSECOND(t) % 1000 * 4096 DIV 1000, 10, 16), 3, '0'),
    HEX(ORD(RANDOM_BYTES(1)) & 63 | 128),
    HEX(RANDOM_BYTES(7))));
END //

-- ulid_make returns a new ID. Its time is that at which the statement began, so IDs of one statement differ only in
-- their 62 random bits, and are in no order. SYSDATE, which goes on within a statement, is in the time zone of the
-- session, where an hour may come twice.
DROP FUNCTION IF EXISTS ulid_make //
CREATE FUNCTION ulid_make() RETURNS BINARY(16)
NOT DETERMINISTIC NO SQL SQL SECURITY INVOKER
RETURN ulid_make_at(UTC_TIMESTAMP(6)) //

DELIMITER ;

SET sql_mode = @ulid_sql_mode;
