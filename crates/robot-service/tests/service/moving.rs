//! Moves: every check in its order, each failure with its text, and what a batch as a whole looks like.

use serde_json::{Value, json};
use starkeep_robot_core::{PlanetFault, ResourceKind};
use uuid::Uuid;

use crate::fake_map::planet_id;
use crate::harness::{Bench, batch, move_to, player, tx};

fn failure(message: &str, energy: Option<u32>) -> Value {
    json!({"success": false, "message": message, "remainingEnergy": energy, "planet": null, "robots": []})
}

#[tokio::test]
async fn each_failed_check_has_its_text_and_costs_nothing() {
    let (bench, planets) = Bench::playing().await;
    let robot = bench.spawn(player(1), tx(1), &[planets.station]).await[0];
    let (nobody, nowhere, far) = (Uuid::from_u128(9), planet_id(99), bench.map.add(3, 3, None));
    for (broken, fault) in [(10, PlanetFault::BadAnswer), (11, PlanetFault::NoAnswer)] {
        let planet = bench.map.add(broken, 1, None);
        bench.map.break_planet(planet, fault);
    }
    let commands = [
        move_to(nobody, planets.coal, 2),
        move_to(robot, nowhere, 3),
        move_to(robot, planet_id(10), 4),
        move_to(robot, planet_id(11), 5),
        move_to(robot, far, 6),
        move_to(robot, planets.station, 7),
    ];
    let told = bench.told();
    assert_eq!(bench.answered(batch(&commands)).await.status, 202);
    let messages = [
        failure(&format!("Robot with ID {nobody} not found"), None),
        failure("The requested planet does not exist", Some(20)),
        failure("Unexpected exception occurred: Could not get planet data from MapService", Some(20)),
        failure("Unexpected exception occurred: Could not connect to Map Service", Some(20)),
        failure(&format!("The robot cannot move to the planet with ID {far}"), Some(20)),
        failure(&format!("The robot cannot move to the planet with ID {}", planets.station), Some(20)),
    ];
    let expected: Vec<_> = (2..)
        .zip(messages)
        .map(|(number, payload)| ("movement".to_owned(), Some(tx(number)), payload))
        .collect();
    assert_eq!(bench.told_after(told), expected, "no neighbours are told of");
    assert_eq!(bench.robot(robot).await["energy"], 20);
}

#[tokio::test]
async fn a_move_costs_what_the_target_costs_until_there_is_too_little() {
    let (bench, planets) = Bench::playing().await;
    let hard = bench.map.add(5, 19, Some((ResourceKind::Iron, 5)));
    bench.map.connect(planets.station, hard);
    let robot = bench.spawn(player(1), tx(1), &[planets.station]).await[0];
    bench.execute(&[move_to(robot, hard, 2)]).await;
    assert_eq!(bench.result_of(tx(2))["remainingEnergy"], 1);
    assert_eq!(bench.result_of(tx(2))["planet"]["resourceType"], "iron");
    bench.execute(&[move_to(robot, planets.station, 3), move_to(robot, hard, 4)]).await;
    assert_eq!(bench.result_of(tx(3))["remainingEnergy"], 0);
    assert_eq!(
        bench.result_of(tx(4)),
        failure("Tried to reduce energy by 19 but only has 0 energy", Some(0))
    );
    assert_eq!(bench.robot(robot).await["planet"], json!(planets.station));
}

/// A planet that cannot be read fails its own moves only. Failures are told first; the rest is a chain.
#[tokio::test]
async fn the_rest_of_a_batch_goes_on_where_a_planet_cannot_be_read() {
    let (bench, planets) = Bench::playing().await;
    let broken = bench.map.add(10, 1, None);
    bench.map.break_planet(broken, PlanetFault::BadAnswer);
    let robots = bench.spawn(player(1), tx(1), &[planets.station, planets.station]).await;
    let told = bench.told();
    bench
        .execute(&[
            move_to(robots[0], planets.coal, 2),
            move_to(robots[1], broken, 3),
            move_to(robots[0], planets.station, 4),
        ])
        .await;
    let order: Vec<_> =
        bench.told_after(told).into_iter().map(|(channel, transaction, _)| (channel, transaction)).collect();
    let movement = |number| ("movement".to_owned(), Some(tx(number)));
    let neighbours = |number| ("neighbours".to_owned(), Some(tx(number)));
    assert_eq!(order, [movement(3), movement(2), neighbours(2), movement(4), neighbours(4)]);
    // After the whole batch nobody is left on the first target.
    assert_eq!(bench.result_of(tx(2))["robots"], json!([]));
    assert_eq!(bench.result_of(tx(4))["robots"], json!([robots[0], robots[1]]));
    assert_eq!(bench.robot(robots[0]).await["energy"], 17);
}

#[tokio::test]
async fn a_planet_is_asked_for_once_and_only_if_somebody_can_go_there() {
    let (bench, planets) = Bench::playing().await;
    let robots = bench.spawn(player(1), tx(1), &[planets.station; 3]).await;
    let before = bench.map.questions();
    let commands: Vec<_> =
        (2..).zip(&robots).map(|(number, robot)| move_to(*robot, planets.coal, number)).collect();
    bench.execute(&commands).await;
    assert_eq!(bench.map.questions(), before + 1);
    // Neither for robots that do not exist, nor for what was executed before.
    bench.execute(&[move_to(Uuid::nil(), planets.station, 9)]).await;
    bench.execute(&commands).await;
    assert_eq!(bench.map.questions(), before + 1);
}

/// One replica of the map may be gone, or frozen, while another one tells of planets.
#[tokio::test]
async fn a_planet_that_the_map_did_not_tell_of_is_asked_for_again() {
    let (bench, planets) = Bench::playing().await;
    bench.map.miss_question();
    let spawned = bench.answered(crate::harness::spawning(player(1), tx(1), &[planets.station])).await;
    let robot = crate::harness::ids(&spawned.is(201))[0];
    bench.map.miss_question();
    bench.map.miss_question();
    assert_eq!(bench.answered(batch(&[move_to(robot, planets.coal, 2)])).await.status, 202);
    assert_eq!(bench.result_of(tx(2))["success"], true);
}

/// What the map does not tell in time fails, and the rest of the batch is executed.
#[tokio::test]
async fn a_map_that_hangs_fails_its_moves_in_time() {
    let (bench, planets) = Bench::playing().await;
    let robot = bench.spawn(player(1), tx(1), &[planets.station]).await[0];
    bench.map.hold_planets();
    let sent = batch(&[move_to(robot, planets.coal, 2)]).header("starkeep-timeout-millis", "400");
    let mut sent = Box::pin(bench.ask(sent));
    assert!(futures::poll!(&mut sent).is_pending());
    bench.clock.advance(std::time::Duration::from_millis(300));
    assert_eq!(sent.await.status, 202);
    let away = "Unexpected exception occurred: Could not connect to Map Service";
    assert_eq!(bench.result_of(tx(2)), failure(away, Some(20)));
}
