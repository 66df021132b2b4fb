//! The same game, seed and commands, at each pace: the world is replenished in the game's time, so it ends with the same deposits.
//! Nothing but the pace differs between the three games, each in an installation of its own.

use serde_json::{Value, json};
use starkeep_contract::command::CommandType;
use starkeep_test_http::{Caller, within_limit};

use crate::bot::{join, registered};
use crate::played_game::{PlayedGame, Seat, order, receipt};
use crate::program::Program;
use crate::two_services::{START, path};
use crate::whole_game::{assert_books_balance, events_about, serve};

const ROUNDS: u64 = 7;
const HOST: &str = "a-hosts-secret";
/// Rounds that the clock does not end within a test.
const LONG: u32 = 3_600_000;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Pace {
    Clock,
    Stepped,
    Turbo,
}

/// Where, what, and how much is left.
type LeftDeposit = (u64, u64, String, u64);

#[tokio::test]
async fn the_same_game_has_the_same_deposits_at_every_pace() {
    let (clock, stepped, turbo) = tokio::join!(
        deposits_after_a_game_by_the_clock(),
        deposits_after_a_game(Pace::Stepped, LONG),
        deposits_after_a_game(Pace::Turbo, LONG),
    );
    assert!(turbo.is_some());
    assert_eq!(stepped, turbo);
    assert_eq!(clock, turbo);
}

/// Longer rounds where a busy machine was too slow for shorter ones.
async fn deposits_after_a_game_by_the_clock() -> Option<Vec<LeftDeposit>> {
    for round_millis in [3_000, 12_000, 60_000] {
        let left = deposits_after_a_game(Pace::Clock, round_millis).await;
        if left.is_some() {
            return left;
        }
    }
    None
}

/// None if not every command was carried out in the round that it was meant for, after what was replenished before.
async fn deposits_after_a_game(pace: Pace, round_millis: u32) -> Option<Vec<LeftDeposit>> {
    // Every second round.
    let replenish_every = format!("{}ms", 2 * round_millis);
    let (program, _home) = serve(&["--replenish-every", &replenish_every, "--admin-token", HOST]).await;
    let (service, map) = (program.game().with_token(HOST), program.map().with_token(HOST));
    let settings = json!({
        "maxRounds": ROUNDS, "maxPlayers": 1, "duration": round_millis, "seed": 7,
        "nonce": "00112233445566778899aabbccddeeff",
    });
    let id = service.post("/games", &settings).await.expect(201)["gameId"].take();
    let (player, token) = registered(&service, 1).await;
    join(&service, &id, &token).await;
    let world = service.get(&path(&id, "")).await.expect(200)["gameworldId"].as_str().unwrap().to_owned();
    let deposits: Vec<Value> = planets_of(&map, &world).await.into_iter().filter(has_deposit).collect();
    exhaust_some(&map, &deposits).await;

    service.post(&path(&id, START), &Value::Null).await.expect(201);
    let host = match pace {
        Pace::Clock => None,
        Pace::Stepped => Some(service.post(&path(&id, "/gameCommands/pause"), &Value::Null).await),
        Pace::Turbo => Some(service.patch(&path(&id, "/pace"), &json!({ "pace": "turbo" })).await),
    };
    assert!(host.is_none_or(|answer| answer.status < 300), "{pace:?}");
    let game = PlayedGame { id, seats: vec![Seat { player, token }] };
    let robots = spawn_on_coal(&program, &game, &deposits).await;
    let (mut commands, mut ordered) = (Vec::new(), 0);
    for round in 1..=ROUNDS {
        // One robot more in each round, so that the deposits differ in what was mined. Nobody has a command in the last two: no batch
        // waits there for a replenishment.
        let minings =
            robots.iter().take(if round + 2 > ROUNDS { 0 } else { usize::try_from(round).unwrap() });
        let orders: Vec<_> = minings.map(|robot| order(CommandType::Mining, robot, &json!({}))).collect();
        ordered += orders.len();
        let sent = game.order_what_is_taken(&service, &[orders]).await;
        if pace == Pace::Stepped {
            service.post(&path(&game.id, "/gameCommands/step"), &Value::Null).await.expect(201);
        }
        if round < ROUNDS {
            game.outlives(&service, round).await;
        }
        commands.extend(sent.into_iter().map(|command| (round, command)));
    }
    end_of(&map, &world).await;
    let mut in_time =
        commands.len() == ordered && !program.has_logged("the round's commands do not wait any longer");
    for (round, command) in commands {
        let receipt = receipt(&program.game(), command).await;
        in_time &= receipt["roundNumber"] == round && receipt["state"] == "dispatched";
    }
    if !in_time {
        return None;
    }
    assert_books_balance(&map).await;
    let replenished =
        events_about(&map, &format!("gameworld_id={world}&channels=resource-replenished")).await;
    // Three that were exhausted, and one that was begun each time.
    assert_eq!(replenished.len(), 3 + 3, "{pace:?}: {replenished:?}");
    let left = planets_of(&map, &world).await;
    Some(left.iter().filter(|planet| has_deposit(planet)).map(left_deposit).collect())
}

async fn planets_of(map: &Caller, world: &str) -> Vec<Value> {
    let planets = map.get(&format!("/gameworlds/{world}/planets")).await.expect(200);
    planets.as_array().unwrap().clone()
}

fn has_deposit(planet: &Value) -> bool {
    !planet["resource"].is_null()
}

fn left_deposit(planet: &Value) -> LeftDeposit {
    let (number, resource) = (|value: &Value| value.as_u64().unwrap(), &planet["resource"]);
    let kind = resource["resource_type"].as_str().unwrap().to_owned();
    (number(&planet["x"]), number(&planet["y"]), kind, number(&resource["current_amount"]))
}

/// The first deposits of three kinds: they reappear elsewhere.
async fn exhaust_some(map: &Caller, deposits: &[Value]) {
    for kind in ["iron", "gem", "gold"] {
        let deposit = deposits.iter().find(|planet| planet["resource"]["resource_type"] == kind).unwrap();
        let mining = json!({ "mining": { "amount_requested": 1_000_000 } });
        let path = format!("/planets/{}/minings", deposit["id"].as_str().unwrap());
        assert_eq!(map.post(&path, &mining).await.expect(201)["amount_left"], 0);
    }
}

/// One robot on each planet with coal, as many as there are rounds.
async fn spawn_on_coal(program: &Program, game: &PlayedGame, deposits: &[Value]) -> Vec<Value> {
    let coal = deposits.iter().filter(|planet| planet["resource"]["resource_type"] == "coal");
    let planets: Vec<&Value> =
        coal.map(|planet| &planet["id"]).take(usize::try_from(ROUNDS).unwrap()).collect();
    let order = json!({
        "transactionId": "6f2a1c04-58be-4d7e-9a31-000000000001", "player": game.seats[0].player, "planets": planets,
        "quantity": planets.len(),
    });
    let robots = program.robot().with_token(HOST).post("/robots", &order).await.expect(201);
    robots.as_array().unwrap().clone()
}

/// Returns when the map has been told that the game is over.
async fn end_of(map: &Caller, world: &str) {
    within_limit("the game's end", async {
        while map.get(&format!("/gameworlds/{world}")).await.expect(200)["status"] != "inactive" {}
    })
    .await;
}
