//! Requests that share a commit: each is decided on what the ones before it left, as if they had come one by one.
//! The writer is kept in the commit before until all of them are waiting.

use std::pin::Pin;

use futures::FutureExt;
use serde_json::json;
use starkeep_game_core::{PlayerId, Robot, RobotGame, RobotId, RobotReport, Token};
use starkeep_platform::chance::Chance;
use starkeep_platform::idempotency::AnswerRecorder;
use starkeep_test_harness::{Reply, TestRequest, delete, get, patch, post, uuid_in};
use uuid::{Builder, Uuid};

use crate::harness::Bench;

type Work<'a, T> = Pin<Box<dyn Future<Output = T> + 'a>>;

impl Bench {
    /// All the requests in one commit, in their order.
    async fn in_one_commit(&self, requests: impl IntoIterator<Item = TestRequest>) -> Vec<Reply> {
        let requests: Vec<_> = requests.into_iter().map(|request| Box::pin(self.ask(request)) as _).collect();
        self.share_a_commit(requests).await
    }

    /// The same for use cases. Each hands its decision in when it is first polled.
    async fn share_a_commit<T>(&self, mut works: Vec<Work<'_, T>>) -> Vec<T> {
        let cancelled = self.create(5, 3).await;
        self.writer.hold();
        let mut before = Box::pin(self.end(cancelled));
        assert!(futures::poll!(&mut before).is_pending());
        self.writer.is_held().await;
        for work in &mut works {
            assert!(futures::poll!(work).is_pending());
            // A start hands its decision in from a task of its own.
            tokio::task::yield_now().await;
        }
        let commits = self.commits().await;
        self.writer.release();
        before.await.is(201);
        let outcomes = futures::future::join_all(works).await;
        assert_eq!(self.commits().await, commits + 2, "the one before, and one for all");
        outcomes
    }

    fn renewal(&self, old: Uuid) -> Work<'_, Result<(), String>> {
        let renewed = self.service().app().renew_token(Token(old), AnswerRecorder::none());
        Box::pin(renewed.map(|renewed| renewed.map(drop).map_err(|failure| format!("{failure:?}"))))
    }

    fn robot_report(&self, report: RobotReport) -> Work<'_, Result<Robot, String>> {
        let recorded = self.service().app().record_robot_report(report);
        Box::pin(recorded.map(|recorded| recorded.map_err(|failure| format!("{failure:?}"))))
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

#[tokio::test]
async fn of_those_who_register_in_one_commit_the_first_gets_the_name_and_the_mail_address() {
    let bench = Bench::new().await;
    let register = |name: &str, mail: &str| post("/players").json(&json!({"name": name, "email": mail}));
    let wishes = [("ada", "a@x"), ("ADA", "b@x"), ("bob", "A@X"), ("bob", "b@x")];
    let replies = bench.in_one_commit(wishes.map(|(name, mail)| register(name, mail))).await;
    assert_eq!(statuses(&replies), [201, 409, 409, 201]);
    bench.compare_replica().await;
}

#[tokio::test]
async fn a_token_that_is_renewed_in_the_commit_of_a_join_is_worth_nothing_in_it_or_after_it() {
    let mut bench = Bench::new().await;
    let (ada, old) = bench.register("ada").await;
    let game = bench.create(5, 3).await;
    let works: Vec<Work<'_, _>> =
        vec![bench.renewal(old), Box::pin(bench.try_join(game, ada)), bench.renewal(old)];
    let outcomes = bench.share_a_commit(works).await;
    assert_eq!(outcomes.iter().map(Result::is_ok).collect::<Vec<_>>(), [true, true, false]);
    for _ in 0..2 {
        bench.compare_replica().await;
        bench.put_in(game, old).await.refused(404, "unknown-player", None);
        let found = bench.ask(get("/players?name=ada&mail=ada@example.org")).await.is(200);
        let new = uuid_in(&found, "bearerToken");
        bench.put_in(game, new).await.refused(409, "already-participating", None);
        bench.restart().await;
    }
}

#[tokio::test]
async fn somebody_who_registers_and_joins_in_one_commit_plays() {
    let bench = Bench::new().await;
    let game = bench.create(5, 3).await;
    let app = bench.service().app();
    let register = app.register("ada".to_owned(), "ada@example.org".to_owned(), None, AnswerRecorder::none());
    let join = async {
        // The id of the player has the time, and was drawn last.
        let [_, _, _, _, _, _, drawn @ ..] = (bench.chance.uuid().as_u128() - 1).to_be_bytes();
        let millis = bench.wall().as_millisecond().unsigned_abs();
        bench.try_join(game, Builder::from_unix_timestamp_millis(millis, &drawn).into_uuid()).await
    };
    let register = register.map(|player| player.map(drop).map_err(|failure| format!("{failure:?}")));
    let outcomes = bench.share_a_commit(vec![Box::pin(register) as Work<'_, _>, Box::pin(join)]).await;
    assert_eq!(outcomes, [Ok(()), Ok(())]);
    let shown = bench.ask(get(format!("/games/{game}/participatingPlayers"))).await.is(200);
    assert_eq!(shown["_embedded"]["players"][0]["userName"], "ada");
    assert_eq!(starkeep_game_service::testing::residents(bench.service()), (1, 0));
    bench.compare_replica().await;
}

#[tokio::test]
async fn reports_of_one_robot_in_one_commit_add_up() {
    let mut bench = Bench::new().await;
    let robots @ [one, other] = [1, 2].map(|number| RobotId(Uuid::from_u128(number)));
    let owner = PlayerId(bench.register("ada").await.0);
    let spawned = |robot| bench.robot_report(RobotReport::Spawned { robot, owner, at: None });
    let outcomes = bench.share_a_commit(robots.map(spawned).into()).await;
    assert_eq!(
        outcomes,
        [
            Ok(Robot { owner: Some(owner), alive: true, game: RobotGame::Any }),
            Ok(Robot { owner: Some(owner), alive: true, game: RobotGame::Any })
        ]
    );
    let stolen = RobotReport::Spawned { robot: other, owner: PlayerId(Uuid::nil()), at: None };
    let reports =
        [RobotReport::Destroyed { robot: one }, RobotReport::Spawned { robot: one, owner, at: None }, stolen];
    let outcomes = bench.share_a_commit(reports.map(|report| bench.robot_report(report)).into()).await;
    assert_eq!(
        outcomes[..2],
        [
            Ok(Robot { owner: Some(owner), alive: false, game: RobotGame::Any }),
            Ok(Robot { owner: Some(owner), alive: false, game: RobotGame::Any })
        ]
    );
    assert!(outcomes[2].is_err());
    bench.compare_replica().await;
    bench.restart().await;
    bench.compare_replica().await;
}
