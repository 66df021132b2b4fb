-- Worlds, as they are in SQLite with schema 7. A world as it was made is one value (its form: `store/layout_form.rs`), and only the
-- deposits that have changed since have rows. Ids are UUIDs, instants are milliseconds since 1970, truths are 0 and 1.

CREATE TABLE world (
    id UUID PRIMARY KEY,
    -- A staged world is written before the change that makes it; no read finds it.
    status TEXT NOT NULL CHECK (status IN ('staged', 'active', 'inactive')),
    -- 1: inactive, and its seed and chart are not shown.
    is_sealed BIGINT NOT NULL DEFAULT 0 CHECK (is_sealed = 0 OR (is_sealed = 1 AND status = 'inactive')),
    player_amount BIGINT NOT NULL CHECK (player_amount BETWEEN 1 AND 10000),
    round_amount BIGINT CHECK (round_amount BETWEEN 0 AND 1000000),
    seed BIGINT NOT NULL CHECK (seed BETWEEN 0 AND 9007199254740991),
    -- Worlds of earlier versions have none.
    nonce TEXT CHECK (length(nonce) = 32),
    style TEXT NOT NULL CHECK (length(style) BETWEEN 1 AND 32),
    -- NULL of a world that was made by hand.
    generator_version BIGINT CHECK (generator_version >= 1),
    replenishment TEXT NOT NULL CHECK (replenishment IN ('automatic', 'on_request')),
    -- All 64 bits of the state of the world's random generator, read as a signed number.
    random_state BIGINT NOT NULL,
    created_at_millis BIGINT NOT NULL,
    updated_at_millis BIGINT NOT NULL,
    -- The first of its stations that is not announced yet, in slot order from 0; NULL if all are.
    unannounced_from BIGINT CHECK (unannounced_from >= 0)
);
CREATE INDEX world_by_age ON world (created_at_millis, id);
CREATE INDEX world_active ON world (id) WHERE status = 'active';
CREATE INDEX world_staged ON world (id) WHERE status = 'staged';

-- What never changes.
CREATE TABLE world_layout (
    world_id UUID PRIMARY KEY REFERENCES world (id),
    -- The ids of its space stations, one after the other: what lists of worlds show of it.
    stations BYTEA NOT NULL CHECK (length(stations) % 16 = 0),
    layout BYTEA NOT NULL
);

-- The deposits that are not as they were when the world was made, by the slot of their planet. Those of a world that was
-- withdrawn are removed after it, a few at a time, so they refer to no world.
CREATE TABLE deposit (
    world_id UUID NOT NULL,
    slot BIGINT NOT NULL CHECK (slot >= 0),
    -- NULL: nothing lies there any more.
    id UUID,
    -- Of a deposit that is in the layout: how much was added since then, or taken if it is less than 0.
    added BIGINT,
    -- Of one that appeared later.
    kind TEXT CHECK (kind IN ('coal', 'iron', 'gem', 'gold', 'platin')),
    max_amount BIGINT CHECK (max_amount >= 1),
    current_amount BIGINT CHECK (current_amount BETWEEN 0 AND max_amount),
    created_at_millis BIGINT,
    updated_at_millis BIGINT,
    PRIMARY KEY (world_id, slot),
    CHECK (
        (id IS NULL AND added IS NULL AND kind IS NULL AND updated_at_millis IS NULL)
        OR (id IS NOT NULL AND added IS NOT NULL AND kind IS NULL AND updated_at_millis IS NOT NULL)
        OR (id IS NOT NULL AND added IS NULL AND kind IS NOT NULL AND updated_at_millis IS NOT NULL)
    ),
    CHECK ((kind IS NULL) = (max_amount IS NULL)),
    CHECK ((kind IS NULL) = (current_amount IS NULL)),
    CHECK ((kind IS NULL) = (created_at_millis IS NULL))
);

-- What each kind began with, what was added and what was taken.
CREATE TABLE book (
    world_id UUID NOT NULL REFERENCES world (id),
    kind TEXT NOT NULL CHECK (kind IN ('coal', 'iron', 'gem', 'gold', 'platin')),
    initial BIGINT NOT NULL CHECK (initial >= 0),
    replenished BIGINT NOT NULL CHECK (replenished >= 0),
    mined BIGINT NOT NULL CHECK (mined >= 0),
    PRIMARY KEY (world_id, kind),
    CHECK (initial + replenished >= mined)
);

-- Of worlds that came from a data file of an early version: which planet belongs to which. The ids of later planets begin as
-- their world's does.
CREATE TABLE planet_of_earlier_world (
    id UUID PRIMARY KEY,
    world_id UUID NOT NULL
);

-- Ids of worlds that were withdrawn, some of them before they arrived: a create that comes late is refused.
CREATE TABLE withdrawn_world (
    id UUID PRIMARY KEY,
    at_millis BIGINT NOT NULL
);
CREATE INDEX withdrawn_world_by_age ON withdrawn_world (at_millis);

-- The worlds that reads may find.
CREATE VIEW made_world AS SELECT * FROM world WHERE status <> 'staged';
