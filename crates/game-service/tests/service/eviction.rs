//! Players and robots in memory: who plays stays there with its living robots, and all others are found in the database.
//! On both stores, and over restarts where there is a file.

use std::task::Poll;

use serde_json::{Value, json};
use starkeep_game_service::testing::residents;
use starkeep_test_harness::{Reply, StoreKind, TestRequest, delete, get, post, put, uuid_in};
use uuid::Uuid;

use crate::harness::{Bench, Setup};
use crate::playing::Match;

const STORES: [StoreKind; 2] = [StoreKind::Sqlite, StoreKind::Memory];

impl Bench {
    /// So many players and robots are in memory, and so many robots live; in the next process, too.
    async fn has_in_memory(&mut self, players: usize, robots: usize, living: usize) {
        for restarted in [false, true] {
            if restarted && self.is_in_memory() {
                return;
            }
            if restarted {
                self.restart().await;
                self.compare_replica().await;
            }
            assert_eq!(residents(self.service()), (players, robots), "restarted: {restarted}");
            let metrics = self.metrics().await;
            let line = format!("starkeep_robots_alive {living}");
            assert!(metrics.lines().any(|shown| shown == line), "restarted: {restarted}, not {line}");
        }
    }

    /// Somebody who has registered under this name is found by everything.
    async fn finds(&self, name: &str, (id, token): (Uuid, Uuid)) {
        let shown = self.ask(get(format!("/players/{id}"))).await.is(200);
        assert_eq!(shown, json!({"playerId": id, "name": name}));
        let itself = get(format!("/players?name={name}&mail={name}@example.org"));
        assert_eq!(uuid_in(&self.ask(itself).await.is(200), "bearerToken"), token);
        // A token that nobody has would be refused first.
        let nothing = get(format!("/commands/{}", Uuid::nil())).bearer(&token.to_string());
        self.ask(nothing).await.refused(404, "unknown-command", None);
    }

    async fn renew(&self, player: Uuid, token: Uuid) -> Uuid {
        let renew = post(format!("/players/{player}/token")).bearer(&token.to_string());
        uuid_in(&self.ask(renew).await.is(201), "bearerToken")
    }
}

fn robot(number: u128) -> Uuid {
    Uuid::from_u128(0xb0_0000 + number)
}

#[tokio::test]
async fn many_who_register_are_not_in_memory_and_each_is_found() {
    for store in STORES {
        let mut bench = Bench::with(Setup { store, ..Setup::default() }).await;
        let mut players = Vec::new();
        for number in 0..1000 {
            let name = format!("player-{number}");
            let player = bench.register(&name).await;
            players.push((name, player));
        }
        bench.has_in_memory(0, 0, 0).await;
        for (name, player) in players {
            bench.finds(&name, player).await;
        }
        bench.has_in_memory(0, 0, 0).await;
    }
}

#[tokio::test]
async fn a_player_is_in_memory_while_it_plays_and_its_living_robots_with_it() {
    for store in STORES {
        let mut bench = Bench::with(Setup { store, ..Setup::default() }).await;
        let (ada, token) = bench.register("ada").await;
        for number in 1..=2 {
            bench.spawn(robot(number), ada).await;
        }
        bench.spawn(robot(3), bench.register("bob").await.0).await;
        bench.has_in_memory(0, 0, 3).await;
        let [running, open] = [bench.create(3, 1).await, bench.create(3, 2).await];
        bench.put_in(running, token).await.is(200);
        bench.has_in_memory(1, 2, 3).await;
        bench.put_in(open, token).await.is(200);
        bench.start(running).await.is(201);
        assert_eq!(bench.ask(delete(format!("/robots/{}", robot(1)))).await.status, 204);
        bench.has_in_memory(1, 1, 2).await;
        bench.spawn(robot(4), ada).await;
        bench.has_in_memory(1, 2, 3).await;

        bench.end(running).await.is(201);
        bench.has_in_memory(1, 2, 3).await;
        assert_eq!(bench.ask(delete(format!("/games/{open}/players/{token}"))).await.status, 204);
        bench.has_in_memory(0, 0, 3).await;
        bench.put_in(open, token).await.is(200);
        bench.has_in_memory(1, 2, 3).await;
        bench.end(open).await.is(201);
        bench.has_in_memory(0, 0, 3).await;
        for game in [running, open] {
            let shown = bench.ask(get(format!("/games/{game}/participatingPlayers"))).await.is(200);
            assert_eq!(shown["_embedded"]["players"][0]["userName"], "ada", "{shown}");
            assert_eq!(bench.ask(delete(format!("/games/{game}"))).await.status, 204);
        }
        bench.has_in_memory(0, 0, 3).await;
        bench.finds("ada", (ada, token)).await;
    }
}

#[tokio::test]
async fn who_is_not_in_memory_keeps_its_name_and_gets_a_new_token() {
    for store in STORES {
        let mut bench = Bench::with(Setup { store, ..Setup::default() }).await;
        let (ada, old) = bench.register("ada").await;
        let new = bench.renew(ada, old).await;
        for _ in 0..2 {
            let stale = post(format!("/players/{ada}/token")).bearer(&old.to_string());
            bench.ask(stale).await.refused(401, "unknown-token", None);
            bench.ask(post(format!("/players/{old}/token"))).await.refused(404, "unknown-player", None);
            bench.finds("ada", (ada, new)).await;
            let twin = |name: &str, mail: &str| post("/players").json(&json!({"name": name, "email": mail}));
            bench.ask(twin("ADA", "x@example.org")).await.refused(409, "name-taken", None);
            bench.ask(twin("x", "Ada@Example.org")).await.refused(409, "mail-taken", None);
            bench.has_in_memory(0, 0, 0).await;
        }
        let game = bench.create(3, 1).await;
        bench.put_in(game, old).await.refused(404, "unknown-player", None);
        bench.put_in(game, new).await.is(200);
        let newest = bench.renew(ada, new).await;
        bench.has_in_memory(1, 0, 0).await;
        bench.ready(game, new).await.refused(404, "unknown-player", None);
        bench.finds("ada", (ada, newest)).await;
    }
}

/// A match in which one of Ada's robots is dead, and Carol, who does not play, has a robot.
async fn with_robots_out_of_memory(setup: Setup) -> Match {
    let it = Match::with(setup).await;
    let carol = it.bench.register("carol").await.0;
    it.bench.spawn(robot(1), it.ada.0).await;
    assert_eq!(it.bench.ask(delete(format!("/robots/{}", robot(1)))).await.status, 204);
    it.bench.spawn(robot(2), carol).await;
    assert_eq!(residents(it.bench.service()), (2, 1));
    it
}

fn command_for(it: &Match, robot: Uuid) -> Value {
    let mut body = it.of_ada("mining", &json!({}));
    body["robotId"] = json!(robot);
    body
}

/// Asks, and is answered at once, whatever the clock does.
async fn at_once(it: &Match, ask: TestRequest) -> Reply {
    match futures::poll!(Box::pin(it.bench.ask(ask))) {
        Poll::Ready(reply) => reply,
        Poll::Pending => panic!("it waits for a robot that will not be reported"),
    }
}

#[tokio::test]
async fn a_command_for_a_robot_that_is_dead_or_foreign_waits_for_nothing() {
    let it = with_robots_out_of_memory(Setup::in_memory()).await;
    let send = |number| post("/commands").json(&command_for(&it, robot(number)));
    at_once(&it, send(1)).await.refused(409, "robot-destroyed", None);
    at_once(&it, send(2)).await.refused(409, "foreign-robot", None);
    let all = [it.robot, robot(1), robot(2)].map(|robot| command_for(&it, robot));
    let answers = at_once(&it, post("/commands/batch").json(&json!(all))).await.is(200);
    let statuses: Vec<_> = answers.as_array().expect("a list").iter().map(|one| &one["status"]).collect();
    assert_eq!(statuses, [201, 409, 409]);

    let mut it = with_robots_out_of_memory(Setup::default()).await;
    for _ in 0..2 {
        // Nobody moves the clock, so that whatever waited would do so for ever.
        for (number, code) in [(1, "robot-destroyed"), (2, "foreign-robot")] {
            let body = command_for(&it, robot(number));
            it.bench.ask(post("/commands").json(&body)).await.refused(409, code, None);
        }
        it.bench.restart().await;
    }
}

#[tokio::test]
async fn who_plays_is_known_without_the_database() {
    let it = Match::new().await;
    let (carol, token) = it.bench.register("carol").await;
    let hide = "ALTER TABLE player RENAME TO hidden_player; ALTER TABLE robot RENAME TO hidden_robot";
    it.bench.database().execute_batch(hide).expect("the tables are hidden");
    it.ada_sends("mining", json!({})).await;
    let body = json!({"playerId": it.ada.0, "type": "mining", "data": {"robotId": it.robot}});
    let bearer = it.ada.1.to_string();
    it.bench.ask(post("/commands").json(&body).bearer(&bearer)).await.is(201);
    it.bench.ask(post("/commands/batch").json(&json!([body])).bearer(&bearer)).await.is(200);
    it.bench.ready(it.game, it.ada.1).await.is(200);
    assert_eq!(it.seen_by_ada(1).await.len(), 1);
    it.bench.finds("ada", it.ada).await;
    it.bench.ask(get(format!("/games/{}/participatingPlayers", it.game))).await.is(200);

    let theirs = json!({"playerToken": token, "type": "mining", "data": {"robotId": it.robot}});
    for ask in [
        get(format!("/players/{carol}")),
        get("/players?name=carol&mail=carol@example.org"),
        get(format!("/commands/{}", Uuid::nil())).bearer(&token.to_string()),
        get(format!("/commands?gameId={}&roundNumber=1", it.game)).bearer(&token.to_string()),
        post("/commands").json(&theirs),
        post("/commands/batch").json(&json!([theirs])),
        post(format!("/players/{carol}/token")).bearer(&token.to_string()),
        post("/players").json(&json!({"name": "dora", "email": "dora@example.org"})),
        put(format!("/games/{}/players/{token}", it.game)),
    ] {
        let detail = it.bench.ask(ask).await.refused(503, "storage-unavailable", None);
        assert!(!detail.contains("hidden") && !detail.contains(&token.to_string()), "{detail}");
    }
}
