//! `GET /games/{gameId}/players`: what is counted of each player, in which round, and that nobody learns more than counts.

use serde_json::{Value, json};
use starkeep_contract::Dialect;
use starkeep_test_harness::{delete, get, post};
use uuid::Uuid;

use crate::harness::{Bench, Setup};
use crate::playing::Match;

impl Match {
    /// `ready`, `commands`, `refused` and `late` of Ada and Bob.
    async fn counts(&self) -> Vec<Value> {
        let players = self.bench.ask(get(format!("/games/{}/players", self.game))).await.is(200);
        let row = |player: &Value| {
            json!([player["name"], player["ready"], player["commands"], player["refused"], player["late"]])
        };
        players.as_array().expect("a list").iter().map(row).collect()
    }

    async fn mine_as(&self, token: Uuid) -> u16 {
        let mut body = self.of_ada("mining", &json!({}));
        body["playerToken"] = json!(token);
        self.bench.ask(post("/commands").json(&body)).await.status
    }
}

#[tokio::test]
async fn commands_refusals_and_readiness_are_counted_in_the_open_round() {
    for dialect in [Dialect::Standard, Dialect::Msd] {
        let it = Match::with(Setup { dialect, ..Setup::in_memory() }).await;
        assert_eq!(it.counts().await, [json!(["ada", false, 0, 0, 0]), json!(["bob", false, 0, 0, 0])]);
        // The last command for a robot wins; purchases all count.
        it.ada_sends("mining", json!({})).await;
        it.ada_sends("mining", json!({})).await;
        it.ada_sends("buying", json!({"itemName": "ROBOT"})).await;
        // It is another player's robot.
        let refused = if dialect == Dialect::Msd { 403 } else { 409 };
        assert_eq!(it.mine_as(it.bob.1).await, refused);
        // Nobody knows who sent this, and this is no command.
        assert!(it.mine_as(Uuid::from_u128(1)).await >= 401);
        let strange = json!({"playerToken": it.ada.1, "type": "flying"});
        it.bench.ask(post("/commands").json(&strange)).await.refused(422, "invalid-field", Some("type"));
        it.bench.ready(it.game, it.bob.1).await.is(200);
        assert_eq!(it.counts().await, [json!(["ada", false, 2, 0, 0]), json!(["bob", true, 0, 1, 0])]);

        it.bench.advance(3_000).await;
        assert_eq!(it.mine_as(it.ada.1).await, refused);
        assert_eq!(it.mine_as(it.ada.1).await, refused);
        assert_eq!(it.counts().await, [json!(["ada", false, 2, 0, 2]), json!(["bob", true, 0, 1, 0])]);

        it.bench.advance(1_000).await;
        assert_eq!(it.counts().await, [json!(["ada", false, 0, 0, 0]), json!(["bob", false, 0, 0, 0])]);
        assert_eq!(it.mine_as(it.bob.1).await, refused);
        assert_eq!(it.counts().await[1], json!(["bob", false, 0, 1, 0]));
        it.ada_sends("mining", json!({})).await;
        it.bench.end(it.game).await.is(201);
        assert_eq!(it.mine_as(it.bob.1).await, refused);
        assert_eq!(it.counts().await, [json!(["ada", false, 0, 0, 0]), json!(["bob", false, 0, 0, 0])]);
    }
}

#[tokio::test]
async fn each_command_of_a_batch_is_counted_by_itself_and_a_repeated_request_is_not() {
    let it = Match::new().await;
    let foreign = json!({"type": "mining", "data": {"robotId": it.robot}, "playerToken": it.bob.1});
    let body = json!([it.of_ada("mining", &json!({})), foreign, foreign, 7]);
    for _ in 0..2 {
        it.bench.ask(post("/commands/batch").json(&body).undocumented().key("1")).await.is(200);
    }
    assert_eq!(it.counts().await, [json!(["ada", false, 1, 0, 0]), json!(["bob", false, 0, 2, 0])]);
}

#[tokio::test]
async fn who_plays_is_listed_in_every_state_of_a_game_and_who_was_taken_out_is_not() {
    let mut it = Match::guarded("s3cret").await;
    let out = delete(format!("/games/{}/players/{}", it.game, it.ada.0)).bearer("s3cret");
    assert_eq!(it.bench.ask(out).await.status, 204);
    assert_eq!(it.mine_as(it.ada.1).await, 409);
    assert_eq!(it.counts().await, [json!(["bob", false, 0, 0, 0])]);
    it.bench.restart().await;
    assert_eq!(it.counts().await, [json!(["bob", false, 0, 0, 0])]);

    let bench = Bench::in_memory().await;
    let game = bench.create(3, 2).await;
    let players = || get(format!("/games/{game}/players"));
    assert_eq!(bench.ask(players()).await.is(200), json!([]));
    let (carol, token) = bench.register("carol").await;
    bench.put_in(game, token).await.is(200);
    let row =
        json!({"playerId": carol, "name": "carol", "ready": false, "commands": 0, "refused": 0, "late": 0});
    assert_eq!(bench.ask(players()).await.is(200), json!([row]));
    bench.ask(get(format!("/games/{}/players", Uuid::from_u128(9)))).await.refused(404, "unknown-game", None);
}
