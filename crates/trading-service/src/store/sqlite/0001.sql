-- Markets. Ids are 16 bytes, instants are milliseconds since 1970, money is whole.

-- The games that are followed; ended ones stay until they are deleted.
CREATE TABLE game (
    id BLOB PRIMARY KEY CHECK (length(id) = 16),
    status TEXT NOT NULL CHECK (status IN ('created', 'running', 'ended')),
    -- The gameworld that is played, once the game has started.
    world BLOB CHECK (length(world) = 16),
    round INTEGER NOT NULL CHECK (round >= 0),
    round_state TEXT NOT NULL CHECK (round_state IN ('init', 'started', 'input-ended', 'ended')),
    -- Larger numbers are later.
    created INTEGER NOT NULL,
    started INTEGER,
    -- All 64 bits of what stations are drawn from, read as a signed number; none before the game's first robot.
    spawn_state INTEGER
) STRICT, WITHOUT ROWID;

CREATE TABLE account (
    game BLOB NOT NULL REFERENCES game (id),
    player BLOB NOT NULL CHECK (length(player) = 16),
    start INTEGER NOT NULL CHECK (start >= 0),
    earned INTEGER NOT NULL DEFAULT 0 CHECK (earned >= 0),
    -- With what is reserved for purchases that are under way.
    spent INTEGER NOT NULL DEFAULT 0 CHECK (spent >= 0),
    -- How many were bought of each kind.
    robots INTEGER NOT NULL DEFAULT 0 CHECK (robots >= 0),
    health INTEGER NOT NULL DEFAULT 0 CHECK (health >= 0),
    energy INTEGER NOT NULL DEFAULT 0 CHECK (energy >= 0),
    upgrade_1 INTEGER NOT NULL DEFAULT 0 CHECK (upgrade_1 >= 0),
    upgrade_2 INTEGER NOT NULL DEFAULT 0 CHECK (upgrade_2 >= 0),
    upgrade_3 INTEGER NOT NULL DEFAULT 0 CHECK (upgrade_3 >= 0),
    upgrade_4 INTEGER NOT NULL DEFAULT 0 CHECK (upgrade_4 >= 0),
    upgrade_5 INTEGER NOT NULL DEFAULT 0 CHECK (upgrade_5 >= 0),
    -- Where the player's first robot was spawned.
    first_station BLOB CHECK (length(first_station) = 16),
    PRIMARY KEY (game, player),
    CHECK (spent <= start + earned)
) STRICT, WITHOUT ROWID;

-- The prices of each round; those of the start are constant and not stored.
CREATE TABLE price (
    game BLOB NOT NULL REFERENCES game (id),
    round INTEGER NOT NULL CHECK (round >= 1),
    coal INTEGER NOT NULL CHECK (coal >= 1),
    iron INTEGER NOT NULL CHECK (iron >= 1),
    gem INTEGER NOT NULL CHECK (gem >= 1),
    gold INTEGER NOT NULL CHECK (gold >= 1),
    platin INTEGER NOT NULL CHECK (platin >= 1),
    rocket INTEGER NOT NULL CHECK (rocket >= 1),
    wormhole INTEGER NOT NULL CHECK (wormhole >= 1),
    long_range_bombardment INTEGER NOT NULL CHECK (long_range_bombardment >= 1),
    self_destruction INTEGER NOT NULL CHECK (self_destruction >= 1),
    repair_swarm INTEGER NOT NULL CHECK (repair_swarm >= 1),
    nuke INTEGER NOT NULL CHECK (nuke >= 1),
    PRIMARY KEY (game, round)
) STRICT, WITHOUT ROWID;

-- What was sold in each round in which there was a sale.
CREATE TABLE sale (
    game BLOB NOT NULL REFERENCES game (id),
    round INTEGER NOT NULL CHECK (round >= 0),
    coal INTEGER NOT NULL CHECK (coal >= 0),
    iron INTEGER NOT NULL CHECK (iron >= 0),
    gem INTEGER NOT NULL CHECK (gem >= 0),
    gold INTEGER NOT NULL CHECK (gold >= 0),
    platin INTEGER NOT NULL CHECK (platin >= 0),
    PRIMARY KEY (game, round)
) STRICT, WITHOUT ROWID;

-- The balances at the end of each round; of 0 the start money.
CREATE TABLE balance (
    game BLOB NOT NULL REFERENCES game (id),
    round INTEGER NOT NULL CHECK (round >= 0),
    player BLOB NOT NULL CHECK (length(player) = 16),
    balance INTEGER NOT NULL CHECK (balance >= 0),
    PRIMARY KEY (game, round, player)
) STRICT, WITHOUT ROWID;

-- Gameworlds, with the game that plays them.
CREATE TABLE world (
    id BLOB PRIMARY KEY CHECK (length(id) = 16),
    -- Larger numbers are later.
    number INTEGER NOT NULL,
    game BLOB REFERENCES game (id)
) STRICT, WITHOUT ROWID;
CREATE INDEX world_of_game ON world (game) WHERE game IS NOT NULL;

-- In the order in which the map told of them.
CREATE TABLE station (
    world BLOB NOT NULL REFERENCES world (id),
    place INTEGER NOT NULL CHECK (place >= 0),
    planet BLOB NOT NULL CHECK (length(planet) = 16),
    PRIMARY KEY (world, place)
) STRICT, WITHOUT ROWID;

-- Commands that were executed, by their transaction ids: a UUID, or 17 zeros and the text that came in its place.
CREATE TABLE executed (
    id BLOB PRIMARY KEY,
    game BLOB NOT NULL REFERENCES game (id)
) STRICT, WITHOUT ROWID;
CREATE INDEX executed_of_game ON executed (game);

-- How far the other services' events were read.
CREATE TABLE stream (
    name TEXT PRIMARY KEY CHECK (name IN ('game', 'map')),
    position TEXT NOT NULL,
    -- When events were last missed.
    gap_at_millis INTEGER
) STRICT, WITHOUT ROWID;
