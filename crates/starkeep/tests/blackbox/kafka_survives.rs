//! Kills of the program while it sends: whenever they come, each topic is its channel of the log in the end.
//! What a broker that dies or is away does to it: `kafka_away`.

use std::sync::Arc;

use serde_json::Value;
use starkeep_test_broker::Broker;
use starkeep_test_http::Caller;
use tokio::task::JoinSet;
use uuid::Uuid;

use crate::journal::{KillLoop, ProcessRun, assert_kept};
use crate::program::Program;
use crate::relayed::{assert_topics_are_the_log, nothing_waits, sent};
use crate::scale::scale;
use crate::traffic::{ENDLESS, change_pace, create_and_end, mine, planets_of_a_new_world, played_game};
use crate::two_services::{END, path};

const CLIENTS: usize = 6;

/// Mines one planet after the other until the program is gone.
async fn keep_mining(map: Caller, planets: Arc<[String]>, client: usize, run: ProcessRun<Uuid>) {
    for (number, planet) in planets.iter().cycle().enumerate() {
        let id = 1 << 127 | (run.number as u128) << 96 | (client as u128) << 64 | number as u128;
        if !mine(&map, planet, Uuid::from_u128(id)).await {
            return;
        }
        run.journal.note(Uuid::from_u128(id));
    }
}

async fn keep_hosting(game: Caller) {
    while create_and_end(&game).await {}
}

#[tokio::test(flavor = "multi_thread")]
async fn every_event_is_in_its_topic_once_and_in_order_however_often_the_program_is_killed() {
    let Some(broker) = Broker::start().await else { return };
    let home = tempfile::tempdir().unwrap();
    let data = home.path().to_str().unwrap();
    killed_again_and_again(&broker, data, 10 * scale()).await;
}

/// Returns a last process, when all topics have been compared with the log.
pub(crate) async fn killed_again_and_again(broker: &Broker, data: &str, kills: usize) -> Program {
    let kill_loop = KillLoop {
        service: "all",
        flags: &["--data-dir", data, "--kafka", broker.address(), "--replenish-every", "0"],
        kills,
        acknowledged: 50..=400,
        seed: 11,
    };
    let (mut planets, mut played) = (Arc::default(), Value::Null);
    let drive = async |program: &Program, run: ProcessRun<Uuid>| {
        let (game, map) = (program.game(), program.map());
        if run.number == 0 {
            planets = planets_of_a_new_world(&map).await;
            played = played_game(&game, ENDLESS).await;
        }
        change_pace(&game, &played, ["clock", "turbo"][run.number % 2]).await;
        if run.number.is_multiple_of(2) {
            // Half of the kills come while events are sent as they are logged, the others while a new process still learns
            // what has arrived, or makes up for what has not.
            nothing_waits(program).await;
        }
        let mut load = JoinSet::new();
        for client in 0..CLIENTS {
            load.spawn(keep_mining(map.clone(), planets.clone(), client, run.clone()));
        }
        load.spawn(keep_hosting(game));
        load
    };
    let (program, journal) = kill_loop.run(drive).await;

    nothing_waits(&program).await;
    program.game().post(&path(&played, END), &Value::Null).await.expect(201);
    let counts = assert_topics_are_the_log(broker, &program).await;
    for (channel, count) in &counts {
        let silent = ["playerStatus", "resource-replenished"].contains(channel);
        assert_eq!(*count == 0, silent, "{channel} has {count} events");
    }
    let mined = sent(broker, "resource-mined").await;
    let mined: Vec<Uuid> = mined.iter().map(|event| event.header("transactionId").parse().unwrap()).collect();
    assert_kept(&journal, &mined, kills * CLIENTS);
    program
}
