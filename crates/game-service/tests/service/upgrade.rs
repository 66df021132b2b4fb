//! Data of an earlier version of this service: it is brought up to date, and games in it go on where they were.

use std::time::Duration;

use serde_json::json;
use starkeep_contract::Dialect;
use starkeep_test_harness::{delete, get, post};
use uuid::Uuid;

use crate::harness::{Bench, Setup};
use crate::playing::Match;

/// What came with the tenth schema and later, undone.
const NINTH_SCHEMA: &str = "
    PRAGMA user_version = 9;
    ALTER TABLE player DROP COLUMN recovery_code;
    DROP TABLE game_count;
    ALTER TABLE game DROP COLUMN name;
    ALTER TABLE game DROP COLUMN replenished_after;
    ALTER TABLE game DROP COLUMN replenishment;
    ALTER TABLE game DROP COLUMN world_is_given;
    ALTER TABLE game DROP COLUMN nonce;
    ALTER TABLE participant DROP COLUMN taken_out;
    ALTER TABLE event_log DROP COLUMN type;
    ALTER TABLE event_log DROP COLUMN transaction_text;
    ALTER TABLE event_log DROP COLUMN round;
    ALTER TABLE event_log DROP COLUMN player;
    ALTER TABLE event_log DROP COLUMN robot;
    ALTER TABLE game DROP COLUMN start_money;
    ALTER TABLE game DROP COLUMN drawn_seed;
    ALTER TABLE participant DROP COLUMN transaction_id;
    ALTER TABLE batch DROP COLUMN executes_once;
    ALTER TABLE batch DROP COLUMN position;
    ALTER TABLE robot DROP COLUMN own_game_id;
    DROP TABLE round_score;
    DROP TABLE tracked_robot;
    DROP TABLE standing;
    DROP TABLE scored_game;
    ALTER TABLE command DROP COLUMN result_payload;
    ALTER TABLE command DROP COLUMN result_type;
    ALTER TABLE command DROP COLUMN result_channel;
";

impl Bench {
    /// Opens the database again after it was brought back to the ninth schema, and from there to an earlier one.
    async fn reopen_earlier(&mut self, schema: &str) {
        let undo = format!("{NINTH_SCHEMA}{schema}");
        self.reopen_after(|database| database.execute_batch(&undo).expect("an earlier schema")).await;
    }
}

/// The running game's row as the first schema had it, at 7 s of a game with rounds of 4 s: the execution phase of round 2.
const FIRST_SCHEMA: &str = "
    PRAGMA user_version = 1;
    DROP TABLE player;
    DROP TABLE intent;
    CREATE TABLE creation (game_id BLOB PRIMARY KEY, world_id BLOB NOT NULL) STRICT, WITHOUT ROWID;
    DROP TABLE command;
    DROP TABLE command_count;
    DROP TABLE batch;
    DROP TABLE robot;
    DROP TABLE stream_position;
    DROP TABLE relay;
    ALTER TABLE game DROP COLUMN countdown;
    ALTER TABLE game DROP COLUMN timer_from_seconds;
    ALTER TABLE game DROP COLUMN timer_from_nanos;
    ALTER TABLE game DROP COLUMN paused;
    ALTER TABLE game DROP COLUMN phase_ends_seconds;
    ALTER TABLE game DROP COLUMN phase_ends_nanos;
    ALTER TABLE game DROP COLUMN pace;
    ALTER TABLE game RENAME COLUMN timer_since_nanos TO origin_nanos;
    ALTER TABLE participant DROP COLUMN ready_in_round;
    ALTER TABLE service_time DROP COLUMN wall_millis;
    UPDATE game SET origin_nanos = 1000000000 WHERE status = 'running';
    UPDATE service_time SET nanos = 8100000000;
";

#[tokio::test]
async fn a_game_of_the_first_schema_goes_on_in_its_round_and_phase() {
    let mut bench = Bench::new().await;
    bench.advance(1_000).await;
    let game = bench.running(9).await;
    let created = bench.create(3, 2).await;
    for _ in 0..7 {
        bench.advance(1_000).await;
    }
    bench.advance(100).await;
    bench.beat().await;
    let before = (bench.time(game).await, bench.game(game).await, bench.game(created).await);
    assert_eq!((&before.0["phase"], &before.0["phaseEndsInMillis"]), (&json!("execution"), &json!(900)));
    bench.reopen_earlier(FIRST_SCHEMA).await;
    assert_eq!((bench.time(game).await, bench.game(game).await, bench.game(created).await), before);
    bench.advance(900).await;
    assert_eq!(bench.time(game).await["roundCount"], 3);
}

#[tokio::test]
async fn a_boundary_that_the_first_schema_took_after_its_last_heartbeat_has_passed() {
    for (passed, heartbeat, phase, left) in
        [(3_000, 2_950, "execution", 1_000), (4_000, 3_950, "collection", 3_000)]
    {
        let mut bench = Bench::new().await;
        let game = bench.running(9).await;
        bench.advance(3_000).await;
        bench.advance(passed - 3_000).await;
        let before = bench.time(game).await;
        let killed = format!(
            "{FIRST_SCHEMA} UPDATE game SET origin_nanos = 0; UPDATE service_time SET nanos = {heartbeat}000000;"
        );
        bench.reopen_earlier(&killed).await;
        assert_eq!(bench.time(game).await, before);
        assert_eq!((&before["phase"], &before["phaseEndsInMillis"]), (&json!(phase), &json!(left)));
    }
}

#[tokio::test]
async fn how_long_nobody_was_up_is_not_known_of_the_first_schema() {
    let mut bench = Bench::new().await;
    bench.advance(1_000).await;
    bench.running(9).await;
    bench.advance(3_600).await;
    bench.beat().await;
    bench.reopen_earlier(FIRST_SCHEMA).await;
    let health = bench.ask(get("/health")).await.is(200);
    assert_eq!(health["parts"]["clock"]["detail"], "all rounds on schedule");
}

/// How far topics had been read, as the fifth schema had it.
const FIFTH_SCHEMA: &str = "
    PRAGMA user_version = 5;
    DROP TABLE stream_position;
    DROP TABLE command_count;
    DROP TABLE intent;
    CREATE TABLE creation (game_id BLOB PRIMARY KEY, world_id BLOB NOT NULL) STRICT, WITHOUT ROWID;
    ALTER TABLE batch DROP COLUMN sender;
    ALTER TABLE batch RENAME COLUMN state TO fate;
    DROP INDEX living_robot_of_owner;
    DROP INDEX robot_of_next_game;
    ALTER TABLE robot DROP COLUMN acts_in;
    ALTER TABLE robot DROP COLUMN game_id;
    ALTER TABLE game DROP COLUMN countdown;
    CREATE TABLE heard (topic TEXT PRIMARY KEY, next_offset INTEGER NOT NULL) STRICT, WITHOUT ROWID;
    INSERT INTO heard VALUES ('spawn-notification', 42), ('robot-destroyed', 0), ('first', 1);
";

#[tokio::test]
async fn the_first_offset_that_was_not_read_becomes_the_position_of_the_record_before() {
    let mut bench = Bench::new().await;
    bench.reopen_earlier(FIFTH_SCHEMA).await;
    let database = bench.database();
    let mut select = database.prepare("SELECT source, position FROM stream_position").expect("positions");
    let rows = select.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).expect("rows");
    let positions: Vec<(String, String)> = rows.collect::<Result<_, _>>().expect("texts");
    let known = [("first", "0"), ("spawn-notification", "41")];
    assert_eq!(positions, known.map(|(source, position)| (source.to_owned(), position.to_owned())));
}

/// Robots and commands as the eighth schema had them.
const EIGHTH_SCHEMA: &str = "
    PRAGMA user_version = 8;
    CREATE UNIQUE INDEX command_of_robot ON command (robot_id, game_id, round_number)
        WHERE replaced = 0 AND robot_id IS NOT NULL;
    DROP INDEX robot_of_next_game;
    ALTER TABLE robot DROP COLUMN acts_in;
    ALTER TABLE robot DROP COLUMN game_id;
";

#[tokio::test]
async fn robots_of_the_eighth_schema_act_in_any_game() {
    let mut it = Match::with(Setup { dialect: Dialect::Msd, ..Setup::default() }).await;
    it.bench.reopen_earlier(EIGHTH_SCHEMA).await;
    it.ada_sends("mining", json!({})).await;
    let bought = Uuid::from_u128(0x71);
    it.bench.spawn(bought, it.ada.0).await;
    it.send_for(bought, "mining", json!({})).await;
    it.bench.end(it.game).await.is(201);
    it.game = it.bench.create(9, 2).await;
    it.bench.put_in(it.game, it.ada.1).await.is(200);
    it.bench.start(it.game).await.is(201);
    it.ada_sends("mining", json!({})).await;
    it.robot = bought;
    let refused = it.bench.ask(post("/commands").json(&it.of_ada("mining", &json!({})))).await;
    refused.refused(403, "robot-of-earlier-game", None);
}

#[tokio::test]
async fn games_of_the_ninth_schema_get_seeds_of_their_own_and_the_usual_money() {
    let mut bench = Bench::new().await;
    let game = bench.create(3, 2).await;
    bench.create(3, 2).await;
    let (player, token) = bench.register("ada").await;
    bench.put_in(game, token).await.is(200);
    bench.reopen_earlier("").await;
    assert_eq!(bench.count("(SELECT DISTINCT drawn_seed FROM game)"), 2);
    let rosters = bench.ask(get("/rosters")).await.is(200);
    assert_eq!(rosters["games"][0]["startMoney"], 200);
    assert_eq!(
        rosters["games"][0]["players"],
        json!([{"playerId": player, "transactionId": null, "left": false}])
    );
    // Nobody knows the transaction of that join any longer.
    assert_eq!(bench.ask(delete(format!("/games/{game}/players/{token}"))).await.status, 204);
    let left =
        bench.ask(get("/events?after=start&channels=gameRoster").header("accept", "application/json")).await;
    let events = left.is(200);
    let last = events["events"].as_array().and_then(|events| events.last()).expect("an event").clone();
    assert_eq!((&last["payload"]["change"], &last["headers"]["transactionId"]), (&json!("left"), &json!("")));
}

#[tokio::test]
async fn worlds_of_earlier_schemas_are_replenished_by_the_map_alone() {
    let mut bench =
        Bench::with(Setup { replenish_every: Some(Duration::from_secs(4)), ..Setup::default() }).await;
    let running = bench.running(3).await;
    let created = bench.create(3, 2).await;
    bench.reopen_earlier("").await;
    for _ in 0..3 {
        bench.advance(3_000).await;
        bench.advance(1_000).await;
        bench.replenish().await.expect("the map answers");
    }
    assert_eq!(bench.game(running).await["gameStatus"], "ended");
    assert!(bench.map.asked_to_replenish().is_empty());
    // A world that is made now is the game's to replenish.
    bench.start(created).await.is(201);
    bench.advance(3_000).await;
    bench.advance(1_000).await;
    bench.replenish().await.expect("the map answers");
    assert_eq!(bench.map.asked_to_replenish().len(), 1);
}

/// Names as the twelfth schema had them: not at all.
const TWELFTH_SCHEMA: &str = "
    PRAGMA user_version = 12;
    ALTER TABLE player DROP COLUMN recovery_code;
    ALTER TABLE round_score DROP COLUMN known;
    DROP TABLE game_count;
    ALTER TABLE game DROP COLUMN name;
";

#[tokio::test]
async fn games_of_the_twelfth_schema_are_numbered_by_their_age() {
    let mut bench = Bench::with(Setup { running_games: 2, ..Setup::default() }).await;
    let mut games = Vec::new();
    for created_after in [0, 5_000, 2_000, 1_000] {
        bench.advance(created_after).await;
        games.push(bench.create(3, 2).await);
    }
    // In whatever state they are.
    bench.end(games[2]).await.is(201);
    bench.start(games[1]).await.is(201);
    // By the instant of their creation, not by their ids.
    let swapped = format!(
        "{TWELFTH_SCHEMA} UPDATE game SET created_at_millis = created_at_millis + 60000 WHERE id = X'{}'",
        games[0].simple()
    );
    bench.reopen_after(|database| database.execute_batch(&swapped).expect("an earlier schema")).await;
    for (game, name) in games.iter().zip(["Game 4", "Game 1", "Game 2", "Game 3"]) {
        assert_eq!(bench.game(*game).await["name"], name);
    }
    let next = bench.create(3, 2).await;
    assert_eq!(bench.game(next).await["name"], "Game 5");
}
