//! Minings: one request to the map for each planet, exactly one result for each command, and what the map's faults do.

use std::task::Poll;
use std::time::Duration;

use futures::FutureExt as _;
use serde_json::json;
use starkeep_robot_core::{MiningRefusal, PlanetFault, ResourceKind};
use starkeep_robot_service::Config;
use starkeep_test_harness::{StoreKind, get};
use uuid::Uuid;

use crate::fake_map::Behaviour;
use crate::harness::{Bench, GAME, batch, mine, open_config, player, tx};

#[tokio::test]
async fn each_failed_check_has_its_text() {
    let (bench, planets) = Bench::playing().await;
    let iron = bench.map.add(3, 1, Some((ResourceKind::Iron, 9)));
    let broken = bench.map.add(4, 1, Some((ResourceKind::Coal, 9)));
    let robots = bench.spawn(player(1), tx(1), &[planets.station, iron, broken, planets.coal]).await;
    bench.map.break_planet(broken, PlanetFault::NoAnswer);
    let nobody = Uuid::from_u128(9);
    let told = bench.told();
    let commands = [
        mine(robots[3], 2),
        mine(nobody, 3),
        mine(robots[0], 4),
        mine(robots[1], 5),
        mine(robots[2], 6),
        mine(robots[3], 7),
    ];
    assert_eq!(bench.answered(batch(&commands)).await.status, 202);
    let failure = |message: String, energy: Option<u32>, resource: &str| {
        json!({
            "success": false, "message": message, "remainingEnergy": energy, "updatedInventory": 0,
            "resourceType": resource,
        })
    };
    let no_resource =
        |planet: Uuid| format!("Map Service did not return any resource on the planet {planet}");
    let expected = [
        (3, failure(format!("Robot with ID {nobody} not found"), None, "none")),
        (4, failure(no_resource(planets.station), Some(20), "none")),
        (
            5,
            failure(
                "The mining level of the robot is too low to mine the resource iron".to_owned(),
                Some(20),
                "iron",
            ),
        ),
        (6, failure(no_resource(broken), Some(20), "none")),
        (7, failure(format!("Robot {} mines already in this round", robots[3]), Some(20), "coal")),
    ];
    let refused = expected.map(|(number, payload)| ("mining".to_owned(), Some(tx(number)), payload));
    let all = bench.told_after(told);
    assert_eq!(all[..5], refused);
    assert_eq!((all.len(), all[5].1, &all[5].2["success"]), (6, Some(tx(2)), &json!(true)));
    assert_eq!(bench.map.given(), 2, "the second command of a robot asks for nothing");
}

/// The failure of one planet is told to its miners, once; the others mine.
#[tokio::test]
async fn a_planet_that_the_map_refuses_fails_its_own_miners_only() {
    let (bench, planets) = Bench::playing().await;
    let other = bench.map.add(3, 1, Some((ResourceKind::Coal, 9)));
    let robots = bench.spawn(player(1), tx(1), &[planets.coal, other, planets.coal]).await;
    let commands: Vec<_> = (2..).zip(&robots).map(|(number, robot)| mine(*robot, number)).collect();
    for (refusal, message) in [
        (
            MiningRefusal::UnknownPlanet,
            format!("Map Service doesn't have a planet with the id {}", planets.coal),
        ),
        (
            MiningRefusal::BadAnswer,
            format!(
                "Unexpected exception occurred: Map Service returned internal error when trying to mine on planet {}",
                planets.coal
            ),
        ),
    ] {
        let commands: Vec<_> = commands.iter().map(|command| fresh(&bench, command)).collect();
        let told = bench.told();
        bench.map.behave_next([Behaviour::Refuses(refusal)]);
        bench.execute(&commands).await;
        let told: Vec<_> = bench.told_after(told).into_iter().map(|(_, _, payload)| payload).collect();
        let outcomes: Vec<_> =
            told.iter().map(|payload| (payload["success"].as_bool(), payload["message"].as_str())).collect();
        let failed = (Some(false), Some(message.as_str()));
        assert_eq!((outcomes.len(), outcomes[0], outcomes[1]), (3, failed, failed));
        assert_eq!(outcomes[2].0, Some(true), "successes come last");
        assert_eq!(told[0]["resourceType"], "coal");
    }
    bench.assert_books_balance().await;
}

/// The same command with a transaction of its own.
fn fresh(bench: &Bench, command: &str) -> String {
    use starkeep_platform::chance::Chance as _;
    let (order, _) = command.rsplit_once(' ').unwrap();
    format!("{order} {}", bench.chance.uuid())
}

#[tokio::test]
async fn who_mines_is_said_only_where_that_is_one_robot() {
    let (bench, planets) = Bench::playing().await;
    let other = bench.map.add(3, 1, Some((ResourceKind::Coal, 9)));
    let robots = bench.spawn(player(1), tx(1), &[planets.coal, other, planets.coal]).await;
    bench.execute(&[mine(robots[0], 2), mine(robots[1], 3), mine(robots[2], 4)]).await;
    let calls = bench.map.calls();
    let miners = |call: usize| -> Vec<Uuid> {
        calls[call].site.miners.iter().map(|miner| miner.order.command.0).collect()
    };
    assert_eq!((calls.len(), miners(0), miners(1)), (2, vec![tx(2), tx(4)], vec![tx(3)]));
    // Results stand in the order of the commands, whatever their planets.
    let told: Vec<_> = bench.told_after(6).into_iter().map(|(_, transaction, _)| transaction).collect();
    assert_eq!(told, [Some(tx(2)), Some(tx(3)), Some(tx(4))]);
}

#[tokio::test]
async fn what_does_not_fit_is_lost_and_an_empty_deposit_gives_nothing() {
    let bench = Bench::new().await;
    let planets = bench.two_planets(21);
    bench.start_game(GAME).await;
    let robot = bench.spawn(player(1), tx(1), &[planets.coal]).await[0];
    for number in 0..12 {
        bench.execute(&[mine(robot, 10 + number)]).await;
    }
    assert_eq!(bench.map.left(planets.coal), 0);
    let held = bench.robot(robot).await["inventory"]["storedCoal"].clone();
    assert_eq!(held, 20, "21 were given, and 20 fit");
    let last = bench.result_of(tx(21));
    assert_eq!((&last["success"], &last["updatedInventory"]), (&json!(true), &json!(20)));
    bench.assert_books_balance().await;
}

#[tokio::test]
async fn a_mining_costs_what_the_host_says() {
    let bench = Bench::with(Config { mining_energy: 15, ..open_config() }, StoreKind::Memory).await;
    let planets = bench.two_planets(100);
    bench.start_game(GAME).await;
    let robot = bench.spawn(player(1), tx(1), &[planets.coal]).await[0];
    bench.execute(&[mine(robot, 2)]).await;
    assert_eq!(bench.result_of(tx(2))["remainingEnergy"], 5);
    bench.execute(&[mine(robot, 3)]).await;
    assert_eq!(bench.result_of(tx(3))["message"], "Tried to reduce energy by 15 but only has 5 energy");
    assert_eq!(bench.map.given(), 2);
}

/// One replica of the map may be gone while another one mines.
#[tokio::test]
async fn a_mining_that_has_not_arrived_is_asked_for_again() {
    let (bench, planets) = Bench::playing().await;
    let robot = bench.spawn(player(1), tx(1), &[planets.coal]).await[0];
    bench.map.behave_next([Behaviour::Away, Behaviour::Away]);
    assert_eq!(bench.answered(batch(&[mine(robot, 2)])).await.status, 202);
    assert_eq!(bench.result_of(tx(2))["updatedInventory"], 2);
    assert_eq!((bench.map.calls().len(), bench.map.given()), (3, 2));
}

#[tokio::test]
async fn a_map_that_is_not_there_fails_the_minings_in_time() {
    let (bench, planets) = Bench::playing().await;
    let robot = bench.spawn(player(1), tx(1), &[planets.coal]).await[0];
    bench.map.behave(Behaviour::Away);
    let away = "Unexpected exception occurred: Could not connect to Map Service";
    // With little time, and with enough.
    for (number, millis) in [(2, "300"), (3, "60000")] {
        let (sent, began) = (batch(&[mine(robot, number)]), bench.wall());
        let sent = sent.header("starkeep-timeout-millis", millis);
        assert_eq!(bench.answered(sent).await.status, 202);
        assert_eq!(bench.result_of(tx(number))["message"], away);
        assert!(bench.wall().duration_since(began).as_millis() <= 1_200);
    }
    // Executed, with this result: a repeat does not mine.
    let calls = bench.map.calls().len();
    bench.execute(&[mine(robot, 2)]).await;
    assert_eq!((bench.map.calls().len(), bench.results_of(tx(2)).len()), (calls, 1));
}

/// One replica of the map may be frozen while another one mines.
#[tokio::test]
async fn a_mining_that_is_not_answered_soon_is_asked_for_again() {
    let (bench, planets) = Bench::playing().await;
    let robot = bench.spawn(player(1), tx(1), &[planets.coal]).await[0];
    bench.map.hold_calls();
    let mut sent = bench.ask(batch(&[mine(robot, 2)])).boxed();
    assert!(futures::poll!(&mut sent).is_pending());
    bench.clock.advance(Duration::from_secs(1));
    assert!(futures::poll!(&mut sent).is_pending());
    bench.map.release();
    bench.clock.advance(Duration::from_millis(200));
    assert_eq!(sent.now_or_never().expect("it waits no longer").status, 202);
    assert_eq!((bench.map.calls().len(), bench.map.given()), (2, 2));
}

/// An answer that is lost is asked for again with the same key, within the batch's time; what was mined is booked once.
#[tokio::test]
async fn a_lost_answer_is_asked_for_again() {
    let (bench, planets) = Bench::playing().await;
    let robot = bench.spawn(player(1), tx(1), &[planets.coal]).await[0];
    // A connection that is refused later says nothing about the first request.
    bench.map.behave_next([Behaviour::LosesItsAnswer, Behaviour::Away, Behaviour::FailsSilently]);
    let sent = bench.ask(batch(&[mine(robot, 2)]));
    let mut sent = sent.boxed();
    // Between two calls it sleeps for less than a second; time goes on until it has woken.
    let reply = loop {
        if let Poll::Ready(reply) = futures::poll!(&mut sent) {
            break reply;
        }
        bench.clock.advance(Duration::from_millis(100));
    };
    assert_eq!(reply.status, 202);
    assert_eq!((bench.map.given(), bench.result_of(tx(2))["updatedInventory"].clone()), (2, json!(2)));
}

#[tokio::test]
async fn what_the_map_does_not_answer_in_time_stays_open_and_is_finished_later() {
    for finished_by_task in [true, false] {
        let (bench, planets) = Bench::playing().await;
        let robots = bench.spawn(player(1), tx(1), &[planets.coal, planets.coal]).await;
        bench.map.behave(Behaviour::LosesItsAnswer);
        let sent = batch(&[mine(robots[0], 2), mine(robots[1], 3)]).header("starkeep-timeout-millis", "100");
        bench.ask(sent.clone()).await.refused(503, "map-unavailable", None);
        assert_eq!(bench.results_of(tx(2)).len(), 0);
        let health = bench.ask(get("/health")).await.body;
        assert_eq!(health["parts"]["map"]["detail"], "answers; 1 minings are under way");
        // Nothing else of the game is executed before.
        let other = batch(&[mine(robots[0], 4)]).header("starkeep-timeout-millis", "100");
        bench.ask(other.clone()).await.refused(503, "round-not-reached", None);
        // Of a repeat some may be done.
        bench.ask(sent.clone()).await.refused(503, "map-unavailable", None);
        bench.map.repair();
        if finished_by_task {
            bench.service().mining_settler().step().await.unwrap();
            assert_eq!(bench.result_of(tx(2))["updatedInventory"], 2);
        }
        // A repeat finds it done; or finishes it.
        assert_eq!(bench.ask(sent).await.status, 202);
        for (number, robot) in [(2, robots[0]), (3, robots[1])] {
            assert_eq!(bench.result_of(tx(number))["updatedInventory"], 2);
            assert_eq!(bench.robot(robot).await["inventory"]["storedCoal"], 2);
        }
        assert_eq!(bench.map.given(), 4);
        assert_eq!(bench.ask(other).await.status, 202);
        assert_eq!(bench.map.given(), 6);
        bench.assert_books_balance().await;
    }
}

/// What the map gave to a game that has ended meanwhile is booked, too.
#[tokio::test]
async fn a_game_that_ends_meanwhile_keeps_its_robots_until_they_have_what_the_map_gave() {
    let (bench, planets) = Bench::playing().await;
    let robot = bench.spawn(player(1), tx(1), &[planets.coal]).await[0];
    bench.map.behave(Behaviour::LosesItsAnswer);
    let sent = batch(&[mine(robot, 2)]).header("starkeep-timeout-millis", "100");
    bench.ask(sent.clone()).await.refused(503, "map-unavailable", None);
    bench.roster(GAME, "ended").await;
    bench.map.repair();
    bench.ask(sent.header("starkeep-game", &GAME.to_string())).await.refused(409, "game-ended", None);
    bench.service().mining_settler().step().await.unwrap();
    assert_eq!(bench.result_of(tx(2))["updatedInventory"], 2);
    assert_eq!(bench.robot(robot).await["inventory"]["storedCoal"], 2);
    bench.assert_books_balance().await;
}
