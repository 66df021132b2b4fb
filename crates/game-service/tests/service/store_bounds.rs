//! The database refuses values out of bounds itself, also when a bug above it lets them through.
//! Statements go straight to the file, past every rule.

use rusqlite::{Connection, ErrorCode};

use crate::harness::{Bench, Setup};

/// A closed database with one created, one running and one ended game, and one slot.
async fn database() -> (Bench, Connection) {
    let mut bench = Bench::new().await;
    let ended = bench.running(9).await;
    bench.end(ended).await.is(201);
    let created = bench.create(9, 2).await;
    bench.join(created).await;
    bench.running(9).await;
    let database = bench.close();
    (bench, database)
}

#[track_caller]
fn assert_refused(database: &Connection, statement: &str) {
    let outcome = database.execute(statement, []);
    let code = outcome.as_ref().err().and_then(rusqlite::Error::sqlite_error_code);
    assert_eq!(code, Some(ErrorCode::ConstraintViolation), "{statement}: {outcome:?}");
}

#[track_caller]
fn assert_taken(database: &Connection, statement: &str) {
    let rows = database.execute(statement, []).unwrap_or_else(|fault| panic!("{statement}: {fault}"));
    assert!(rows > 0, "{statement} met no row");
}

#[tokio::test]
async fn settings_stay_within_their_bounds() {
    let (_bench, database) = database().await;
    for (column, least, most) in
        [("max_players", 1, 10_000), ("round_length_millis", 100, 86_400_000), ("max_rounds", 1, 1_000_000)]
    {
        let set = |value: i64| format!("UPDATE game SET {column} = {value} WHERE status = 'created'");
        assert_taken(&database, &set(least));
        assert_taken(&database, &set(most));
        assert_refused(&database, &set(least - 1));
        assert_refused(&database, &set(most + 1));
        assert_refused(&database, &format!("UPDATE game SET {column} = NULL"));
        assert_refused(&database, &format!("UPDATE game SET {column} = 'many'"));
    }
    assert_taken(&database, "UPDATE game SET max_rounds = 0 WHERE status = 'ended'");
    assert_refused(&database, "UPDATE game SET max_rounds = 0 WHERE status = 'running'");
    assert_refused(&database, "UPDATE game SET seed = -1");
    assert_refused(&database, "UPDATE game SET seed = 9007199254740992");
    assert_refused(&database, "UPDATE game SET nonce = 'short'");
    assert_taken(&database, &format!("UPDATE game SET name = '{}'", "ü".repeat(80)));
    for name in [String::new(), "x".repeat(81)] {
        assert_refused(&database, &format!("UPDATE game SET name = '{name}'"));
    }
    assert_refused(&database, "UPDATE game_count SET created = -1");
}

#[tokio::test]
async fn a_given_world_was_not_asked_for_and_is_not_replaced() {
    let (_bench, database) = database().await;
    assert_taken(&database, "UPDATE game SET world_is_given = 1 WHERE status = 'created'");
    for change in [
        "seed = 7",
        "nonce = hex(zeroblob(16))",
        "style = 'wild'",
        "world_id = NULL",
        "replaced_world_id = randomblob(16)",
        "world_is_given = 2",
    ] {
        assert_refused(&database, &format!("UPDATE game SET {change} WHERE world_is_given = 1"));
    }
    assert_refused(&database, "UPDATE game SET replenishment = 'never'");
}

#[tokio::test]
async fn a_world_was_replenished_after_an_earlier_round_of_a_running_game() {
    let (_bench, database) = database().await;
    assert_refused(&database, "UPDATE game SET replenished_after = 1");
    assert_taken(&database, "UPDATE game SET round_number = 5 WHERE status = 'running'");
    for (round, is_taken) in [(-1, false), (0, true), (1, true), (4, true), (5, false)] {
        let statement = format!("UPDATE game SET replenished_after = {round} WHERE status = 'running'");
        if is_taken {
            assert_taken(&database, &statement);
        } else {
            assert_refused(&database, &statement);
        }
    }
}

#[tokio::test]
async fn no_more_players_join_than_there_are_seats() {
    let (_bench, database) = database().await;
    assert_taken(&database, "UPDATE game SET joined = max_players");
    assert_refused(&database, "UPDATE game SET joined = max_players + 1");
    assert_refused(&database, "UPDATE game SET joined = -1");
    assert_refused(&database, "UPDATE participant SET seat = 0");
    assert_refused(&database, "UPDATE participant SET taken_out = 2");
    assert_refused(
        &database,
        "INSERT INTO participant (game_id, seat, player_id) SELECT game_id, seat + 1, player_id FROM participant",
    );
    assert_refused(
        &database,
        "INSERT INTO participant (game_id, seat, player_id) VALUES (randomblob(16), 1, randomblob(16))",
    );
}

#[tokio::test]
async fn no_two_games_take_one_slot_and_none_a_slot_beyond_the_limit() {
    let (_bench, database) = database().await;
    let starting = "UPDATE game SET start_world_id = randomblob(16), slot = ";
    for slot in ["1", "2", "0", "-1", "NULL"] {
        assert_refused(&database, &format!("{starting}{slot} WHERE status = 'created'"));
    }
    assert_refused(&database, "UPDATE game SET slot = 2 WHERE status = 'running'");
    assert_refused(&database, "UPDATE running_games_limit SET slots = 0");
    assert_refused(&database, "INSERT INTO running_games_limit VALUES (2, 5)");
    let copy = |slot: u32| {
        format!(
            "INSERT INTO game (id, status, max_rounds, max_players, round_length_millis, joined, created_at_millis,
                 round_number, slot, start_world_id)
             VALUES (randomblob(16), 'created', 5, 5, 5000, 0, 0, 0, {slot}, randomblob(16))"
        )
    };
    assert_refused(&database, &copy(1));
    assert_refused(&database, &copy(2));
    assert_taken(&database, "UPDATE running_games_limit SET slots = 2");
    assert_taken(&database, &copy(2));
}

#[tokio::test]
async fn a_lowered_limit_leaves_a_running_game_its_slot() {
    let mut bench = Bench::with(Setup { running_games: 2, ..Setup::default() }).await;
    bench.running(9).await;
    bench.running(9).await;
    let database = bench.close();
    assert_taken(&database, "UPDATE running_games_limit SET slots = 1");
    assert_taken(&database, "UPDATE game SET phase = 'execution' WHERE slot = 2");
    assert_taken(&database, "UPDATE game SET slot = 2 WHERE slot = 2");
}

#[tokio::test]
async fn each_state_has_what_belongs_to_it() {
    let (_bench, database) = database().await;
    for column in [
        "slot",
        "phase",
        "started_at_millis",
        "timer_since_nanos",
        "round_id",
        "current_round_length_millis",
        "round_begins_seconds",
        "round_begins_nanos",
        "timer_from_seconds",
        "timer_from_nanos",
        "paused",
        "phase_ends_seconds",
        "phase_ends_nanos",
        "pace",
    ] {
        assert_refused(&database, &format!("UPDATE game SET {column} = NULL WHERE status = 'running'"));
    }
    for change in
        ["round_number = 0", "round_number = 10", "ended_at_millis = 5", "start_world_id = randomblob(16)"]
    {
        assert_refused(&database, &format!("UPDATE game SET {change} WHERE status = 'running'"));
    }
    for change in
        ["slot = 1", "phase = 'collection'", "ended_at_millis = 5", "start_world_id = randomblob(16)"]
    {
        assert_refused(&database, &format!("UPDATE game SET {change} WHERE status = 'created'"));
    }
    for change in [
        "slot = 1",
        "phase = 'execution'",
        "ended_at_millis = NULL",
        "game_time_seconds = NULL",
        "round_time_seconds = NULL",
        "start_world_id = randomblob(16)",
    ] {
        assert_refused(&database, &format!("UPDATE game SET {change} WHERE status = 'ended'"));
    }
}

#[tokio::test]
async fn a_state_cannot_be_claimed_without_what_belongs_to_it() {
    let (_bench, database) = database().await;
    for status in ["lost", "RUNNING", "started", ""] {
        assert_refused(&database, &format!("UPDATE game SET status = '{status}'"));
    }
    assert_refused(&database, "UPDATE game SET status = 'running' WHERE status = 'created'");
    assert_refused(&database, "UPDATE game SET status = 'running' WHERE status = 'ended'");
    assert_refused(&database, "UPDATE game SET status = 'ended' WHERE status = 'running'");
    assert_refused(&database, "UPDATE game SET status = 'created' WHERE status = 'running'");
    assert_refused(&database, "UPDATE game SET phase = 'pause' WHERE status = 'running'");
}

#[tokio::test]
async fn rounds_intents_and_retirements_hold_their_shape() {
    let (_bench, database) = database().await;
    assert_refused(&database, "INSERT INTO round SELECT game_id, number, randomblob(16) FROM round");
    assert_refused(&database, "UPDATE round SET number = 0");
    assert_refused(&database, "UPDATE round SET number = 1000001");
    assert_refused(&database, "INSERT INTO round VALUES (randomblob(16), 1, randomblob(16))");
    let intent = |values| format!("INSERT INTO intent (id, owner, call) VALUES ({values})");
    assert_refused(&database, &intent("randomblob(15), randomblob(16), '{}'"));
    assert_refused(&database, &intent("randomblob(16), randomblob(15), '{}'"));
    assert_refused(&database, &intent("randomblob(16), NULL, '{}'"));
    assert_refused(&database, &intent("randomblob(16), randomblob(16), 'create'"));
    assert_refused(&database, "INSERT INTO world_to_retire VALUES (randomblob(16), 'sell')");
    assert_refused(&database, "INSERT INTO world_to_retire SELECT world_id, 'delete' FROM world_to_retire");
    assert_refused(&database, "UPDATE service_time SET nanos = -1");
    assert_refused(&database, "UPDATE game SET pace = 'slow'");
    assert_refused(&database, "UPDATE game SET paused = 1 WHERE status <> 'running'");
    assert_refused(&database, "UPDATE game SET paused = 2");
    assert_refused(&database, "UPDATE game SET timer_from_seconds = -1");
    assert_refused(&database, "UPDATE game SET phase_ends_nanos = 1000000000");
    assert_refused(&database, "UPDATE participant SET ready_in_round = 1000001");
    assert_refused(&database, "INSERT INTO service_time (only_row, nanos) VALUES (2, 0)");
    for column in ["id", "world_id", "round_id"] {
        assert_refused(&database, &format!("UPDATE game SET {column} = 'text' WHERE status = 'running'"));
        assert_refused(
            &database,
            &format!("UPDATE game SET {column} = randomblob(3) WHERE status = 'running'"),
        );
    }
}

#[tokio::test]
async fn commands_and_batches_hold_their_shape() {
    let (_bench, database) = database().await;
    let insert = |columns: &str, values: &str| {
        format!(
            "INSERT INTO command (place, id, game_id, round_number, player_id, {columns})
             SELECT (SELECT count(*) + 1 FROM command), randomblob(16), id, 1, randomblob(16), {values}
             FROM game WHERE status = 'running'"
        )
    };
    for (kind, needs, values) in [
        ("selling", "robot_id", "x'00112233445566778899aabbccddee01'"),
        ("buying", "robot_id, item", "x'00112233445566778899aabbccddee02', 'HEALTH'"),
        ("buying", "quantity", "1000"),
        ("movement", "robot_id, planet", "x'00112233445566778899aabbccddee03', 'somewhere'"),
        ("battle", "robot_id, target_id", "x'00112233445566778899aabbccddee04', randomblob(16)"),
        ("mining", "robot_id", "x'00112233445566778899aabbccddee05'"),
        ("regeneration", "robot_id", "x'00112233445566778899aabbccddee06'"),
    ] {
        let (columns, values) = (format!("kind, {needs}"), format!("'{kind}', {values}"));
        assert_taken(&database, &insert(&columns, &values));
    }
    for (columns, values) in [
        ("kind", "'mining'"),
        ("kind, robot_id", "'dancing', randomblob(16)"),
        ("kind, robot_id", "'mining', randomblob(15)"),
        ("kind, robot_id", "'movement', randomblob(16)"),
        ("kind, robot_id", "'battle', randomblob(16)"),
        ("kind, robot_id, target_id", "'mining', randomblob(16), randomblob(16)"),
        ("kind, robot_id", "'buying', randomblob(16)"),
        ("kind, quantity", "'buying', 0"),
        ("kind, quantity", "'buying', 1001"),
        ("kind, quantity", "'selling', 1"),
        ("kind, quantity, robot_id", "'buying', 1, randomblob(16)"),
        ("kind, robot_id, replaced", "'mining', randomblob(16), 2"),
    ] {
        assert_refused(&database, &insert(columns, values));
    }
    assert_refused(&database, "UPDATE command SET round_number = 0");
    assert_refused(&database, "UPDATE command SET id = randomblob(3)");
    assert_refused(&database, "UPDATE command SET game_id = randomblob(16)");
    assert_refused(&database, "UPDATE command SET place = 0 WHERE place = (SELECT min(place) FROM command)");
    assert_refused(&database, "UPDATE command SET place = 1");
    assert_refused(&database, "UPDATE command SET place = NULL");
    assert_refused(&database, "UPDATE command_count SET taken = -1");
    assert_refused(&database, "INSERT INTO command_count VALUES (2, 0)");
    let batch = |state: &str, sender: &str| {
        format!(
            "INSERT INTO batch (game_id, round_number, kind, state, sender)
             SELECT id, 1, 'mining', {state}, {sender} FROM game WHERE status = 'running'"
        )
    };
    assert_refused(&database, &batch("'lost'", "NULL"));
    assert_refused(&database, &batch("NULL", "NULL"));
    assert_refused(&database, &batch("'sending'", "NULL"));
    assert_refused(&database, &batch("'sending'", "randomblob(15)"));
    assert_refused(&database, &batch("'unknown'", "randomblob(16)"));
    assert_taken(&database, &batch("'sending'", "randomblob(16)"));
    assert_refused(&database, &batch("'sending'", "randomblob(16)"));
    assert_refused(&database, "UPDATE batch SET state = 'unknown'");
    assert_refused(&database, "UPDATE batch SET kind = 'dancing'");
    assert_refused(&database, "UPDATE batch SET executes_once = 2");
    assert_refused(&database, "UPDATE batch SET game_id = randomblob(16)");
}

#[tokio::test]
async fn a_robot_acts_in_one_game_or_says_in_which_others() {
    let (_bench, database) = database().await;
    let insert = |acts_in: &str, game: &str| {
        format!(
            "INSERT INTO robot (id, owner_id, alive, acts_in, game_id) VALUES (randomblob(16), randomblob(16), 1, {acts_in}, {game})"
        )
    };
    for acts_in in ["NULL", "'next'", "'past'"] {
        assert_taken(&database, &insert(acts_in, "NULL"));
        assert_refused(&database, &insert(acts_in, "randomblob(16)"));
    }
    assert_taken(&database, &insert("'only'", "randomblob(16)"));
    assert_refused(&database, &insert("'only'", "NULL"));
    assert_refused(&database, &insert("'only'", "randomblob(15)"));
    assert_refused(&database, &insert("'any'", "NULL"));
    assert_refused(&database, "UPDATE robot SET own_game_id = randomblob(16)");
    assert_taken(&database, "UPDATE robot SET own_game_id = randomblob(16) WHERE acts_in IS NULL");
    assert_refused(&database, "UPDATE robot SET own_game_id = randomblob(15) WHERE acts_in IS NULL");
}

#[tokio::test]
async fn what_players_begin_with_has_bounds() {
    let (_bench, database) = database().await;
    for money in [0, 1_000_000] {
        assert_taken(&database, &format!("UPDATE game SET start_money = {money}"));
    }
    for money in ["-1", "1000001", "NULL"] {
        assert_refused(&database, &format!("UPDATE game SET start_money = {money}"));
    }
    assert_refused(&database, "UPDATE participant SET transaction_id = randomblob(15)");
}

#[tokio::test]
async fn a_deleted_game_takes_its_rounds_and_players_with_it() {
    let (_bench, database) = database().await;
    assert_taken(&database, "DELETE FROM game");
    for table in ["round", "participant"] {
        let left: i64 =
            database.query_row(&format!("SELECT count(*) FROM {table}"), [], |row| row.get(0)).unwrap();
        assert_eq!(left, 0, "{table}");
    }
}
