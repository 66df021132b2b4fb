//! `docs/first-bot.md` names every word of a view that is written with underscores, because all others are not.
//! The map service's words are as existing bots know them, so the two ways of writing stay in one answer.

use std::collections::BTreeSet;

use serde_json::Value;
use starkeep_game_service::GameService;

use crate::fences::read;

/// Names of all fields in a schema of the contract, at any depth.
fn fields(schema: &Value, schemas: &Value, found: &mut BTreeSet<String>) {
    match schema {
        Value::Object(object) => {
            if let Some(target) = object.get("$ref").and_then(Value::as_str) {
                fields(&schemas[target.rsplit('/').next().unwrap()], schemas, found);
            }
            if let Some(Value::Object(properties)) = object.get("properties") {
                found.extend(properties.keys().cloned());
            }
            // Examples have the same names, but not all of them.
            let parts = object.iter().filter(|(key, _)| !key.starts_with("example"));
            parts.for_each(|(_, part)| fields(part, schemas, found));
        }
        Value::Array(parts) => parts.iter().for_each(|part| fields(part, schemas, found)),
        _ => {}
    }
}

#[test]
fn the_tutorial_says_which_words_have_underscores() {
    let contract = serde_json::to_value(GameService::contract()).unwrap();
    let schemas = &contract["components"]["schemas"];
    let mut found = BTreeSet::new();
    fields(&schemas["GameView"], schemas, &mut found);
    assert!(found.contains("usedStorage") && found.contains("planet_type"), "{found:?}");
    let page = read("docs/first-bot.md");
    let explained = page.split("- `planets` are as the map service shows them").nth(1);
    let explained =
        explained.and_then(|rest| rest.split("\n- ").next()).expect("what is said about the planets");
    for word in found.iter().filter(|word| word.contains('_')) {
        assert!(explained.contains(&format!("`{word}`")), "`{word}` is not named: {explained}");
    }
}
