-- Games, their rounds and players, what is under way, and what is to be done.
-- Every bound of the rules is held here, too: a fault above must not become a fact.

CREATE TABLE game (
    id BLOB PRIMARY KEY CHECK (length(id) = 16),
    status TEXT NOT NULL CHECK (status IN ('created', 'running', 'ended')),
    max_rounds INTEGER NOT NULL CHECK (max_rounds BETWEEN 0 AND 1000000),
    max_players INTEGER NOT NULL CHECK (max_players BETWEEN 1 AND 10000),
    round_length_millis INTEGER NOT NULL CHECK (round_length_millis BETWEEN 100 AND 86400000),
    joined INTEGER NOT NULL CHECK (joined BETWEEN 0 AND max_players),
    seed INTEGER CHECK (seed BETWEEN 0 AND 9007199254740991),
    style TEXT,
    world_id BLOB CHECK (length(world_id) = 16),
    replaced_world_id BLOB CHECK (length(replaced_world_id) = 16),
    created_at_millis INTEGER NOT NULL,
    started_at_millis INTEGER,
    ended_at_millis INTEGER,
    -- Running games, and starts under way, take numbered slots; no two the same one.
    slot INTEGER UNIQUE CHECK (slot >= 1),
    -- The world of a start under way.
    start_world_id BLOB CHECK (length(start_world_id) = 16),
    -- The service time at which game time was zero.
    origin_nanos INTEGER CHECK (origin_nanos >= 0),
    round_number INTEGER NOT NULL CHECK (round_number BETWEEN 0 AND 1000000),
    round_id BLOB CHECK (length(round_id) = 16),
    current_round_length_millis INTEGER CHECK (current_round_length_millis BETWEEN 100 AND 86400000),
    -- In game time, exact.
    round_begins_seconds INTEGER CHECK (round_begins_seconds >= 0),
    round_begins_nanos INTEGER CHECK (round_begins_nanos BETWEEN 0 AND 999999999),
    phase TEXT CHECK (phase IN ('collection', 'execution')),
    -- Frozen at the end.
    game_time_seconds INTEGER CHECK (game_time_seconds >= 0),
    game_time_nanos INTEGER CHECK (game_time_nanos BETWEEN 0 AND 999999999),
    round_time_seconds INTEGER CHECK (round_time_seconds >= 0),
    round_time_nanos INTEGER CHECK (round_time_nanos BETWEEN 0 AND 999999999),

    CHECK (max_rounds >= 1 OR status = 'ended'),
    CHECK (status <> 'created' OR (slot IS NULL) = (start_world_id IS NULL)),
    CHECK (status = 'created' OR start_world_id IS NULL),
    CHECK ((status = 'running') = (phase IS NOT NULL)),
    CHECK (status <> 'running' OR (
        slot IS NOT NULL AND started_at_millis IS NOT NULL AND origin_nanos IS NOT NULL AND round_id IS NOT NULL
        AND current_round_length_millis IS NOT NULL AND round_begins_seconds IS NOT NULL
        AND round_begins_nanos IS NOT NULL AND round_number BETWEEN 1 AND max_rounds)),
    CHECK ((status = 'ended') = (ended_at_millis IS NOT NULL)),
    CHECK (status <> 'ended' OR (
        slot IS NULL AND game_time_seconds IS NOT NULL AND game_time_nanos IS NOT NULL
        AND round_time_seconds IS NOT NULL AND round_time_nanos IS NOT NULL)),
    CHECK (status <> 'created' OR (round_number = 0 AND started_at_millis IS NULL AND origin_nanos IS NULL))
) STRICT, WITHOUT ROWID;
CREATE INDEX game_by_age ON game (status, created_at_millis DESC, id DESC);

-- One row: how many slots there are.
CREATE TABLE running_games_limit (
    only_row INTEGER PRIMARY KEY CHECK (only_row = 1),
    slots INTEGER NOT NULL CHECK (slots >= 1)
) STRICT;
INSERT INTO running_games_limit VALUES (1, 1);

-- A game that holds a slot keeps it when the limit is lowered; nobody gets one beyond it.
-- (An upsert of a game that exists counts as an insertion first.)
CREATE TRIGGER slot_within_limit_insert BEFORE INSERT ON game
WHEN NEW.slot > (SELECT slots FROM running_games_limit) AND NOT EXISTS (SELECT 1 FROM game WHERE id = NEW.id)
BEGIN SELECT RAISE(ABORT, 'more games would run than are allowed'); END;
CREATE TRIGGER slot_within_limit_update BEFORE UPDATE OF slot ON game
WHEN NEW.slot IS NOT OLD.slot AND NEW.slot > (SELECT slots FROM running_games_limit)
BEGIN SELECT RAISE(ABORT, 'more games would run than are allowed'); END;

CREATE TABLE participant (
    game_id BLOB NOT NULL REFERENCES game (id) ON DELETE CASCADE,
    seat INTEGER NOT NULL CHECK (seat >= 1),
    player_id BLOB NOT NULL CHECK (length(player_id) = 16),
    PRIMARY KEY (game_id, player_id)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX participant_by_seat ON participant (game_id, seat);

CREATE TABLE round (
    game_id BLOB NOT NULL REFERENCES game (id) ON DELETE CASCADE,
    number INTEGER NOT NULL CHECK (number BETWEEN 1 AND 1000000),
    id BLOB NOT NULL CHECK (length(id) = 16),
    PRIMARY KEY (game_id, number)
) STRICT, WITHOUT ROWID;

-- Games whose world has been asked for and that do not exist yet.
CREATE TABLE creation (
    game_id BLOB PRIMARY KEY CHECK (length(game_id) = 16),
    world_id BLOB NOT NULL CHECK (length(world_id) = 16)
) STRICT, WITHOUT ROWID;

-- Worlds that nobody plays in any longer, until the map has heard of it.
CREATE TABLE world_to_retire (
    world_id BLOB PRIMARY KEY CHECK (length(world_id) = 16),
    how TEXT NOT NULL CHECK (how IN ('deactivate', 'delete'))
) STRICT, WITHOUT ROWID;

-- One row: how long the service has been up, over all its processes.
CREATE TABLE service_time (
    only_row INTEGER PRIMARY KEY CHECK (only_row = 1),
    nanos INTEGER NOT NULL CHECK (nanos >= 0)
) STRICT;
INSERT INTO service_time VALUES (1, 0);
