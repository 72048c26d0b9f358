-- Turns the strings in two VARBINARY or BLOB columns into the 16 bytes, in one transaction. Write your names in
-- place of events, items and their columns. It needs MySQL 8.0.13 or MariaDB 10.10, or later, and the functions of
-- mysql.sql:
--
--   mysql DATABASE < mend_mysql.sql
--
-- README.md says what to do first. After an error mysql stops, and nothing has changed. In a session that stays
-- open, run ROLLBACK and SET foreign_key_checks = 1.
SET foreign_key_checks = 0;
START TRANSACTION;
UPDATE events SET id = ulid_to_bin(id) WHERE OCTET_LENGTH(id) = 26;
UPDATE items SET event_id = ulid_to_bin(event_id) WHERE OCTET_LENGTH(event_id) = 26;
COMMIT;
SET foreign_key_checks = 1;
