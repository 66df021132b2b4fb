//! The worked example: a game of four rounds, as it was played on the existing services to show all phases. Every event, what is
//! mined, and every balance. Where those services had a fault, what players expect.

use serde_json::{Value, json};
use uuid::Uuid;

use crate::example_game::{A, B, C, Example, GAME, S, WORLD, buy, new_robot, sell, told, trade_error, tx};
use crate::outputs::ROBOT_TO_MAP;

#[tokio::test]
async fn a_game_of_four_rounds_with_all_its_phases() {
    let mut example = Example::new().await;
    assert_eq!(example.hear("status", tx(1), json!({"gameId": GAME, "status": "created"})).await, told([]));
    for (player, transaction) in [(A, tx(2)), (B, tx(3))] {
        let opened = told([("bank-created", transaction, json!({"money": 200, "playerId": player}))]);
        assert_eq!(example.roster("joined", transaction, Some(player), None).await, opened);
    }
    let world = json!({"id": WORLD, "spacestation_ids": [S], "status": "active"});
    assert_eq!(example.hear("gameworld-created", tx(4), world).await, told([]));
    assert_eq!(example.roster("started", tx(5), None, Some(WORLD)).await, told([]));
    assert_eq!(example.balances("/balances").await, [200, 200]);

    let [ra, rb] = first_round(&mut example).await;
    second_round(&mut example, ra, rb).await;
    third_round(&mut example, ra, rb).await;
    fourth_round(&mut example, ra).await;

    assert_eq!(example.round_is("ended").await, told([]));
    for (round, balances) in [(1, [100, 100]), (2, [100, 100]), (3, [100, 100]), (4, [40, 100])] {
        assert_eq!(example.balances(&format!("/balances/{round}")).await, balances, "round {round}");
    }
    assert_eq!(example.roster("ended", tx(6), None, None).await, told([]));
    assert_eq!(example.robot(ra).await["energy"], 20);
    example.services.assert_books_balance().await;
}

/// Both buy a robot, in one batch.
async fn first_round(example: &mut Example) -> [Uuid; 2] {
    example.next_round().await;
    let outputs = example.trade(&[buy(tx(10), A, "ROBOT", 1, None), buy(tx(11), B, "ROBOT", 1, None)]).await;
    let ids: Vec<_> =
        outputs.of("spawn-notification").iter().map(|told| &told["payload"]["robotId"]).collect();
    let [ra, rb] = ids[..] else { panic!("two robots: {outputs:?}") };
    let around = json!({"neighbours": [{"planetId": C, "movementDifficulty": 2, "direction": "east"}]});
    let bought = |id, player| {
        let data = [new_robot(id, player)];
        json!({"data": data, "success": true, "message": "robot-buy successful", "moneyChangedBy": -100})
    };
    let expected = told([
        ("spawn-notification", tx(10), json!({"robotId": ra, "playerId": A, "otherSeeableRobots": []})),
        ("neighbours", tx(10), around.clone()),
        ("buy-robot", tx(10), bought(ra, A)),
        ("spawn-notification", tx(11), json!({"robotId": rb, "playerId": B, "otherSeeableRobots": [ra]})),
        ("neighbours", tx(11), around),
        ("buy-robot", tx(11), bought(rb, B)),
    ]);
    assert_eq!(outputs, expected);
    assert_eq!(example.balances("/balances").await, [100, 100]);
    [ra, rb].map(|id| id.as_str().unwrap().parse().unwrap())
}

/// Both move to the coal, share its three units, and regenerate.
async fn second_round(example: &mut Example, ra: Uuid, rb: Uuid) {
    example.next_round().await;
    let outputs =
        example.command(&[format!("move {ra} {C} {}", tx(20)), format!("move {rb} {C} {}", tx(21))]).await;
    let arrived = json!({
        "success": true, "message": "Movement successful", "remainingEnergy": 18,
        "planet": {"planetId": C, "movementDifficulty": 2, "planetType": "DEFAULT", "resourceType": "coal"},
        "robots": [ra, rb],
    });
    let around = json!({"neighbours": [{"planetId": S, "movementDifficulty": 1, "direction": "west"}]});
    let moved = [20, 21].map(|number| {
        [("movement", tx(number), arrived.clone()), ("neighbours", tx(number), around.clone())]
    });
    assert_eq!(outputs, told(moved.concat()));

    let outputs = example.command(&[format!("mine {ra} {}", tx(22)), format!("mine {rb} {}", tx(23))]).await;
    let mined = |robot: Uuid, held: u32| {
        json!({
            "success": true, "message": format!("Robot {robot} mined successfully"), "remainingEnergy": 18,
            "updatedInventory": held, "resourceType": "coal",
        })
    };
    let mut expected = told([("mining", tx(22), mined(ra, 1)), ("mining", tx(23), mined(rb, 2))]);
    let given = json!({"planet_id": C, "amount_requested": 4, "amount_mined": 3});
    expected.add(ROBOT_TO_MAP, json!([{"mining": {"amount_requested": 4}}, given]));
    assert_eq!(outputs, expected);

    let outputs = example
        .command(&[format!("regenerate {ra} {}", tx(24)), format!("regenerate {rb} {}", tx(25))])
        .await;
    let full = json!({"success": true, "message": "Robot regenerated 4 energy", "remainingEnergy": 20});
    assert_eq!(outputs, told([("regeneration", tx(24), full.clone()), ("regeneration", tx(25), full)]));
}

/// Trades that are refused; both move back, and A's robot destroys B's, which strikes back in the same batch.
async fn third_round(example: &mut Example, ra: Uuid, rb: Uuid) {
    example.next_round().await;
    let outputs = example.trade(&[sell(tx(30), B, rb, C)]).await;
    let refused = trade_error(&format!("The given planet '{C}' is not registered as a station."));
    assert_eq!(outputs, told([("sell-error", tx(30), refused)]));

    let outputs =
        example.trade(&[buy(tx(31), A, "ROBOT", 2, None), buy(tx(32), A, "STORAGE_1", 1, Some(ra))]).await;
    let too_dear = trade_error(&format!("Player '{A}' does not have the needed 200 money-units."));
    // There every upgrade was refused; here this one is, because the robot is not on the station yet.
    let elsewhere = trade_error(&format!("Robot {ra} is not on the given planet '{S}'."));
    assert_eq!(outputs, told([("buy-error", tx(31), too_dear), ("buy-error", tx(32), elsewhere)]));
    assert_eq!(example.balances("/balances").await, [100, 100]);

    let outputs =
        example.command(&[format!("move {ra} {S} {}", tx(33)), format!("move {rb} {S} {}", tx(34))]).await;
    let arrived = json!({
        "success": true, "message": "Movement successful", "remainingEnergy": 19,
        "planet": {"planetId": S, "movementDifficulty": 1, "planetType": "SPACE_STATION", "resourceType": null},
        "robots": [ra, rb],
    });
    let around = json!({"neighbours": [{"planetId": C, "movementDifficulty": 2, "direction": "east"}]});
    let moved = [33, 34].map(|number| {
        [("movement", tx(number), arrived.clone()), ("neighbours", tx(number), around.clone())]
    });
    assert_eq!(outputs, told(moved.concat()));

    let mut attacks: Vec<_> = (0..10).map(|number| format!("fight {ra} {rb} {}", tx(40 + number))).collect();
    attacks.push(format!("fight {rb} {ra} {}", tx(50)));
    let outputs = example.command(&attacks).await;
    let struck = |attacker: Uuid, defender: Uuid, health: u32, energy: u32| {
        json!({
            "success": true, "message": "Attacking successful", "attacker": attacker, "defender": defender,
            "remainingDefenderHealth": health, "remainingEnergy": energy,
        })
    };
    let mut expected: Vec<_> = (0..10)
        .map(|number| ("fighting", tx(40 + u128::from(number)), struck(ra, rb, 9 - number, 18 - number)))
        .collect();
    let loot = json!({"robotId": ra, "coal": 3, "iron": 0, "gem": 0, "gold": 0, "platin": 0});
    expected.extend([
        ("fighting", tx(50), struck(rb, ra, 9, 18)),
        ("robot-destroyed", Uuid::nil(), json!({"robotId": rb, "playerId": B})),
        ("resource-distribution", Uuid::nil(), loot),
    ]);
    assert_eq!(outputs, told(expected));

    let outputs = example
        .command(&[format!("regenerate {ra} {}", tx(51)), format!("regenerate {rb} {}", tx(52))])
        .await;
    let regenerated =
        json!({"success": true, "message": "Robot regenerated 4 energy", "remainingEnergy": 13});
    let gone = json!({"success": false, "message": format!("Robot with ID {rb} not found"), "remainingEnergy": null});
    assert_eq!(outputs, told([("regeneration", tx(51), regenerated), ("regeneration", tx(52), gone)]));
    let left = example.robot(ra).await;
    assert_eq!(
        [&left["health"], &left["energy"], &left["inventory"]["storedCoal"]],
        [9, 13, 3].map(Value::from).each_ref()
    );
}

/// A sells the loot, and restores its robot's energy.
async fn fourth_round(example: &mut Example, ra: Uuid) {
    example.next_round().await;
    let outputs = example.trade(&[sell(tx(60), A, ra, S)]).await;
    let sold = json!({
        "data": {"coal": 3, "iron": 0, "gem": 0, "gold": 0, "platin": 0}, "success": true, "message": "resources sold",
        "moneyChangedBy": 15,
    });
    assert_eq!(outputs, told([("sell-resource", tx(60), sold)]));
    assert_eq!(example.balances("/balances").await, [115, 100]);

    let outputs = example.trade(&[buy(tx(61), A, "ENERGY", 1, Some(ra))]).await;
    let restored = json!({
        "data": null, "success": true, "message": format!("robot {ra} energy restored"), "moneyChangedBy": -75,
    });
    assert_eq!(outputs, told([("buy-item", tx(61), restored)]));
    assert_eq!(example.balances("/balances").await, [40, 100]);
    let left = example.robot(ra).await;
    assert_eq!(
        [&left["health"], &left["energy"], &left["inventory"]["usedStorage"]],
        [9, 20, 0].map(Value::from).each_ref()
    );
}
