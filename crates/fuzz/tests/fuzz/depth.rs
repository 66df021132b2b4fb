//! How far the inputs get: every operation of every contract is carried out by some of them, and not only refused.
//! A route that is added needs an input that succeeds: it is put into the corpus.

use std::collections::BTreeSet;

use serde_json::{Value, to_value as json};
use starkeep_fuzz::{corpus, targets, try_alone};
use starkeep_game_service::GameService;
use starkeep_map_service::MapService;
use starkeep_robot_service::RobotService;
use starkeep_trading_service::TradingService;

/// Method and path of all operations.
fn operations(contract: &Value) -> BTreeSet<String> {
    let paths = contract["paths"].as_object().unwrap();
    let of = |(path, item): (&String, &Value)| {
        let methods: Vec<_> = item.as_object().unwrap().keys().map(|name| name.to_uppercase()).collect();
        methods.into_iter().map(|method| format!("{method} {path}")).collect::<Vec<_>>()
    };
    paths.iter().flat_map(of).collect()
}

fn check(target: &str, contract: &Value) {
    let target = targets::named(target).unwrap();
    let mut inputs = (target.open)().seeds();
    inputs.extend(corpus::of(target).unwrap().into_iter().map(|entry| entry.input));
    let mut left = operations(contract);
    for outcome in inputs.iter().flat_map(|input| try_alone(target, input)) {
        for line in outcome.lines() {
            let words: Vec<_> = line.split(' ').collect();
            if let [method, path, status, ..] = &words[..]
                && (status.starts_with('2') || *status == "304")
            {
                left.remove(&format!("{method} {path}"));
            }
        }
    }
    assert!(left.is_empty(), "{}: no input is carried out for {left:#?}", target.name);
}

#[test]
fn every_operation_of_the_game_service_is_carried_out() {
    check("game", &json(GameService::contract()).unwrap());
}

#[test]
fn every_operation_of_the_map_service_is_carried_out() {
    check("map", &json(MapService::contract()).unwrap());
}

#[test]
fn every_operation_of_the_robot_service_is_carried_out() {
    check("robot", &json(RobotService::contract()).unwrap());
}

#[test]
fn every_operation_of_the_trading_service_is_carried_out() {
    check("trading", &json(TradingService::contract()).unwrap());
}
