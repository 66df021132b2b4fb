//! A whole game under kills: whatever instant of an execution phase a process dies at, all services in one or each in its
//! own, no command is executed twice, every receipt is true, and all books agree.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::{Value, json};
use starkeep_contract::command::CommandState;
use tempfile::TempDir;
use uuid::Uuid;

use crate::chance::Chance;
use crate::http::Caller;
use crate::played_game::{PlayedGame, buy_robots, drawn_orders, state};
use crate::program::Program;
use crate::scale::scale;
use crate::whole_game::{all_events, assert_books_balance};

const SEED: u64 = 21;
const PLAYERS: u32 = 3;
/// An execution takes about so long.
const LONGEST_WAIT_MILLIS: u64 = 30;
const SERVICES: [&str; 4] = ["map", "robot", "trading", "game"];

/// The services of one installation, as processes that can be killed.
struct Installation {
    home: TempDir,
    /// By what was served; `all` or each service by its name.
    programs: BTreeMap<&'static str, Program>,
    /// Where each service listens, so that it comes back where the others look for it.
    ports: BTreeMap<&'static str, u16>,
}

impl Installation {
    async fn in_one_process() -> Self {
        let mut installation = Self::new();
        installation.serve("all").await;
        installation
    }

    async fn in_four_processes() -> Self {
        let mut installation = Self::new();
        for service in SERVICES {
            installation.serve(service).await;
        }
        installation
    }

    fn new() -> Self {
        let ports = SERVICES.map(|service| (service, free_port()));
        Self { home: tempfile::tempdir().unwrap(), programs: BTreeMap::new(), ports: BTreeMap::from(ports) }
    }

    async fn serve(&mut self, which: &'static str) {
        let flags = self.flags(which);
        self.programs.insert(which, Program::serve(which, &flags).await);
    }

    fn flags(&self, which: &str) -> Vec<String> {
        let data: &Path = &self.home.path().join(which);
        let mut flags = vec!["--data-dir".to_owned(), data.to_str().unwrap().to_owned()];
        for (service, port) in &self.ports {
            flags.extend([format!("--{service}-listen"), format!("127.0.0.1:{port}")]);
            if which != "all" && which != *service {
                flags.extend([format!("--{service}-url"), format!("http://127.0.0.1:{port}")]);
            }
        }
        flags
    }

    fn service(&self, name: &'static str) -> Caller {
        Caller::new(([127, 0, 0, 1], self.ports[name]).into())
    }

    /// Kills one of its processes, and starts it again.
    async fn kill_one(&mut self, chance: &mut Chance) {
        let place = usize::try_from(chance.draw(&(0..=self.programs.len() as u64 - 1))).unwrap();
        let which = *self.programs.keys().nth(place).unwrap();
        self.programs.remove(which).unwrap().kill().await;
        self.serve(which).await;
    }
}

/// One that nobody listens on now.
fn free_port() -> u16 {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    listener.local_addr().unwrap().port()
}

async fn survives_kills(mut installation: Installation) {
    println!("seed {SEED}");
    let mut chance = Chance(SEED);
    let service = installation.service("game");
    let game = PlayedGame::start(&service, 1, PLAYERS, &json!({ "startMoney": 2000 })).await;
    let mut sent = game.play(&service, &vec![vec![buy_robots(3)]; PLAYERS as usize]).await;
    for _ in 0..5 * scale() {
        let mut orders = Vec::new();
        for seat in 0..PLAYERS as usize {
            orders.push(drawn_orders(&game.view(&service, seat).await, &mut chance));
        }
        let round = game.round(&service).await;
        sent.extend(game.order(&service, &orders).await);
        executes(&service, &game, round, chance.draw(&(0..=LONGEST_WAIT_MILLIS))).await;
        installation.kill_one(&mut chance).await;
        game.outlives(&service, round).await;
    }
    // One round without a kill: what was open is finished by then.
    game.play(&service, &vec![vec![]; PLAYERS as usize]).await;
    assert_receipts_are_true(&installation, &sent).await;
    for name in ["map", "robot", "trading"] {
        assert_books_balance(&installation.service(name)).await;
    }
    assert_money_adds_up(&installation, &game).await;
}

/// Returns when the round's execution has lasted so long, or the round is over.
async fn executes(service: &Caller, game: &PlayedGame, round: u64, millis: u64) {
    let time = || async { service.get(&crate::two_services::path(&game.id, "/time")).await.expect(200) };
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

async fn assert_receipts_are_true(installation: &Installation, sent: &[Uuid]) {
    let service = installation.service("game");
    let mut results = BTreeMap::<String, usize>::new();
    for name in ["robot", "trading"] {
        for event in all_events(&installation.service(name)).await {
            if ["movement", "mining", "regeneration", "fighting", "trades"]
                .contains(&event["channel"].as_str().unwrap())
            {
                let transaction = event["headers"]["transactionId"].as_str().unwrap().to_owned();
                *results.entry(transaction).or_default() += 1;
            }
        }
    }
    let mut tally = BTreeMap::<String, u32>::new();
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
        assert_eq!(balance["balance"].as_i64().unwrap(), 2000 + changes);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn one_process_that_is_killed_executes_no_command_twice() {
    survives_kills(Installation::in_one_process().await).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn four_processes_that_are_killed_execute_no_command_twice() {
    survives_kills(Installation::in_four_processes().await).await;
}
