-- Games have names. Those from before are numbered by their age.
ALTER TABLE game ADD COLUMN name TEXT NOT NULL DEFAULT 'Game' CHECK (length(name) BETWEEN 1 AND 80);
UPDATE game SET name = 'Game ' || aged.number
    FROM (SELECT id, row_number() OVER (ORDER BY created_at_millis, id) AS number FROM game) AS aged
    WHERE aged.id = game.id;

-- One row: how many games were ever created. Of those that were deleted before this nothing is known.
CREATE TABLE game_count (
    only_row INTEGER PRIMARY KEY CHECK (only_row = 1),
    created INTEGER NOT NULL CHECK (created >= 0)
) STRICT;
INSERT INTO game_count SELECT 1, count(*) FROM game;
