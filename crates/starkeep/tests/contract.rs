//! What is generated from the code and checked in is current.
//! A failure is mended by `cargo run -p starkeep --example write-contract`, and the change of the contract is read in the diff.
#![allow(clippy::unwrap_used, reason = "what fails here fails the test")]

use std::path::Path;

use starkeep::flags_markdown;
use starkeep_game_service::GameService;
use starkeep_map_service::MapService;
use starkeep_platform::http::docs::errors_markdown;
use starkeep_platform::http::documents::{channels_text, contract_text};
use starkeep_robot_service::RobotService;
use starkeep_trading_service::TradingService;

#[track_caller]
fn is_current(path: &str, generated: &str) {
    let checked_in = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path));
    assert!(
        checked_in.is_ok_and(|text| text == generated),
        "{path} is not what the code says; run `cargo run -p starkeep --example write-contract`"
    );
}

#[test]
fn the_game_services_contract_is_current() {
    is_current("contract/game.openapi.json", &contract_text(&GameService::contract()));
}

#[test]
fn the_map_services_contract_is_current() {
    is_current("contract/map.openapi.json", &contract_text(&MapService::contract()));
}

#[test]
fn the_robot_services_contract_is_current() {
    is_current("contract/robot.openapi.json", &contract_text(&RobotService::contract()));
}

#[test]
fn the_trading_services_contract_is_current() {
    is_current("contract/trading.openapi.json", &contract_text(&TradingService::contract()));
}

#[test]
fn the_list_of_problem_codes_is_current() {
    is_current("docs/errors.md", &errors_markdown());
}

#[test]
fn the_list_of_flags_is_current() {
    is_current("docs/flags.md", &flags_markdown());
}

#[test]
fn the_channels_document_is_current() {
    is_current("contract/events.asyncapi.json", &channels_text());
}

#[test]
fn the_examples_of_every_channel_validate_and_no_field_is_left_over() {
    let document: serde_json::Value = serde_json::from_str(&channels_text()).unwrap();
    for (name, message) in document["components"]["messages"].as_object().unwrap() {
        for part in ["headers", "payload"] {
            // References are looked up in the document itself.
            let mut schema = message[part].clone();
            schema["components"] = document["components"].clone();
            let validator = jsonschema::validator_for(&schema).unwrap();
            for example in message["examples"].as_array().unwrap() {
                let example = &example[part];
                let faults: Vec<_> = validator.iter_errors(example).map(|fault| fault.to_string()).collect();
                assert!(faults.is_empty(), "{name} {part}: {faults:?}");
                let broken = broken_forms(example);
                let refused = broken.iter().filter(|broken| !validator.is_valid(broken)).count();
                assert!(refused > 0, "{name} {part}: anything validates");
            }
        }
    }
}

/// The example with each of its fields null, in turn; of an array those of its first element.
fn broken_forms(example: &serde_json::Value) -> Vec<serde_json::Value> {
    if let serde_json::Value::Array(elements) = example {
        return broken_forms(&elements[0]).into_iter().map(|broken| serde_json::json!([broken])).collect();
    }
    let with_null = |field: &String| {
        let mut broken = example.clone();
        broken[field] = serde_json::Value::Null;
        broken
    };
    example.as_object().unwrap().keys().map(with_null).collect()
}

#[test]
fn all_documents_are_openapi_3_1_and_every_operation_is_explained() {
    let contracts = [
        GameService::contract(),
        MapService::contract(),
        RobotService::contract(),
        TradingService::contract(),
    ];
    for contract in contracts {
        let document = serde_json::to_value(&contract).unwrap();
        assert!(document["openapi"].as_str().unwrap().starts_with("3.1"), "{}", document["openapi"]);
        for (path, methods) in document["paths"].as_object().unwrap() {
            for (method, operation) in methods.as_object().unwrap() {
                let summary = operation["summary"].as_str().unwrap_or_default();
                assert!(!summary.is_empty(), "{method} {path} has no summary");
                let answers = operation["responses"].as_object().unwrap();
                assert!(
                    answers.keys().any(|status| status.starts_with('2')),
                    "{method} {path} never succeeds"
                );
            }
        }
    }
}
