//! The worked example of a whole game, as far as robots are concerned: what goes in and what is told, round by round.

use serde_json::{Value, json};
use starkeep_test_harness::post;
use uuid::Uuid;

use crate::harness::{Bench, GAME, fight, mine, move_to, player, regenerate, tx};

const ZERO: Option<Uuid> = Some(Uuid::nil());

#[tokio::test]
async fn two_robots_are_bought_move_mine_fight_and_one_is_left() {
    let bench = Bench::new().await;
    let planets = bench.two_planets(3);
    let (station, coal) = (planets.station, planets.coal);
    bench.start_game(GAME).await;
    let (a, b) = (player(1), player(2));
    let ra = bench.spawn(a, tx(1), &[station]).await[0];
    let rb = bench.spawn(b, tx(2), &[station]).await[0];
    let around_station =
        json!({"neighbours": [{"planetId": coal, "movementDifficulty": 2, "direction": "east"}]});
    let spawned = |robot: Uuid, owner: Uuid, others: Value| json!({"robotId": robot, "playerId": owner, "otherSeeableRobots": others});
    let expected = [
        ("spawn-notification".to_owned(), Some(tx(1)), spawned(ra, a, json!([]))),
        ("neighbours".to_owned(), Some(tx(1)), around_station.clone()),
        ("spawn-notification".to_owned(), Some(tx(2)), spawned(rb, b, json!([ra]))),
        ("neighbours".to_owned(), Some(tx(2)), around_station),
    ];
    assert_eq!(bench.told_after(0), expected);

    // Round 2.
    let told = bench.told();
    bench.execute(&[move_to(ra, coal, 3), move_to(rb, coal, 4)]).await;
    let arrived = json!({
        "success": true, "message": "Movement successful", "remainingEnergy": 18,
        "planet": {"planetId": coal, "movementDifficulty": 2, "planetType": "DEFAULT", "resourceType": "coal"},
        "robots": [ra, rb],
    });
    let around_coal =
        json!({"neighbours": [{"planetId": station, "movementDifficulty": 1, "direction": "west"}]});
    let moved = |transaction| {
        [
            ("movement".to_owned(), Some(tx(transaction)), arrived.clone()),
            ("neighbours".to_owned(), Some(tx(transaction)), around_coal.clone()),
        ]
    };
    assert_eq!(bench.told_after(told), [moved(3), moved(4)].concat());

    let told = bench.told();
    bench.execute(&[mine(ra, 5), mine(rb, 6)]).await;
    let mined = |robot: Uuid, held: u64| {
        json!({
            "success": true, "message": format!("Robot {robot} mined successfully"), "remainingEnergy": 18,
            "updatedInventory": held, "resourceType": "coal",
        })
    };
    let expected =
        [("mining".to_owned(), Some(tx(5)), mined(ra, 1)), ("mining".to_owned(), Some(tx(6)), mined(rb, 2))];
    assert_eq!(bench.told_after(told), expected);
    let call = &bench.map.calls()[0];
    assert_eq!((call.site.requested(), call.site.miners.len(), bench.map.calls().len()), (4, 2, 1));

    bench.execute(&[regenerate(ra, 7), regenerate(rb, 8)]).await;
    let regenerated =
        |energy| json!({"success": true, "message": "Robot regenerated 4 energy", "remainingEnergy": energy});
    assert_eq!([bench.result_of(tx(7)), bench.result_of(tx(8))], [regenerated(20), regenerated(20)]);

    // Round 3.
    bench.execute(&[move_to(ra, station, 9), move_to(rb, station, 10)]).await;
    let arrived = &bench.result_of(tx(10));
    assert_eq!(
        (&arrived["planet"]["planetType"], &arrived["planet"]["resourceType"], &arrived["remainingEnergy"]),
        (&json!("SPACE_STATION"), &Value::Null, &json!(19))
    );
    let told = bench.told();
    let mut attacks: Vec<_> = (0..10).map(|number| fight(ra, rb, 20 + number)).collect();
    attacks.push(fight(rb, ra, 30));
    bench.execute(&attacks).await;
    for number in 0..10 {
        let struck = json!({
            "success": true, "message": "Attacking successful", "attacker": ra, "defender": rb,
            "remainingDefenderHealth": 9 - number, "remainingEnergy": 18 - number,
        });
        assert_eq!(bench.result_of(tx(20 + u128::try_from(number).unwrap())), struck);
    }
    let last = &bench.told_after(told)[10..];
    let struck_back = json!({
        "success": true, "message": "Attacking successful", "attacker": rb, "defender": ra,
        "remainingDefenderHealth": 9, "remainingEnergy": 18,
    });
    let expected = [
        ("fighting".to_owned(), Some(tx(30)), struck_back),
        ("robot-destroyed".to_owned(), ZERO, json!({"robotId": rb, "playerId": b})),
        (
            "resource-distribution".to_owned(),
            ZERO,
            json!({"robotId": ra, "coal": 3, "iron": 0, "gem": 0, "gold": 0, "platin": 0}),
        ),
    ];
    assert_eq!(last, expected);
    assert!(!bench.exists(rb).await);
    bench.execute(&[regenerate(ra, 31), regenerate(rb, 32)]).await;
    assert_eq!(bench.result_of(tx(31)), regenerated(13));
    let unknown = json!({
        "success": false, "message": format!("Robot with ID {rb} not found"), "remainingEnergy": null,
    });
    assert_eq!(bench.result_of(tx(32)), unknown);

    // Round 4: what trading calls.
    let sold = bench.ask(post(format!("/robots/{ra}/inventory/clearResources"))).await.is(200);
    assert_eq!(sold, json!({"coal": 3, "iron": 0, "gem": 0, "gold": 0, "platin": 0}));
    let restore = json!({"transactionId": tx(33), "restorationType": "ENERGY"});
    let restored = bench.ask(post(format!("/robots/{ra}/instant-restore")).json(&restore)).await;
    assert_eq!((restored.status, restored.text()), (200, format!("robot {ra} energy restored")));
    let left = bench.robot(ra).await;
    assert_eq!(
        (&left["health"], &left["energy"], &left["inventory"]["usedStorage"]),
        (&json!(9), &json!(20), &json!(0))
    );
    bench.assert_books_balance().await;
}
