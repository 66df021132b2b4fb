//! A replica that is given only the serialised changes comes to the same as the service; see also the random histories.
//! Here is what those leave out, and that games do not depend on each other.

use serde_json::json;
use starkeep_game_core::{GameId, PlayerId, RobotId, RobotReport};
use starkeep_test_harness::{EPOCH, delete, post, uuid_in};
use uuid::Uuid;

use crate::harness::Setup;
use crate::playing::Match;

impl Match {
    /// Ada's command in another game than that of the match.
    async fn ada_mines_in(&self, game: Uuid, robot: Uuid) -> Uuid {
        let mut body = self.of_ada("mining", &json!({}));
        body["gameId"] = json!(game);
        body["robotId"] = json!(robot);
        uuid_in(&self.bench.ask(post("/commands").json(&body)).await.is(201), "transactionId")
    }

    async fn second_game(&self) -> Uuid {
        let game = self.bench.create(9, 2).await;
        self.bench.put_in(game, self.ada.1).await.is(200);
        self.bench.put_in(game, self.bob.1).await.is(200);
        self.bench.start(game).await.is(201);
        game
    }

    fn places(&self, game: Uuid) -> String {
        let places = format!(
            "SELECT group_concat(place) FROM (SELECT place FROM command WHERE game_id = x'{}' ORDER BY place)",
            game.simple()
        );
        self.bench.database().query_row(&places, [], |row| row.get(0)).expect("places")
    }
}

#[tokio::test]
async fn a_replica_follows_what_the_histories_leave_out() {
    let mut it = Match::with(Setup { running_games: 2, ..Setup::default() }).await;
    let other = it.second_game().await;
    let app = it.bench.service().app().clone();
    let open = it.bench.create(5, 3).await;
    for token in [it.ada.1, it.bob.1] {
        it.bench.put_in(open, token).await.is(200);
    }
    app.leave(GameId(open), PlayerId(it.ada.0)).await.expect("ada leaves");
    let (robot, owner) = (RobotId(Uuid::from_u128(0x71)), PlayerId(it.ada.0));
    let reports = vec![RobotReport::Spawned { robot, owner, at: None }, RobotReport::Destroyed { robot }];
    let recorded = app.record_robot_reports(EPOCH, "spawn-notification", reports, "7".to_owned()).await;
    recorded.expect("reports are recorded");
    drop(app);
    it.ada_sends("mining", json!({})).await;
    it.ada_sends("regeneration", json!({})).await;
    it.ada_mines_in(other, it.robot).await;
    let renew = post(format!("/players/{}/token", it.ada.0)).bearer(&it.ada.1.to_string());
    it.ada.1 = uuid_in(&it.bench.ask(renew).await.is(201), "bearerToken");
    it.bench.compare_replica().await;
    it.bench.advance(3_000).await;
    it.bench.beat().await;
    it.bench.compare_replica().await;
    it.bench.end(it.game).await.is(201);
    it.bench.compare_replica().await;
    assert_eq!(it.bench.ask(delete(format!("/games/{}", it.game))).await.status, 204);
    it.bench.compare_replica().await;
    it.bench.restart().await;
    it.bench.compare_replica().await;
}

#[tokio::test]
async fn commands_are_counted_within_their_game_and_over_all_of_them() {
    let mut it = Match::with(Setup { running_games: 2, ..Setup::default() }).await;
    let other = it.second_game().await;
    for game in [it.game, other, other, it.game, it.game] {
        it.ada_mines_in(game, it.robot).await;
    }
    assert_eq!((it.places(it.game), it.places(other)), ("1,2,3".to_owned(), "1,2".to_owned()));
    it.bench.advance(3_000).await;
    it.bench.advance(1_000).await;
    it.bench.restart().await;
    it.ada_mines_in(other, it.robot).await;
    assert_eq!(it.places(other), "1,2,3", "the next round goes on counting, and so does the next process");
    it.bench.end(it.game).await.is(201);
    assert_eq!(it.bench.ask(delete(format!("/games/{}", it.game))).await.status, 204);
    it.bench.restart().await;
    let text = it.bench.metrics().await;
    assert!(text.lines().any(|line| line == "starkeep_commands_total 6"), "{text}");
}
