-- Writes two triggers for every column of blobs, so that a statement which stores a ULID as text becomes an error. It changes
-- nothing itself. For SQLite 3.37 and later:
--
--   sqlite3 DATABASE <guard_sqlite.sql >guard.sql
--   sqlite3 -bail DATABASE <guard.sql
--
-- Read guard.sql before you run it, and take out the columns that hold anything but ULIDs, such as hashes or files, because
-- these would be refused. Rows that are there already stay as they are.
--
-- NULL is accepted. STRICT tables are left out, because their BLOB columns refuse texts. A generated column needs no trigger. You
-- may run both commands again, for example for new columns, or after gorm's AutoMigrate, which drops triggers, because the query
-- leaves out what exists.
SELECT printf('CREATE TRIGGER "%w" BEFORE %s ON "%w"
WHEN NEW."%w" IS NOT NULL AND (typeof(NEW."%w") <> ''blob'' OR length(NEW."%w") <> 16)
BEGIN SELECT RAISE(ABORT, ''%q.%q is not 16 bytes''); END;',
  t.name || '__' || c.name || suffix, printf(event, c.name), t.name, c.name, c.name, c.name, t.name, c.name) AS statements
FROM pragma_table_list AS t
JOIN pragma_table_info(t.name, t.schema) AS c
JOIN (SELECT '_16_insert' AS suffix, 'INSERT' AS event UNION SELECT '_16_update', 'UPDATE OF "%w"')
WHERE (c.type LIKE '%blob%' OR c.type LIKE '%binary%' OR c.type IN ('bytea', ''))
  -- Name your types, tables or columns here:  AND t.name IN ('events', 'items') AND c.name LIKE '%id'
  AND t.schema = 'main' AND t.type = 'table' AND NOT t.strict AND t.name NOT LIKE 'sqlite\_%' ESCAPE '\'
  AND NOT EXISTS (SELECT * FROM sqlite_schema AS s WHERE s.type = 'trigger' AND s.name = t.name || '__' || c.name || suffix)
ORDER BY t.name, c.cid, suffix;
