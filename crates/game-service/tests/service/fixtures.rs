//! Databases that programs of every schema version have written: what they showed is shown today, and everything in them
//! goes on. What the files hold, and how the next one is made: `tests/fixtures/README.md`.

use http::Method;
use serde_json::{Value, json};
use starkeep_test_harness::{FixtureFiles, TestRequest, get, post, request, uuid_in};
use uuid::Uuid;

use crate::harness::{Bench, Setup};

/// As far as service time may be behind when a process is killed, and as long as it lived on after it was last asked.
const BEHIND_MILLIS: i64 = 200;
const LIVED_ON_MILLIS: i64 = 3_000;

struct Fixture {
    version: i64,
    bench: Bench,
    files: FixtureFiles,
    recorded: Value,
}

async fn newest_version() -> i64 {
    Bench::new().await.schema_version()
}

impl Fixture {
    /// Each on a copy of its own, opened by today's service.
    async fn all() -> Vec<Self> {
        let mut all = Vec::new();
        for files in FixtureFiles::all(env!("CARGO_MANIFEST_DIR"), newest_version().await) {
            let mut bench = Bench::with(Setup { running_games: 9, ..Setup::default() }).await;
            bench.reopen_on_fixture(&files).await;
            all.push(Self { version: files.version, bench, recorded: files.recorded(), files });
        }
        all
    }

    fn game(&self, name: &str) -> Uuid {
        uuid_in(&self.recorded, name)
    }

    fn list(&self, name: &str) -> &[Value] {
        self.recorded[name].as_array().expect("a list")
    }

    /// Lets the game's open phase end.
    async fn end_phase(&self, game: Uuid) {
        let left = self.bench.time(game).await["phaseEndsInMillis"].as_u64().expect("an open phase");
        // What is shown is rounded down.
        self.bench.advance(left + 1).await;
    }

    /// What the receipt says to the player.
    async fn state(&self, command: &Value, player: &str) -> Value {
        let token = self.recorded["players"][player]["bearerToken"].as_str().expect("a token");
        let asked = get(format!("/commands/{}", command.as_str().expect("an id"))).bearer(token);
        self.bench.ask(asked).await.is(200)["state"].clone()
    }
}

fn text(value: &Value) -> &str {
    value.as_str().expect("a text")
}

fn with_headers(asked: TestRequest, headers: &Value) -> TestRequest {
    let headers = headers.as_object().expect("headers");
    headers.iter().fold(asked, |asked, (name, value)| asked.header(name, text(value)))
}

#[tokio::test]
async fn a_database_of_any_version_shows_what_its_own_program_showed() {
    for fixture in Fixture::all().await {
        fixture.bench.assert_shows_what_was_recorded(&fixture.files).await;
        assert_eq!(fixture.bench.schema_version(), newest_version().await);
    }
}

#[tokio::test]
async fn a_game_of_any_version_stands_where_its_own_program_left_it() {
    for fixture in Fixture::all().await {
        for (game, recorded) in fixture.recorded["times"].as_object().expect("a time for every game") {
            let time = fixture.bench.ask(get(format!("/games/{game}/time"))).await.is(200);
            for field in ["roundCount", "phase", "paused"] {
                assert_eq!(time[field], recorded[field], "schema {}: {field} of {game}", fixture.version);
            }
            let millis = |time: &Value| time["gameTimeInMillis"].as_i64().expect("milliseconds");
            let (now, then) = (millis(&time), millis(recorded));
            // The phase ends when it was to end. Both figures are rounded down.
            let end = |time: &Value| time["phaseEndsInMillis"].as_i64().map(|left| millis(time) + left);
            let moved = end(&time).zip(end(recorded)).map_or(0, |(end, recorded)| end - recorded);
            assert!(moved.abs() <= 1, "schema {}: a phase of {game} ends at {moved}", fixture.version);
            let stands = recorded["phase"].is_null() || recorded["paused"] == true;
            let (least, most) =
                if stands { (then, then) } else { (then - BEHIND_MILLIS, then + LIVED_ON_MILLIS) };
            assert!((least..=most).contains(&now), "schema {}: {now} after {then}", fixture.version);
        }
    }
}

#[tokio::test]
async fn an_answer_kept_by_any_version_is_given_again() {
    for fixture in Fixture::all().await {
        let events = fixture.bench.count("event_log");
        assert!(!fixture.list("repeated").is_empty());
        for repeated in fixture.list("repeated") {
            let method = Method::from_bytes(text(&repeated["method"]).as_bytes()).expect("a method");
            let asked = request(method, text(&repeated["path"])).key(text(&repeated["key"]));
            let asked = match repeated["body"].as_str() {
                Some(body) => asked.text(body),
                None => asked,
            };
            let reply = fixture.bench.ask(asked.answered_by_earlier_version()).await;
            assert_eq!(reply.header("idempotency-replayed"), Some("true"), "schema {}", fixture.version);
            assert_eq!(reply.is(201), repeated["answer"], "schema {}", fixture.version);
        }
        assert_eq!(fixture.bench.count("event_log"), events);
    }
}

#[tokio::test]
async fn what_a_kill_interrupted_in_any_version_is_settled() {
    for fixture in Fixture::all().await {
        let bench = &fixture.bench;
        assert_eq!(bench.count("intent"), 0, "schema {}", fixture.version);
        assert_eq!(bench.count("game WHERE start_world_id IS NOT NULL"), 0, "schema {}", fixture.version);
        // The worlds of the creation, of the start, and of the game whose end the map did not know.
        assert!(bench.count("world_to_retire") >= 3, "schema {}", fixture.version);
        bench.care().await.expect("the map takes the retirements");
        assert_eq!(bench.count("world_to_retire"), 0, "schema {}", fixture.version);
        for command in fixture.list("interrupted") {
            assert_eq!(fixture.state(command, "carol").await, "unknown");
        }
        bench.start(fixture.game("starting")).await.is(201);
    }
}

#[tokio::test]
async fn robots_that_any_version_learned_of_are_known() {
    for fixture in Fixture::all().await {
        let alive = format!("starkeep_robots_alive {}", fixture.recorded["robotsAlive"]);
        let metrics = fixture.bench.metrics().await;
        assert!(metrics.lines().any(|line| line == alive), "schema {}: not {alive}", fixture.version);
        for (topic, position) in fixture.recorded["learned"].as_object().expect("topics") {
            assert_eq!(
                json!(fixture.bench.consumed(topic)),
                *position,
                "schema {}: {topic}",
                fixture.version
            );
        }
    }
}

#[tokio::test]
async fn games_of_any_version_are_played_to_their_end() {
    for mut fixture in Fixture::all().await {
        let (running, executing) = (fixture.game("running"), fixture.game("executing"));
        fixture.end_phase(executing).await;
        assert_eq!(fixture.bench.time(executing).await["roundCount"], 2, "schema {}", fixture.version);
        if fixture.bench.time(fixture.game("paused")).await["paused"] == true {
            fixture.bench.order(fixture.game("paused"), "resume").await.is(201);
        }
        for game in [fixture.game("paused"), executing] {
            assert_eq!(fixture.bench.end(game).await.is(201)["gameStatus"], "ended");
        }
        // The open round's commands are carried out.
        fixture.end_phase(running).await;
        assert_eq!(fixture.bench.time(running).await["phase"], "execution");
        for shown in fixture.list("shown").iter().filter(|shown| shown["answer"]["state"] == "pending") {
            let asked = with_headers(get(text(&shown["path"])), &shown["headers"]);
            assert_eq!(fixture.bench.ask(asked).await.is(200)["state"], "dispatched");
        }
        assert_eq!(fixture.bench.end(running).await.is(201)["gameStatus"], "ended");
        // No position is missing or taken twice: asked of the log itself.
        assert!(fixture.bench.events().len() > 26);
        let before = fixture.bench.whole_state().await;
        fixture.bench.restart().await;
        assert_eq!(fixture.bench.whole_state().await, before, "schema {}", fixture.version);
    }
}

#[tokio::test]
async fn players_join_and_command_in_a_game_of_any_version() {
    for fixture in Fixture::all().await {
        let (bench, game) = (&fixture.bench, fixture.game("created"));
        let (player, token) = bench.register("dora").await;
        bench.put_in(game, token).await.is(200);
        bench.start(game).await.is(201);
        let robot = Uuid::from_u128(0xd0);
        bench.spawn(robot, player).await;
        let command = json!({"gameId": game, "playerToken": token, "robotId": robot, "commandType": "mining", "commandObject": {}});
        let receipt = bench.ask(post("/commands").json(&command)).await.is(201);
        assert_eq!((&receipt["state"], &receipt["roundNumber"]), (&json!("pending"), &json!(1)));
        // A player whom the version knew commands with the same token; a version that knew none has no names taken.
        let ada = &fixture.recorded["players"]["ada"];
        let again =
            bench.ask(post("/players").json(&json!({"name": "ada", "email": "another@example.org"}))).await;
        assert_eq!(again.status, if ada.is_null() { 201 } else { 409 }, "schema {}", fixture.version);
        if fixture.recorded["robotsAlive"].as_i64() > Some(2) {
            let command = json!({"gameId": fixture.game("running"), "playerToken": ada["bearerToken"],
                                 "robotId": fixture.recorded["robot"], "commandType": "regeneration",
                                 "commandObject": {}});
            bench.ask(post("/commands").json(&command)).await.is(201);
        }
    }
}
