//! A match that is on: two players in a running game, one of whom has a robot.

use std::future::Future;
use std::time::Duration;

use serde_json::{Value, json};
use starkeep_test_harness::{get, post, uuid_in};
use uuid::Uuid;

use crate::harness::{Bench, Setup};

/// Ada and Bob in a running game of nine rounds of 4 s; Ada has a robot.
pub(crate) struct Match {
    pub(crate) bench: Bench,
    pub(crate) game: Uuid,
    pub(crate) ada: (Uuid, Uuid),
    pub(crate) bob: (Uuid, Uuid),
    pub(crate) robot: Uuid,
}

impl Match {
    pub(crate) async fn new() -> Self {
        Self::with(Setup::default()).await
    }

    pub(crate) async fn in_memory() -> Self {
        Self::with(Setup::in_memory()).await
    }

    /// With an admin token.
    pub(crate) async fn guarded(token: &'static str) -> Self {
        let mut it = Self::new().await;
        it.bench.restart_with(Setup { token: Some(token), ..Setup::default() }).await;
        it
    }

    pub(crate) async fn with(setup: Setup) -> Self {
        let bench = Bench::with(setup).await;
        let (ada, bob) = (bench.register("ada").await, bench.register("bob").await);
        let game = bench.create(9, 2).await;
        bench.put_in(game, ada.1).await.is(200);
        bench.put_in(game, bob.1).await.is(200);
        bench.start(game).await.is(201);
        let robot = Uuid::from_u128(0x70);
        bench.spawn(robot, ada.0).await;
        Self { bench, game, ada, bob, robot }
    }

    /// Ada's command in the older shape.
    pub(crate) fn of_ada(&self, kind: &str, object: &Value) -> Value {
        json!({"gameId": self.game, "playerToken": self.ada.1, "robotId": self.robot, "commandType": kind,
               "commandObject": object})
    }

    /// Its transaction's id.
    pub(crate) async fn ada_sends(&self, kind: &str, object: Value) -> Uuid {
        let reply = self.bench.ask(post("/commands").json(&self.of_ada(kind, &object))).await;
        uuid_in(&reply.is(201), "transactionId")
    }

    /// The same for another robot.
    pub(crate) async fn send_for(&self, robot: Uuid, kind: &str, object: Value) -> Uuid {
        let mut body = self.of_ada(kind, &object);
        body["robotId"] = json!(robot);
        uuid_in(&self.bench.ask(post("/commands").json(&body)).await.is(201), "transactionId")
    }

    /// What the receipts of Ada's commands say.
    pub(crate) async fn states(&self, commands: &[Uuid]) -> Vec<String> {
        let mut states = Vec::new();
        for id in commands {
            let ask = get(format!("/commands/{id}")).bearer(&self.ada.1.to_string());
            let state = self.bench.ask(ask).await.is(200)["state"].clone();
            states.push(state.as_str().expect("a word").to_owned());
        }
        states
    }

    /// Lets something that waits for the clock come as far as it can without it.
    pub(crate) async fn settle(&self, waiting: &mut (impl Future + Unpin)) {
        // What it waits for beside the clock is the store, which answers what was asked before.
        for _ in 0..16 {
            assert!(futures::poll!(&mut *waiting).is_pending(), "it does not wait for the clock");
            self.ping().await;
        }
    }

    /// Whatever the store was asked before is answered after this.
    pub(crate) async fn ping(&self) {
        self.bench.spawn(Uuid::max(), self.bob.0).await;
    }

    /// Carries out what there is to carry out; time goes on while somebody waits for it.
    pub(crate) async fn execute(&self) {
        let mut executing = Box::pin(self.bench.dispatch());
        while futures::poll!(&mut executing).is_pending() {
            self.ping().await;
            self.bench.clock.advance(Duration::from_millis(50));
        }
    }

    /// The open round's commands as Ada sees them.
    pub(crate) async fn seen_by_ada(&self, round: u32) -> Vec<Value> {
        let path = format!("/commands?gameId={}&roundNumber={round}", self.game);
        let reply = self.bench.ask(get(path).bearer(&self.ada.1.to_string())).await.is(200);
        reply["commands"].as_array().expect("a list").clone()
    }
}
