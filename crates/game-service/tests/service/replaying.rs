//! `GET /games/{gameId}/replay`: what the file holds, in which order, and who may have it.

use proptest::prelude::*;
use serde_json::{Value, json};
use starkeep_contract::events::Publisher;
use starkeep_game_service::ports::RecordedEvent;
use starkeep_test_harness::{Reply, get, in_one_process, post};
use uuid::Uuid;

use crate::harness::{Bench, Setup, id_in};

const OTHERS: [Publisher; 3] = [Publisher::Map, Publisher::Robot, Publisher::Trading];

/// An event of another service: its number there, and its round if it says it.
fn event(number: usize, round: Option<u32>) -> RecordedEvent {
    RecordedEvent { round, json: json!({ "id": number, "about": { "roundNumber": round } }).to_string() }
}

fn lines(reply: &Reply) -> Vec<Value> {
    assert_eq!(reply.status, 200, "{reply:?}");
    assert_eq!(reply.header("content-type"), Some("application/x-ndjson"));
    let text = reply.text();
    assert!(text.ends_with('\n'), "the last line is whole");
    text.lines().map(|line| serde_json::from_str(line).expect("a line is JSON")).collect()
}

async fn replay(bench: &Bench, game: Uuid) -> Reply {
    bench.ask(get(format!("/games/{game}/replay"))).await
}

#[tokio::test]
async fn a_replay_begins_with_the_game_and_its_world_and_then_has_its_events() {
    let bench = Bench::in_memory().await;
    let (game, other, (player, token)) =
        (bench.create(5, 2).await, bench.create(5, 2).await, bench.register("ada").await);
    bench.put_in(game, token).await.is(200);
    bench.start(game).await.is(201);
    let lines = lines(&replay(&bench, game).await);
    let (header, events) = lines.split_first().unwrap();
    assert_eq!((&header["format"], &header["version"]), (&json!("starkeep-replay"), &json!(1)));
    assert_eq!(header["game"], bench.ask(get(format!("/games/{game}"))).await.json());
    assert_eq!(header["players"], json!([{ "playerId": player, "name": "ada" }]));
    assert_eq!(header["gameworld"]["id"], header["game"]["gameworldId"]);
    assert_eq!(header["planets"], json!([{ "x": 0, "y": 0 }]));

    let page =
        get(format!("/events?gameId={game}&after=start&limit=1000")).header("accept", "application/json");
    let mut page = bench.ask(page).await.json();
    for event in page["events"].as_array_mut().unwrap() {
        event["service"] = json!("game");
    }
    assert_eq!(json!(events), page["events"]);
    assert!(!replay(&bench, game).await.text().contains(&other.to_string()));
}

#[tokio::test]
async fn without_a_world_there_are_no_planets() {
    let bench = Bench::msd_in_memory().await;
    let game = bench.create(5, 2).await;
    let header = lines(&replay(&bench, game).await).remove(0);
    assert_eq!((&header["gameworld"], &header["planets"]), (&Value::Null, &json!([])));
}

#[tokio::test]
async fn it_is_for_the_host_until_the_game_has_ended() {
    let bench = Bench::with(Setup { token: Some("s3cret"), ..Setup::in_memory() }).await;
    let new = post("/games").json(&json!({"maxRounds": 5, "maxPlayers": 3})).bearer("s3cret");
    let game = id_in(&bench.ask(new).await);
    let asked = || get(format!("/games/{game}/replay"));
    for stage in ["start", "end"] {
        bench.ask(asked()).await.refused(401, "unauthorized", None);
        bench.ask(asked().bearer("wrong")).await.refused(401, "unauthorized", None);
        assert_eq!(lines(&bench.ask(asked().bearer("s3cret")).await)[0]["game"]["gameId"], json!(game));
        bench.ask(post(format!("/games/{game}/gameCommands/{stage}")).bearer("s3cret")).await;
    }
    assert!(lines(&bench.ask(asked()).await).len() > 1);
    let unknown = Uuid::from_u128(9);
    bench.ask(get(format!("/games/{unknown}/replay"))).await.refused(404, "unknown-game", None);
}

#[tokio::test]
async fn a_service_that_is_away_is_said_to_be_before_anything_is_sent() {
    for service in OTHERS {
        let bench = Bench::in_memory().await;
        let game = bench.create(5, 2).await;
        bench.records.go_away(service);
        let reply = replay(&bench, game).await;
        reply.refused(503, "executor-unavailable", None);
        assert!(reply.text().contains(service.name()), "{reply:?}");
    }
}

/// Rounds as a log has them: mostly growing, some not told.
fn log() -> impl Strategy<Value = Vec<Option<u32>>> {
    proptest::collection::vec(proptest::option::weighted(0.8, 0..6_u32), 0..20)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// Every event comes once, by round; within a round those of a service come in their order. One without a round is of the
    /// latest round that its service was in.
    #[test]
    fn events_come_by_round_and_within_a_service_in_log_order(logs in [log(), log(), log()]) {
        in_one_process(async {
            let bench = Bench::in_memory().await;
            let game = bench.create(5, 2).await;
            for (service, rounds) in OTHERS.into_iter().zip(&logs) {
                let events = rounds.iter().enumerate().map(|(number, round)| event(number, *round));
                bench.records.tell(service, events.collect());
            }
            let lines = lines(&replay(&bench, game).await);
            let told = lines[1..].iter().filter(|line| line["service"] != "game");
            let told: Vec<(&str, usize)> = told
                .map(|line| (line["service"].as_str().unwrap(), line["id"].as_u64().unwrap()))
                .map(|(service, number)| (service, usize::try_from(number).unwrap()))
                .collect();
            let round_of = |(service, number): &(&str, usize)| {
                let place = OTHERS.iter().position(|other| other.name() == *service).unwrap();
                let so_far = logs[place][..=*number].iter().flatten();
                logs[place][*number].unwrap_or_else(|| so_far.max().copied().unwrap_or(0))
            };
            assert!(told.is_sorted_by_key(round_of), "{told:?}");
            for (service, rounds) in OTHERS.into_iter().zip(&logs) {
                let of_service: Vec<_> = told.iter().filter(|(name, _)| *name == service.name()).collect();
                assert!(of_service.is_sorted_by_key(|event| (round_of(event), event.1)), "{of_service:?}");
                assert_eq!(of_service.len(), rounds.len(), "{of_service:?}");
            }
        });
    }
}
