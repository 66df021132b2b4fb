-- A world as it was made is one value (its form: `store/layout_form.rs`), and only the deposits that have changed since have
-- rows. Ids are 16 bytes, instants are milliseconds since 1970.

-- Staged worlds were never made: whoever asked for one was not answered and asks again.
DELETE FROM deposit WHERE world_id IN (SELECT id FROM staged_world);
DELETE FROM planet WHERE world_id IN (SELECT id FROM staged_world);
DELETE FROM book WHERE world_id IN (SELECT id FROM staged_world);
CREATE TEMPORARY TABLE never_made AS SELECT id FROM staged_world;
DELETE FROM staged_world;
DELETE FROM world WHERE id IN (SELECT id FROM never_made);
DROP TABLE never_made;
DROP VIEW made_world;
DROP TABLE staged_world;

CREATE TABLE world_5 (
    id BLOB PRIMARY KEY CHECK (length(id) = 16),
    -- A staged world is written before the change that makes it; no read finds it.
    status TEXT NOT NULL CHECK (status IN ('staged', 'active', 'inactive')),
    -- 1: inactive, and its seed and chart are not shown.
    is_sealed INTEGER NOT NULL DEFAULT 0 CHECK (is_sealed = 0 OR (is_sealed = 1 AND status = 'inactive')),
    player_amount INTEGER NOT NULL CHECK (player_amount BETWEEN 1 AND 10000),
    round_amount INTEGER CHECK (round_amount BETWEEN 0 AND 1000000),
    seed INTEGER NOT NULL CHECK (seed BETWEEN 0 AND 9007199254740991),
    -- Worlds of earlier versions have none.
    nonce TEXT CHECK (length(nonce) = 32),
    style TEXT NOT NULL CHECK (length(style) BETWEEN 1 AND 32),
    -- NULL of a world that was made by hand.
    generator_version INTEGER CHECK (generator_version >= 1),
    replenishment TEXT NOT NULL CHECK (replenishment IN ('automatic', 'on_request')),
    -- All 64 bits of the state of the world's random generator, read as a signed number.
    random_state INTEGER NOT NULL,
    created_at_millis INTEGER NOT NULL,
    updated_at_millis INTEGER NOT NULL,
    -- The first of its stations that is not announced yet, in slot order from 0; NULL if all are.
    unannounced_from INTEGER CHECK (unannounced_from >= 0)
) STRICT, WITHOUT ROWID;

-- What never changes. Not WITHOUT ROWID: such rows should be short.
CREATE TABLE world_layout (
    world_id BLOB PRIMARY KEY REFERENCES world_5 (id),
    -- The ids of its space stations, one after the other: what lists of worlds show of it.
    stations BLOB NOT NULL CHECK (length(stations) % 16 = 0),
    layout BLOB NOT NULL
) STRICT;

-- The deposits that are not as they were when the world was made, by the slot of their planet. Those of a world that was
-- withdrawn are removed after it, a few at a time, so they refer to no world.
CREATE TABLE deposit_5 (
    world_id BLOB NOT NULL CHECK (length(world_id) = 16),
    slot INTEGER NOT NULL CHECK (slot >= 0),
    -- NULL: nothing lies there any more.
    id BLOB CHECK (length(id) = 16),
    -- Of a deposit that is in the layout: how much was added since then, or taken if it is less than 0.
    added INTEGER,
    -- Of one that appeared later.
    kind TEXT CHECK (kind IN ('coal', 'iron', 'gem', 'gold', 'platin')),
    max_amount INTEGER CHECK (max_amount >= 1),
    current_amount INTEGER CHECK (current_amount BETWEEN 0 AND max_amount),
    created_at_millis INTEGER,
    updated_at_millis INTEGER,
    PRIMARY KEY (world_id, slot),
    CHECK (
        (id IS NULL AND added IS NULL AND kind IS NULL AND updated_at_millis IS NULL)
        OR (id IS NOT NULL AND added IS NOT NULL AND kind IS NULL AND updated_at_millis IS NOT NULL)
        OR (id IS NOT NULL AND added IS NULL AND kind IS NOT NULL AND updated_at_millis IS NOT NULL)
    ),
    CHECK ((kind IS NULL) = (max_amount IS NULL)),
    CHECK ((kind IS NULL) = (current_amount IS NULL)),
    CHECK ((kind IS NULL) = (created_at_millis IS NULL))
) STRICT, WITHOUT ROWID;

-- What each kind began with, what was added and what was taken.
CREATE TABLE book_5 (
    world_id BLOB NOT NULL REFERENCES world_5 (id),
    kind TEXT NOT NULL CHECK (kind IN ('coal', 'iron', 'gem', 'gold', 'platin')),
    initial INTEGER NOT NULL CHECK (initial >= 0),
    replenished INTEGER NOT NULL CHECK (replenished >= 0),
    mined INTEGER NOT NULL CHECK (mined >= 0),
    PRIMARY KEY (world_id, kind),
    CHECK (initial + replenished >= mined)
) STRICT, WITHOUT ROWID;

-- Of the worlds that were made before this version: which planet belongs to which. The ids of later planets begin as their
-- world's does. Nothing is ever added; rows of a world that was withdrawn stay and mean nothing.
CREATE TABLE planet_of_earlier_world (
    id BLOB PRIMARY KEY CHECK (length(id) = 16),
    world_id BLOB NOT NULL CHECK (length(world_id) = 16)
) STRICT, WITHOUT ROWID;

INSERT INTO world_5
SELECT id, status, 0, player_amount, round_amount, seed, NULL, style, generator_version, 'automatic', random_state,
       created_at_millis, updated_at_millis, NULL
FROM world;

-- The difficulty follows from the ring: the inner one where both coordinates are more than a third of the last one away from
-- the edges, the mid one where they are more than half of that.
INSERT INTO world_layout (world_id, stations, layout)
WITH size AS (
    SELECT id AS world_id, side, side - 1 AS last, (side - 1) / 3 AS third, (side - 1) / 3 / 2 AS sixth FROM world
),
placed AS (
    SELECT world_id, slot, id, x, y, kind,
           min(x, y, last - x, last - y) AS to_edge, third, sixth
    FROM planet JOIN size USING (world_id)
),
written AS (
    SELECT world_id, slot, kind = 'spacestation' AS is_station, hex(id) AS id,
           hex(id) || printf(
               '%04X%04X%02X%02X', x, y, kind = 'spacestation',
               CASE WHEN to_edge > third THEN 3 WHEN to_edge > sixth THEN 2 ELSE 1 END
           ) AS planet
    FROM placed ORDER BY world_id, slot
)
SELECT world_id,
       unhex(coalesce(group_concat(CASE WHEN is_station THEN id END, '' ORDER BY slot), '')),
       unhex(
           printf('01%04X%08X', (SELECT side FROM size WHERE size.world_id = written.world_id), count(*))
           || group_concat(planet, '' ORDER BY slot)
           -- Its deposits are rows, and how fair its starts were is not known.
           || '0000000000'
       )
FROM written GROUP BY world_id;

INSERT INTO deposit_5
SELECT world_id, slot, id, NULL, kind, max_amount, current_amount, created_at_millis, updated_at_millis FROM deposit;

INSERT INTO book_5 SELECT world_id, kind, initial, replenished, mined FROM book;

INSERT INTO planet_of_earlier_world SELECT id, world_id FROM planet;

DROP TABLE deposit;
DROP TABLE book;
DROP TABLE planet;
DROP TABLE world;
ALTER TABLE world_5 RENAME TO world;
ALTER TABLE deposit_5 RENAME TO deposit;
ALTER TABLE book_5 RENAME TO book;

CREATE INDEX world_by_age ON world (created_at_millis, id);
CREATE INDEX world_active ON world (id) WHERE status = 'active';
CREATE INDEX world_staged ON world (id) WHERE status = 'staged';

-- The worlds that reads may find.
CREATE VIEW made_world AS SELECT * FROM world WHERE status <> 'staged';
