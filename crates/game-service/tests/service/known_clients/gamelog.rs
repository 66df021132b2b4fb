//! gamelog, the scoreboard: at the start of a game it asks who plays, at the end of a round what was commanded.
//! An answer that it cannot read leaves the scoreboard without names, or without the round.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::Deserialize;
use serde_json::{Value, json};
use starkeep_test_harness::get;
use uuid::Uuid;

use super::{GameStatus, RoundStatus, read, records, running_match, whole_game};
use crate::harness::Bench;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct RoundCommands {
    round_id: Uuid,
    commands: Vec<ExecutedCommand>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ExecutedCommand {
    transaction_id: Uuid,
    game_id: Uuid,
    player_id: Uuid,
    robot_id: Option<Uuid>,
    command_type: String,
    command_object: BTreeMap<String, Option<Scalar>>,
}

/// It makes a text of everything but objects and lists, on which it fails.
#[derive(Debug, PartialEq, Deserialize)]
#[serde(try_from = "Value")]
struct Scalar(String);

impl TryFrom<Value> for Scalar {
    type Error = String;

    fn try_from(value: Value) -> Result<Self, String> {
        match value {
            Value::String(text) => Ok(Self(text)),
            Value::Object(_) | Value::Array(_) => Err(format!("no text: {value}")),
            plain => Ok(Self(plain.to_string())),
        }
    }
}

#[derive(Deserialize)]
struct GamePlayers {
    #[serde(rename = "_embedded")]
    embedded: Players,
}

#[derive(Deserialize)]
struct Players {
    players: Vec<Entry>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Entry {
    player_token: Option<Uuid>,
    user_name: String,
    mail_address: Option<String>,
    #[serde(rename = "_links")]
    links: Links,
}

#[derive(Deserialize)]
struct Links {
    #[serde(rename = "self")]
    itself: Link,
}

#[derive(Deserialize)]
struct Link {
    href: String,
}

impl Entry {
    /// There is no id in the body, so it cuts it off the address.
    fn id(&self) -> Uuid {
        let address: http::Uri = self.links.itself.href.parse().expect("an address");
        assert!(address.scheme().is_some() && address.host().is_some(), "{address}");
        let last = address.path().rsplit('/').next().expect("a segment");
        last.parse().expect("a player's id")
    }
}

async fn players(bench: &Bench, game: Uuid) -> Vec<Entry> {
    let ask = get(format!("/games/{game}/participatingPlayers")).header("host", "game:8080");
    read::<GamePlayers>(&bench.ask(ask.header("accept", "*/*")).await, 200).embedded.players
}

#[tokio::test]
async fn it_learns_who_plays_by_name_and_id_and_no_secret_with_it() {
    let it = running_match().await;
    let players = players(&it.bench, it.game).await;
    let known: Vec<_> = players.iter().map(|player| (&*player.user_name, player.id())).collect();
    assert_eq!(known, [("ada", it.ada.0), ("bob", it.bob.0)]);
    assert!(players.iter().all(|player| player.player_token.is_none() && player.mail_address.is_none()));
}

#[tokio::test]
async fn a_game_that_nobody_plays_has_a_list_of_players_too() {
    let bench = Bench::msd_in_memory().await;
    let game = bench.create(2, 2).await;
    bench.start(game).await.is(201);
    assert!(players(&bench, game).await.is_empty());
}

#[tokio::test]
async fn when_a_round_has_ended_it_reads_what_was_commanded() {
    let it = running_match().await;
    let (planet, target) = (Uuid::from_u128(0x80), Uuid::from_u128(0x81));
    let mut sent = vec![(it.ada_sends("buying", json!({"itemName": "ROBOT"})).await, "buying", None)];
    for (number, (kind, object)) in [
        ("selling", json!({"itemName": "COAL", "itemQuantity": 5})),
        ("buying", json!({"itemName": "HEALTH", "planetId": planet})),
        ("movement", json!({"planetId": planet})),
        ("battle", json!({"targetId": target})),
        ("mining", json!({})),
        ("regeneration", json!({})),
    ]
    .into_iter()
    .enumerate()
    {
        let robot = Uuid::from_u128(0x100 + number as u128);
        it.bench.spawn(robot, it.ada.0).await;
        sent.push((it.send_for(robot, kind, object).await, kind, Some(robot)));
    }
    it.bench.advance(3_000).await;
    it.bench.advance(1_000).await;

    let rounds = records(&it.bench, "roundStatus").await;
    let ended =
        rounds.iter().find(|record| record.payload["roundStatus"] == "ended").expect("an ended round");
    let round = &ended.payload["roundNumber"];
    let path = format!("/commands?gameId={}&roundNumber={round}", it.game);
    let seen: RoundCommands = read(&it.bench.ask(get(path)).await, 200);
    assert_eq!(ended.payload["roundId"], json!(seen.round_id));
    assert!(seen.commands.iter().all(|seen| (seen.game_id, seen.player_id) == (it.game, it.ada.0)));
    for seen in &seen.commands {
        let kind = seen.command_object["commandType"].as_ref().map(|kind| &*kind.0);
        assert_eq!(kind, Some(&*seen.command_type));
    }
    let detail = |number: usize, name: &str| seen.commands[number].command_object[name].as_ref();
    assert_eq!(detail(0, "itemQuantity"), Some(&Scalar("1".to_owned())));
    assert_eq!(detail(2, "planetId"), Some(&Scalar(planet.to_string())));
    assert_eq!(detail(2, "targetId"), None);
    let seen: Vec<_> = seen
        .commands
        .iter()
        .map(|seen| (seen.transaction_id, seen.command_type.as_str(), seen.robot_id))
        .collect();
    assert_eq!(seen, sent);
}

#[tokio::test]
async fn it_reads_every_event_and_when_it_was() {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Event {
        status: Option<GameStatus>,
        round_status: Option<RoundStatus>,
        round_id: Option<Uuid>,
        player_id: Option<Uuid>,
        name: Option<String>,
    }
    let (bench, _, player) = whole_game().await;
    for (channel, many) in [("status", 3), ("playerStatus", 1), ("roundStatus", 6)] {
        let published = records(&bench, channel).await;
        assert_eq!(published.len(), many, "{channel}");
        for record in published {
            record.header("timestamp").parse::<Timestamp>().expect("a time in some zone");
            let it: Event = record.read();
            assert_eq!(it.status.is_some(), channel == "status");
            assert_eq!(it.player_id.zip(it.name.as_deref()).is_some(), channel == "playerStatus");
            assert!(it.player_id.is_none_or(|id| id == player.0));
            assert_eq!(it.round_status.zip(it.round_id).is_some(), channel == "roundStatus");
        }
    }
}
