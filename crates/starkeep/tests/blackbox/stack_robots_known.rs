//! Which robots can be commanded on the existing stack: those that were bought while Kafka was away, and not those of earlier games,
//! which the existing robot service never removes. And a purchase that takes longer than its phase.

use serde_json::{Value, json};
use starkeep_contract::command::CommandState;
use starkeep_test_broker::Broker;
use starkeep_test_http::{Caller, Reply, within_limit};
use uuid::Uuid;

use crate::bot::{Bot, final_state, join, registered, start, transaction};
use crate::kafka_consumes::alive;
use crate::program::Program;
use crate::stack::{Stack, id};
use crate::stack_books::Books;
use crate::two_services::{END, path};

/// So long that no phase ends by the clock.
const ROUND_MILLIS: u32 = 86_400_000;
/// A quarter of it is the execution phase.
const SHORT_ROUND_MILLIS: u32 = 8_000;
/// The trading service needs twice as long for so many as a short round's execution phase lasts.
const MANY: u32 = 12;

fn purchase(bot: &Bot, robots: u32) -> Value {
    let object = json!({ "itemName": "ROBOT", "itemQuantity": robots });
    bot.command(&json!({ "commandType": "buying", "commandObject": object }))
}

/// Round 1 begins at once.
async fn host(stack: &Stack, home: &tempfile::TempDir) -> Program {
    stack.host(home.path().to_str().unwrap(), &["--start-delay", "0"]).await
}

fn can_sell(books: &Books) -> bool {
    !books.players.is_empty() && !books.stations.is_empty()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_robot_that_was_bought_while_kafka_is_away_can_be_commanded() {
    let Some(mut broker) = Broker::start().await else { return };
    let stack = Stack::start(&broker, 24).await;
    let home = tempfile::tempdir().unwrap();
    let program = host(&stack, &home).await;
    let game = program.game();
    let bot = Bot::in_a_hurry(&game, 1, ROUND_MILLIS).await;
    stack.trading.await_books("a player and a station", can_sell).await;
    broker.kill().await;

    let bought = bot.send(&game, &[purchase(&bot, 1)]).await;
    bot.is_ready(&game).await;
    bot.outlives(&game, 1).await;
    assert_eq!(final_state(&game, bought[0]).await, CommandState::Dispatched);
    let [robot] = stack.robots.of(id(&bot.id).unwrap())[..] else { panic!("one was bought") };
    let order = bot.command(&json!({ "robotId": robot, "commandType": "regeneration", "commandObject": {} }));
    let sent = bot.send(&game, &[order]).await;
    bot.is_ready(&game).await;
    assert_eq!(stack.robots.told_of(&sent).await[0].outcome, Ok(()));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_purchase_that_takes_longer_than_its_phase_is_known_to_have_succeeded_later() {
    let Some(broker) = Broker::start().await else { return };
    let stack = Stack::start(&broker, 25).await;
    stack.trading.give_everybody(5_000);
    let home = tempfile::tempdir().unwrap();
    let program = host(&stack, &home).await;
    let game = program.game();
    let bot = Bot::in_a_game(&game, 1, SHORT_ROUND_MILLIS).await;
    stack.trading.await_books("a player and a station", can_sell).await;
    // The next round, which stands until the purchase is ordered.
    for order in ["pause", "step"] {
        game.post(&path(&bot.game, &format!("/gameCommands/{order}")), &Value::Null).await.expect(201);
    }
    let round = bot.round(&game).await;
    let bought = bot.send(&game, &[purchase(&bot, MANY)]).await;
    game.post(&path(&bot.game, "/gameCommands/resume"), &Value::Null).await.expect(201);
    bot.outlives(&game, round).await;
    let known = async {
        loop {
            let state = final_state(&game, bought[0]).await;
            if state != CommandState::Unknown {
                return state;
            }
        }
    };
    assert_eq!(within_limit("the receipt to be corrected", known).await, CommandState::Dispatched);
    assert_eq!(stack.robots.of(id(&bot.id).unwrap()).len(), MANY as usize);
}

/// A player in a game of its own, whose rounds end when it is ready.
struct Player {
    game: Caller,
    id: Uuid,
    token: String,
    running: Value,
}

impl Player {
    async fn new(program: &Program) -> Self {
        let (player, token) = registered(&program.game(), 1).await;
        Self { game: program.game(), id: id(&player).unwrap(), token, running: Value::Null }
    }

    /// Ends the game that runs and starts the next; a planet of its world with something to mine.
    async fn next_game(&mut self, map: &Caller) -> Uuid {
        if !self.running.is_null() {
            self.game.post(&path(&self.running, END), &Value::Null).await.expect(201);
        }
        let new = json!({ "maxRounds": 5, "maxPlayers": 1, "duration": ROUND_MILLIS });
        self.running = self.game.post("/games", &new).await.expect(201)["gameId"].take();
        self.game.patch(&path(&self.running, "/pace"), &json!({ "pace": "turbo" })).await.expect(200);
        join(&self.game, &self.running, &self.token).await;
        start(&self.game, &self.running).await;
        let world = self.game.get(&path(&self.running, "")).await.expect(200)["gameworldId"].take();
        let planets = map.get(&format!("/gameworlds/{}/planets", world.as_str().unwrap())).await.expect(200);
        let rich = planets.as_array().unwrap().iter().find(|planet| !planet["resource"].is_null());
        id(&rich.unwrap()["id"]).unwrap()
    }

    async fn mine(&self, robot: Uuid) -> Reply {
        let order = json!({ "gameId": self.running, "playerToken": self.token, "robotId": robot,
                            "commandType": "mining", "commandObject": {} });
        self.game.post("/commands", &order).await
    }

    async fn is_ready(&self) {
        let ready = format!("/players/{}/ready", self.token);
        self.game.put(&path(&self.running, &ready), &Value::Null).await.expect(200);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn robots_of_an_earlier_game_are_refused_and_disturb_nobody() {
    let Some(broker) = Broker::start().await else { return };
    let stack = Stack::start(&broker, 26).await;
    let home = tempfile::tempdir().unwrap();
    let program = host(&stack, &home).await;
    let (game, map) = (program.game(), program.map());
    let mut player = Player::new(&program).await;
    let mut robots = Vec::new();
    for number in 1..=2 {
        let planet = player.next_game(&map).await;
        robots.extend(stack.robots.spawn(Uuid::nil(), player.id, &[planet]));
        alive(&game, number).await;
    }
    let [old, new] = robots[..] else { unreachable!("one in each game") };

    let refusal = player.mine(old).await;
    assert_eq!(refusal.status, 403, "{}", refusal.body);
    assert!(refusal.body["detail"].as_str().unwrap().contains("earlier game"), "{}", refusal.body);
    let mined = [transaction(&player.mine(new).await.expect(201))];
    player.is_ready().await;
    let told = stack.robots.told_of(&mined).await;
    assert_eq!(told.iter().map(|told| &told.outcome).collect::<Vec<_>>(), [&Ok(())]);

    stack.robots.forget_all();
    let lost = [transaction(&player.mine(new).await.expect(201))];
    player.is_ready().await;
    let told = stack.robots.told_of(&lost).await;
    assert!(told[0].outcome.as_ref().is_err_and(|reason| reason.contains("not found")), "{told:?}");
}
