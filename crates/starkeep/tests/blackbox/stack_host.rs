//! A host of the existing stack, with players who join each of its games, and what the trading service must know of each of them.
//! How fast the games follow each other, and what goes wrong meanwhile, is the test's.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};
use starkeep_test_broker::Broker;
use starkeep_test_http::Caller;
use uuid::Uuid;

use crate::bot::{join, registered, start};
use crate::stack::{Stack, id};
use crate::stack_books::Wiped;
use crate::two_services::{END, START, path};

const PLAYERS: u32 = 2;

pub(crate) struct Host {
    game: Caller,
    tokens: Vec<String>,
    players: BTreeSet<Uuid>,
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
        start(&self.game, game).await;
    }

    /// Kafka is away; what is answered.
    pub(crate) async fn cannot_start(&self, game: &Value) -> Value {
        self.game.post(&path(game, START), &Value::Null).await.expect(503)
    }

    pub(crate) async fn end(&self, game: &Value) {
        self.game.post(&path(game, END), &Value::Null).await.expect(201);
    }

    /// The trading service had everything of each game at that game's end, and nothing else. All of them have ended.
    pub(crate) async fn assert_nothing_was_lost(&self, broker: &Broker, stack: &Stack, games: &[Value]) {
        let ended =
            stack.trading.await_books("the last game's end", |books| books.wiped.len() == games.len());
        let had = ended.await.wiped;
        let complete = self.complete(broker, games).await;
        let both = had.iter().zip(&complete);
        let lost = both.clone().filter(|(had, complete)| had.lacks(complete)).count();
        let first = both.clone().find(|(had, complete)| had != complete);
        assert_eq!(first, None, "something was lost in {lost} of {} games", games.len());
    }

    async fn complete(&self, broker: &Broker, games: &[Value]) -> Vec<Wiped> {
        let worlds = broker.records("gameworld-created").await;
        let worlds = worlds.iter().map(|world| serde_json::from_str::<Value>(&world.value).unwrap());
        let stations = |world: Value| (id(&world["id"]), all(&world["spacestation_ids"]));
        let stations: BTreeMap<_, _> = worlds.map(stations).collect();
        let mut complete = Vec::new();
        for game in games {
            let shown = self.game.get(&path(game, "")).await.expect(200);
            let stations = stations[&id(&shown["gameworldId"])].clone();
            assert!(!stations.is_empty(), "a world has stations");
            complete.push(Wiped { game: id(game).unwrap(), players: self.players.clone(), stations });
        }
        complete
    }
}

fn all(ids: &Value) -> BTreeSet<Uuid> {
    ids.as_array().unwrap().iter().map(|value| id(value).unwrap()).collect()
}
