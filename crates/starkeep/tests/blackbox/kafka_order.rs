//! In the msd dialect: time around the creation and the end of a game, and what holds between the topics of two services,
//! over an outage of Kafka in which one game ends and the next is created.

use serde_json::{Value, json};
use starkeep_test_broker::Broker;
use starkeep_test_http::{Caller, within_limit};

use crate::program::Program;
use crate::relayed::{assert_topics_are_the_log, nothing_waits};
use crate::two_services::{END, START, new_game, path};

/// Less than the second that is promised: records are stamped in whole milliseconds of a clock that may be adjusted.
const GAP_MILLIS: i64 = 990;

async fn create(game: &Caller) -> Value {
    game.post("/games", &new_game()).await.expect(201)["gameId"].take()
}

async fn join(game: &Caller, id: &Value, name: &str) {
    let player = json!({ "name": name, "email": format!("{name}@example.org") });
    let player = game.post("/players", &player).await.expect(201);
    let token = player["bearerToken"].as_str().unwrap();
    game.put(&path(id, &format!("/players/{token}")), &Value::Null).await;
}

/// Starts the game as soon as Kafka takes records, and returns its world: a broker that has just come up refuses them for
/// as long as it makes the topics.
async fn start(game: &Caller, id: &Value) -> Value {
    let starting = async {
        loop {
            let answer = game.post(&path(id, START), &Value::Null).await;
            if answer.status != 503 {
                return answer.expect(201)["gameworldId"].take();
            }
        }
    };
    within_limit("a start", starting).await
}

/// When every record of the game service was sent, and its status if it tells of one.
async fn told(broker: &Broker) -> Vec<(i64, Option<String>)> {
    let mut told = Vec::new();
    for topic in ["status", "playerStatus", "roundStatus", "gameClock"] {
        for (at, record) in broker.timed_records(topic).await {
            let payload: Value = serde_json::from_str(&record.value).unwrap();
            told.push((at, payload["status"].as_str().map(str::to_owned)));
        }
    }
    told.sort();
    told
}

fn assert_gaps(told: &[(i64, Option<String>)]) {
    let is_spaced = |status: &Option<String>| matches!(status.as_deref(), Some("created" | "ended"));
    for pair in told.windows(2) {
        let [(before, one), (after, next)] = pair else { unreachable!("windows of two") };
        if is_spaced(one) || is_spaced(next) {
            assert!(after - before >= GAP_MILLIS, "{one:?} and {next:?} in {told:?}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_game_that_was_created_while_kafka_was_away_starts_later_and_its_stations_follow_it() {
    let Some(mut broker) = Broker::start().await else { return };
    let home = tempfile::tempdir().unwrap();
    let data = ["--data-dir", home.path().to_str().unwrap(), "--dialect", "msd"];
    let kafka = ["--kafka", broker.address(), "--map-timeout", "1s", "--replenish-every", "0"];
    let program = Program::serve("all", &[&data[..], &kafka[..]].concat()).await;
    let game = program.game();
    let first = create(&game).await;
    join(&game, &first, "ada").await;
    let mut worlds = vec![start(&game, &first).await];
    nothing_waits(&program).await;

    broker.kill().await;
    game.post(&path(&first, END), &Value::Null).await.expect(201);
    let second = create(&game).await;
    join(&game, &second, "bob").await;
    let before = game.get(&path(&second, "")).await.expect(200);
    for _ in 0..2 {
        let refusal = game.post(&path(&second, START), &Value::Null).await.expect(503);
        assert_eq!(refusal["code"], "kafka-unavailable", "{refusal}");
    }
    assert_eq!(game.get(&path(&second, "")).await.expect(200), before);

    broker.restart().await;
    worlds.push(start(&game, &second).await);
    assert_topics_are_the_log(&broker, &program).await;

    let told = told(&broker).await;
    assert_gaps(&told);
    let statuses: Vec<_> = told.iter().filter_map(|(at, status)| Some((*at, status.as_deref()?))).collect();
    let told: Vec<_> = statuses.iter().map(|(_, word)| *word).collect();
    assert_eq!(told, ["created", "started", "ended", "created", "started"]);
    let created = statuses.iter().filter(|(_, word)| *word == "created");
    let stations = broker.timed_records("spacestation-created").await;
    for (world, (created, _)) in worlds.iter().zip(created) {
        let is_of_world = |key: &Option<String>| key.as_deref() == world.as_str();
        let mut times = stations.iter().filter(|(_, station)| is_of_world(&station.key)).map(|(at, _)| at);
        let first = times.next().expect("stations of the world");
        assert!(first - created >= GAP_MILLIS, "stations {} ms after `created`", first - created);
    }
}
