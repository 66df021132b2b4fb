//! A process that ends in the middle of a mining, at each of its steps: the next one finishes it, and nothing happens twice.

use uuid::Uuid;

use crate::harness::{Bench, GAME, TwoPlanets, mine, move_to, player, tx};

async fn miners() -> (Bench, TwoPlanets, Vec<Uuid>) {
    let bench = Bench::on_file().await;
    let planets = bench.two_planets(1_000);
    bench.start_game(GAME).await;
    let robots = bench.spawn(player(1), tx(1), &[planets.coal, planets.coal]).await;
    (bench, planets, robots)
}

/// Where the process ends.
#[derive(Clone, Copy, Debug)]
enum Crash {
    BeforeTheCall,
    AfterTheEffect,
    AfterTheAnswer,
}

/// Who finishes what is open.
#[derive(Clone, Copy, Debug)]
enum By {
    Task,
    Repeat,
    NextBatch,
}

#[tokio::test]
async fn a_mining_takes_place_once_wherever_the_process_ends() {
    for crash in [Crash::BeforeTheCall, Crash::AfterTheEffect, Crash::AfterTheAnswer] {
        for by in [By::Task, By::Repeat, By::NextBatch] {
            let (mut bench, planets, robots) = miners().await;
            let commands = [mine(robots[0], 2), mine(robots[1], 3)];
            match crash {
                Crash::BeforeTheCall => bench.map.hold_calls(),
                Crash::AfterTheEffect => bench.map.hold_answers(),
                Crash::AfterTheAnswer => {}
            }
            {
                let map = bench.map.clone();
                tokio::select! {
                    biased;
                    reply = bench.send(&commands) => assert_eq!(reply.status, 202, "{crash:?}"),
                    () = async {
                        map.minings_arrived(1).await;
                        // It has come to where it is held.
                        tokio::task::yield_now().await;
                    } => {}
                }
            }
            let taken = bench.map.given();
            assert_eq!(taken, if matches!(crash, Crash::BeforeTheCall) { 0 } else { 4 }, "{crash:?}");
            bench.restart().await;
            bench.map.release();
            match by {
                By::Task => bench.service().mining_settler().step().await.unwrap(),
                By::Repeat => bench.execute(&commands).await,
                By::NextBatch => bench.execute(&[move_to(robots[0], planets.station, 9)]).await,
            }
            assert_eq!(bench.map.given(), 4, "{crash:?} {by:?}");
            for (number, robot) in [(2, robots[0]), (3, robots[1])] {
                assert_eq!(bench.result_of(tx(number))["updatedInventory"], 2, "{crash:?} {by:?}");
                assert_eq!(bench.robot(robot).await["inventory"]["storedCoal"], 2, "{crash:?} {by:?}");
            }
            assert_eq!(bench.count("intent"), 0);
            bench.assert_books_balance().await;
        }
    }
}

#[tokio::test]
async fn a_restart_forgets_nothing() {
    let (mut bench, planets, robots) = miners().await;
    bench.execute(&[mine(robots[0], 2)]).await;
    bench.execute(&[move_to(robots[1], planets.station, 3)]).await;
    let ended = Uuid::from_u128(77);
    bench.start_game(ended).await;
    let spawn = crate::harness::spawning(player(3), tx(4), &[planets.station]);
    let old = bench.ask(spawn.clone().header("starkeep-game", &ended.to_string())).await.is(201);
    bench.roster(ended, "ended").await;
    let all = async |bench: &Bench| {
        let mut shown = Vec::new();
        for path in [
            format!("/robots?game-id={GAME}"),
            format!("/robots?game-id={ended}"),
            format!("/robots?player-id={}", player(1)),
            format!("/robots/{}", old[0]["id"].as_str().unwrap()),
        ] {
            shown.push(bench.ask(starkeep_test_harness::get(path)).await.is(200));
        }
        shown
    };
    let (before, told) = (all(&bench).await, bench.told());
    assert_eq!(before[1], serde_json::json!([before[3]]));
    bench.restart().await;
    assert_eq!(all(&bench).await, before);
    // What was executed is not executed again.
    bench.execute(&[mine(robots[0], 2)]).await;
    bench.execute(&[move_to(robots[1], planets.station, 3)]).await;
    assert_eq!((bench.told(), bench.map.given()), (told, 2));
    let repeated = bench.ask(crate::harness::spawning(player(1), tx(1), &[planets.coal, planets.coal])).await;
    assert_eq!(crate::harness::ids(&repeated.is(201)), robots);
    bench.assert_books_balance().await;
}
