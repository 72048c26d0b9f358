-- Writes two triggers for every column that has a blob of 16 bytes, so that a statement which stores a ULID as a string
-- becomes an error. Its declared type does not matter, because oklog/ulid stores bytes in a TEXT column too. A column
-- without values gets them if its type is one for bytes. For SQLite 3.37 and later:
--
--   sqlite3 DATABASE <guard_sqlite.sql | sqlite3 DATABASE >guard.sql
--   sqlite3 -bail DATABASE <guard.sql
--
-- The first command changes nothing. It writes a query for each column, and runs it. Read guard.sql before you run it,
-- and take out the columns that hold anything but ULIDs, such as hashes, because these would be rejected. Rows that are
-- there already stay as they are.
--
-- NULL is accepted. Of STRICT tables only columns of ANY are looked at, because the others reject strings or blobs. A
-- generated column needs no trigger. You may run both commands again, for example for new columns, or after gorm's
-- AutoMigrate, which drops triggers, because the query leaves out what exists.
WITH triggers AS (
  SELECT t.name AS name, c.name AS id, c.cid AS cid,
    c.type LIKE '%blob%' OR c.type LIKE '%binary%' OR c.type IN ('bytea', '') AS is_for_bytes,
    t.name || '__' || c.name || column1 AS trigger,
    printf(column2, c.name) AS event
  FROM pragma_table_list AS t
  JOIN pragma_table_info(t.name, t.schema) AS c
  JOIN (VALUES ('_16_insert', 'INSERT'), ('_16_update', 'UPDATE OF "%w"'))
  WHERE t.schema = 'main' AND t.type = 'table' AND t.name NOT LIKE 'sqlite\_%' ESCAPE '\'
    AND (NOT t.strict OR c.type LIKE 'any')
    -- Name your types, tables or columns here:  AND t.name IN ('events', 'items') AND c.name LIKE '%id'
)
SELECT printf('SELECT column1 AS statements FROM (VALUES %s)
WHERE EXISTS (SELECT * FROM "%w" WHERE typeof("%w") = ''blob'' AND length("%w") = 16)
  OR %d AND NOT EXISTS (SELECT * FROM "%w" WHERE "%w" IS NOT NULL);',
  group_concat(printf('(%Q)', printf('CREATE TRIGGER "%w" BEFORE %s ON "%w"
WHEN NEW."%w" IS NOT NULL AND (typeof(NEW."%w") <> ''blob'' OR length(NEW."%w") <> 16)
BEGIN SELECT RAISE(ABORT, ''%q.%q is not 16 bytes''); END;',
    trigger, event, name, id, id, id, name, id)), ', '),
  name, id, id, is_for_bytes, name, id) AS queries
FROM triggers
WHERE trigger NOT IN (SELECT name FROM sqlite_schema WHERE type = 'trigger')
GROUP BY name, cid;
