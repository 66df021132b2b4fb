//! A whole game while services die, hang or are away: whatever instant of an execution phase that happens at, all services
//! in one process or each in its own, no command is executed twice, every receipt is true, and all books agree.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use starkeep_contract::command::CommandState;
use starkeep_test_http::{Caller, within_limit};
use uuid::Uuid;

use crate::installation::Installation;
use crate::played_game::{PlayedGame, buy_robots, drawn_orders, state};
use crate::scale::scale;
use crate::two_services::path;
use crate::whole_game::{all_events, assert_books_balance};
use starkeep_fault_harness::Chance;

const SEED: u64 = 21;
const PLAYERS: u32 = 3;
const START_MONEY: i64 = 2000;
/// An execution takes about so long.
const LONGEST_WAIT_MILLIS: u64 = 100;
/// Of a round that ends by the clock where something is away: its execution has a quarter of it.
const SHORT_ROUND_MILLIS: u32 = 4000;
const LONG_ROUND_MILLIS: u32 = 86_400_000;

/// What happens to the services in a round.
#[derive(Clone, Copy, Debug)]
enum Harm {
    /// One process is killed during the execution, and started again at once.
    KillOne,
    /// All are killed at the same time.
    KillAll,
    /// The map takes connections and answers nothing, for one or two rounds.
    MapHangs,
    /// The robot service is not there for a whole round.
    RobotAway,
}

/// How many commands came to each state.
type Tally = BTreeMap<String, u32>;

#[tokio::test(flavor = "multi_thread")]
async fn one_process_that_is_killed_executes_no_command_twice() {
    survives(Installation::in_one_process().await, Harm::KillOne, LONG_ROUND_MILLIS).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn four_processes_that_are_killed_execute_no_command_twice() {
    survives(Installation::in_four_processes().await, Harm::KillOne, LONG_ROUND_MILLIS).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn four_processes_that_are_killed_at_once_execute_no_command_twice() {
    survives(Installation::in_four_processes().await, Harm::KillAll, LONG_ROUND_MILLIS).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn rounds_that_end_while_a_process_is_away_execute_no_command_twice() {
    survives(Installation::in_four_processes().await, Harm::KillOne, SHORT_ROUND_MILLIS).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_map_that_hangs_leads_to_no_untrue_receipt() {
    let tally = survives(Installation::in_four_processes().await, Harm::MapHangs, SHORT_ROUND_MILLIS).await;
    assert!(tally.keys().any(|state| state != "Dispatched"), "nobody missed the map: {tally:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_robot_service_that_is_away_for_a_round_leads_to_no_untrue_receipt() {
    let tally = survives(Installation::in_four_processes().await, Harm::RobotAway, SHORT_ROUND_MILLIS).await;
    assert!(tally.contains_key("Undelivered"), "nobody missed the robot service: {tally:?}");
}

async fn survives(mut installation: Installation, harm: Harm, round_millis: u32) -> Tally {
    println!("seed {SEED}");
    let mut chance = Chance(SEED);
    let service = installation.service("game");
    let settings = json!({ "startMoney": START_MONEY, "duration": round_millis });
    let game = PlayedGame::start(&service, 1, PLAYERS, &settings).await;
    let mut sent = play(&service, &game, &vec![vec![buy_robots(3)]; PLAYERS as usize]).await;
    for _ in 0..5 * scale() {
        if let Harm::MapHangs | Harm::RobotAway = harm {
            // With all services there: what the last harm left is met by new commands, and all robots are known.
            let orders = draw(&service, &game, &mut chance).await;
            sent.extend(play(&service, &game, &orders).await);
        }
        let orders = draw(&service, &game, &mut chance).await;
        match harm {
            Harm::KillOne | Harm::KillAll => {
                let round = game.round(&service).await;
                sent.extend(game.order_what_is_taken(&service, &orders).await);
                executes(&service, &game, round, chance.draw(&(0..=LONGEST_WAIT_MILLIS))).await;
                match harm {
                    Harm::KillAll => installation.kill_all().await,
                    _ => installation.kill_one(&mut chance).await,
                }
                game.outlives(&service, round).await;
            }
            Harm::MapHangs => {
                installation.freeze("map");
                for _ in 0..chance.draw(&(1..=2)) {
                    sent.extend(play(&service, &game, &orders).await);
                }
                installation.go_on("map");
            }
            Harm::RobotAway => {
                installation.kill("robot").await;
                sent.extend(play(&service, &game, &orders).await);
                installation.serve("robot").await;
            }
        }
    }
    // One round without harm: everybody has seen then that the others are there again.
    let orders = draw(&service, &game, &mut chance).await;
    sent.extend(play(&service, &game, &orders).await);
    all_is_settled(&installation).await;
    let tally = assert_receipts_are_true(&installation, &sent).await;
    for name in ["map", "robot", "trading"] {
        assert_books_balance(&installation.service(name)).await;
    }
    assert_money_adds_up(&installation, &game).await;
    tally
}

/// Orders for every seat.
async fn draw(service: &Caller, game: &PlayedGame, chance: &mut Chance) -> Vec<Vec<Value>> {
    let mut orders = Vec::new();
    for seat in 0..game.seats.len() {
        orders.push(drawn_orders(&game.view(service, seat).await, chance));
    }
    orders
}

/// One round, to its end, in which services may be away.
async fn play(service: &Caller, game: &PlayedGame, orders: &[Vec<Value>]) -> Vec<Uuid> {
    let round = game.round(service).await;
    let sent = game.order_what_is_taken(service, orders).await;
    game.outlives(service, round).await;
    sent
}

/// Returns when the round's execution has lasted so long, or the round is over.
async fn executes(service: &Caller, game: &PlayedGame, round: u64, millis: u64) {
    let time = || async { service.get(&path(&game.id, "/time")).await.expect(200) };
    let mut begun = None;
    loop {
        let time = time().await;
        let now = time["gameTimeInMillis"].as_u64().unwrap();
        if time["roundCount"].as_u64().unwrap() > round {
            return;
        }
        if time["phase"] == "execution" && now >= *begun.get_or_insert(now) + millis {
            return;
        }
    }
}

/// Returns when no trade and no mining is open any more: what was begun in a round that is over is finished without a repeat.
async fn all_is_settled(installation: &Installation) {
    for (name, part, settled) in [("trading", "robot", "all trades are settled"), ("robot", "map", "answers")]
    {
        let service = installation.service(name);
        let health = || async { service.get("/health").await.expect(200) };
        let settling = async { while health().await["parts"][part]["detail"] != settled {} };
        within_limit("open trades and minings to be finished", settling).await;
    }
}

async fn assert_receipts_are_true(installation: &Installation, sent: &[Uuid]) -> Tally {
    let service = installation.service("game");
    let mut tally = Tally::new();
    let mut results = BTreeMap::<String, usize>::new();
    for name in ["robot", "trading"] {
        for event in all_events(&installation.service(name)).await {
            if ["movement", "mining", "regeneration", "fighting", "trades"]
                .contains(&event["channel"].as_str().unwrap())
            {
                let transaction = event["headers"]["transactionId"].as_str().unwrap().to_owned();
                *results.entry(transaction).or_default() += 1;
                if event["payload"]["success"] == false {
                    // Carried out, and to no avail: a planet that could not be asked for, or rules that do not allow it.
                    *tally.entry("failed".to_owned()).or_default() += 1;
                }
            }
        }
    }
    for command in sent {
        let (state, results) =
            (state(&service, *command).await, results.get(&command.to_string()).copied().unwrap_or(0));
        *tally.entry(format!("{state:?}")).or_default() += 1;
        let fits = match state {
            CommandState::Dispatched => results == 1,
            CommandState::Undelivered | CommandState::Dropped | CommandState::Replaced => results == 0,
            CommandState::Unknown => results <= 1,
            CommandState::Pending => false,
        };
        assert!(fits, "{command} is said to be {state:?}, and has {results} results");
    }
    println!("{tally:?}");
    assert_eq!(results.len(), results.values().sum::<usize>(), "executed twice");
    tally
}

/// money = start + sales - purchases, as the events tell them.
async fn assert_money_adds_up(installation: &Installation, game: &PlayedGame) {
    let events = all_events(&installation.service("trading")).await;
    let balances = installation.service("trading").get("/balances").await.expect(200);
    for seat in &game.seats {
        let trades = events
            .iter()
            .filter(|event| event["channel"] == "trades" && event["about"]["playerId"] == seat.player);
        let changes: i64 = trades.map(|event| event["payload"]["moneyChangedBy"].as_i64().unwrap()).sum();
        let of_player = |balance: &&Value| balance["playerId"] == seat.player;
        let balance = balances.as_array().unwrap().iter().find(of_player).unwrap();
        assert_eq!(balance["balance"].as_i64().unwrap(), START_MONEY + changes);
    }
}
