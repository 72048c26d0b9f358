-- Turns a CHAR(26) column, and a column that refers to it, into BINARY(16). Write your names in place of events,
-- items, their columns and the foreign key. For the way back, swap the types and the functions. It needs MySQL
-- 8.0.13 or MariaDB 10.10, or later, and the functions of mysql.sql:
--
--   mysql DATABASE < convert_mysql.sql
--
-- Stop all programs that use the columns first, and start them with ulid.AsBinary in place of ulid.ULID. A ulid.ULID
-- finds nothing in BINARY(16), or matches rows that it should not, without an error.
--
-- Make a backup first, because neither database has a transaction around ALTER TABLE. The procedure converts every
-- ID before it drops a column, so a string that is not a ULID, or an ID that is there in either case, ends it while
-- the old columns still hold everything. After an error:
--
-- 1. Run UNLOCK TABLES, unless the client has stopped, which unlocks them too. Run DROP PROCEDURE convert_ids.
-- 2. If the foreign key is still there, drop the columns id_new and event_id_new, and try again.
-- 3. If the foreign key is gone, restore the backup.
--
-- Change these statements for a column that has more than the example:
--
-- - A UNIQUE or PRIMARY KEY of several columns stops the procedure half-way. Drop and add it in the ALTER that drops
--   its column, with DROP INDEX u, DROP COLUMN event_id, …, ADD UNIQUE KEY u (event_id, n), …
-- - A DEFAULT, and the column's place in other indexes, are dropped by this ALTER. Add them again.
-- - NOT NULL stays only if you write it after the new type.
-- - A column with ON UPDATE CURRENT_TIMESTAMP changes unless you add , updated_at = updated_at to the UPDATEs.
-- - Triggers are fired by the UPDATEs.
--
-- LOCK TABLES makes other writers wait until the end, because the UPDATEs miss a row that is inserted after them.
DELIMITER //
CREATE PROCEDURE convert_ids()
BEGIN
  ALTER TABLE events ADD COLUMN id_new BINARY(16) UNIQUE;
  ALTER TABLE items ADD COLUMN event_id_new BINARY(16);
  UPDATE events SET id_new = ulid_to_bin(id);
  UPDATE items SET event_id_new = ulid_to_bin(event_id);
  ALTER TABLE items DROP FOREIGN KEY items_ibfk_1;
  ALTER TABLE events DROP PRIMARY KEY, DROP COLUMN id, DROP INDEX id_new,
    CHANGE COLUMN id_new id BINARY(16) PRIMARY KEY FIRST;
  ALTER TABLE items DROP COLUMN event_id,
    CHANGE COLUMN event_id_new event_id BINARY(16) FIRST,
    ADD CONSTRAINT items_ibfk_1 FOREIGN KEY (event_id) REFERENCES events (id);
END //
DELIMITER ;
LOCK TABLES events WRITE, items WRITE;
CALL convert_ids();
UNLOCK TABLES;
DROP PROCEDURE convert_ids;
