-- A list of more than two words in a CHECK is made into a table of its own whenever a row is written. Comparisons are not.
-- The rows stay as they are: SQLite's way to change a CHECK is to change the text of the table.
PRAGMA writable_schema = ON;
UPDATE sqlite_schema SET sql = replace(sql, 'status IN (''created'', ''running'', ''ended'')',
    '(status = ''created'' OR status = ''running'' OR status = ''ended'')') WHERE type = 'table';
UPDATE sqlite_schema SET sql = replace(sql, 'round_state IN (''init'', ''started'', ''input-ended'', ''ended'')',
    '(round_state = ''init'' OR round_state = ''started'' OR round_state = ''input-ended'' OR round_state = ''ended'')') WHERE type = 'table';
UPDATE sqlite_schema SET sql = replace(sql, 'kind IN (''coal'', ''iron'', ''gem'', ''gold'', ''platin'')',
    '(kind = ''coal'' OR kind = ''iron'' OR kind = ''gem'' OR kind = ''gold'' OR kind = ''platin'')') WHERE type = 'table';
PRAGMA writable_schema = RESET;
