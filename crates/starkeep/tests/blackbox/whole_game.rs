//! One command, with nothing else installed, plays a whole game: robots are bought, move, mine, fight and regenerate, and what
//! they mined is sold. All books agree at the end.

use serde_json::{Value, json};
use starkeep_contract::command::{CommandState, CommandType};
use starkeep_test_http::Caller;

use crate::played_game::{PlayedGame, buy_robots, drawn_orders, order, state};
use crate::program::Program;
use crate::two_services::path;

pub(crate) async fn serve(flags: &[&str]) -> (Program, tempfile::TempDir) {
    let home = tempfile::tempdir().unwrap();
    let own = ["--data-dir", home.path().to_str().unwrap()];
    (Program::serve("all", &[&own[..], flags].concat()).await, home)
}

/// The service's own check of its books.
pub(crate) async fn assert_books_balance(service: &Caller) {
    let health = service.get("/health").await.expect(200);
    assert_eq!(health["parts"]["books"]["status"], "ok", "{health}");
}

/// All events of a service, in order.
pub(crate) async fn all_events(service: &Caller) -> Vec<Value> {
    events_about(service, "").await
}

/// Those that the filter, a part of the query, lets pass.
pub(crate) async fn events_about(service: &Caller, filter: &str) -> Vec<Value> {
    let (service, mut events, mut after) = (service.wanting_json(), Vec::new(), "start".to_owned());
    loop {
        let page = service.get(&format!("/events?limit=1000&after={after}&{filter}")).await.expect(200);
        let read = page["events"].as_array().unwrap();
        if read.is_empty() {
            return events;
        }
        events.extend(read.iter().cloned());
        page["next"].as_str().unwrap().clone_into(&mut after);
    }
}

#[tokio::test]
async fn a_robot_is_bought_moves_mines_and_sells_what_it_mined() {
    let (program, _home) = serve(&[]).await;
    let service = program.game();
    let game = PlayedGame::start(&service, 1, 2, &json!({})).await;
    game.play(&service, &[vec![buy_robots(1)], vec![buy_robots(1)]]).await;
    let mut view = game.view(&service, 0).await;
    assert_eq!((view["money"].as_u64(), view["robots"].as_array().unwrap().len()), (Some(100), 1), "{view}");

    // To the nearest coal, by breadth-first search over the map.
    let way = way_to_coal(&program.map(), &view["robots"][0]["planet"]).await;
    let station = view["robots"][0]["planet"].clone();
    for planet in &way {
        walk(&service, &game, planet).await;
    }
    let mine = |robot: &Value| vec![vec![order(CommandType::Mining, robot, &json!({}))], vec![]];
    let sent = game.play(&service, &mine(&view["robots"][0])).await;
    assert_eq!(state(&service, sent[0]).await, CommandState::Dispatched);
    view = game.view(&service, 0).await;
    assert_eq!(view["robots"][0]["inventory"]["storedCoal"], 2, "{view}");
    let back = way.iter().rev().skip(1).chain([&station]);
    for planet in back {
        walk(&service, &game, planet).await;
    }
    let sale = order(CommandType::Selling, &view["robots"][0], &json!({ "planetId": station }));
    game.play(&service, &[vec![sale], vec![]]).await;
    view = game.view(&service, 0).await;
    assert_eq!(
        (&view["money"], &view["robots"][0]["inventory"]["usedStorage"]),
        (&json!(110), &json!(0)),
        "{view}"
    );
    service.post(&path(&game.id, "/gameCommands/end"), &Value::Null).await.expect(201);
    for service in [program.map(), program.robot(), program.trading()] {
        assert_books_balance(&service).await;
    }
}

/// Moves the first player's robot, and lets it regenerate if it has too little energy.
async fn walk(service: &Caller, game: &PlayedGame, planet: &Value) {
    loop {
        let robot = game.view(service, 0).await["robots"][0].clone();
        if robot["planet"] == *planet {
            return;
        }
        let rest = robot["energy"].as_u64().unwrap() < 4;
        let details = if rest { json!({}) } else { json!({ "planetId": planet }) };
        let kind = if rest { CommandType::Regeneration } else { CommandType::Movement };
        game.play(service, &[vec![order(kind, &robot, &details)], vec![]]).await;
    }
}

/// The planets on the shortest way, the last one with coal.
async fn way_to_coal(map: &Caller, start: &Value) -> Vec<Value> {
    let mut ways = std::collections::VecDeque::from([vec![start.clone()]]);
    let mut seen = vec![start.clone()];
    while let Some(way) = ways.pop_front() {
        let here = way.last().unwrap().as_str().unwrap();
        let planet = map.get(&format!("/planets/{here}")).await.expect(200);
        if planet["resource"]["resource_type"] == "coal" {
            return way[1..].to_vec();
        }
        for neighbour in planet["neighbours"].as_array().unwrap() {
            if !seen.contains(&neighbour["planet_id"]) {
                seen.push(neighbour["planet_id"].clone());
                ways.push_back([way.clone(), vec![neighbour["planet_id"].clone()]].concat());
            }
        }
    }
    panic!("there is no coal");
}

#[tokio::test]
async fn whatever_is_ordered_all_books_agree_and_every_command_has_one_result() {
    let (program, _home) = serve(&[]).await;
    let service = program.game();
    let game = PlayedGame::start(&service, 1, 4, &json!({ "startMoney": 1000 })).await;
    let mut chance = starkeep_fault_harness::Chance(3);
    let mut sent = game.play(&service, &vec![vec![buy_robots(3)]; 4]).await;
    for _ in 0..30 {
        let mut orders = Vec::new();
        for seat in 0..4 {
            orders.push(drawn_orders(&game.view(&service, seat).await, &mut chance));
        }
        sent.extend(game.play(&service, &orders).await);
    }
    let events = [all_events(&program.robot()).await, all_events(&program.trading()).await].concat();
    let results = ["movement", "mining", "regeneration", "fighting", "trades"];
    for command in &sent {
        let is_its = |event: &&Value| event["headers"]["transactionId"] == json!(command);
        let results: Vec<_> = events
            .iter()
            .filter(is_its)
            .filter(|event| results.contains(&event["channel"].as_str().unwrap()))
            .collect();
        assert_eq!(results.len(), 1, "{command}: {results:?}");
        assert_eq!(state(&service, *command).await, CommandState::Dispatched);
    }
    for service in [program.map(), program.robot(), program.trading()] {
        assert_books_balance(&service).await;
    }
}
