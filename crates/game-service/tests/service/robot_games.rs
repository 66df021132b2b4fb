//! Robots end with their game in the msd dialect: a robot acts in the game that ran when it was spawned, and in no other,
//! whoever told of it, whoever was evicted meanwhile, and however often the service was restarted.

use serde_json::json;
use starkeep_contract::Dialect;
use starkeep_test_harness::{Reply, post};
use uuid::Uuid;

use crate::harness::{Bench, Setup};

const EARLIER: &str = "robot-of-earlier-game";

/// Ada, who plays one game after the other.
struct Season {
    bench: Bench,
    ada: (Uuid, Uuid),
}

fn robot(number: u128) -> Uuid {
    Uuid::from_u128(0xb0_0000 + number)
}

impl Season {
    async fn new(dialect: Dialect) -> Self {
        let bench = Bench::with(Setup { dialect, ..Setup::default() }).await;
        let ada = bench.register("ada").await;
        Self { bench, ada }
    }

    /// Starts a game with Ada, half a second after a full one.
    async fn start(&self) -> Uuid {
        let game = self.create().await;
        self.bench.start(game).await.is(201);
        game
    }

    async fn create(&self) -> Uuid {
        let game = self.bench.create(9, 2).await;
        self.bench.put_in(game, self.ada.1).await.is(200);
        game
    }

    async fn command(&self, robot: Uuid) -> Reply {
        let body = json!({"playerToken": self.ada.1, "robotId": robot, "commandType": "mining", "commandObject": {}});
        self.bench.ask(post("/commands").json(&body)).await
    }

    /// Whether each of these robots acts in the running game; also after a restart.
    async fn act(&mut self, robots: &[(Uuid, bool)]) {
        for _ in 0..2 {
            for (robot, acts) in robots {
                let reply = self.command(*robot).await;
                if *acts {
                    reply.is(201);
                } else {
                    let detail = reply.refused(403, EARLIER, None);
                    assert_eq!(detail, format!("{robot} is a robot of an earlier game"));
                }
            }
            self.bench.compare_replica().await;
            self.bench.restart().await;
        }
    }
}

#[tokio::test]
async fn a_robot_acts_in_the_game_that_its_record_names_and_in_no_other() {
    let mut it = Season::new(Dialect::Msd).await;
    it.bench.advance(2_500).await;
    let first = it.start().await;
    for (number, time) in [
        // The second of the start.
        (1, "2026-01-01T00:00:02Z"),
        (2, "2026-01-01T00:00:03+0000"),
        (3, "2026-01-01T01:00:03+01:00"),
        (4, "2026-01-01T00:00:01Z"),
        (5, "2025-12-31T23:59:59Z"),
    ] {
        it.bench.hear_spawned(robot(number), it.ada.0, Some(time)).await;
    }
    it.act(&[1, 2, 3, 4, 5].map(|number| (robot(number), number <= 3))).await;

    it.bench.end(first).await.is(201);
    it.bench.advance(2_000).await;
    // No game runs, and its record was late: whichever game it means has ended.
    it.bench.hear_spawned(robot(6), it.ada.0, Some("2026-01-01T00:00:03Z")).await;
    it.bench.hear_spawned(robot(7), it.ada.0, Some("2026-01-01T00:00:04Z")).await;
    it.start().await;
    it.bench.hear_spawned(robot(8), it.ada.0, Some("2026-01-01T00:00:03Z")).await;
    it.bench.hear_spawned(robot(9), it.ada.0, Some("2026-01-01T00:00:04Z")).await;
    it.act(&[1, 2, 3, 4, 5, 6, 7, 8, 9].map(|number| (robot(number), number == 9))).await;
}

#[tokio::test]
async fn a_robot_that_nothing_dates_acts_in_the_running_game_or_in_the_next_to_start() {
    let mut it = Season::new(Dialect::Msd).await;
    it.bench.spawn(robot(1), it.ada.0).await;
    let cancelled = it.create().await;
    it.bench.hear_spawned(robot(2), it.ada.0, None).await;
    it.bench.end(cancelled).await.is(201);
    it.bench.hear_spawned(robot(3), it.ada.0, Some("yesterday")).await;
    it.bench.restart().await;

    let first = it.start().await;
    it.bench.spawn(robot(4), it.ada.0).await;
    it.act(&[1, 2, 3, 4].map(|number| (robot(number), true))).await;
    it.bench.end(first).await.is(201);
    it.bench.spawn(robot(5), it.ada.0).await;
    let second = it.start().await;
    // Telling it again changes nothing.
    it.bench.spawn(robot(1), it.ada.0).await;
    it.act(&[1, 2, 3, 4, 5].map(|number| (robot(number), number == 5))).await;
    it.bench.end(second).await.is(201);
    it.start().await;
    it.act(&[(robot(5), false)]).await;
}

#[tokio::test]
async fn a_record_corrects_what_was_assumed_before_it_came() {
    let mut it = Season::new(Dialect::Msd).await;
    let first = it.start().await;
    it.bench.end(first).await.is(201);
    it.bench.advance(2_000).await;
    it.start().await;
    it.bench.spawn(robot(1), it.ada.0).await;
    it.act(&[(robot(1), true)]).await;
    it.bench.hear_spawned(robot(1), it.ada.0, Some("2026-01-01T00:00:00Z")).await;
    it.act(&[(robot(1), false)]).await;
}

#[tokio::test]
async fn in_the_standard_dialect_a_robot_acts_in_every_game_of_its_player() {
    let it = Season::new(Dialect::Standard).await;
    it.bench.spawn(robot(1), it.ada.0).await;
    let first = it.start().await;
    it.bench.spawn(robot(2), it.ada.0).await;
    it.bench.hear_spawned(robot(3), it.ada.0, Some("2025-12-31T23:59:59Z")).await;
    for number in 1..=3 {
        it.command(robot(number)).await.is(201);
    }
    it.bench.end(first).await.is(201);
    it.start().await;
    for number in 1..=3 {
        it.command(robot(number)).await.is(201);
    }
}

#[tokio::test]
async fn robots_that_were_known_before_they_had_games_act_in_every_game() {
    let mut it = Season::new(Dialect::Standard).await;
    it.bench.spawn(robot(1), it.ada.0).await;
    let first = it.start().await;
    it.bench.restart_with(Setup { dialect: Dialect::Msd, ..Setup::default() }).await;
    it.command(robot(1)).await.is(201);
    it.bench.end(first).await.is(201);
    it.start().await;
    it.act(&[(robot(1), true)]).await;
}
