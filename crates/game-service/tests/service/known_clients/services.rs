//! The robot and the trading service as consumers of events: the one fails on a field too many, the other on a header too few.
//! The order of the events matters to both.

use std::collections::BTreeSet;

use serde::Deserialize;
use starkeep_test_harness::put;
use uuid::Uuid;

use super::{GameStatus, RoundStatus, records, whole_game};
use crate::harness::Bench;

/// Of the robot service.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct RoundStatusDto {
    round_number: i32,
    round_status: RoundStatus,
    round_id: Uuid,
    game_id: Uuid,
}

/// Of the trading service, on the three channels.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct GameEvent {
    game_id: Uuid,
    status: GameStatus,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct PlayerEvent {
    player_id: Uuid,
    name: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct RoundEvent {
    game_id: Uuid,
    round_number: i32,
    round_status: RoundStatus,
}

#[tokio::test]
async fn the_robot_service_reads_every_round_with_nothing_left_over() {
    let (bench, game, _) = whole_game().await;
    let events: Vec<RoundStatusDto> =
        records(&bench, "roundStatus").await.iter().map(super::Record::read).collect();
    let words: Vec<_> = events.iter().map(|event| (event.round_number, event.round_status)).collect();
    let round = |number| {
        [RoundStatus::Started, RoundStatus::CommandInputEnded, RoundStatus::Ended].map(|word| (number, word))
    };
    assert_eq!(words, [round(1), round(2)].concat());
    assert!(events.iter().all(|event| event.game_id == game));
    let rounds: BTreeSet<_> = events.iter().map(|event| (event.round_number, event.round_id)).collect();
    assert_eq!(rounds.len(), 2, "a round keeps its id");
}

#[tokio::test]
async fn the_trading_service_finds_five_headers_and_an_id_it_has_not_seen() {
    let (bench, ..) = whole_game().await;
    let mut ids = BTreeSet::new();
    for (channel, kind) in
        [("status", "game-status"), ("playerStatus", "player-status"), ("roundStatus", "round-status")]
    {
        for record in records(&bench, channel).await {
            assert_eq!((record.header("type"), record.header("version")), (kind, "1"));
            assert!(!record.header("timestamp").is_empty() && !record.header("transactionId").is_empty());
            assert!(ids.insert(record.header("eventId").to_owned()), "an id is its primary key");
            assert_eq!(record.headers.len(), 5);
        }
    }
}

#[tokio::test]
async fn the_trading_service_knows_a_game_before_its_rounds_and_starts_with_the_first() {
    let (bench, game, player) = whole_game().await;
    let records = records(&bench, "status,playerStatus,roundStatus").await;
    let kinds: Vec<_> = records.iter().map(|record| record.header("type")).collect();
    let round = ["round-status"; 6];
    assert_eq!(
        kinds,
        [&["game-status", "player-status", "game-status"][..], &round, &["game-status"]].concat()
    );

    let created: GameEvent = records[0].read();
    assert_eq!((created.game_id, created.status), (game, GameStatus::Created));
    let joined: PlayerEvent = records[1].read();
    assert_eq!((joined.player_id, &*joined.name), (player.0, "somebody"));
    let first: RoundEvent = records[3].read();
    assert_eq!((first.game_id, first.round_number), (game, 1));
    assert_eq!(first.round_status, RoundStatus::Started);
    let last: GameEvent = records[9].read();
    assert_eq!((last.game_id, last.status), (game, GameStatus::Ended));
}

#[tokio::test]
async fn an_account_is_opened_under_the_transaction_of_the_join() {
    let bench = Bench::msd_in_memory().await;
    let (_, token) = bench.register("ada").await;
    let game = bench.create(2, 2).await;
    let joined = bench.ask(put(format!("/games/{game}/players/{token}"))).await.is(200);
    let [record] = &records(&bench, "playerStatus").await[..] else { panic!("one event") };
    assert_eq!(joined["transactionId"], record.header("transactionId"));
}
