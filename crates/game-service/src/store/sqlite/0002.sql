-- A game's time can stand, and phases can end early: what was one origin becomes a timer and the end of the open phase.

-- At this service time game time was `timer_from`; it has run on from there, or stands there.
ALTER TABLE game RENAME COLUMN origin_nanos TO timer_since_nanos;
ALTER TABLE game ADD COLUMN timer_from_seconds INTEGER NOT NULL DEFAULT 0 CHECK (timer_from_seconds >= 0);
ALTER TABLE game ADD COLUMN timer_from_nanos INTEGER NOT NULL DEFAULT 0
    CHECK (timer_from_nanos BETWEEN 0 AND 999999999);
ALTER TABLE game ADD COLUMN paused INTEGER NOT NULL DEFAULT 0 CHECK (paused = 0 OR (paused = 1 AND status = 'running'));

-- In game time; 0 while no phase is open.
ALTER TABLE game ADD COLUMN phase_ends_seconds INTEGER NOT NULL DEFAULT 0 CHECK (phase_ends_seconds >= 0);
ALTER TABLE game ADD COLUMN phase_ends_nanos INTEGER NOT NULL DEFAULT 0
    CHECK (phase_ends_nanos BETWEEN 0 AND 999999999);
UPDATE game SET
    phase_ends_seconds = round_begins_seconds + (round_begins_nanos + quarters * 250000 * length) / 1000000000,
    phase_ends_nanos = (round_begins_nanos + quarters * 250000 * length) % 1000000000
FROM (SELECT id AS running_id, current_round_length_millis AS length,
        CASE phase WHEN 'collection' THEN 3 ELSE 4 END AS quarters FROM game WHERE status = 'running')
WHERE id = running_id;

-- A game of the first schema ran from zero at its origin. Its timer is set to where the open phase began: so much has
-- passed for certain, even if the last heartbeat was before.
UPDATE game SET
    timer_from_seconds = round_begins_seconds + (round_begins_nanos + quarters * 250000 * length) / 1000000000,
    timer_from_nanos = (round_begins_nanos + quarters * 250000 * length) % 1000000000,
    timer_since_nanos = timer_since_nanos + round_begins_seconds * 1000000000 + round_begins_nanos
        + quarters * 250000 * length
FROM (SELECT id AS running_id, current_round_length_millis AS length,
        CASE phase WHEN 'collection' THEN 0 ELSE 3 END AS quarters FROM game WHERE status = 'running')
WHERE id = running_id;

ALTER TABLE game ADD COLUMN pace TEXT NOT NULL DEFAULT 'clock' CHECK (pace IN ('clock', 'turbo'));

-- The last round in which the player said to need no more of its collection.
ALTER TABLE participant ADD COLUMN ready_in_round INTEGER NOT NULL DEFAULT 0
    CHECK (ready_in_round BETWEEN 0 AND 1000000);

-- What a wall clock showed at the heartbeat: a label, to tell how long nobody was up.
ALTER TABLE service_time ADD COLUMN wall_millis INTEGER;
