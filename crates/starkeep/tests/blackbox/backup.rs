//! Backups of services that run, under load: what is restored from one is an instant of all of them. Everything that was acknowledged
//! before is there, no service knows of anything that another one has yet to do, and all of it goes on.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::{Value, json};
use starkeep_test_http::{Caller, within_limit};
use tokio::task::JoinSet;
use uuid::Uuid;

use crate::archive::{Content, Place, stopped};
use crate::bot::registered;
use crate::bot_game::BotGame;
use crate::installation::Installation;
use crate::journal::{load_reaches, whole_log};
use crate::played_game::{PlayedGame, buy_robots, drawn_orders};
use crate::postgres::rounds_go_on;
use crate::program::{Program, run};
use crate::rounds::started;
use crate::scale::scale;
use crate::two_services::END;
use crate::two_services::path;
use crate::whole_game::{all_events, assert_books_balance};
use crate::whole_game_of_bots::check;
use starkeep_fault_harness::{Chance, Journal};

/// Enough for the load, and for those who are to play afterwards.
const FLAGS: [&str; 4] = ["--max-running-games", "20", "--replenish-every", "1s"];

const BACKUPS: usize = 3;
/// So much is acknowledged before each of them.
const ACKNOWLEDGED: usize = 60;

/// What a client was told, and must find again.
#[derive(Clone, Debug)]
enum Acknowledged {
    Player(Value),
    Command(Uuid),
}

/// Clients that play, and register without end.
struct Load {
    journal: Journal<Acknowledged>,
    games: Vec<Arc<PlayedGame>>,
    /// One that keeps to the clock.
    clocked: Value,
    tasks: JoinSet<()>,
    is_over: Arc<AtomicBool>,
}

impl Load {
    async fn start(service: &Caller) -> Self {
        let (journal, is_over) = (Journal::default(), Arc::new(AtomicBool::new(false)));
        let clocked = started(service, 300).await;
        let (mut games, mut tasks) = (Vec::new(), JoinSet::new());
        for number in 0..2 {
            let settings = json!({ "startMoney": 2000, "seed": 5 + number });
            let game = Arc::new(PlayedGame::start(service, 100 * (number + 1), 3, &settings).await);
            games.push(game.clone());
            let (service, journal, is_over) = (service.clone(), journal.clone(), is_over.clone());
            tasks.spawn(async move { play(&service, &game, &journal, &is_over).await });
        }
        let (own_service, own_journal, own_end) = (service.clone(), journal.clone(), is_over.clone());
        tasks.spawn(async move {
            for number in 10_000.. {
                if own_end.load(Ordering::Relaxed) {
                    return;
                }
                let (player, _) = registered(&own_service, number).await;
                own_journal.note(Acknowledged::Player(player));
            }
        });
        Self { journal, games, clocked, tasks, is_over }
    }

    async fn goes_on(&mut self) {
        let enough = self.journal.len() + ACKNOWLEDGED;
        within_limit("the load to be acknowledged", load_reaches(&self.journal, enough, &mut self.tasks))
            .await;
    }

    async fn end(&mut self) {
        self.is_over.store(true, Ordering::Relaxed);
        while let Some(ended) = within_limit("the load to end", self.tasks.join_next()).await {
            ended.unwrap();
        }
    }
}

async fn play(service: &Caller, game: &PlayedGame, journal: &Journal<Acknowledged>, is_over: &AtomicBool) {
    let mut chance = Chance(3);
    let mut orders = vec![vec![buy_robots(3)]; game.seats.len()];
    while !is_over.load(Ordering::Relaxed) {
        for command in game.play(service, &orders).await {
            journal.note(Acknowledged::Command(command));
        }
        orders.clear();
        for seat in 0..game.seats.len() {
            orders.push(drawn_orders(&game.view(service, seat).await, &mut chance));
        }
    }
}

/// A file, and what had been acknowledged before it was begun.
struct Taken {
    file: PathBuf,
    before: Vec<Acknowledged>,
    /// An event that was there after it had ended.
    later: Value,
}

async fn take_backups(home: &Path, data: &[PathBuf], load: &mut Load, service: &Caller) -> Vec<Taken> {
    let mut all = Vec::new();
    for number in 0..BACKUPS * scale() {
        load.goes_on().await;
        let (file, before) = (home.join(format!("backup-{number}")), load.journal.entries());
        let mut arguments = vec!["backup", file.to_str().unwrap()];
        arguments.extend(data.iter().flat_map(|data| ["--data-dir", data.to_str().unwrap()]));
        let ended = run(&arguments).await;
        assert_eq!((ended.code, ended.stderr.as_str()), (Some(0), ""), "{ended:?}");
        let position = whole_log(service).await.pop().unwrap()["id"].take();
        all.push(Taken { file, before, later: position });
    }
    all
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_restored_is_one_instant_of_all_services() {
    let home = tempfile::tempdir().unwrap();
    let data = home.path().join("data");
    let program = Place::directory(&data).serve_with(&FLAGS).await;
    let service = program.game();
    let mut load = Load::start(&service).await;
    let backups = take_backups(home.path(), &[data], &mut load, &service).await;
    load.end().await;
    program.kill().await;
    for backup in &backups {
        assert_is_whole(home.path(), backup, &load).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn services_with_directories_of_their_own_are_copied_at_one_instant() {
    let home = tempfile::tempdir().unwrap();
    let installation = Installation::in_four_processes_with(&FLAGS).await;
    let service = installation.service("game");
    let mut load = Load::start(&service).await;
    let data = ["map", "robot", "trading", "game"].map(|which| installation.data(which));
    let backups = take_backups(home.path(), &data, &mut load, &service).await;
    load.end().await;
    drop(installation);
    assert_is_whole(home.path(), backups.last().unwrap(), &load).await;
}

async fn assert_is_whole(home: &Path, backup: &Taken, load: &Load) {
    let data = backup.file.with_extension("data");
    let place = Place::directory(&data);
    let printed = place.done("restore", &backup.file).await;
    assert!(printed.contains("clients that resume event streams are told of a gap"), "{printed}");
    let program = place.serve_with(&FLAGS).await;
    assert_has_all(&program, &backup.before).await;
    assert_is_another_log(&program, backup).await;
    goes_on(&program, load).await;
    assert_each_result_is_of_a_command_and_the_only_one(&program).await;
    for service in [program.map(), program.robot(), program.trading()] {
        assert_books_balance(&service).await;
    }
    check(&BotGame::play(&program, 9, 4, 20).await);
    stopped(program).await;
    let file = home.join("after");
    place.done("export", &file).await;
    assert_no_service_missed_anything(&Content::read(&file));
    std::fs::remove_file(file).unwrap();
}

async fn assert_has_all(program: &Program, acknowledged: &[Acknowledged]) {
    assert!(acknowledged.len() >= ACKNOWLEDGED);
    for entry in acknowledged {
        let path = match entry {
            Acknowledged::Player(id) => format!("/players/{}", id.as_str().unwrap()),
            Acknowledged::Command(id) => format!("/commands/{id}"),
        };
        program.game().get(&path).await.expect(200);
    }
}

/// Whoever has read further in the original is told so, however far this one goes.
async fn assert_is_another_log(program: &Program, backup: &Taken) {
    let (game, later) = (program.game().wanting_json(), backup.later.as_str().unwrap());
    let page = game.get(&format!("/events?limit=1&after={later}")).await.expect(200);
    assert_eq!(page["gap"]["reason"], "epoch", "{page}");
    assert_ne!(whole_log(&game).await[0]["id"].as_str().unwrap().split('-').next(), later.split('-').next());
}

/// Games that were played are played on: the clock's own, and those that wait for their players.
async fn goes_on(program: &Program, load: &Load) {
    let service = program.game();
    rounds_go_on(&service, &load.clocked).await;
    for game in &load.games {
        let round = game.round(&service).await;
        for seat in &game.seats {
            game.is_ready(&service, seat).await;
        }
        game.outlives(&service, round).await;
        let mut chance = Chance(4);
        let mut orders = Vec::new();
        for seat in 0..game.seats.len() {
            orders.push(drawn_orders(&game.view(&service, seat).await, &mut chance));
        }
        game.play(&service, &orders).await;
    }
    for (name, part, settled) in [("trading", "robot", "all trades are settled"), ("robot", "map", "answers")]
    {
        let service = if name == "trading" { program.trading() } else { program.robot() };
        let health = || async { service.get("/health").await.expect(200) };
        let settling = async { while health().await["parts"][part]["detail"] != settled {} };
        within_limit("what was under way to be finished", settling).await;
    }
    service.post(&path(&load.clocked, END), &Value::Null).await.expect(201);
}

/// The robot and the trading service have carried out nothing that the game service does not know of, and nothing twice.
async fn assert_each_result_is_of_a_command_and_the_only_one(program: &Program) {
    let mut results = BTreeMap::<String, usize>::new();
    for service in [program.robot(), program.trading()] {
        for event in all_events(&service).await {
            let channel = event["channel"].as_str().unwrap();
            if ["movement", "mining", "regeneration", "fighting", "trades"].contains(&channel) {
                let transaction = event["headers"]["transactionId"].as_str().unwrap().to_owned();
                *results.entry(transaction).or_default() += 1;
            }
        }
    }
    assert!(results.len() > 20, "{}", results.len());
    for (command, count) in results {
        assert_eq!(count, 1, "{command} was carried out twice");
        program.game().get(&format!("/commands/{command}")).await.expect(200);
    }
}

/// Nobody has found a gap in the events of another service: positions that were remembered are known in the new logs.
fn assert_no_service_missed_anything(content: &Content) {
    for row in &content.rows {
        if ("robot", "game_stream") == (&*row.service, &*row.table) {
            let columns = content.columns_of(row);
            let place = columns.iter().position(|column| column == "gap_at_millis").unwrap();
            assert_eq!(row.values[place], Value::Null, "{row:?}");
        }
    }
    assert_eq!(content.rows_of("robot", "game_stream"), 1);
    let streams = content.documents("trading", "stream");
    assert!(streams.len() == 2 && streams.iter().all(|stream| stream["gap"].is_null()), "{streams:?}");
}
