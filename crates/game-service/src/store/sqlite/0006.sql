-- Positions of followed streams become texts, and the place of a command counts within its game.

-- How far each stream of others has been read: the position of the last record that was learned from.
CREATE TABLE stream_position (
    source TEXT PRIMARY KEY,
    position TEXT NOT NULL
) STRICT, WITHOUT ROWID;
-- Until now the offset of the first record that had not been read; a topic without a row is read from its oldest record.
INSERT INTO stream_position (source, position)
    SELECT topic, CAST(next_offset - 1 AS TEXT) FROM heard WHERE next_offset > 0;
DROP TABLE heard;

-- The place of a command counts within its game, so that games do not depend on each other.
CREATE TABLE command_of_game (
    game_id BLOB NOT NULL REFERENCES game (id) ON DELETE CASCADE,
    -- Later ones have higher places.
    place INTEGER NOT NULL CHECK (place >= 1),
    id BLOB NOT NULL UNIQUE CHECK (length(id) = 16),
    round_number INTEGER NOT NULL CHECK (round_number BETWEEN 1 AND 1000000),
    player_id BLOB NOT NULL CHECK (length(player_id) = 16),
    kind TEXT NOT NULL CHECK (kind IN ('selling', 'buying', 'movement', 'battle', 'mining', 'regeneration')),
    -- None where robots are bought.
    robot_id BLOB CHECK (length(robot_id) = 16),
    planet TEXT,
    target_id BLOB CHECK (length(target_id) = 16),
    item TEXT,
    quantity INTEGER CHECK (quantity BETWEEN 1 AND 1000),
    -- By a later command for the same robot.
    replaced INTEGER NOT NULL DEFAULT 0 CHECK (replaced IN (0, 1)),
    -- A round is read as a whole, in the order of its places; places go on over the rounds of a game.
    PRIMARY KEY (game_id, round_number, place),
    CHECK ((robot_id IS NULL) = (quantity IS NOT NULL)),
    CHECK (quantity IS NULL OR kind = 'buying'),
    CHECK (kind <> 'movement' OR planet IS NOT NULL),
    CHECK ((kind = 'battle') = (target_id IS NOT NULL)),
    CHECK (kind <> 'buying' OR quantity IS NOT NULL OR item IS NOT NULL)
) STRICT, WITHOUT ROWID;
INSERT INTO command_of_game (game_id, place, id, round_number, player_id, kind, robot_id, planet, target_id, item, quantity,
    replaced)
SELECT game_id, row_number() OVER (PARTITION BY game_id ORDER BY place), id, round_number, player_id, kind, robot_id, planet,
    target_id, item, quantity, replaced
FROM command;

-- One row: how many commands were ever taken, of all games, deleted ones included.
CREATE TABLE command_count (
    only_row INTEGER PRIMARY KEY CHECK (only_row = 1),
    taken INTEGER NOT NULL CHECK (taken >= 0)
) STRICT;
INSERT INTO command_count SELECT 1, coalesce(max(place), 0) FROM command;

DROP TABLE command;
ALTER TABLE command_of_game RENAME TO command;
-- One command for a robot and round.
CREATE UNIQUE INDEX command_of_robot ON command (robot_id, game_id, round_number) WHERE replaced = 0 AND robot_id IS NOT NULL;
