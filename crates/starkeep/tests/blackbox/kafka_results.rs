//! Results of robots over a real broker: a batch for the robot service goes out when those of the batch before have come. When the
//! broker is lost, nobody waits for them; when it is back, they count again.

use serde_json::Value;
use starkeep_contract::command::CommandType;
use starkeep_test_broker::Broker;
use starkeep_test_http::{Caller, within_limit};
use uuid::Uuid;

use crate::bot::Bot;
use crate::executors::Executors;
use crate::program::Program;

/// The robots' kinds in the order of execution, with the topics of their results.
const KINDS: [(CommandType, &str); 4] = [
    (CommandType::Movement, "movement"),
    (CommandType::Battle, "fighting"),
    (CommandType::Mining, "mining"),
    (CommandType::Regeneration, "regeneration"),
];
/// Rounds that are over only when everything is carried out: a share of such a phase is never over.
const LONG: u32 = 86_400_000;
/// Longer than the gap after a batch of one command.
const LONGER_THAN_THE_GAP: u64 = 400;

/// As the robot service does it.
async fn put_result(broker: &Broker, topic: &str, command: Uuid) {
    let (event, command) = (Uuid::nil().to_string(), command.to_string());
    let headers = [
        ("eventId", event.as_str()),
        ("transactionId", &command),
        ("version", "1"),
        ("timestamp", "2026-11-15T03:14:45Z"),
        ("type", topic),
    ];
    broker.put(topic, Some(&event), &headers, r#"{"success":true}"#).await;
}

/// Waits until the tasks that read results all say that they do, or that they cannot.
async fn is_reading(game: &Caller, expected: bool) {
    let reads = |task: &Value| task["runs"] != 0 && task["nextRun"].is_null() && task["lastError"].is_null();
    let asking = async {
        loop {
            let health = game.get("/health").await.expect(200);
            let task = |topic: &str| &health["tasks"][format!("listen-to-{topic}").as_str()];
            if KINDS.iter().all(|(_, topic)| reads(task(topic)) == expected) {
                return;
            }
        }
    };
    within_limit("the tasks that read results", asking).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn batches_for_robots_wait_for_the_results_of_the_one_before_as_long_as_there_is_a_broker() {
    let Some(mut broker) = Broker::start().await else { return };
    for (_, topic) in KINDS {
        broker.create_topic(topic).await;
        // Nobody waits for this one.
        put_result(&broker, topic, Uuid::nil()).await;
    }
    let (executors, home) = (Executors::start(), tempfile::tempdir().unwrap());
    let own = ["--data-dir", home.path().to_str().unwrap(), "--kafka", broker.address()].map(str::to_owned);
    let program = Program::serve("all", &[own.as_slice(), &executors.flags()].concat()).await;
    let service = program.game();
    let bot = Bot::in_a_hurry(&service, 1, LONG).await;
    let orders = KINDS.map(|(kind, _)| bot.order(kind));

    for round in 1..=3 {
        let there = round != 2;
        is_reading(&service, there).await;
        let before = executors.arrived().await.len();
        let sent = bot.send(&service, &orders).await;
        bot.is_ready(&service).await;
        if there {
            bot.executes(&service, round, LONGER_THAN_THE_GAP).await;
            for (number, (_, topic)) in KINDS.iter().enumerate() {
                executors.receive(before + number + 1).await;
                assert_eq!(executors.arrived().await.len(), before + number + 1, "nothing goes out early");
                put_result(&broker, topic, sent[number]).await;
            }
        }
        bot.outlives(&service, round).await;
        let arrived = executors.arrived().await.split_off(before);
        let kinds: Vec<_> = arrived.iter().map(|batch| batch.kind).collect();
        assert_eq!(kinds, KINDS.map(|(kind, _)| kind));
        match round {
            1 => broker.kill().await,
            2 => broker.restart().await,
            _ => {}
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_result_that_comes_while_the_service_is_down_is_in_the_receipt() {
    let Some(broker) = Broker::start().await else { return };
    for (_, topic) in KINDS {
        broker.create_topic(topic).await;
    }
    let (executors, home) = (Executors::start(), tempfile::tempdir().unwrap());
    let own = ["--data-dir", home.path().to_str().unwrap(), "--kafka", broker.address()].map(str::to_owned);
    let flags = [own.as_slice(), &executors.flags()].concat();
    let program = Program::serve("all", &flags).await;
    let service = program.game();
    let bot = Bot::in_a_hurry(&service, 1, LONG).await;
    let sent =
        bot.send(&service, &[bot.order(CommandType::Mining), bot.order(CommandType::Regeneration)]).await;
    bot.is_ready(&service).await;
    executors.receive(1).await;
    is_reading(&service, true).await;
    put_result(&broker, "mining", sent[0]).await;
    has_result(&service, &bot, sent[0]).await;
    program.kill().await;
    put_result(&broker, "regeneration", sent[1]).await;
    let program = Program::serve("all", &flags).await;
    has_result(&program.game(), &bot, sent[1]).await;
}

async fn has_result(game: &Caller, bot: &Bot, command: Uuid) {
    let game = game.with_token(&bot.token);
    let asking =
        async { while game.get(&format!("/commands/{command}")).await.expect(200)["result"].is_null() {} };
    within_limit("the result of a command", asking).await;
}
