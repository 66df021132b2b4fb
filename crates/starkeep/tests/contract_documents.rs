//! The generated documents are true and complete in themselves: enum words, examples, descriptions, operation ids, tokens.
//! That the services answer as documented is compared by the services' own tests.
#![allow(clippy::unwrap_used, reason = "what fails here fails the test")]

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use starkeep_contract::command::{CommandState, CommandType};
use starkeep_contract::events::{
    Channel, GameClockChange, GameStatusWord, GapReason, Publisher, RoundStatusWord,
};
use starkeep_contract::game::{GameStatus, Pace, Phase, Style};
use starkeep_contract::game_roster::{GameRosterChange, RosterRoundStatus, RosterStatus};
use starkeep_contract::health::HealthStatus;
use starkeep_contract::map::{
    Direction, NewWorldStatus, PlanetType, ReplenishmentMode, ResourceType, WorldStatus, WorldStyle,
};
use starkeep_contract::robot_service::{RestorationType, UpgradeType};
use starkeep_contract::{Code, Dialect};
use starkeep_game_service::GameService;
use starkeep_map_service::MapService;
use starkeep_platform::http::documents::channels_text;
use starkeep_robot_service::RobotService;
use starkeep_trading_service::TradingService;

fn openapi() -> [(&'static str, Value); 4] {
    [
        ("game", serde_json::to_value(GameService::contract()).unwrap()),
        ("map", serde_json::to_value(MapService::contract()).unwrap()),
        ("robot", serde_json::to_value(RobotService::contract()).unwrap()),
        ("trading", serde_json::to_value(TradingService::contract()).unwrap()),
    ]
}

fn documents() -> Vec<(&'static str, Value)> {
    let events = ("events", serde_json::from_str(&channels_text()).unwrap());
    openapi().into_iter().chain([events]).collect()
}

/// Every object in the document with the path that leads to it.
fn walk<'a>(path: &str, value: &'a Value, visit: &mut impl FnMut(&str, &'a Value)) {
    visit(path, value);
    match value {
        Value::Object(fields) => {
            // What an example is like is for its schema to say.
            let schemas = fields.iter().filter(|(name, _)| *name != "examples" && *name != "example");
            schemas.for_each(|(name, value)| walk(&format!("{path}/{name}"), value, visit));
        }
        Value::Array(items) => {
            let items = items.iter().enumerate();
            items.for_each(|(index, value)| walk(&format!("{path}/{index}"), value, visit));
        }
        _ => {}
    }
}

/// The words that serde writes for an enum: it names them all when it meets one that it does not know.
fn words<T: Serialize + DeserializeOwned>() -> BTreeSet<String> {
    let refusal = serde_json::from_value::<T>(json!("no such word")).err().unwrap().to_string();
    let (_, expected) = refusal.split_once("expected").unwrap();
    let read = expected.split('`').skip(1).step_by(2).filter_map(|word| {
        let value: T = serde_json::from_value(json!(word)).unwrap();
        serde_json::to_value(value).unwrap().as_str().map(str::to_owned)
    });
    read.collect()
}

#[test]
fn every_enum_lists_the_words_of_the_wire() {
    let known = BTreeMap::from([
        ("Channel", words::<Channel>()),
        ("Code", words::<Code>()),
        ("CommandState", words::<CommandState>()),
        ("CommandType", words::<CommandType>()),
        ("Dialect", words::<Dialect>()),
        ("Direction", words::<Direction>()),
        ("GameClockChange", words::<GameClockChange>()),
        ("GameRosterChange", words::<GameRosterChange>()),
        ("GameStatus", words::<GameStatus>()),
        ("GameStatusWord", words::<GameStatusWord>()),
        ("GapReason", words::<GapReason>()),
        ("HealthStatus", words::<HealthStatus>()),
        ("NewWorldStatus", words::<NewWorldStatus>()),
        ("Pace", words::<Pace>()),
        ("Phase", words::<Phase>()),
        ("Publisher", words::<Publisher>()),
        ("PlanetType", words::<PlanetType>()),
        ("ReplenishmentMode", words::<ReplenishmentMode>()),
        ("ResourceType", words::<ResourceType>()),
        ("RestorationType", words::<RestorationType>()),
        ("RosterRoundStatus", words::<RosterRoundStatus>()),
        ("RosterStatus", words::<RosterStatus>()),
        ("RoundStatusWord", words::<RoundStatusWord>()),
        ("Style", words::<Style>()),
        ("UpgradeType", words::<UpgradeType>()),
        ("WorldStatus", words::<WorldStatus>()),
        ("WorldStyle", words::<WorldStyle>()),
    ]);
    assert!(known["Code"].contains("unknown-game"), "{:?}", known["Code"]);
    // What no type of the contract lists alone: a word of a header, or none at all.
    let others = [json!(["true"]), json!(["Bearer"]), json!([""])];
    let mut met = BTreeSet::new();
    for (document, value) in documents() {
        walk(document, &value, &mut |path, schema| {
            let Some(listed) = schema["enum"].as_array() else { return };
            if others.contains(&schema["enum"]) {
                return;
            }
            let name = path.rsplit('/').next().unwrap();
            let listed: BTreeSet<_> =
                listed.iter().filter_map(|word| word.as_str().map(str::to_owned)).collect();
            match (name, known.get(name)) {
                (_, Some(words)) => assert_eq!(&listed, words, "{path}"),
                // The same words, a further spelling, and none.
                ("SentCommandType", _) => {
                    let further = ["regenerate", ""].map(str::to_owned);
                    assert_eq!(listed, &known["CommandType"] | &further.into(), "{path}");
                }
                // Of a parameter, where a type is written out.
                ("schema", _) => assert!(known.values().any(|words| *words == listed), "{path}: {listed:?}"),
                _ => panic!("{path} lists {listed:?}, and no type is compared with it"),
            }
            met.insert(name.to_owned());
        });
    }
    assert!(
        known.keys().all(|name| met.contains(*name)),
        "a type is compared that is in no document: {met:?}"
    );
}

#[test]
fn operation_ids_are_unique_and_in_camel_case() {
    for (document, value) in openapi() {
        let mut ids = BTreeSet::new();
        for (path, methods) in value["paths"].as_object().unwrap() {
            for (method, operation) in methods.as_object().unwrap() {
                let id = operation["operationId"].as_str().unwrap();
                let is_camel = id.chars().all(|letter| letter.is_ascii_alphanumeric())
                    && id.starts_with(|letter: char| letter.is_ascii_lowercase());
                assert!(is_camel, "{document}: {method} {path} is {id}");
                assert!(ids.insert(id.to_owned()), "{document}: {id} is not unique");
            }
        }
    }
}

/// What is said of a field, beside it or where its type is.
fn is_described(field: &Value, document: &Value) -> bool {
    let target = field["$ref"].as_str().and_then(|target| document.pointer(target.strip_prefix('#')?));
    field["description"].is_string() || target.is_some_and(|target| target["description"].is_string())
}

#[test]
fn every_field_every_parameter_and_every_schema_is_described() {
    for (document, value) in documents() {
        for (name, schema) in value["components"]["schemas"].as_object().unwrap() {
            assert!(schema["description"].is_string(), "{document}: {name}");
        }
        walk(document, &value, &mut |path, schema| {
            for (name, field) in schema["properties"].as_object().into_iter().flatten() {
                assert!(is_described(field, &value), "{path}: {name}");
            }
            for parameter in schema["parameters"].as_array().into_iter().flatten() {
                assert!(parameter["description"].is_string(), "{path}: {}", parameter["name"]);
            }
        });
    }
}

#[test]
fn a_number_with_bounds_is_plain() {
    for (document, value) in documents() {
        walk(document, &value, &mut |path, schema| {
            for part in schema["allOf"].as_array().into_iter().flatten() {
                let is_object = part["$ref"].is_string() || part["properties"].is_object();
                assert!(is_object, "{path} is composed of {part}");
            }
            for part in schema["oneOf"].as_array().into_iter().flatten() {
                assert!(part["type"] != "integer", "{path} is an alternative of {part}");
            }
        });
    }
}

#[test]
fn every_body_has_an_example_that_is_valid() {
    for (document, value) in openapi() {
        let mut bodies = Vec::new();
        walk(document, &value, &mut |path, schema| {
            let json = ["application/json", "application/problem+json"]
                .map(|kind| &schema["content"][kind]["schema"]);
            bodies.extend(
                json.into_iter().filter(|schema| !schema.is_null()).map(|schema| (path.to_owned(), schema)),
            );
        });
        assert!(bodies.len() > 20, "{document} has {} bodies", bodies.len());
        for (path, schema) in bodies {
            // Of what any document is like there is no use in an example.
            let named = named(schema, &value);
            if [json!({ "type": "object" }), json!({})].contains(named) {
                continue;
            }
            let examples = named["examples"].as_array().unwrap_or_else(|| panic!("{path} has no example"));
            for example in examples {
                let validator = validator(named, &value);
                let faults: Vec<_> = validator.iter_errors(example).map(|fault| fault.to_string()).collect();
                assert!(faults.is_empty(), "{path}: {faults:?}");
            }
        }
    }
}

/// The type that stands behind references, or in an array: a list of what is exemplified needs no example of its own.
fn named<'a>(schema: &'a Value, document: &'a Value) -> &'a Value {
    if let Some(target) = schema["$ref"].as_str() {
        return named(document.pointer(target.strip_prefix('#').unwrap()).unwrap(), document);
    }
    if schema["type"] == "array" { named(&schema["items"], document) } else { schema }
}

fn validator(schema: &Value, document: &Value) -> jsonschema::Validator {
    let mut schema = schema.clone();
    schema["components"] = document["components"].clone();
    jsonschema::draft202012::options().should_validate_formats(true).build(&schema).unwrap()
}

#[test]
fn every_post_takes_a_key_and_every_token_is_a_scheme() {
    for (document, value) in openapi() {
        for (path, methods) in value["paths"].as_object().unwrap() {
            for (method, operation) in methods.as_object().unwrap() {
                let parameters = operation["parameters"].as_array().into_iter().flatten();
                let keys = parameters.filter(|parameter| parameter["name"] == "Idempotency-Key").count();
                assert_eq!(keys, usize::from(method == "post"), "{document}: {method} {path}");
                let asked = operation["security"].as_array().into_iter().flatten();
                let asked: BTreeSet<_> =
                    asked.flat_map(|needed| needed.as_object().unwrap().keys()).collect();
                let is_refused = !operation["responses"]["401"].is_null();
                assert!(!is_refused || !asked.is_empty(), "{document}: {method} {path}");
                for scheme in asked {
                    assert!(value["components"]["securitySchemes"][scheme].is_object(), "{scheme}");
                }
            }
        }
    }
}
