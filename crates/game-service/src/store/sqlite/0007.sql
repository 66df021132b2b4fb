-- Intents and batches under way have owners: what belongs to no living replica is taken back, or called unknown.
-- Players and robots are evicted from memory, and found by their indices.

-- The process that wrote these no longer lives.
INSERT INTO intent (id, owner, call)
    SELECT world_id, zeroblob(16), json_object('create', lower(hex(game_id))) FROM creation;
INSERT INTO intent (id, owner, call)
    SELECT start_world_id, zeroblob(16), json_object('start', lower(hex(id))) FROM game WHERE start_world_id IS NOT NULL;
DROP TABLE creation;

DROP INDEX batch_being_sent;
ALTER TABLE batch RENAME COLUMN fate TO state;
UPDATE batch SET state = 'unknown' WHERE state = 'sending';
-- The replica that sends the batch.
ALTER TABLE batch ADD COLUMN sender BLOB
    CHECK ((state = 'sending') = (sender IS NOT NULL) AND (sender IS NULL OR length(sender) = 16));
CREATE INDEX batch_being_sent ON batch (state) WHERE state = 'sending';

-- Whoever joins a game brings its living robots into memory.
CREATE INDEX living_robot_of_owner ON robot (owner_id) WHERE alive = 1;
