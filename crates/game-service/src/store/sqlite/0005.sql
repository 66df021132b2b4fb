-- Commands, and the batches in which they are sent: those of one kind and round, which share their fate.
CREATE TABLE command (
    -- Later ones have higher places.
    place INTEGER PRIMARY KEY CHECK (place >= 1),
    id BLOB NOT NULL UNIQUE CHECK (length(id) = 16),
    game_id BLOB NOT NULL REFERENCES game (id) ON DELETE CASCADE,
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
    CHECK ((robot_id IS NULL) = (quantity IS NOT NULL)),
    CHECK (quantity IS NULL OR kind = 'buying'),
    CHECK (kind <> 'movement' OR planet IS NOT NULL),
    CHECK ((kind = 'battle') = (target_id IS NOT NULL)),
    CHECK (kind <> 'buying' OR quantity IS NOT NULL OR item IS NOT NULL)
) STRICT;
CREATE INDEX command_by_round ON command (game_id, round_number);
-- One command for a robot and round.
CREATE UNIQUE INDEX command_of_robot ON command (robot_id, game_id, round_number) WHERE replaced = 0 AND robot_id IS NOT NULL;

CREATE TABLE batch (
    game_id BLOB NOT NULL REFERENCES game (id) ON DELETE CASCADE,
    round_number INTEGER NOT NULL CHECK (round_number BETWEEN 1 AND 1000000),
    kind TEXT NOT NULL CHECK (kind IN ('selling', 'buying', 'movement', 'battle', 'mining', 'regeneration')),
    fate TEXT NOT NULL CHECK (fate IN ('sending', 'dispatched', 'undelivered', 'unknown', 'dropped')),
    PRIMARY KEY (game_id, round_number, kind)
) STRICT, WITHOUT ROWID;
-- What the process that ended was about to learn.
CREATE INDEX batch_being_sent ON batch (fate) WHERE fate = 'sending';
