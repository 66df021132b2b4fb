-- A replaced world is sealed.
CREATE TABLE world_to_retire_12 (
    world_id BLOB PRIMARY KEY CHECK (length(world_id) = 16),
    how TEXT NOT NULL CHECK (how IN ('deactivate', 'seal', 'delete'))
) STRICT, WITHOUT ROWID;
INSERT INTO world_to_retire_12 SELECT world_id, how FROM world_to_retire;
DROP TABLE world_to_retire;
ALTER TABLE world_to_retire_12 RENAME TO world_to_retire;

-- What a game knows of its world: how it was asked for, whether the host named it, and who decides when it is replenished.

-- Handed to the map beside the seed.
ALTER TABLE game ADD COLUMN nonce TEXT CHECK (length(nonce) = 32);
-- A world that the host named was not asked for.
ALTER TABLE game ADD COLUMN world_is_given INTEGER NOT NULL DEFAULT 0 CHECK (world_is_given = 0 OR (
    world_is_given = 1 AND world_id IS NOT NULL AND replaced_world_id IS NULL AND start_world_id IS NULL
    AND seed IS NULL AND nonce IS NULL AND style IS NULL));
-- Worlds from before this are replenished by the map's clock.
ALTER TABLE game ADD COLUMN replenishment TEXT NOT NULL DEFAULT 'automatic'
    CHECK (replenishment IN ('automatic', 'on_request'));
-- The last round after which the world of a running game was to be replenished.
ALTER TABLE game ADD COLUMN replenished_after INTEGER NOT NULL DEFAULT 0
    CHECK (replenished_after = 0 OR (status = 'running' AND replenished_after BETWEEN 1 AND round_number - 1));
