-- Games, as they are in SQLite with schema 14. Ids are UUIDs, instants are milliseconds since 1970, truths are 0 and 1.

CREATE TABLE game (
    id UUID PRIMARY KEY,
    name TEXT NOT NULL DEFAULT 'Game' CHECK (length(name) BETWEEN 1 AND 80),
    status TEXT NOT NULL CHECK (status IN ('created', 'running', 'ended')),
    max_rounds BIGINT NOT NULL CHECK (max_rounds BETWEEN 0 AND 1000000),
    max_players BIGINT NOT NULL CHECK (max_players BETWEEN 1 AND 10000),
    round_length_millis BIGINT NOT NULL CHECK (round_length_millis BETWEEN 100 AND 86400000),
    pace TEXT NOT NULL DEFAULT 'clock' CHECK (pace IN ('clock', 'turbo')),
    joined BIGINT NOT NULL CHECK (joined BETWEEN 0 AND max_players),
    start_money BIGINT NOT NULL DEFAULT 200 CHECK (start_money BETWEEN 0 AND 1000000),
    seed BIGINT CHECK (seed BETWEEN 0 AND 9007199254740991),
    -- All 64 bits, read as a signed number.
    drawn_seed BIGINT NOT NULL DEFAULT 0,
    nonce TEXT CHECK (length(nonce) = 32),
    style TEXT,
    world_id UUID,
    replaced_world_id UUID,
    world_is_given BIGINT NOT NULL DEFAULT 0 CHECK (world_is_given = 0 OR (
        world_is_given = 1 AND world_id IS NOT NULL AND replaced_world_id IS NULL AND start_world_id IS NULL
        AND seed IS NULL AND nonce IS NULL AND style IS NULL)),
    replenishment TEXT NOT NULL DEFAULT 'automatic' CHECK (replenishment IN ('automatic', 'on_request')),
    -- The last round after which the world was to be replenished.
    replenished_after BIGINT NOT NULL DEFAULT 0
        CHECK (replenished_after = 0 OR (status = 'running' AND replenished_after BETWEEN 1 AND round_number - 1)),
    created_at_millis BIGINT NOT NULL,
    started_at_millis BIGINT,
    ended_at_millis BIGINT,
    -- Running games, and starts under way, take numbered slots; no two the same one.
    slot BIGINT UNIQUE CHECK (slot >= 1),
    -- The world of a start under way.
    start_world_id UUID,
    -- The timer: it showed `from` at this service time.
    timer_since_nanos BIGINT CHECK (timer_since_nanos >= 0),
    timer_from_seconds BIGINT NOT NULL DEFAULT 0 CHECK (timer_from_seconds >= 0),
    timer_from_nanos BIGINT NOT NULL DEFAULT 0 CHECK (timer_from_nanos BETWEEN 0 AND 999999999),
    paused BIGINT NOT NULL DEFAULT 0 CHECK (paused = 0 OR (paused = 1 AND status = 'running')),
    round_number BIGINT NOT NULL CHECK (round_number BETWEEN 0 AND 1000000),
    round_id UUID,
    current_round_length_millis BIGINT CHECK (current_round_length_millis BETWEEN 100 AND 86400000),
    -- In game time, exact.
    round_begins_seconds BIGINT CHECK (round_begins_seconds >= 0),
    round_begins_nanos BIGINT CHECK (round_begins_nanos BETWEEN 0 AND 999999999),
    phase TEXT CHECK (phase IN ('collection', 'execution')),
    phase_ends_seconds BIGINT NOT NULL DEFAULT 0 CHECK (phase_ends_seconds >= 0),
    phase_ends_nanos BIGINT NOT NULL DEFAULT 0 CHECK (phase_ends_nanos BETWEEN 0 AND 999999999),
    countdown BIGINT NOT NULL DEFAULT 0
        CHECK (countdown = 0 OR (countdown = 1 AND status = 'running' AND phase = 'collection' AND round_number = 1)),
    -- Frozen at the end.
    game_time_seconds BIGINT CHECK (game_time_seconds >= 0),
    game_time_nanos BIGINT CHECK (game_time_nanos BETWEEN 0 AND 999999999),
    round_time_seconds BIGINT CHECK (round_time_seconds >= 0),
    round_time_nanos BIGINT CHECK (round_time_nanos BETWEEN 0 AND 999999999),

    CHECK (max_rounds >= 1 OR status = 'ended'),
    CHECK (status <> 'created' OR (slot IS NULL) = (start_world_id IS NULL)),
    CHECK (status = 'created' OR start_world_id IS NULL),
    CHECK ((status = 'running') = (phase IS NOT NULL)),
    CHECK (status <> 'running' OR (
        slot IS NOT NULL AND started_at_millis IS NOT NULL AND timer_since_nanos IS NOT NULL AND round_id IS NOT NULL
        AND current_round_length_millis IS NOT NULL AND round_begins_seconds IS NOT NULL
        AND round_begins_nanos IS NOT NULL AND round_number BETWEEN 1 AND max_rounds)),
    CHECK ((status = 'ended') = (ended_at_millis IS NOT NULL)),
    CHECK (status <> 'ended' OR (
        slot IS NULL AND game_time_seconds IS NOT NULL AND game_time_nanos IS NOT NULL
        AND round_time_seconds IS NOT NULL AND round_time_nanos IS NOT NULL)),
    CHECK (status <> 'created' OR (round_number = 0 AND started_at_millis IS NULL AND timer_since_nanos IS NULL))
);
CREATE INDEX game_by_age ON game (status, created_at_millis DESC, id DESC);

-- One row: how many games may run at a time.
CREATE TABLE running_games_limit (
    only_row BIGINT PRIMARY KEY CHECK (only_row = 1),
    slots BIGINT NOT NULL CHECK (slots >= 1)
);
INSERT INTO running_games_limit VALUES (1, 1);

-- A game that has a slot keeps it, also where fewer may run than before.
CREATE FUNCTION check_slot() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.slot > (SELECT slots FROM running_games_limit)
        AND NOT EXISTS (SELECT 1 FROM game WHERE id = NEW.id AND slot = NEW.slot)
    THEN
        RAISE EXCEPTION 'more games would run than are allowed' USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER slot_within_limit BEFORE INSERT OR UPDATE OF slot ON game
    FOR EACH ROW WHEN (NEW.slot IS NOT NULL) EXECUTE FUNCTION check_slot();

-- One row: how many games were ever created.
CREATE TABLE game_count (
    only_row BIGINT PRIMARY KEY CHECK (only_row = 1),
    created BIGINT NOT NULL CHECK (created >= 0)
);
INSERT INTO game_count VALUES (1, 0);

CREATE TABLE participant (
    game_id UUID NOT NULL REFERENCES game (id) ON DELETE CASCADE,
    -- In the order of joining.
    seat BIGINT NOT NULL CHECK (seat >= 1),
    player_id UUID NOT NULL,
    transaction_id UUID,
    ready_in_round BIGINT NOT NULL DEFAULT 0 CHECK (ready_in_round BETWEEN 0 AND 1000000),
    taken_out BIGINT NOT NULL DEFAULT 0 CHECK (taken_out IN (0, 1)),
    PRIMARY KEY (game_id, player_id)
);
CREATE UNIQUE INDEX participant_by_seat ON participant (game_id, seat);

CREATE TABLE round (
    game_id UUID NOT NULL REFERENCES game (id) ON DELETE CASCADE,
    number BIGINT NOT NULL CHECK (number BETWEEN 1 AND 1000000),
    id UUID NOT NULL,
    PRIMARY KEY (game_id, number)
);

-- One row: service time, as far as it is durable, and when that was.
CREATE TABLE service_time (
    only_row BIGINT PRIMARY KEY CHECK (only_row = 1),
    nanos BIGINT NOT NULL CHECK (nanos >= 0),
    wall_millis BIGINT
);
INSERT INTO service_time VALUES (1, 0, NULL);

CREATE TABLE player (
    id UUID PRIMARY KEY,
    name TEXT NOT NULL CHECK (length(name) BETWEEN 1 AND 255),
    name_key TEXT NOT NULL UNIQUE,
    mail TEXT NOT NULL CHECK (length(mail) BETWEEN 1 AND 255),
    mail_key TEXT NOT NULL UNIQUE,
    token UUID NOT NULL UNIQUE
);

CREATE TABLE robot (
    id UUID PRIMARY KEY,
    owner_id UUID,
    alive BIGINT NOT NULL CHECK (alive IN (0, 1)),
    acts_in TEXT CHECK (acts_in IN ('next', 'only', 'past')),
    game_id UUID,
    own_game_id UUID CHECK (own_game_id IS NULL OR acts_in IS NULL),
    CHECK ((acts_in IS NOT DISTINCT FROM 'only') = (game_id IS NOT NULL)),
    CHECK (owner_id IS NOT NULL OR alive = 0)
);
CREATE INDEX living_robot_of_owner ON robot (owner_id) WHERE alive = 1;
CREATE INDEX robot_of_next_game ON robot (acts_in) WHERE acts_in = 'next';

CREATE TABLE stream_position (
    source TEXT PRIMARY KEY,
    position TEXT NOT NULL
);

CREATE TABLE command (
    game_id UUID NOT NULL REFERENCES game (id) ON DELETE CASCADE,
    -- Later ones have higher places.
    place BIGINT NOT NULL CHECK (place >= 1),
    id UUID NOT NULL UNIQUE,
    round_number BIGINT NOT NULL CHECK (round_number BETWEEN 1 AND 1000000),
    player_id UUID NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('selling', 'buying', 'movement', 'battle', 'mining', 'regeneration')),
    -- None where robots are bought.
    robot_id UUID,
    planet TEXT,
    target_id UUID,
    item TEXT,
    quantity BIGINT CHECK (quantity BETWEEN 1 AND 1000),
    -- By a later command for the same robot.
    replaced BIGINT NOT NULL DEFAULT 0 CHECK (replaced IN (0, 1)),
    result_channel TEXT,
    result_type TEXT CHECK ((result_type IS NULL) = (result_channel IS NULL)),
    result_payload TEXT CHECK ((result_payload IS NULL) = (result_channel IS NULL)),
    -- A round is read as a whole, in the order of its places; places go on over the rounds of a game.
    PRIMARY KEY (game_id, round_number, place),
    CHECK ((robot_id IS NULL) = (quantity IS NOT NULL)),
    CHECK (quantity IS NULL OR kind = 'buying'),
    CHECK (kind <> 'movement' OR planet IS NOT NULL),
    CHECK ((kind = 'battle') = (target_id IS NOT NULL)),
    CHECK (kind <> 'buying' OR quantity IS NOT NULL OR item IS NOT NULL)
);

-- One row: how many commands were ever taken.
CREATE TABLE command_count (
    only_row BIGINT PRIMARY KEY CHECK (only_row = 1),
    taken BIGINT NOT NULL CHECK (taken >= 0)
);
INSERT INTO command_count VALUES (1, 0);

CREATE TABLE batch (
    game_id UUID NOT NULL REFERENCES game (id) ON DELETE CASCADE,
    round_number BIGINT NOT NULL CHECK (round_number BETWEEN 1 AND 1000000),
    kind TEXT NOT NULL CHECK (kind IN ('selling', 'buying', 'movement', 'battle', 'mining', 'regeneration')),
    state TEXT NOT NULL CHECK (state IN ('sending', 'dispatched', 'undelivered', 'unknown', 'dropped')),
    -- The replica that sends it.
    sender UUID CHECK ((state = 'sending') = (sender IS NOT NULL)),
    executes_once BIGINT NOT NULL DEFAULT 0 CHECK (executes_once IN (0, 1)),
    -- Where the executor's log stood when it answered.
    position TEXT,
    PRIMARY KEY (game_id, round_number, kind)
);
CREATE INDEX batch_being_sent ON batch (state) WHERE state = 'sending';

-- The games of which executors have told, and the last round that is scored.
CREATE TABLE scored_game (
    game_id UUID PRIMARY KEY REFERENCES game (id) ON DELETE CASCADE,
    scored BIGINT NOT NULL CHECK (scored BETWEEN 0 AND 1000000)
);

CREATE TABLE standing (
    game_id UUID NOT NULL REFERENCES scored_game (game_id) ON DELETE CASCADE,
    player_id UUID NOT NULL,
    -- None while nobody has told of an account.
    money BIGINT CHECK (money >= 0),
    robots_alive BIGINT NOT NULL CHECK (robots_alive >= 0),
    -- What the player's robots took in by mining.
    coal BIGINT NOT NULL CHECK (coal >= 0),
    iron BIGINT NOT NULL CHECK (iron >= 0),
    gem BIGINT NOT NULL CHECK (gem >= 0),
    gold BIGINT NOT NULL CHECK (gold >= 0),
    platin BIGINT NOT NULL CHECK (platin >= 0),
    fights_won BIGINT NOT NULL CHECK (fights_won >= 0),
    PRIMARY KEY (game_id, player_id)
);

CREATE TABLE tracked_robot (
    game_id UUID NOT NULL REFERENCES scored_game (game_id) ON DELETE CASCADE,
    robot_id UUID NOT NULL,
    owner_id UUID NOT NULL,
    -- What it holds.
    coal BIGINT NOT NULL CHECK (coal >= 0),
    iron BIGINT NOT NULL CHECK (iron >= 0),
    gem BIGINT NOT NULL CHECK (gem >= 0),
    gold BIGINT NOT NULL CHECK (gold >= 0),
    platin BIGINT NOT NULL CHECK (platin >= 0),
    last_hit_by UUID,
    PRIMARY KEY (game_id, robot_id)
);

CREATE TABLE round_score (
    game_id UUID NOT NULL REFERENCES scored_game (game_id) ON DELETE CASCADE,
    round_number BIGINT NOT NULL CHECK (round_number BETWEEN 1 AND 1000000),
    player_id UUID NOT NULL,
    money BIGINT CHECK (money >= 0),
    robots_alive BIGINT NOT NULL CHECK (robots_alive >= 0),
    -- Of all resources together.
    mined BIGINT NOT NULL CHECK (mined >= 0),
    fights_won BIGINT NOT NULL CHECK (fights_won >= 0),
    PRIMARY KEY (game_id, round_number, player_id)
);

-- Gameworlds that the map is to be told about.
CREATE TABLE world_to_retire (
    world_id UUID PRIMARY KEY,
    how TEXT NOT NULL CHECK (how IN ('deactivate', 'seal', 'delete'))
);
