-- What executors that are built in need: money, seeds, joins, batches that may be sent again, and the game of a robot.

-- What every player begins with.
ALTER TABLE game ADD COLUMN start_money INTEGER NOT NULL DEFAULT 200 CHECK (start_money BETWEEN 0 AND 1000000);
-- What random choices are drawn from where the host gave no seed. A game from before this has yet to draw one.
ALTER TABLE game ADD COLUMN drawn_seed INTEGER NOT NULL DEFAULT 0;
UPDATE game SET drawn_seed = random();

-- The transaction of the join. Of joins from before this it is not known.
ALTER TABLE participant ADD COLUMN transaction_id BLOB CHECK (length(transaction_id) = 16);

-- Whether the executor said that it carries a batch out once, however often it comes.
ALTER TABLE batch ADD COLUMN executes_once INTEGER NOT NULL DEFAULT 0 CHECK (executes_once IN (0, 1));
-- Where the executor's log stood after the batch, if the executor said so.
ALTER TABLE batch ADD COLUMN position TEXT;

-- The game that the robot's own service named; then it acts in no other.
ALTER TABLE robot ADD COLUMN own_game_id BLOB
    CHECK (own_game_id IS NULL OR (length(own_game_id) = 16 AND acts_in IS NULL));
