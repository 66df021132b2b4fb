-- How players stand, as the executors' events tell, what every round ended with, and what became of commands.

-- Games of which something was told, and the last round that is scored, or that will not be.
CREATE TABLE scored_game (
    game_id BLOB PRIMARY KEY REFERENCES game (id) ON DELETE CASCADE,
    scored INTEGER NOT NULL CHECK (scored BETWEEN 0 AND 1000000)
) STRICT, WITHOUT ROWID;

CREATE TABLE standing (
    game_id BLOB NOT NULL REFERENCES scored_game (game_id) ON DELETE CASCADE,
    player_id BLOB NOT NULL CHECK (length(player_id) = 16),
    -- None while nobody has told of an account.
    money INTEGER CHECK (money >= 0),
    robots_alive INTEGER NOT NULL CHECK (robots_alive >= 0),
    -- What the player's robots took in by mining.
    coal INTEGER NOT NULL CHECK (coal >= 0),
    iron INTEGER NOT NULL CHECK (iron >= 0),
    gem INTEGER NOT NULL CHECK (gem >= 0),
    gold INTEGER NOT NULL CHECK (gold >= 0),
    platin INTEGER NOT NULL CHECK (platin >= 0),
    fights_won INTEGER NOT NULL CHECK (fights_won >= 0),
    PRIMARY KEY (game_id, player_id)
) STRICT, WITHOUT ROWID;

-- Robots that live, of games with rounds that are not scored: what has to be known to understand what is told of them next.
CREATE TABLE tracked_robot (
    game_id BLOB NOT NULL REFERENCES scored_game (game_id) ON DELETE CASCADE,
    robot_id BLOB NOT NULL CHECK (length(robot_id) = 16),
    owner_id BLOB NOT NULL CHECK (length(owner_id) = 16),
    -- What it holds.
    coal INTEGER NOT NULL CHECK (coal >= 0),
    iron INTEGER NOT NULL CHECK (iron >= 0),
    gem INTEGER NOT NULL CHECK (gem >= 0),
    gold INTEGER NOT NULL CHECK (gold >= 0),
    platin INTEGER NOT NULL CHECK (platin >= 0),
    last_hit_by BLOB CHECK (length(last_hit_by) = 16),
    PRIMARY KEY (game_id, robot_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE round_score (
    game_id BLOB NOT NULL REFERENCES scored_game (game_id) ON DELETE CASCADE,
    round_number INTEGER NOT NULL CHECK (round_number BETWEEN 1 AND 1000000),
    player_id BLOB NOT NULL CHECK (length(player_id) = 16),
    money INTEGER CHECK (money >= 0),
    robots_alive INTEGER NOT NULL CHECK (robots_alive >= 0),
    -- Of all resources together.
    mined INTEGER NOT NULL CHECK (mined >= 0),
    fights_won INTEGER NOT NULL CHECK (fights_won >= 0),
    PRIMARY KEY (game_id, round_number, player_id)
) STRICT, WITHOUT ROWID;

-- What became of a command: the event that its executor published. The payload is JSON.
ALTER TABLE command ADD COLUMN result_channel TEXT;
ALTER TABLE command ADD COLUMN result_type TEXT CHECK ((result_type IS NULL) = (result_channel IS NULL));
ALTER TABLE command ADD COLUMN result_payload TEXT CHECK ((result_payload IS NULL) = (result_channel IS NULL));
