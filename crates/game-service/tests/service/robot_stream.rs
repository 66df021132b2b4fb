//! Robots of a robot service that is one of ours: its events name their game, and they act in no other. A robot that is heard
//! of twice, also over Kafka or `PUT /robots`, is one robot, and a destroyed one stays destroyed.

use serde_json::{Value, json};
use starkeep_contract::events::{Channel, EventAbout, EventHeaders, Gap, GapReason, PublishedEvent};
use starkeep_contract::{Dialect, GameId};
use starkeep_game_service::{RobotStream, ServiceUrl};
use starkeep_http_client::Item;
use starkeep_test_harness::{EPOCH, Reply, post};
use uuid::Uuid;

use crate::harness::{Bench, Setup};

const ROBOT: Uuid = Uuid::from_u128(0xb0_0001);

/// Ada and Bob, and two running games of both.
struct TwoGames {
    bench: Bench,
    ada: (Uuid, Uuid),
    bob: (Uuid, Uuid),
    games: [Uuid; 2],
}

fn event(channel: Channel, game: Option<Uuid>, payload: Value) -> Item {
    let headers = EventHeaders {
        event_id: Uuid::nil(),
        transaction_id: String::new(),
        version: "1".to_owned(),
        timestamp: "2026-01-01T00:00:00Z".to_owned(),
        r#type: channel.event_type().name().to_owned(),
    };
    let about = EventAbout { game_id: game.map(GameId), ..EventAbout::default() };
    Item::Event(PublishedEvent { id: String::new(), channel, headers, payload, about })
}

fn spawned(owner: Uuid, game: Option<Uuid>) -> Item {
    let payload = json!({"robotId": ROBOT, "playerId": owner, "otherSeeableRobots": []});
    event(Channel::SpawnNotification, game, payload)
}

fn destroyed(owner: Uuid) -> Item {
    event(Channel::RobotDestroyed, None, json!({"robotId": ROBOT, "playerId": owner}))
}

impl TwoGames {
    async fn new(dialect: Dialect) -> Self {
        // The second one is created while the first is, which only the standard dialect allows.
        let setup = Setup { running_games: 2, ..Setup::default() };
        let mut bench = Bench::with(setup).await;
        let (ada, bob) = (bench.register("ada").await, bench.register("bob").await);
        let mut games = [Uuid::nil(); 2];
        for game in &mut games {
            *game = bench.create(9, 2).await;
            bench.put_in(*game, ada.1).await.is(200);
            bench.put_in(*game, bob.1).await.is(200);
            bench.start(*game).await.is(201);
        }
        bench.restart_with(Setup { dialect, ..setup }).await;
        Self { bench, ada, bob, games }
    }

    async fn hear(&self, item: Item, position: &str) {
        let url = ServiceUrl::parse("http://127.0.0.1:1").expect("an address");
        let stream = RobotStream::new(self.bench.service().app().clone(), url);
        stream.record(EPOCH, &[item], position.to_owned()).await.expect("it is recorded");
    }

    async fn command(&self, game: Uuid) -> Reply {
        let body = json!({"gameId": game, "playerToken": self.ada.1, "robotId": ROBOT, "commandType": "mining",
                          "commandObject": {}});
        self.bench.ask(post("/commands").json(&body)).await
    }

    /// It acts in the first game and not in the second, also after a restart.
    async fn acts_in_the_first_only(&mut self, conflict: u16) {
        for _ in 0..2 {
            self.command(self.games[0]).await.is(201);
            let detail = self.command(self.games[1]).await.refused(conflict, "robot-of-earlier-game", None);
            assert_eq!(detail, format!("robot {ROBOT} belongs to game {}", self.games[0]));
            self.bench.compare_replica().await;
            self.bench.restart().await;
        }
    }
}

#[tokio::test]
async fn a_robot_acts_in_the_game_that_its_own_service_names_in_every_dialect() {
    for (dialect, conflict) in [(Dialect::Standard, 409), (Dialect::Msd, 403)] {
        let mut it = TwoGames::new(dialect).await;
        it.hear(spawned(it.ada.0, Some(it.games[0])), "1").await;
        it.acts_in_the_first_only(conflict).await;
        assert_eq!(it.bench.consumed("robot-service"), 2, "the next is after the first");
    }
}

#[tokio::test]
async fn whoever_else_tells_of_it_before_or_after_it_is_one_robot() {
    for dialect in [Dialect::Standard, Dialect::Msd] {
        for told_before in [true, false] {
            let mut it = TwoGames::new(dialect).await;
            if told_before {
                it.bench.spawn(ROBOT, it.ada.0).await;
                it.bench.hear_spawned(ROBOT, it.ada.0, Some("2026-01-01T00:00:00Z")).await;
            }
            it.hear(spawned(it.ada.0, Some(it.games[0])), "1").await;
            if !told_before {
                it.bench.hear_spawned(ROBOT, it.ada.0, Some("2026-01-01T00:00:00Z")).await;
                it.bench.spawn(ROBOT, it.ada.0).await;
            }
            it.acts_in_the_first_only(if dialect == Dialect::Msd { 403 } else { 409 }).await;
            let metrics = it.bench.metrics().await;
            assert!(metrics.lines().any(|line| line == "starkeep_robots_alive 1"), "{metrics}");
        }
    }
}

#[tokio::test]
async fn a_destroyed_robot_stays_destroyed_whatever_comes_first() {
    for destroyed_first in [true, false] {
        let mut it = TwoGames::new(Dialect::Standard).await;
        let items = [destroyed(it.ada.0), spawned(it.ada.0, Some(it.games[0]))];
        let items = if destroyed_first {
            items
        } else {
            let [a, b] = items;
            [b, a]
        };
        for item in items {
            it.hear(item, "1").await;
        }
        it.hear(spawned(it.ada.0, Some(it.games[0])), "2").await;
        it.bench.hear_spawned(ROBOT, it.ada.0, None).await;
        it.command(it.games[0]).await.refused(409, "robot-destroyed", None);
        it.bench.compare_replica().await;
        it.bench.restart().await;
        it.command(it.games[0]).await.refused(409, "robot-destroyed", None);
    }
}

#[tokio::test]
async fn gaps_and_what_cannot_be_read_or_contradicts_move_the_position_and_nothing_else() {
    let it = TwoGames::new(Dialect::Standard).await;
    it.hear(spawned(it.ada.0, Some(it.games[0])), "1").await;
    let gap = Gap { reason: GapReason::Epoch, resumes_after: "4".to_owned() };
    let other_channel = event(Channel::Movement, Some(it.games[1]), json!({}));
    for (item, position) in [
        (event(Channel::SpawnNotification, None, json!({"robotId": "x"})), "2"),
        (spawned(it.bob.0, Some(it.games[1])), "3"),
        (Item::Gap(gap), "4"),
        (other_channel, "5"),
    ] {
        it.hear(item, position).await;
    }
    assert_eq!(it.bench.consumed("robot-service"), 6);
    it.command(it.games[0]).await.is(201);
    it.command(it.games[1]).await.refused(409, "robot-of-earlier-game", None);
    it.bench.compare_replica().await;
}
