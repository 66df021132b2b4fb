//! The command line that sends a request: it runs as it is, once the shell knows the words with `$`.
//! The address is the one under which the page was read.

use std::fmt::Write;

use serde_json::{Map, Value};

use super::HERE;
use super::endpoints::Endpoint;
use super::example;

pub(super) fn command(endpoint: &Endpoint<'_>, document: &Value) -> String {
    let Endpoint { method, path, operation, .. } = endpoint;
    let mut command = String::from("curl");
    if operation["responses"]["200"]["content"]["text/event-stream"].is_object() {
        // Otherwise curl keeps back what has come.
        command.push_str(" -N");
    }
    if *method != "get" {
        let _ = write!(command, " -X {}", method.to_uppercase());
    }
    let address = format!("{HERE}{}{}", path.replace('{', "$").replace('}', ""), query(operation));
    let quote = if address.contains(['$', '&']) { "\"" } else { "" };
    let _ = write!(command, " {quote}{address}{quote}");
    if let Some(token) = token(operation) {
        let _ = write!(command, " \\\n  -H \"Authorization: Bearer ${token}\"");
    }
    let body = &operation["requestBody"]["content"]["application/json"];
    if let Some(body) = example::of_content(body, document) {
        // Within single quotes a shell changes nothing; a single quote itself ends them.
        let body = body.to_string().replace('\'', "'\\''");
        let _ = write!(command, " \\\n  -H 'Content-Type: application/json' \\\n  -d '{body}'");
    }
    command
}

/// Parameters without which the request is refused.
fn query(operation: &Value) -> String {
    let parameters = operation["parameters"].as_array().into_iter().flatten();
    let required = parameters.filter(|parameter| parameter["in"] == "query" && parameter["required"] == true);
    let names = required.filter_map(|parameter| parameter["name"].as_str());
    let pairs: Vec<_> = names.map(|name| format!("{name}=${name}")).collect();
    if pairs.is_empty() { String::new() } else { format!("?{}", pairs.join("&")) }
}

/// None where the host's token opens more than is usually asked for.
fn token(operation: &Value) -> Option<&'static str> {
    let alternatives = operation["security"].as_array()?;
    let is_open = alternatives.iter().any(|schemes| schemes.as_object().is_some_and(Map::is_empty));
    // Where both a player and the host may, readers are players.
    let first = alternatives.iter().find_map(|schemes| schemes.as_object()?.keys().next())?;
    match first.as_str() {
        "admin" => (!is_open).then_some("ADMIN_TOKEN"),
        _ => Some("PLAYER_TOKEN"),
    }
}
