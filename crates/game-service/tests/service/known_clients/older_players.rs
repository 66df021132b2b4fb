//! botlin and YourInternetBF, which are older: they read little of what they get.
//! Anything but a success is the end to them.

use serde::Deserialize;
use serde_json::json;
use starkeep_test_harness::{Reply, get, post, put};
use uuid::Uuid;

use super::{GameStatus, read};
use crate::harness::Bench;

/// Of an early skeleton.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Listed {
    game_id: Uuid,
    game_status: GameStatus,
}

#[track_caller]
fn succeeds(reply: &Reply) {
    assert!((200..300).contains(&reply.status), "{reply:?}");
    assert!(std::str::from_utf8(&reply.bytes).is_ok_and(|text| !text.is_empty()), "{reply:?}");
}

#[tokio::test]
async fn botlin_gets_a_text_for_each_of_its_calls() {
    let bench = Bench::msd_in_memory().await;
    let (_, token) = bench.register("botlin").await;
    let game = bench.create(3, 2).await;
    for path in ["/games".to_owned(), format!("/games/{game}"), format!("/games/{game}/time")] {
        succeeds(&bench.ask(get(path)).await);
    }
    succeeds(&bench.ask(put(format!("/games/{game}/players/{token}"))).await);
    bench.start(game).await.is(201);
    let buy = json!({"gameId": game, "playerToken": token, "robotId": null, "commandType": "buying",
                     "commandObject": {"commandType": "buying", "itemName": "ROBOT", "itemQuantity": 1}});
    succeeds(&bench.ask(post("/commands").json(&buy)).await);
    succeeds(&bench.ask(get(format!("/games/{game}/time"))).await);
}

#[tokio::test]
async fn your_internet_bf_lists_registers_and_joins() {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Registered {
        bearer_token: Uuid,
    }
    let bench = Bench::msd_in_memory().await;
    let body = json!({"name": "bf", "email": "bf@example.org", "bearerToken": null});
    let me: Registered = read(&bench.ask(post("/players").json(&body)).await, 201);
    bench.create(3, 2).await;
    let [game] = &read::<Vec<Listed>>(&bench.ask(get("/games")).await, 200)[..] else { panic!("one game") };
    assert_eq!(game.game_status, GameStatus::Created);
    let join = put(format!("/games/{}/players/{}", game.game_id, me.bearer_token)).text("");
    succeeds(&bench.ask(join).await);
}
