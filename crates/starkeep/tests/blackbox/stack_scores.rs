//! Scores of the existing stack: the program reads accounts, purchases and robots from Kafka, and keeps what it read over a kill.

use serde_json::{Value, json};
use starkeep_test_broker::Broker;
use starkeep_test_http::{Caller, within_limit};

use crate::bot::Bot;
use crate::stack::Stack;
use crate::stack_books::Books;
use crate::two_services::path;

/// So long that no phase ends by the clock.
const ROUND_MILLIS: u32 = 86_400_000;
/// Robots that a bot has from the beginning.
const OF_THE_BOT: u32 = 6;

async fn scored(game: &Caller, bot: &Bot) -> Value {
    let asking = async {
        loop {
            let scores = game.get(&path(&bot.game, "/scores")).await.expect(200);
            if scores["rounds"] == json!([1]) {
                return scores["players"][0].clone();
            }
        }
    };
    within_limit("the scores of the first round", asking).await
}

#[tokio::test(flavor = "multi_thread")]
async fn scores_are_read_from_kafka() {
    let Some(broker) = Broker::start().await else { return };
    let stack = Stack::start(&broker, 34).await;
    stack.trading.give_everybody(300);
    let home = tempfile::tempdir().unwrap();
    let program = stack.host(home.path().to_str().unwrap(), &["--start-delay", "0"]).await;
    let game = program.game();
    let bot = Bot::in_a_hurry(&game, 1, ROUND_MILLIS).await;
    let can_sell = |books: &Books| !books.players.is_empty() && !books.stations.is_empty();
    stack.trading.await_books("a player and a station", can_sell).await;
    let object = json!({ "itemName": "ROBOT", "itemQuantity": 2 });
    let order = bot.command(&json!({ "commandType": "buying", "commandObject": object }));
    bot.begins(&game, 1).await;
    bot.send(&game, &[order]).await;
    bot.is_ready(&game).await;
    let scores = scored(&game, &bot).await;
    let alive = OF_THE_BOT + 2;
    let shown = ["money", "robotsAlive", "mined", "fightsWon"].map(|field| scores[field].clone());
    assert_eq!(shown, [json!([100]), json!([alive]), json!([null]), json!([0])]);
    program.kill().await;
    let program = stack.host(home.path().to_str().unwrap(), &["--start-delay", "0"]).await;
    assert_eq!(scored(&program.game(), &bot).await, scores);
}
