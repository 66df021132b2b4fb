-- A list of more than two words in a CHECK is made into a table of its own whenever a row is written. Comparisons are not.
-- The rows stay as they are: SQLite's way to change a CHECK is to change the text of the table.
PRAGMA writable_schema = ON;
UPDATE sqlite_schema SET sql = replace(sql, 'status IN (''created'', ''running'', ''ended'')',
    '(status = ''created'' OR status = ''running'' OR status = ''ended'')') WHERE type = 'table';
UPDATE sqlite_schema SET sql = replace(sql, 'acts_in IN (''next'', ''only'', ''past'')',
    '(acts_in = ''next'' OR acts_in = ''only'' OR acts_in = ''past'')') WHERE type = 'table';
UPDATE sqlite_schema SET sql = replace(sql, 'kind IN (''selling'', ''buying'', ''movement'', ''battle'', ''mining'', ''regeneration'')',
    '(kind = ''selling'' OR kind = ''buying'' OR kind = ''movement'' OR kind = ''battle'' OR kind = ''mining'' OR kind = ''regeneration'')') WHERE type = 'table';
UPDATE sqlite_schema SET sql = replace(sql, 'state IN (''sending'', ''dispatched'', ''undelivered'', ''unknown'', ''dropped'')',
    '(state = ''sending'' OR state = ''dispatched'' OR state = ''undelivered'' OR state = ''unknown'' OR state = ''dropped'')') WHERE type = 'table';
UPDATE sqlite_schema SET sql = replace(sql, 'how IN (''deactivate'', ''seal'', ''delete'')',
    '(how = ''deactivate'' OR how = ''seal'' OR how = ''delete'')') WHERE type = 'table';
PRAGMA writable_schema = RESET;
