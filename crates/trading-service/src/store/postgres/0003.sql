-- Markets, as they are in SQLite with schema 3. Ids are UUIDs, instants are milliseconds since 1970, money is whole.

-- The games that are followed; ended ones stay until they are deleted.
CREATE TABLE game (
    id UUID PRIMARY KEY,
    status TEXT NOT NULL CHECK (status IN ('created', 'running', 'ended')),
    -- The gameworld that is played, once the game has started.
    world UUID,
    round BIGINT NOT NULL CHECK (round >= 0),
    round_state TEXT NOT NULL CHECK (round_state IN ('init', 'started', 'input-ended', 'ended')),
    -- Larger numbers are later.
    created BIGINT NOT NULL,
    started BIGINT,
    -- All 64 bits of what stations are drawn from, read as a signed number; none before the game's first robot.
    spawn_state BIGINT
);

CREATE TABLE account (
    game UUID NOT NULL REFERENCES game (id),
    player UUID NOT NULL,
    start BIGINT NOT NULL CHECK (start >= 0),
    earned BIGINT NOT NULL DEFAULT 0 CHECK (earned >= 0),
    -- With what is reserved for purchases that are under way.
    spent BIGINT NOT NULL DEFAULT 0 CHECK (spent >= 0),
    -- How many were bought of each kind.
    robots BIGINT NOT NULL DEFAULT 0 CHECK (robots >= 0),
    health BIGINT NOT NULL DEFAULT 0 CHECK (health >= 0),
    energy BIGINT NOT NULL DEFAULT 0 CHECK (energy >= 0),
    upgrade_1 BIGINT NOT NULL DEFAULT 0 CHECK (upgrade_1 >= 0),
    upgrade_2 BIGINT NOT NULL DEFAULT 0 CHECK (upgrade_2 >= 0),
    upgrade_3 BIGINT NOT NULL DEFAULT 0 CHECK (upgrade_3 >= 0),
    upgrade_4 BIGINT NOT NULL DEFAULT 0 CHECK (upgrade_4 >= 0),
    upgrade_5 BIGINT NOT NULL DEFAULT 0 CHECK (upgrade_5 >= 0),
    -- Where the player's first robot was spawned.
    first_station UUID,
    PRIMARY KEY (game, player),
    CHECK (spent <= start + earned)
);

-- The prices of each round; those of the start are constant and not stored.
CREATE TABLE price (
    game UUID NOT NULL REFERENCES game (id),
    round BIGINT NOT NULL CHECK (round >= 1),
    coal BIGINT NOT NULL CHECK (coal >= 1),
    iron BIGINT NOT NULL CHECK (iron >= 1),
    gem BIGINT NOT NULL CHECK (gem >= 1),
    gold BIGINT NOT NULL CHECK (gold >= 1),
    platin BIGINT NOT NULL CHECK (platin >= 1),
    rocket BIGINT NOT NULL CHECK (rocket >= 1),
    wormhole BIGINT NOT NULL CHECK (wormhole >= 1),
    long_range_bombardment BIGINT NOT NULL CHECK (long_range_bombardment >= 1),
    self_destruction BIGINT NOT NULL CHECK (self_destruction >= 1),
    repair_swarm BIGINT NOT NULL CHECK (repair_swarm >= 1),
    nuke BIGINT NOT NULL CHECK (nuke >= 1),
    PRIMARY KEY (game, round)
);

-- What was sold in each round in which there was a sale.
CREATE TABLE sale (
    game UUID NOT NULL REFERENCES game (id),
    round BIGINT NOT NULL CHECK (round >= 0),
    coal BIGINT NOT NULL CHECK (coal >= 0),
    iron BIGINT NOT NULL CHECK (iron >= 0),
    gem BIGINT NOT NULL CHECK (gem >= 0),
    gold BIGINT NOT NULL CHECK (gold >= 0),
    platin BIGINT NOT NULL CHECK (platin >= 0),
    PRIMARY KEY (game, round)
);

-- The balances at the end of each round; of 0 the start money.
CREATE TABLE balance (
    game UUID NOT NULL REFERENCES game (id),
    round BIGINT NOT NULL CHECK (round >= 0),
    player UUID NOT NULL,
    balance BIGINT NOT NULL CHECK (balance >= 0),
    PRIMARY KEY (game, round, player)
);

-- Gameworlds, with the game that plays them.
CREATE TABLE world (
    id UUID PRIMARY KEY,
    -- Larger numbers are later.
    number BIGINT NOT NULL,
    game UUID REFERENCES game (id)
);
CREATE INDEX world_of_game ON world (game) WHERE game IS NOT NULL;

-- In the order in which the map told of them.
CREATE TABLE station (
    world UUID NOT NULL REFERENCES world (id),
    place BIGINT NOT NULL CHECK (place >= 0),
    planet UUID NOT NULL,
    PRIMARY KEY (world, place)
);

-- Commands that were executed, by their transaction ids: a UUID, or 17 zeros and the text that came in its place.
CREATE TABLE executed (
    id BYTEA PRIMARY KEY,
    game UUID NOT NULL REFERENCES game (id)
);
CREATE INDEX executed_of_game ON executed (game);

-- How far the other services' events were read.
CREATE TABLE stream (
    name TEXT PRIMARY KEY CHECK (name IN ('game', 'map')),
    position TEXT NOT NULL,
    -- When events were last missed.
    gap_at_millis BIGINT
);
