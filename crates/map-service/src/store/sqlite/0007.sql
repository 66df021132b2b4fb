-- A list of more than two words in a CHECK is made into a table of its own whenever a row is written. Comparisons are not.
-- The rows stay as they are: SQLite's way to change a CHECK is to change the text of the table.
PRAGMA writable_schema = ON;
UPDATE sqlite_schema SET sql = replace(sql, 'status IN (''staged'', ''active'', ''inactive'')',
    '(status = ''staged'' OR status = ''active'' OR status = ''inactive'')') WHERE type = 'table';
UPDATE sqlite_schema SET sql = replace(sql, 'kind IN (''coal'', ''iron'', ''gem'', ''gold'', ''platin'')',
    '(kind = ''coal'' OR kind = ''iron'' OR kind = ''gem'' OR kind = ''gold'' OR kind = ''platin'')') WHERE type = 'table';
PRAGMA writable_schema = RESET;
