//! A new token for the old one: who gets it, and that the old one is worth nothing from then on.

use futures::future::join;
use serde_json::json;
use starkeep_contract::Dialect;
use starkeep_test_harness::{get, post, uuid_in};
use uuid::Uuid;

use crate::harness::Setup;
use crate::playing::Match;

#[tokio::test]
async fn a_new_token_takes_the_old_ones_place() {
    for (dialect, unknown) in [(Dialect::Standard, 401), (Dialect::Msd, 404)] {
        let mut it = Match::with(Setup { dialect, ..Setup::default() }).await;
        let (player, old) = (it.ada.0, it.ada.1.to_string());
        let renew = || post(format!("/players/{player}/token"));
        it.bench.ask(renew()).await.refused(401, "player-token-needed", None);
        it.bench.ask(renew().bearer("zzz")).await.refused(unknown, "unknown-token", None);
        it.bench.ask(renew().bearer(&it.bob.1.to_string())).await.refused(401, "player-token-needed", None);
        let nobody = post(format!("/players/{}/token", Uuid::from_u128(1))).bearer(&old);
        it.bench.ask(nobody).await.refused(404, "unknown-player", None);
        let renewed = it.bench.ask(renew().bearer(&old).key("k")).await.is(201);
        let new = uuid_in(&renewed, "bearerToken");
        assert_eq!(renewed, json!({"playerId": player, "bearerToken": new}));
        assert_ne!(new, it.ada.1);
        it.bench.restart().await;
        it.bench.ask(renew().bearer(&old)).await.refused(unknown, "unknown-token", None);
        // Who repeats it shows who it is, first of all.
        it.bench.ask(renew().bearer(&old).key("k")).await.refused(unknown, "unknown-token", None);
        it.bench.ask(renew().key("k")).await.refused(401, "player-token-needed", None);
        it.bench.put_in(it.game, &old).await.refused(404, "unknown-player", None);
        let found = it.bench.ask(get("/players?name=ada&mail=ada@example.org")).await.is(200);
        assert_eq!(uuid_in(&found, "bearerToken"), new);
        it.ada.1 = new;
        it.ada_sends("mining", json!({})).await;
        for name in ["playerToken", "bearerToken"] {
            let stale = renew().json(&json!({name: old}));
            it.bench.ask(stale).await.refused(unknown, "unknown-token", None);
            let renewed = it.bench.ask(renew().json(&json!({name: it.ada.1}))).await.is(201);
            it.ada.1 = uuid_in(&renewed, "bearerToken");
        }
    }
}

#[tokio::test]
async fn a_token_is_renewed_once() {
    let it = Match::in_memory().await;
    let renew = || {
        let path = format!("/players/{}/token", it.ada.0);
        it.bench.ask(post(path).bearer(&it.ada.1.to_string()))
    };
    let (one, other) = join(renew(), renew()).await;
    let (won, lost) = if one.status == 201 { (one, other) } else { (other, one) };
    lost.refused(401, "unknown-token", None);
    let token = uuid_in(&won.is(201), "bearerToken").to_string();
    let path = format!("/commands?gameId={}&roundNumber=1", it.game);
    it.bench.ask(get(path).bearer(&token)).await.is(200);
}
