//! The commands of `docs/existing-stack.md`, run as they stand there, against services that behave like the existing ones: a game is
//! played far enough to buy a robot. Only the addresses are replaced, by free ones, and the data is elsewhere.

use std::collections::HashMap;

use serde_json::{Value, json};
use starkeep_test_broker::Broker;
use starkeep_test_http::Caller;
use tempfile::TempDir;

use crate::bot::Bot;
use crate::kafka_consumes::alive;
use crate::program::Program;
use crate::stack::Stack;
use crate::stack_books::Books;
use crate::two_services::{END, path};

const DOCUMENT: &str = include_str!("../../../../docs/existing-stack.md");
const MARK: &str = "; a test plays a game with these commands";
/// What stands there for the broker and the two services, as seen from the host and from a container.
const BROKERS: [&str; 2] = ["localhost:29092", "kafka:9092"];
const ROBOTS: [&str; 2] = ["http://localhost:8082", "http://robot:8080"];
const TRADING: [&str; 2] = ["http://localhost:8083", "http://trading:8080"];
const MAP: &str = "http://localhost:8081";
/// So long that no phase ends by the clock.
const ROUND_MILLIS: u32 = 86_400_000;
/// Robots that a bot has from the beginning.
const OF_THE_BOT: usize = 6;

/// The marked blocks.
fn blocks() -> Vec<&'static str> {
    let rest = DOCUMENT.split(MARK).skip(1);
    rest.map(|rest| rest.split("```sh\n").nth(1).unwrap().split("```").next().unwrap()).collect()
}

/// The programs that a block starts, in its order.
async fn follow(
    block: &'static str,
    stack: &Stack,
    broker: &Broker,
    home: &TempDir,
) -> HashMap<&'static str, Program> {
    let mut own: HashMap<&str, String> = HashMap::new();
    own.extend(BROKERS.map(|address| (address, broker.address().to_owned())));
    own.extend(ROBOTS.map(|url| (url, format!("http://{}", stack.robot_address))));
    own.extend(TRADING.map(|url| (url, format!("http://{}", stack.trading_address))));
    let mut programs = HashMap::new();
    let mut variables = Vec::new();
    for line in block.lines() {
        let replaced = |word: &str| own.get(word).map_or_else(|| word.to_owned(), Clone::clone);
        if let Some(exported) = line.strip_prefix("export ") {
            let pairs = exported.split(' ').map(|pair| pair.split_once('=').unwrap());
            variables.extend(pairs.map(|(name, value)| (name, replaced(value))));
            continue;
        }
        let words = line.strip_prefix("starkeep serve ").unwrap_or_else(|| panic!("{line}")).split(' ');
        let mut words: Vec<_> = words.collect();
        let which = if words[0].starts_with("--") { "all" } else { words.remove(0) };
        let mut flags: HashMap<_, _> = words.chunks(2).map(|flag| (flag[0], replaced(flag[1]))).collect();
        for listen in ["--game-listen", "--map-listen"] {
            // The program is told free ports instead.
            let given = flags.remove(listen);
            assert!(given.is_none_or(|address| address.parse::<std::net::SocketAddr>().is_ok()), "{line}");
        }
        let data = home.path().join(flags.remove("--data-dir").unwrap_or_default());
        flags.insert("--data-dir", data.to_str().unwrap().to_owned());
        if which != "map" {
            flags.insert("--start-delay", "1s".to_owned());
        }
        let flags: Vec<_> = flags.into_iter().flat_map(|(flag, value)| [flag.to_owned(), value]).collect();
        let given: Vec<_> = variables.iter().map(|(name, value)| (*name, value.as_str())).collect();
        let program = Program::serve_with(which, &flags, &given).await;
        if which != "game" {
            own.insert(MAP, format!("http://{}", program.address("map")));
            stack.robots.use_map(program.map());
        }
        programs.insert(which, program);
    }
    programs
}

/// The number is that of the bot, and of all robots that were bought until then.
async fn buys_a_robot(game: &Caller, stack: &Stack, number: usize) {
    let bot = Bot::in_a_hurry(game, u32::try_from(number).unwrap(), ROUND_MILLIS).await;
    let can_sell = |books: &Books| !books.players.is_empty() && !books.stations.is_empty();
    stack.trading.await_books("a player and a station", can_sell).await;
    let object = json!({ "itemName": "ROBOT", "itemQuantity": 1 });
    let order = bot.command(&json!({ "commandType": "buying", "commandObject": object }));
    bot.begins(game, 1).await;
    bot.send(game, &[order]).await;
    bot.is_ready(game).await;
    alive(game, OF_THE_BOT + number).await;
    game.post(&path(&bot.game, END), &Value::Null).await.expect(201);
    stack.trading.await_books("the game's end", |books| books.wiped.len() == number).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_commands_of_the_document_run_the_existing_stack() {
    let Some(broker) = Broker::start().await else { return };
    let stack = Stack::start(&broker, 27).await;
    let blocks = blocks();
    assert_eq!(blocks.len(), 5);
    for (number, block) in (1..).zip(blocks) {
        let home = tempfile::tempdir().unwrap();
        let programs = follow(block, &stack, &broker, &home).await;
        let game = programs.get("all").or_else(|| programs.get("game")).unwrap().game();
        buys_a_robot(&game, &stack, number).await;
    }
}
