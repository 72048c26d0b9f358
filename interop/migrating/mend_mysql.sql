-- Turns texts in VARBINARY or BLOB columns into the 16 bytes. It needs the functions of interop/sql/mysql.sql.
-- A session that goes on after an error needs:  ROLLBACK; SET foreign_key_checks = 1;
SET foreign_key_checks = 0;
START TRANSACTION;
UPDATE events SET id = ulid_to_bin(id) WHERE OCTET_LENGTH(id) = 26;
UPDATE items SET event_id = ulid_to_bin(event_id) WHERE OCTET_LENGTH(event_id) = 26;
COMMIT;
SET foreign_key_checks = 1;
