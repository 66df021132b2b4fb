//! Games that follow each other as fast as the answers come: the existing trading service, which forgets everything at a game's end,
//! has every player and every station of each game when that game ends.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};
use starkeep_test_broker::Broker;
use uuid::Uuid;

use crate::bot::{join, registered};
use crate::http::Caller;
use crate::scale::scale;
use crate::stack::{Stack, id};
use crate::stack_trading::Wiped;
use crate::two_services::{END, START, path};

const PLAYERS: u32 = 2;

/// A host, with players who join each of its games.
pub(crate) struct Host {
    game: Caller,
    tokens: Vec<String>,
    pub(crate) players: BTreeSet<Uuid>,
}

impl Host {
    pub(crate) async fn new(game: Caller) -> Self {
        let (mut tokens, mut players) = (Vec::new(), BTreeSet::new());
        for number in 0..PLAYERS {
            let (player, token) = registered(&game, number).await;
            players.insert(id(&player).unwrap());
            tokens.push(token);
        }
        Self { game, tokens, players }
    }

    /// A game that all have joined.
    pub(crate) async fn create(&self) -> Value {
        let new = json!({ "maxRounds": 5, "maxPlayers": PLAYERS, "duration": 600_000 });
        let game = self.game.post("/games", &new).await.expect(201)["gameId"].take();
        for token in &self.tokens {
            join(&self.game, &game, token).await;
        }
        game
    }

    pub(crate) async fn start(&self, game: &Value) {
        self.game.post(&path(game, START), &Value::Null).await.expect(201);
    }

    pub(crate) async fn end(&self, game: &Value) {
        self.game.post(&path(game, END), &Value::Null).await.expect(201);
    }

    /// What the trading service must have had of each game at its end.
    pub(crate) async fn complete(&self, broker: &Broker, games: &[Value]) -> Vec<Wiped> {
        let worlds = broker.records("gameworld-created").await;
        let worlds = worlds.iter().map(|world| serde_json::from_str::<Value>(&world.value).unwrap());
        let stations: BTreeMap<_, _> =
            worlds.map(|world| (id(&world["id"]), all(&world["spacestation_ids"]))).collect();
        let mut complete = Vec::new();
        for game in games {
            let shown = self.game.get(&path(game, "")).await.expect(200);
            let stations = stations[&id(&shown["gameworldId"])].clone();
            assert!(!stations.is_empty());
            complete.push(Wiped { game: id(game).unwrap(), players: self.players.clone(), stations });
        }
        complete
    }
}

fn all(ids: &Value) -> BTreeSet<Uuid> {
    ids.as_array().unwrap().iter().map(|value| id(value).unwrap()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn however_quickly_games_change_no_player_and_no_station_is_lost() {
    let Some(broker) = Broker::start().await else { return };
    let stack = Stack::start(&broker, 21).await;
    let home = tempfile::tempdir().unwrap();
    let program = stack.host(home.path().to_str().unwrap(), &[]).await;
    let host = Host::new(program.game()).await;
    let mut games = Vec::new();
    for _ in 0..=5 * scale() {
        let game = host.create().await;
        host.start(&game).await;
        host.end(&game).await;
        games.push(game);
    }
    let ended = |books: &crate::stack_trading::Books| books.wiped.len() == games.len();
    let had = stack.trading.await_books("the last game's end", ended).await.wiped;
    let complete = host.complete(&broker, &games).await;
    let differ = had.iter().zip(&complete).filter(|(had, complete)| had != complete).count();
    assert_eq!(had, complete, "{differ} of {} games", games.len());
}
