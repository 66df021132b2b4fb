//! The clients that exist, rebuilt from what they send and how strictly they read, against the dialect they know.
//! Each module is one client, or a few of a kind; here is what they have in common.

mod dashboard;
mod gamelog;
mod generic_player;
mod mae_player;
mod msdungeon;
mod older_players;
mod player_sharp;
mod robocop;
mod rustin;
mod services;

use std::collections::BTreeMap;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use starkeep_contract::Dialect;
use starkeep_test_harness::{Reply, get};
use uuid::Uuid;

use crate::harness::{Bench, Setup};
use crate::playing::Match;

/// Any other word is an error to all of them.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum GameStatus {
    Created,
    Started,
    Ended,
}

/// The same goes for these.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
enum RoundStatus {
    #[serde(rename = "started")]
    Started,
    #[serde(rename = "command input ended")]
    CommandInputEnded,
    #[serde(rename = "ended")]
    Ended,
}

/// What is read of the answer to a join and to a command.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Transaction {
    transaction_id: Uuid,
}

/// An event with its headers, as it is published.
#[derive(Deserialize)]
struct Record {
    headers: BTreeMap<String, String>,
    payload: Value,
}

impl Record {
    #[track_caller]
    fn header(&self, name: &str) -> &str {
        self.headers.get(name).unwrap_or_else(|| panic!("no header {name}: {:?}", self.headers))
    }

    #[track_caller]
    fn read<T: DeserializeOwned>(&self) -> T {
        T::deserialize(&self.payload).unwrap_or_else(|fault| panic!("{fault}: {}", self.payload))
    }
}

/// All that was published on a channel.
async fn records(bench: &Bench, channel: &str) -> Vec<Record> {
    #[derive(Deserialize)]
    struct Page {
        events: Vec<Record>,
    }
    let page = get(format!("/events?after=start&limit=1000&channels={channel}"));
    read::<Page>(&bench.ask(page.header("accept", "application/json")).await, 200).events
}

/// What a client makes of an answer that has the one code it looks for.
#[track_caller]
fn read<T: DeserializeOwned>(reply: &Reply, code: u16) -> T {
    assert_eq!(reply.status, code, "{reply:?}");
    assert_eq!(reply.header("content-type"), Some("application/json"));
    serde_json::from_slice(&reply.bytes).unwrap_or_else(|fault| panic!("{fault}: {reply:?}"))
}

/// A client's code for this is all that it looks at.
#[track_caller]
fn has_status(reply: &Reply, code: u16) {
    assert_eq!(reply.status, code, "{reply:?}");
}

/// Ada and Bob in a running game; Ada has a robot.
async fn running_match() -> Match {
    Match::with(Setup { dialect: Dialect::Msd, ..Setup::in_memory() }).await
}

/// A game of two rounds that one registered player joined and that came to its end.
async fn whole_game() -> (Bench, Uuid, (Uuid, Uuid)) {
    let bench = Bench::msd_in_memory().await;
    let player = bench.register("somebody").await;
    let game = bench.create(2, 2).await;
    bench.put_in(game, player.1).await.is(200);
    bench.start(game).await.is(201);
    for _ in 0..8 {
        bench.advance(1_000).await;
    }
    (bench, game, player)
}
