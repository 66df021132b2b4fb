-- Robots. Ids are 16 bytes. Kinds of resources and upgrades stand in the order of the rules.

-- The games that the game service has told of.
CREATE TABLE followed_game (
    id BLOB PRIMARY KEY CHECK (length(id) = 16),
    status TEXT NOT NULL CHECK (status IN ('created', 'running', 'ended')),
    -- The gameworld, once it has started.
    world_id BLOB CHECK (length(world_id) = 16),
    round INTEGER NOT NULL CHECK (round >= 0),
    round_state TEXT NOT NULL CHECK (round_state IN ('init', 'started', 'input-ended', 'ended')),
    -- Larger numbers: heard of later, started later.
    created INTEGER NOT NULL CHECK (created >= 1),
    started INTEGER CHECK (started > created)
) STRICT, WITHOUT ROWID;

-- One row: how far the game service's events were read; NULL if none was.
CREATE TABLE game_stream (
    only_row INTEGER PRIMARY KEY CHECK (only_row = 1),
    position TEXT,
    -- When some of them were missed for the last time.
    gap_at_millis INTEGER
) STRICT;
INSERT INTO game_stream VALUES (1, NULL, NULL);

-- Robots that live. The number is a robot's place among those of its game: robots that are changed together lie together.
CREATE TABLE robot (
    game_id BLOB NOT NULL CHECK (length(game_id) = 16),
    number INTEGER NOT NULL CHECK (number >= 1),
    id BLOB NOT NULL UNIQUE CHECK (length(id) = 16),
    player_id BLOB NOT NULL CHECK (length(player_id) = 16),
    planet_id BLOB NOT NULL CHECK (length(planet_id) = 16),
    health INTEGER NOT NULL CHECK (health BETWEEN 1 AND 500),
    energy INTEGER NOT NULL CHECK (energy BETWEEN 0 AND 200),
    -- A byte for each upgrade.
    levels BLOB NOT NULL CHECK (length(levels) = 7),
    coal INTEGER NOT NULL CHECK (coal >= 0),
    iron INTEGER NOT NULL CHECK (iron >= 0),
    gem INTEGER NOT NULL CHECK (gem >= 0),
    gold INTEGER NOT NULL CHECK (gold >= 0),
    platin INTEGER NOT NULL CHECK (platin >= 0),
    PRIMARY KEY (game_id, number),
    CHECK (coal + iron + gem + gold + platin <= 1000)
) STRICT, WITHOUT ROWID;

-- How many robots of a game were spawned so far.
CREATE TABLE spawned (
    game_id BLOB PRIMARY KEY CHECK (length(game_id) = 16),
    robots INTEGER NOT NULL CHECK (robots >= 1)
) STRICT, WITHOUT ROWID;

-- What the map gave to the robots of a game, what was sold and what is lost; they hold the rest.
CREATE TABLE book (
    game_id BLOB NOT NULL CHECK (length(game_id) = 16),
    kind TEXT NOT NULL CHECK (kind IN ('coal', 'iron', 'gem', 'gold', 'platin')),
    mined INTEGER NOT NULL CHECK (mined >= 0),
    sold INTEGER NOT NULL CHECK (sold >= 0),
    lost INTEGER NOT NULL CHECK (lost >= 0),
    PRIMARY KEY (game_id, kind),
    CHECK (mined >= sold + lost)
) STRICT, WITHOUT ROWID;

-- Transactions of commands that were executed, batch by batch: 16 bytes for each. All of a game's are in memory.
CREATE TABLE executed (
    number INTEGER PRIMARY KEY,
    game_id BLOB NOT NULL CHECK (length(game_id) = 16),
    ids BLOB NOT NULL CHECK (length(ids) >= 16 AND length(ids) % 16 = 0)
) STRICT;
CREATE INDEX executed_by_game ON executed (game_id, number);

-- Orders that were carried out, to give the same answer again.
CREATE TABLE carried_out (
    transaction_id BLOB PRIMARY KEY CHECK (length(transaction_id) = 16),
    game_id BLOB NOT NULL CHECK (length(game_id) = 16),
    content TEXT NOT NULL CHECK (json_valid(content))
) STRICT, WITHOUT ROWID;
CREATE INDEX carried_out_by_game ON carried_out (game_id);
