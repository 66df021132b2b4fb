//! The collection phase under kills: what was acknowledged is kept and carried out once, while clients send commands and the
//! process is killed again and again.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;
use starkeep_contract::command::{CommandState, CommandType, RoundCommands};
use starkeep_test_http::Caller;
use tokio::task::JoinSet;
use uuid::Uuid;

use crate::bot::{Bot, final_state, transaction};
use crate::executors::{Executors, times};
use crate::journal::{KillLoop, ProcessRun, assert_kept};
use crate::program::Program;
use crate::scale::scale;
use crate::two_services::path;
use starkeep_fault_harness::Journal;

/// Each sends commands for a robot of its own and buys robots, by turns.
const CLIENTS: [CommandType; 6] = CommandType::ALL;

/// A command that was taken, and the robot that it is for.
#[derive(Clone, Copy)]
struct Taken {
    command: Uuid,
    robot: Option<Uuid>,
}

/// One after the other, until the service is gone.
async fn send_on(service: Caller, robot: Uuid, orders: [Value; 2], journal: Journal<Taken>) {
    for turn in 0.. {
        let Some(answer) = service.post_meanwhile("/commands", &orders[turn % 2]).await.unwrap() else {
            return;
        };
        let command = transaction(&answer.expect(201));
        journal.note(Taken { command, robot: (turn % 2 == 0).then_some(robot) });
    }
}

/// The commands of the first round, as they are shown to their player.
async fn first_round(service: &Caller, bot: &Bot) -> RoundCommands {
    let first = format!("/commands?gameId={}&roundNumber=1", bot.game.as_str().unwrap());
    serde_json::from_value(service.with_token(&bot.token).get(&first).await.expect(200)).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_acknowledged_is_kept_over_kills_and_carried_out_once() {
    let (home, executors) = (tempfile::tempdir().unwrap(), Executors::start());
    let own = ["--data-dir", home.path().to_str().unwrap()].map(str::to_owned);
    let flags = [own.as_slice(), &executors.flags()].concat();
    let flags: Vec<_> = flags.iter().map(String::as_str).collect();
    let kills = 10 * scale();
    let kill_loop = KillLoop { service: "all", flags: &flags, kills, acknowledged: 1..=60, seed: 3 };
    let mut bot = None;
    let drive = async |program: &Program, run: ProcessRun<Taken>| {
        let service = program.game();
        if bot.is_none() {
            bot = Some(Bot::in_a_game(&service, 1, 86_400_000).await);
        }
        let bot = bot.as_ref().unwrap();
        let mut load = JoinSet::new();
        for (robot, kind) in CLIENTS.iter().map(|client| bot.robot(*client)).zip(CLIENTS) {
            let orders = [bot.order_to(robot, kind), bot.purchase()];
            load.spawn(send_on(program.game(), robot, orders, run.journal.clone()));
        }
        load
    };
    let (program, journal) = kill_loop.run(drive).await;
    let (service, bot) = (program.game(), bot.unwrap());
    let unanswered = kills * CLIENTS.len();

    let kept = first_round(&service, &bot).await;
    let (of_robots, purchases): (Vec<_>, Vec<_>) =
        kept.commands.iter().partition(|command| command.robot_id.is_some());
    let ids = |taken: &[Taken]| taken.iter().map(|taken| taken.command).collect::<Vec<_>>();
    let (for_robots, bought): (Vec<Taken>, Vec<Taken>) =
        journal.iter().partition(|taken| taken.robot.is_some());
    let purchases: Vec<_> = purchases.iter().map(|command| command.transaction_id.0).collect();
    assert_kept(&ids(&bought), &purchases, unanswered);

    let last: BTreeMap<_, _> = for_robots.iter().map(|taken| (taken.robot.unwrap(), taken.command)).collect();
    let acknowledged: BTreeSet<_> = ids(&for_robots).into_iter().collect();
    assert_eq!(of_robots.len(), last.len(), "one for each robot");
    for shown in of_robots {
        let (robot, command) = (shown.robot_id.unwrap().0, shown.transaction_id.0);
        // One that was under way at a kill may have been taken, and takes the place of the last one that is known of.
        assert!(command == last[&robot] || !acknowledged.contains(&command), "{robot} has an older command");
    }

    for command in ["/gameCommands/pause", "/gameCommands/step"] {
        service.post(&path(&bot.game, command), &Value::Null).await.expect(201);
    }
    let carried_out = times(&executors.arrived().await);
    let shown: BTreeMap<_, usize> =
        kept.commands.iter().map(|command| (command.transaction_id.0, 1)).collect();
    assert_eq!(carried_out.into_iter().collect::<BTreeMap<_, _>>(), shown);
    for Taken { command, .. } in &journal {
        let carried_out = shown.contains_key(command);
        let expected = if carried_out { CommandState::Dispatched } else { CommandState::Replaced };
        assert_eq!(final_state(&service, *command).await, expected, "{command}");
    }
    println!("{} acknowledged, {} carried out after {kills} kills", journal.len(), shown.len());
}
