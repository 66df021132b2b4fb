//! Fights: every check in its order, and what a battle leaves behind.

use serde_json::{Value, json};
use uuid::Uuid;

use crate::harness::{Bench, fight, mine, move_to, player, tx};

#[tokio::test]
async fn each_failed_check_has_its_text_and_names_who_was_found() {
    let (bench, planets) = Bench::playing().await;
    let here = bench.spawn(player(1), tx(1), &[planets.station]).await[0];
    let there = bench.spawn(player(2), tx(2), &[planets.coal]).await[0];
    let nobody = Uuid::from_u128(9);
    bench
        .execute(&[
            fight(nobody, there, 3),
            fight(here, nobody, 4),
            fight(here, there, 5),
            fight(here, here, 6),
        ])
        .await;
    let failure = |message: &str, attacker: Value, defender: Value, health: Value, energy: Value| {
        json!({
            "success": false, "message": message, "attacker": attacker, "defender": defender,
            "remainingDefenderHealth": health, "remainingEnergy": energy,
        })
    };
    let not_found = format!("Robot with ID {nobody} not found");
    let (ten, twenty) = (json!(10), json!(20));
    assert_eq!(
        bench.result_of(tx(3)),
        failure(&not_found, Value::Null, json!(there), ten.clone(), Value::Null)
    );
    assert_eq!(
        bench.result_of(tx(4)),
        failure(&not_found, json!(here), Value::Null, Value::Null, twenty.clone())
    );
    let elsewhere = "The attacking robot and the defending robot are not on the same planet";
    assert_eq!(
        bench.result_of(tx(5)),
        failure(elsewhere, json!(here), json!(there), ten.clone(), twenty.clone())
    );
    let itself = "A robot cannot attack itself";
    assert_eq!(bench.result_of(tx(6)), failure(itself, json!(here), json!(here), ten, twenty));
}

#[tokio::test]
async fn attacks_end_when_the_energy_does_and_own_robots_can_be_attacked() {
    let (bench, planets) = Bench::playing().await;
    let robots = bench.spawn(player(1), tx(1), &[planets.station; 4]).await;
    let first: Vec<_> = (0..10).map(|number| fight(robots[0], robots[1], 10 + number)).collect();
    bench.execute(&first).await;
    assert!(!bench.exists(robots[1]).await, "a robot of the same player");
    let second: Vec<_> = (0..11).map(|number| fight(robots[0], robots[2], 30 + number)).collect();
    bench.execute(&second).await;
    let exhausted = bench.result_of(tx(40));
    assert_eq!(exhausted["message"], "Tried to reduce energy by 1 but only has 0 energy");
    assert!(!bench.exists(robots[2]).await);
    // It held nothing, so nothing is given to those who stand there.
    assert!(!bench.told_after(0).iter().any(|(channel, ..)| channel == "resource-distribution"));
}

/// What cannot be shared evenly is drawn from the batch's seed: the same seed, the same robots.
#[tokio::test]
async fn loot_goes_to_all_who_stand_there_and_follows_the_seed() {
    let shares = async |seed: &str| {
        let (bench, planets) = Bench::playing().await;
        let coal = planets.coal;
        let robots = bench.spawn(player(1), tx(1), &[coal; 5]).await;
        let victim = bench.spawn(player(2), tx(2), &[coal]).await[0];
        // 2 units each time: 4 in all, for five robots.
        bench.execute(&[mine(victim, 3)]).await;
        bench.execute(&[mine(victim, 4)]).await;
        let attacks: Vec<_> = (0..10).map(|number| fight(robots[0], victim, 10 + number)).collect();
        let sent = crate::harness::batch(&attacks).header("starkeep-seed", seed);
        assert_eq!(bench.ask(sent).await.status, 202);
        let given =
            bench.told_after(0).into_iter().filter(|(channel, ..)| channel == "resource-distribution");
        let given: Vec<_> = given.map(|(_, _, payload)| payload["coal"].as_u64().unwrap()).collect();
        assert_eq!((given.len(), given.iter().sum::<u64>()), (5, 4), "{given:?}");
        bench.assert_books_balance().await;
        given
    };
    assert_eq!(shares("7").await, shares("7").await);
    let seeds = futures::future::join_all(["1", "2", "3", "4", "5", "6"].map(shares)).await;
    assert!(seeds.iter().any(|given| *given != seeds[0]), "{seeds:?}");
}

#[tokio::test]
async fn a_destroyed_robot_acts_no_more_and_is_on_no_planet() {
    let (bench, planets) = Bench::playing().await;
    let robots = bench.spawn(player(1), tx(1), &[planets.station, planets.station]).await;
    let attacks: Vec<_> = (0..10).map(|number| fight(robots[0], robots[1], 10 + number)).collect();
    bench.execute(&attacks).await;
    let before = bench.map.questions();
    bench.execute(&[move_to(robots[1], planets.coal, 30)]).await;
    bench.execute(&[mine(robots[1], 31)]).await;
    assert_eq!(bench.map.questions(), before);
    for transaction in [30, 31] {
        assert_eq!(
            bench.result_of(tx(transaction))["message"],
            format!("Robot with ID {} not found", robots[1])
        );
    }
    let spawned = bench.spawn(player(2), tx(32), &[planets.station]).await;
    let (_, _, seen) = &bench.told_after(0).into_iter().rev().nth(1).unwrap();
    assert_eq!((&seen["robotId"], &seen["otherSeeableRobots"]), (&json!(spawned[0]), &json!([robots[0]])));
}
