//! Who guesses mail addresses, recovery codes or tokens has to wait; nobody else does. And who is told a token again.

use std::time::Duration;

use serde_json::{Value, json};
use starkeep_contract::Dialect;
use starkeep_game_service::{AddressFrom, GuessLimits, PlayerAccess, TokenRecovery};
use starkeep_test_harness::{Reply, TestRequest, get, post, put, uuid_in};
use uuid::Uuid;

use crate::harness::{Bench, Setup};
use crate::playing::Match;

const ADA: &str = "/players?name=ada&mail=ada@example.org";
const WRONG: &str = "/players?name=ADA&mail=eve@example.org";

fn three_guesses() -> Setup {
    let guesses = GuessLimits { wrong: 3, every: Duration::from_secs(10) };
    let token_recovery = TokenRecovery::ByNameAndMail;
    let player_access = PlayerAccess { guesses, address_from: AddressFrom::Proxy, token_recovery };
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

/// Three wrong ones at a time.
async fn with_recovery(token_recovery: TokenRecovery, dialect: Dialect) -> Bench {
    let guesses = GuessLimits { wrong: 3, every: Duration::from_secs(10) };
    let player_access = PlayerAccess { token_recovery, guesses, ..PlayerAccess::default() };
    Bench::with(Setup { dialect, player_access, ..Setup::default() }).await
}

const CODE: &str = "three-blind-mice";

/// Ada, who chose a code, if any is given; her token.
async fn ada(bench: &Bench, code: Option<&str>) -> Uuid {
    let mut body = json!({"name": "ada", "email": "ada@example.org"});
    if let Some(code) = code {
        body["recoveryCode"] = json!(code);
    }
    let registered = bench.ask(post("/players").json(&body)).await;
    let registered = registered.is(201);
    assert!(!registered.to_string().contains(CODE), "{registered}");
    uuid_in(&registered, "bearerToken")
}

fn with_code(code: &str) -> TestRequest {
    get(ADA).header("starkeep-recovery-code", code)
}

#[tokio::test]
async fn a_token_is_told_again_for_the_code_that_its_player_chose_and_for_nothing_else() {
    let mut bench = with_recovery(TokenRecovery::ByCode, Dialect::Standard).await;
    let token = ada(&bench, Some(CODE)).await;
    bench.restart().await;
    assert_eq!(bench.ask(get(ADA)).await.is(200)["bearerToken"], Value::Null, "everybody knows both");
    assert_eq!(uuid_in(&bench.ask(with_code(CODE)).await.is(200), "bearerToken"), token);
    bench.ask(get(WRONG).header("starkeep-recovery-code", CODE)).await.refused(404, "unknown-player", None);
    for wrong in ["three-blind-mic", "THREE-BLIND-MICE"] {
        bench.ask(with_code(wrong)).await.refused(401, "wrong-recovery-code", None);
    }
    // Three wrong ones: a mail address and two codes.
    waits(&bench.ask(with_code("three")).await, "10");
    waits(&bench.ask(with_code(CODE)).await, "10");
    // The token itself was not guessed.
    assert_eq!(bench.ask(get(ADA).bearer(&token.to_string())).await.is(200)["name"], "ada");
}

#[tokio::test]
async fn a_code_that_cannot_help_is_refused_with_the_reason() {
    let bench = with_recovery(TokenRecovery::ByCode, Dialect::Standard).await;
    ada(&bench, None).await;
    let refused = bench.ask(with_code(CODE)).await;
    refused.refused(409, "token-not-recoverable", None);
    assert!(refused.body["detail"].as_str().unwrap().contains("chose no recovery code"), "{refused:?}");
    for (dialect, status) in [(Dialect::Standard, 409), (Dialect::Msd, 403)] {
        let bench = with_recovery(TokenRecovery::Off, dialect).await;
        ada(&bench, Some(CODE)).await;
        let refused = bench.ask(with_code(CODE)).await;
        refused.refused(status, "token-not-recoverable", None);
        assert!(refused.body["detail"].as_str().unwrap().contains("--token-recovery off"), "{refused:?}");
    }
}

#[tokio::test]
async fn where_name_and_mail_address_are_enough_a_code_changes_nothing() {
    let bench = with_recovery(TokenRecovery::ByNameAndMail, Dialect::Msd).await;
    let token = ada(&bench, Some(CODE)).await;
    for asked in [get(ADA), with_code(CODE), with_code("another-code")] {
        assert_eq!(uuid_in(&bench.ask(asked).await.is(200), "bearerToken"), token);
    }
}

#[tokio::test]
async fn codes_that_are_too_short_or_cannot_be_sent_in_a_header_are_refused() {
    let bench = with_recovery(TokenRecovery::ByCode, Dialect::Standard).await;
    for code in ["seven77", "with blank", "umlaut-\u{fc}ber", &"x".repeat(129)] {
        let body = json!({"name": "ada", "email": "ada@example.org", "recoveryCode": code});
        let refused = bench.ask(post("/players").json(&body)).await;
        refused.refused(422, "invalid-field", Some("recoveryCode"));
        assert!(!refused.body.to_string().contains(code), "{refused:?}");
    }
    for code in ["8-chars!", &"x".repeat(128)] {
        let body = json!({"name": code, "email": code, "recoveryCode": code});
        bench.ask(post("/players").json(&body)).await.is(201);
    }
}

#[tokio::test]
async fn a_host_can_keep_names_and_mail_addresses_from_being_enough() {
    let bench = with_recovery(TokenRecovery::Off, Dialect::Standard).await;
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
