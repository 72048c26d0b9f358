-- Writes a CHECK for every column of bytes in the database, so that a statement which stores a ULID as a string becomes
-- an error. It changes nothing itself. For MySQL 8.0.16 and later, and MariaDB 10.10 and later:
--
--   mysql -N --raw DATABASE <guard_mysql.sql >guard.sql
--   mysql DATABASE <guard.sql
--
-- Both databases copy a table to add a CHECK, and its writers wait meanwhile. So guard.sql has one ALTER TABLE for all
-- columns of a table. Try it on a copy of your database first, and run it when writers can wait.
--
-- Read guard.sql before you run it, and take out the lines of columns that hold anything but ULIDs, such as hashes or
-- files, because these would be rejected. If a column has such rows already, its ALTER TABLE fails and changes nothing.
--
-- NULL is accepted. The query leaves out columns whose foreign key has ON DELETE SET NULL, ON UPDATE SET NULL or ON
-- UPDATE CASCADE. They cannot have a CHECK, but the key rejects what the other table rejects. A generated column needs
-- none. You may run both commands again, for example after an error or for new columns, because the query leaves out
-- what exists.
--
-- The lines of a table begin with ALGORITHM = COPY, so that each of the others can be taken out.
SELECT CONCAT_WS('
',
  IF(ROW_NUMBER() OVER (PARTITION BY CAST(table_name AS BINARY) ORDER BY ordinal_position) = 1,
    CONCAT('ALTER TABLE `', REPLACE(table_schema, '`', '``'), '`.`', REPLACE(table_name, '`', '``'), '` ALGORITHM = COPY'),
    NULL),
  CONCAT('  , ADD CONSTRAINT `', REPLACE(name, '`', '``'), '` CHECK (OCTET_LENGTH(', id, ') = 16 AND ', id, ' < X''30'')'),
  IF(ROW_NUMBER() OVER (PARTITION BY CAST(table_name AS BINARY) ORDER BY ordinal_position DESC) = 1, ';', NULL)) AS statements
FROM (
  SELECT c.*, CONCAT('`', REPLACE(c.column_name, '`', '``'), '`') AS id,
    IF(CHAR_LENGTH(CONCAT(c.table_name, c.column_name)) <= 59, CONCAT(c.table_name, '__', c.column_name, '_16'),
      CONCAT('ulid_', LEFT(SHA2(CONCAT(c.table_name, '.', c.column_name), 256), 32))) AS name
  FROM information_schema.columns AS c JOIN information_schema.tables AS t USING (table_schema, table_name)
  WHERE (c.column_type = 'binary(16)' OR c.data_type REGEXP 'varbinary|blob' AND c.character_maximum_length >= 16)
    AND c.table_schema = DATABASE()
    -- Name your tables or columns here:  AND c.table_name IN ('events', 'items') AND c.column_name LIKE '%id'
    AND t.table_type IN ('BASE TABLE', 'SYSTEM VERSIONED') AND COALESCE(CHAR_LENGTH(c.generation_expression), 0) = 0
) AS ids
WHERE NOT EXISTS (
    SELECT * FROM information_schema.table_constraints AS k
    WHERE k.table_schema = ids.table_schema AND k.table_name = ids.table_name AND k.constraint_name = name)
  AND NOT EXISTS (
    SELECT * FROM information_schema.key_column_usage AS k NATURAL JOIN information_schema.referential_constraints AS r
    WHERE k.table_schema = ids.table_schema AND k.table_name = ids.table_name AND k.column_name = ids.column_name
      AND (r.delete_rule = 'SET NULL' OR r.update_rule IN ('CASCADE', 'SET NULL')))
ORDER BY CAST(table_name AS BINARY), ordinal_position;
