//! Who guesses mail addresses or tokens has to wait; nobody else does. And what a host can do about recovered tokens.

use std::time::Duration;

use serde_json::{Value, json};
use starkeep_game_service::{AddressFrom, GuessLimits, PlayerAccess};
use starkeep_test_harness::{Reply, get, post, put, uuid_in};
use uuid::Uuid;

use crate::harness::{Bench, Setup};
use crate::playing::Match;

const ADA: &str = "/players?name=ada&mail=ada@example.org";
const WRONG: &str = "/players?name=ADA&mail=eve@example.org";

fn three_guesses() -> Setup {
    let guesses = GuessLimits { wrong: 3, every: Duration::from_secs(10) };
    let player_access = PlayerAccess { guesses, address_from: AddressFrom::Proxy, ..PlayerAccess::default() };
    Setup { player_access, ..Setup::in_memory() }
}

fn waits(reply: &Reply, seconds: &str) {
    reply.refused(429, "too-many-guesses", None);
    assert_eq!(reply.header("retry-after"), Some(seconds));
}

#[tokio::test]
async fn who_tries_mail_addresses_waits_and_nobody_else_does() {
    let bench = Bench::with(three_guesses()).await;
    bench.register("ada").await;
    bench.register("bob").await;
    let here = |path: &str| bench.ask(get(path).header("x-forwarded-for", "10.0.0.1"));
    for _ in 0..3 {
        here(WRONG).await.refused(404, "unknown-player", None);
    }
    waits(&here(WRONG).await, "10");
    // The right one as well: it could be one more guess.
    waits(&here(ADA).await, "10");
    here("/players?name=bob&mail=bob@example.org").await.is(200);
    for _ in 0..10 {
        here("/players?name=nobody&mail=eve@example.org").await.refused(404, "unknown-player", None);
    }
    let there = get(ADA).header("x-forwarded-for", "10.0.0.1, 10.0.0.2");
    bench.ask(there).await.is(200);
    bench.advance(9_001).await;
    waits(&here(ADA).await, "1");
    bench.advance(999).await;
    here(ADA).await.is(200);
}

#[tokio::test]
async fn wrong_tokens_are_slowed_down_and_right_ones_are_not() {
    let it = Match::with(three_guesses()).await;
    let game = it.bench.create(3, 2).await;
    let (ada, token) = (it.ada.0, it.ada.1);
    let guess = Uuid::from_u128(7);
    // For a player: in the path, in the body, in the header, and another's.
    let join = || put(format!("/games/{game}/players/{ada}"));
    it.bench.ask(join().bearer(&guess.to_string())).await.refused(401, "unknown-token", None);
    let command = |token: Uuid| {
        let body = json!({"gameId": it.game, "playerId": ada, "playerToken": token, "commandType": "buying",
            "commandObject": {"commandType": "buying", "itemName": "ROBOT", "itemQuantity": 1}});
        it.bench.ask(post("/commands").json(&body))
    };
    command(guess).await.refused(401, "unknown-token", None);
    command(it.bob.1).await.refused(401, "player-token-needed", None);
    waits(&command(guess).await, "10");
    let renew = || post(format!("/players/{ada}/token"));
    waits(&it.bench.ask(renew().bearer("zzz")).await, "10");
    // Nothing was shown, so nothing was guessed.
    it.bench.ask(renew()).await.refused(401, "player-token-needed", None);
    // For nobody in particular.
    for _ in 0..2 {
        it.bench.ask(get("/players/me").bearer(&guess.to_string())).await.refused(401, "unknown-token", None);
    }
    it.bench.put_in(game, guess).await.refused(404, "unknown-player", None);
    waits(&it.bench.ask(get("/players/me").bearer(&guess.to_string())).await, "10");
    // A batch tells it of each.
    let batch: Vec<Value> = vec![json!({"playerToken": guess, "commandType": "mining", "robotId": guess}); 2];
    let told = it.bench.ask(post("/commands/batch").json(&json!(batch))).await.is(200);
    assert_eq!(told[1]["status"], 429, "{told}");
    it.bench.ask(get("/players/me").bearer(&token.to_string())).await.is(200);
    command(token).await.is(201);
    it.bench.ask(join().bearer(&token.to_string())).await.is(200);
    it.bench.ask(renew().bearer(&token.to_string())).await.is(201);
}

#[tokio::test]
async fn a_host_can_keep_names_and_mail_addresses_from_being_enough() {
    let player_access = PlayerAccess { token_recovery: false, ..PlayerAccess::default() };
    let bench = Bench::with(Setup { player_access, ..Setup::in_memory() }).await;
    let (id, token) = bench.register("ada").await;
    let (_, other) = bench.register("bob").await;
    let without = bench.ask(get(ADA)).await.is(200);
    let expected = json!({
        "playerId": id, "name": "ada", "email": "ada@example.org",
        "playerExchange": "player-ada", "playerQueue": "player-ada",
    });
    assert_eq!(without, expected);
    assert_eq!(bench.ask(get(ADA).bearer(&other.to_string())).await.is(200), expected);
    let shown = bench.ask(get(ADA).bearer(&token.to_string())).await.is(200);
    assert_eq!(uuid_in(&shown, "bearerToken"), token);
    bench.ask(get(WRONG).bearer(&token.to_string())).await.refused(404, "unknown-player", None);
}
