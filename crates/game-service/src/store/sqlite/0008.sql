-- Between the start of a game and its first round there may be a countdown. Its end is the end of the phase.
ALTER TABLE game ADD COLUMN countdown INTEGER NOT NULL DEFAULT 0
    CHECK (countdown = 0 OR (countdown = 1 AND status = 'running' AND phase = 'collection' AND round_number = 1));
