//! Requests that share a commit: each is decided on what the ones before it left, as if they had come one by one.
//! The writer is kept in the commit before until all of them are waiting.

use std::pin::Pin;

use serde_json::json;
use starkeep_test_harness::{Reply, TestRequest, delete, patch, post};

use crate::harness::Bench;

impl Bench {
    /// All the requests in one commit, in their order.
    async fn in_one_commit(&self, requests: impl IntoIterator<Item = TestRequest>) -> Vec<Reply> {
        let cancelled = self.create(5, 3).await;
        self.writer.hold();
        let mut before = Box::pin(self.end(cancelled));
        assert!(futures::poll!(&mut before).is_pending());
        self.writer.is_held().await;

        let mut waiting: Vec<Pin<Box<dyn Future<Output = Reply>>>> = Vec::new();
        for request in requests {
            let mut reply: Pin<Box<dyn Future<Output = Reply>>> = Box::pin(self.ask(request));
            assert!(futures::poll!(&mut reply).is_pending());
            // A start hands its decision in from a task of its own.
            tokio::task::yield_now().await;
            waiting.push(reply);
        }
        let commits = self.commits().await;
        self.writer.release();
        before.await.is(201);
        let replies = futures::future::join_all(waiting).await;
        assert_eq!(self.commits().await, commits + 2, "the one before, and one for all");
        replies
    }

    pub(crate) async fn commits(&self) -> u64 {
        let text = self.metrics().await;
        let line = text.lines().find_map(|line| line.strip_prefix("starkeep_store_commits_total "));
        line.expect("a figure").parse().expect("a number")
    }
}

fn statuses(replies: &[Reply]) -> Vec<u16> {
    replies.iter().map(|reply| reply.status).collect()
}

#[tokio::test]
async fn a_game_that_is_deleted_in_a_commit_is_unknown_to_all_that_follows_in_it() {
    let bench = Bench::new().await;
    let game = bench.running(5).await;
    let end = || post(format!("/games/{game}/gameCommands/end"));
    let replies = bench
        .in_one_commit([
            end(),
            delete(format!("/games/{game}")),
            end(),
            patch(format!("/games/{game}/maxRounds")).json(&json!({"maxRounds": 7})),
            post(format!("/games/{game}/gameCommands/start")),
            delete(format!("/games/{game}")),
        ])
        .await;
    assert_eq!(statuses(&replies), [201, 204, 404, 404, 404, 404]);
    assert_eq!(bench.count(&format!("game WHERE id = x'{}'", game.simple())), 0);
    assert_eq!(bench.history(game).iter().filter(|word| *word == "ended").count(), 1);
    assert!(bench.games().await.iter().all(|shown| shown["gameId"] != json!(game)));
}

#[tokio::test]
async fn in_one_commit_a_game_may_end_and_another_take_its_place() {
    let mut bench = Bench::new().await;
    let game = bench.running(5).await;
    let next = bench.create(5, 1).await;
    bench.join(next).await;
    let start = || post(format!("/games/{next}/gameCommands/start"));
    let replies = bench
        .in_one_commit([start(), post(format!("/games/{game}/gameCommands/end")), start(), start()])
        .await;
    assert_eq!(statuses(&replies), [409, 201, 201, 409]);
    bench.restart().await;
    assert_eq!(bench.game(game).await["gameStatus"], "ended");
    assert_eq!(bench.game(next).await["gameStatus"], "running");
}

#[tokio::test]
async fn changes_of_one_game_in_one_commit_add_up() {
    let mut bench = Bench::new().await;
    let game = bench.create(5, 3).await;
    let rounds = |rounds| patch(format!("/games/{game}/maxRounds")).json(&json!({"maxRounds": rounds}));
    let replies = bench
        .in_one_commit([
            rounds(6),
            patch(format!("/games/{game}/duration")).json(&json!({"duration": 900})),
            rounds(0),
            rounds(8),
        ])
        .await;
    assert_eq!(statuses(&replies), [200, 200, 422, 200]);
    assert_eq!(replies[1].json()["maxRounds"], 6);
    let last = replies[3].json();
    assert_eq!((&last["maxRounds"], &last["roundLengthInMillis"]), (&json!(8), &json!(900)));
    bench.restart().await;
    assert_eq!(bench.game(game).await, last);
}
