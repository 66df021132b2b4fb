//! A host takes a player out of a running game: the player does nothing more in it, and keeps all that it has there.
//! When a phase ends early because of it is tested in the core.

use serde_json::{Value, json};
use starkeep_game_service::ports::SeenByPlayer;
use starkeep_test_harness::{TestRequest, delete, get, patch, post, put};
use uuid::Uuid;

use crate::harness::Setup;
use crate::playing::Match;

const HOST: &str = "s3cret";

fn out(game: Uuid, player: Uuid) -> TestRequest {
    delete(format!("/games/{game}/players/{player}"))
}

impl Match {
    async fn take_out(&self, player: Uuid) {
        assert_eq!(self.bench.ask(out(self.game, player).bearer(HOST)).await.status, 204);
    }

    /// Whom the scoreboard and, while the game is active, the rosters show as left.
    async fn shown_as_left(&self) -> [Vec<Value>; 2] {
        let left = |rows: &Value| {
            let rows = rows.as_array().into_iter().flatten().filter(|row| row["left"] == true);
            rows.map(|row| row["playerId"].clone()).collect::<Vec<_>>()
        };
        let board = self.bench.ask(get(format!("/games/{}/scoreboard", self.game))).await.is(200);
        assert_eq!(board.as_array().map(Vec::len), Some(2), "every row stays");
        let rosters = self.bench.ask(get("/rosters").bearer(HOST)).await.is(200);
        [left(&board), left(&rosters["games"][0]["players"])]
    }

    async fn ada_plays(&self, more: Value) -> starkeep_test_harness::Reply {
        let mut body = self.of_ada("mining", &json!({}));
        body.as_object_mut().expect("an object").extend(more.as_object().expect("fields").clone());
        self.bench.ask(post("/commands").json(&body)).await
    }
}

#[tokio::test]
async fn who_is_taken_out_is_refused_and_what_was_accepted_is_carried_out() {
    let mut it = Match::guarded(HOST).await;
    let join = it.bench.events().into_iter().find(|event| event.payload["playerId"] == json!(it.ada.0));
    let join = join.expect("ada joined").transaction;
    let accepted = it.ada_sends("mining", json!({})).await;
    let ready = |token: Uuid| put(format!("/games/{}/players/{token}/ready", it.game));
    it.bench.ask(ready(it.ada.1)).await.is(200);
    let before = it.bench.events().len();
    it.take_out(it.ada.0).await;
    let told = it.bench.events().split_off(before);
    assert_eq!(told.len(), 1);
    let left = json!({"gameId": it.game, "change": "left", "playerId": it.ada.0, "gameworldId": null, "startMoney": null});
    assert_eq!((&*told[0].channel, &told[0].payload, told[0].transaction), ("gameRoster", &left, join));

    for is_restarted in [false, true] {
        if is_restarted {
            it.bench.restart().await;
        }
        let before = it.bench.whole_state().await;
        let detail = it.ada_plays(json!({})).await.refused(409, "not-participating", None);
        assert!(detail.contains("the host has taken player"), "{detail}");
        let detail = it.bench.ask(ready(it.ada.1)).await.refused(409, "not-participating", None);
        assert!(detail.contains("the host has taken player"), "{detail}");
        it.ada_plays(json!({"gameId": null})).await.refused(409, "no-running-game", None);
        let again = it.bench.ask(out(it.game, it.ada.0).bearer(HOST)).await;
        again.refused(409, "not-participating", None);
        it.bench.ask(out(it.game, it.ada.1)).await.refused(409, "game-not-created", None);
        it.bench.put_in(it.game, it.ada.1).await.refused(409, "game-not-created", None);
        assert_eq!(it.bench.whole_state().await, before);
        assert_eq!(it.shown_as_left().await, [vec![json!(it.ada.0)], vec![json!(it.ada.0)]]);
        assert_eq!(it.bench.game(it.game).await["participatingPlayers"], json!([it.ada.0, it.bob.0]));
        it.bench.compare_replica().await;
    }
    let view = get(format!("/games/{}/view", it.game)).bearer(&it.ada.1.to_string());
    it.bench.lookups.tells(Ok(SeenByPlayer { money: Some(7), prices: None, robots: None, planets: None }));
    assert_eq!(it.bench.ask(view).await.is(200)["money"], 7);

    it.bench.advance(3_000).await;
    it.execute().await;
    assert_eq!(it.states(&[accepted]).await, ["dispatched"]);
    it.bench.advance(1_000).await;
    it.ada_plays(json!({})).await.refused(409, "not-participating", None);
    let end = post(format!("/games/{}/gameCommands/end", it.game)).bearer(HOST);
    it.bench.ask(end).await.is(201);
    for is_restarted in [false, true] {
        if is_restarted {
            it.bench.restart().await;
        }
        assert_eq!(it.shown_as_left().await[0], [json!(it.ada.0)], "also after the end");
        for player in [it.ada.0, it.bob.0] {
            it.bench.ask(out(it.game, player).bearer(HOST)).await.refused(409, "game-not-created", None);
        }
        it.bench.compare_replica().await;
    }
}

#[tokio::test]
async fn only_a_host_who_shows_the_admin_token_takes_somebody_out_of_a_running_game() {
    for token in [None, Some(HOST)] {
        let mut it = Match::new().await;
        it.bench.restart_with(Setup { token, ..Setup::default() }).await;
        let before = it.bench.whole_state().await;
        let [ada, bob] = [it.ada.1, it.bob.1].map(|token| token.to_string());
        it.bench.ask(out(it.game, it.ada.1)).await.refused(409, "game-not-created", None);
        it.bench.ask(out(it.game, it.ada.0).bearer(&ada)).await.refused(409, "game-not-created", None);
        it.bench.ask(out(it.game, it.ada.0)).await.refused(401, "player-token-needed", None);
        it.bench.ask(out(it.game, it.ada.0).bearer(&bob)).await.refused(401, "player-token-needed", None);
        if token.is_some() {
            let stranger = it.bench.register("eve").await;
            let before = it.bench.whole_state().await;
            let refused = it.bench.ask(out(it.game, stranger.0).bearer(HOST)).await;
            refused.refused(409, "not-participating", None);
            let refused = it.bench.ask(out(it.game, Uuid::from_u128(7)).bearer(HOST)).await;
            refused.refused(404, "unknown-player", None);
            assert_eq!(it.bench.whole_state().await, before);
        } else {
            assert_eq!(it.bench.whole_state().await, before);
        }
    }
}

#[tokio::test]
async fn a_command_that_names_no_game_is_for_the_one_that_the_player_still_plays() {
    let mut it = Match::with(Setup { running_games: 2, ..Setup::default() }).await;
    let other = it.bench.create(9, 2).await;
    it.bench.put_in(other, it.ada.1).await.is(200);
    it.bench.start(other).await.is(201);
    it.ada_plays(json!({"gameId": null})).await.refused(409, "several-running-games", None);
    it.bench.restart_with(Setup { running_games: 2, token: Some(HOST), ..Setup::default() }).await;
    it.take_out(it.ada.0).await;
    it.ada_plays(json!({"gameId": null})).await.is(201);
    it.game = other;
    assert_eq!(it.seen_by_ada(1).await.len(), 1);
}

#[tokio::test]
async fn at_turbo_pace_a_player_who_was_taken_out_is_ready_in_every_round() {
    let mut it = Match::guarded(HOST).await;
    let pace = patch(format!("/games/{}/pace", it.game)).json(&json!({"pace": "turbo"})).bearer(HOST);
    it.bench.ask(pace).await.is(200);
    // What the player has said itself is not counted twice, also not by the next process.
    it.bench.ready(it.game, it.ada.1).await.is(200);
    it.take_out(it.ada.0).await;
    it.bench.restart().await;
    for round in 1..=2 {
        assert_eq!(it.bench.time(it.game).await["phase"], "collection");
        assert_eq!(it.bench.ready(it.game, it.bob.1).await.is(200), json!({"ready": 1, "players": 1}));
        assert_eq!(it.bench.time(it.game).await["phase"], "execution", "round {round}");
        it.bench.tick().await;
        assert_eq!(it.bench.time(it.game).await["roundCount"], round + 1);
    }
}

#[tokio::test]
async fn at_turbo_pace_a_phase_that_waited_for_the_player_alone_ends_at_once() {
    let it = Match::guarded(HOST).await;
    let pace = patch(format!("/games/{}/pace", it.game)).json(&json!({"pace": "turbo"})).bearer(HOST);
    it.bench.ask(pace).await.is(200);
    it.bench.ready(it.game, it.bob.1).await.is(200);
    assert_eq!(it.bench.time(it.game).await["phase"], "collection", "ada is waited for");
    it.take_out(it.ada.0).await;
    assert_eq!(it.bench.time(it.game).await["phase"], "execution");
    it.bench.tick().await;
    assert_eq!(it.bench.time(it.game).await["roundCount"], 2);
    it.ada_plays(json!({})).await.refused(409, "not-participating", None);
}
