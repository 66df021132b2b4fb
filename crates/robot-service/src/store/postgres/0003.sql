-- Robots, as they are in SQLite with schema 3. Ids are UUIDs. Kinds of resources and upgrades stand in the order of the rules.

-- The games that the game service has told of.
CREATE TABLE followed_game (
    id UUID PRIMARY KEY,
    status TEXT NOT NULL CHECK (status IN ('created', 'running', 'ended')),
    -- The gameworld, once it has started.
    world_id UUID,
    round BIGINT NOT NULL CHECK (round >= 0),
    round_state TEXT NOT NULL CHECK (round_state IN ('init', 'started', 'input-ended', 'ended')),
    -- Larger numbers: heard of later, started later.
    created BIGINT NOT NULL CHECK (created >= 1),
    started BIGINT CHECK (started > created)
);

-- One row: how far the game service's events were read; NULL if none was.
CREATE TABLE game_stream (
    only_row BIGINT PRIMARY KEY CHECK (only_row = 1),
    position TEXT,
    -- When some of them were missed for the last time.
    gap_at_millis BIGINT
);
INSERT INTO game_stream VALUES (1, NULL, NULL);

-- Robots that live. The number is a robot's place among those of its game: robots that are changed together lie together.
CREATE TABLE robot (
    game_id UUID NOT NULL,
    number BIGINT NOT NULL CHECK (number >= 1),
    id UUID NOT NULL UNIQUE,
    player_id UUID NOT NULL,
    planet_id UUID NOT NULL,
    health BIGINT NOT NULL CHECK (health BETWEEN 1 AND 500),
    energy BIGINT NOT NULL CHECK (energy BETWEEN 0 AND 200),
    -- A byte for each upgrade.
    levels BYTEA NOT NULL CHECK (length(levels) = 7),
    coal BIGINT NOT NULL CHECK (coal >= 0),
    iron BIGINT NOT NULL CHECK (iron >= 0),
    gem BIGINT NOT NULL CHECK (gem >= 0),
    gold BIGINT NOT NULL CHECK (gold >= 0),
    platin BIGINT NOT NULL CHECK (platin >= 0),
    PRIMARY KEY (game_id, number),
    CHECK (coal + iron + gem + gold + platin <= 1000)
);

-- How many robots of a game were spawned so far.
CREATE TABLE spawned (
    game_id UUID PRIMARY KEY,
    robots BIGINT NOT NULL CHECK (robots >= 1)
);

-- What the map gave to the robots of a game, what was sold and what is lost; they hold the rest.
CREATE TABLE book (
    game_id UUID NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('coal', 'iron', 'gem', 'gold', 'platin')),
    mined BIGINT NOT NULL CHECK (mined >= 0),
    sold BIGINT NOT NULL CHECK (sold >= 0),
    lost BIGINT NOT NULL CHECK (lost >= 0),
    PRIMARY KEY (game_id, kind),
    CHECK (mined >= sold + lost)
);

-- Transactions of commands that were executed, batch by batch: 16 bytes for each. All of a game's are in memory.
CREATE TABLE executed (
    number BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    game_id UUID NOT NULL,
    ids BYTEA NOT NULL CHECK (length(ids) >= 16 AND length(ids) % 16 = 0)
);
CREATE INDEX executed_by_game ON executed (game_id, number);

-- Orders that were carried out, to give the same answer again.
CREATE TABLE carried_out (
    transaction_id UUID PRIMARY KEY,
    game_id UUID NOT NULL,
    content TEXT NOT NULL
);
CREATE INDEX carried_out_by_game ON carried_out (game_id);
