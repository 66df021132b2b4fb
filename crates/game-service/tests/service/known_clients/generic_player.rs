//! generic-player, the Java skeleton that most teams have copied: it registers, reads that a game was created, and joins it.
//! One field too many in an event of a game, and it never joins.

use serde::Deserialize;
use starkeep_test_harness::{TestRequest, get, post, put};
use uuid::Uuid;

use super::{GameStatus, Record, Transaction, has_status, read, records, whole_game};
use crate::harness::Bench;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct PlayerRegistry {
    name: String,
    email: String,
    bearer_token: Uuid,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Listed {
    game_id: Uuid,
    game_status: GameStatus,
    /// Its own name for it, which nobody sends.
    current_round_count: Option<i32>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct GameStatusEvent {
    game_id: Uuid,
    status: GameStatus,
}

/// It knows itself by nothing but its token, so the null stands where one belongs.
fn register() -> TestRequest {
    post("/players").text(r#"{"name":"skeleton","email":"skeleton@example.org","bearerToken":null}"#)
}

fn join(game: Uuid, token: Uuid) -> TestRequest {
    put(format!("/games/{game}/players/{token}")).text("")
}

fn status_event(record: &Record) -> GameStatusEvent {
    for needed in ["eventId", "timestamp", "transactionId"] {
        assert!(!record.header(needed).is_empty(), "{needed}");
    }
    record.read()
}

#[tokio::test]
async fn it_registers_reads_of_a_game_and_joins_it() {
    let bench = Bench::msd_in_memory().await;
    let player: PlayerRegistry = read(&bench.ask(register()).await, 201);
    assert_eq!((&*player.name, &*player.email), ("skeleton", "skeleton@example.org"));
    let created = bench.create(3, 2).await;
    let [record] = &records(&bench, "status").await[..] else { panic!("one event") };
    let event = status_event(record);
    assert_eq!((event.game_id, event.status), (created, GameStatus::Created));
    let joined: Transaction = read(&bench.ask(join(event.game_id, player.bearer_token)).await, 200);
    // By this it finds out that the event is about itself.
    let [record] = &records(&bench, "playerStatus").await[..] else { panic!("one event") };
    assert_eq!(record.header("transactionId"), joined.transaction_id.to_string());
}

#[tokio::test]
async fn a_name_that_is_taken_is_403_to_it() {
    let bench = Bench::msd_in_memory().await;
    has_status(&bench.ask(register()).await, 201);
    has_status(&bench.ask(register()).await, 403);
}

#[tokio::test]
async fn every_event_of_a_game_is_valid_to_it() {
    let (bench, game, _) = whole_game().await;
    let events: Vec<_> = records(&bench, "status").await.iter().map(status_event).collect();
    assert!(events.iter().all(|event| event.game_id == game));
    let words: Vec<_> = events.iter().map(|event| event.status).collect();
    assert_eq!(words, [GameStatus::Created, GameStatus::Started, GameStatus::Ended]);
}

#[tokio::test]
async fn it_knows_the_games_that_are_listed() {
    let bench = Bench::msd_in_memory().await;
    assert!(read::<Vec<Listed>>(&bench.ask(get("/games")).await, 200).is_empty());
    let game = bench.create(3, 2).await;
    for status in [GameStatus::Created, GameStatus::Started] {
        let [listed] = &read::<Vec<Listed>>(&bench.ask(get("/games")).await, 200)[..] else { panic!("one") };
        assert_eq!((listed.game_id, listed.game_status), (game, status));
        assert_eq!(listed.current_round_count, None);
        bench.start(game).await;
    }
}
