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

-- What is written with every mining has its conditions in its types: PostgreSQL reads the text of a table's CHECK anew with every
-- statement, that of a domain once. What must hold between columns is checked whenever rows are loaded.
CREATE DOMAIN natural_number AS BIGINT CHECK (VALUE >= 0);
CREATE DOMAIN positive_number AS BIGINT CHECK (VALUE >= 1);
CREATE DOMAIN resource_kind AS TEXT CHECK (VALUE IN ('coal', 'iron', 'gem', 'gold', 'platin'));

-- The deposits that are not as they were when the world was made, by the slot of their planet. Those of a world that was
-- withdrawn are removed after it, a few at a time, so they refer to no world.
CREATE TABLE deposit (
    world_id UUID NOT NULL,
    slot natural_number NOT NULL,
    -- NULL: nothing lies there any more.
    id UUID,
    -- Of a deposit that is in the layout: how much was added since then, or taken if it is less than 0.
    added BIGINT,
    -- Of one that appeared later.
    kind resource_kind,
    max_amount positive_number,
    current_amount natural_number,
    created_at_millis BIGINT,
    updated_at_millis BIGINT,
    PRIMARY KEY (world_id, slot)
);

-- What each kind began with, what was added and what was taken.
CREATE TABLE book (
    world_id UUID NOT NULL REFERENCES world (id),
    kind resource_kind NOT NULL,
    initial natural_number NOT NULL,
    replenished natural_number NOT NULL,
    mined natural_number NOT NULL,
    PRIMARY KEY (world_id, kind)
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
