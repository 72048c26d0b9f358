-- Writes a CHECK for every bytea column, so that a statement which stores a ULID as a string becomes an error. It reads
-- the schemas in search_path, and changes nothing itself. For PostgreSQL 14 and later:
--
--   psql -v ON_ERROR_STOP=1 -XAt -f guard_postgres.sql >guard.sql
--   psql -v ON_ERROR_STOP=1 -f guard.sql
--
-- Read guard.sql before you run it, and take out the columns that hold anything but ULIDs, such as hashes or files,
-- because these would be rejected. If a VALIDATE fails, the column has such rows already. From then on it rejects new
-- ones, and changes of the old ones, so repair the rows or drop the constraint.
--
-- NULL is accepted. In an array only the first byte of each element is checked, which is enough to reject strings.
-- Partitions have the CHECK of their table, and a generated column needs none. You may run both commands again, for
-- example after an error or for new columns, because the query leaves out what exists.
SELECT CASE WHEN k.oid IS NULL THEN
    format(E'ALTER TABLE %I.%I ADD CONSTRAINT %I CHECK (%s) NOT VALID;\n', n.nspname, c.relname, names.name,
      format(
        CASE t.typcategory WHEN 'A' THEN $$'\x30' > ALL (%I)$$ ELSE $$octet_length(%1$I) = 16 AND %1$I < '\x30'$$ END,
        a.attname))
    ELSE '' END
  || format('ALTER TABLE %I.%I VALIDATE CONSTRAINT %I;', n.nspname, c.relname, names.name) AS statements
FROM pg_attribute AS a
JOIN pg_type AS t ON t.oid = a.atttypid
JOIN pg_class AS c ON c.oid = a.attrelid
JOIN pg_namespace AS n ON n.oid = c.relnamespace
CROSS JOIN LATERAL (SELECT CASE
  WHEN octet_length(c.relname || a.attname) <= 58 THEN c.relname || '__' || a.attname || '_16'
  ELSE 'ulid_' || md5(c.relname || '.' || a.attname) END AS name) AS names
LEFT JOIN pg_constraint AS k ON k.conrelid = c.oid AND k.conname = names.name
WHERE ('bytea'::regtype IN (t.oid, t.typbasetype) OR 'bytea[]'::regtype IN (t.oid, t.typbasetype))
  AND n.nspname = ANY (current_schemas(false))
  -- Name your tables or columns here:  AND c.relname IN ('events', 'items') AND a.attname LIKE '%id'
  AND c.relkind IN ('r', 'p') AND a.attinhcount = 0 AND a.attgenerated = ''
  AND k.convalidated IS NOT TRUE
ORDER BY n.nspname, c.relname, a.attnum;
