-- page: one
SELECT 1;

-- page: two
SELECT 2;
