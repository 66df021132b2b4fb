-- Worlds. Ids are 16 bytes, instants are milliseconds since 1970.

CREATE TABLE world (
    id BLOB PRIMARY KEY CHECK (length(id) = 16),
    status TEXT NOT NULL CHECK (status IN ('active', 'inactive')),
    player_amount INTEGER NOT NULL CHECK (player_amount BETWEEN 1 AND 10000),
    round_amount INTEGER CHECK (round_amount BETWEEN 0 AND 1000000),
    seed INTEGER NOT NULL CHECK (seed BETWEEN 0 AND 9007199254740991),
    style TEXT NOT NULL CHECK (length(style) BETWEEN 1 AND 32),
    generator_version INTEGER NOT NULL CHECK (generator_version >= 1),
    side INTEGER NOT NULL CHECK (side BETWEEN 1 AND 1000),
    -- All 64 bits of the world's random stream, read as a signed number.
    random_state INTEGER NOT NULL,
    created_at_millis INTEGER NOT NULL,
    updated_at_millis INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX world_by_age ON world (created_at_millis, id);
CREATE INDEX world_active ON world (id) WHERE status = 'active';

-- Planets never change. The slot is the planet's number within its world, row by row from the south west.
CREATE TABLE planet (
    world_id BLOB NOT NULL REFERENCES world (id),
    slot INTEGER NOT NULL CHECK (slot >= 0),
    id BLOB NOT NULL UNIQUE CHECK (length(id) = 16),
    x INTEGER NOT NULL CHECK (x BETWEEN 0 AND 999),
    y INTEGER NOT NULL CHECK (y BETWEEN 0 AND 999),
    kind TEXT NOT NULL CHECK (kind IN ('default', 'spacestation')),
    PRIMARY KEY (world_id, slot)
) STRICT, WITHOUT ROWID;
CREATE INDEX station ON planet (world_id, slot, id) WHERE kind = 'spacestation';

-- At most one a planet: the planet is the key.
CREATE TABLE deposit (
    world_id BLOB NOT NULL,
    slot INTEGER NOT NULL,
    id BLOB NOT NULL UNIQUE CHECK (length(id) = 16),
    kind TEXT NOT NULL CHECK (kind IN ('coal', 'iron', 'gem', 'gold', 'platin')),
    max_amount INTEGER NOT NULL CHECK (max_amount >= 1),
    current_amount INTEGER NOT NULL CHECK (current_amount BETWEEN 0 AND max_amount),
    created_at_millis INTEGER NOT NULL,
    updated_at_millis INTEGER NOT NULL,
    PRIMARY KEY (world_id, slot),
    FOREIGN KEY (world_id, slot) REFERENCES planet (world_id, slot)
) STRICT, WITHOUT ROWID;
CREATE TRIGGER no_deposit_on_a_station BEFORE INSERT ON deposit
WHEN EXISTS (
    SELECT 1 FROM planet WHERE world_id = new.world_id AND slot = new.slot AND kind = 'spacestation'
)
BEGIN
    SELECT RAISE (ABORT, 'a space station never holds a deposit');
END;

-- What each kind began with, what was added and what was taken.
CREATE TABLE book (
    world_id BLOB NOT NULL REFERENCES world (id),
    kind TEXT NOT NULL CHECK (kind IN ('coal', 'iron', 'gem', 'gold', 'platin')),
    initial INTEGER NOT NULL CHECK (initial >= 0),
    replenished INTEGER NOT NULL CHECK (replenished >= 0),
    mined INTEGER NOT NULL CHECK (mined >= 0),
    PRIMARY KEY (world_id, kind),
    CHECK (initial + replenished >= mined)
) STRICT, WITHOUT ROWID;

-- Ids of worlds that were withdrawn, some of them before they arrived: a create that comes late is refused.
CREATE TABLE withdrawn_world (
    id BLOB PRIMARY KEY CHECK (length(id) = 16),
    at_millis INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX withdrawn_world_by_age ON withdrawn_world (at_millis);
