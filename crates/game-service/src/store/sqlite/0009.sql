-- Robots know in which game they act. Those that were known before act in any.
ALTER TABLE robot ADD COLUMN game_id BLOB CHECK (length(game_id) = 16);
-- None: in any. 'next': in the one that starts next. 'only': in game_id. 'past': in none from now on.
ALTER TABLE robot ADD COLUMN acts_in TEXT
    CHECK ((acts_in IS NULL OR acts_in IN ('next', 'only', 'past')) AND (acts_in IS 'only') = (game_id IS NOT NULL));
-- They are looked for when a game starts.
CREATE INDEX robot_of_next_game ON robot (acts_in) WHERE acts_in = 'next';

-- That a robot has one command in a round is decided before anything is written. The index that checked it again was the
-- dearest part of a command: every one changed it twice.
DROP INDEX command_of_robot;
