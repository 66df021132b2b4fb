//! The parameters of a request that was taken: those that are required are there, and each is as it is documented.
//! Parameters that are not documented are ignored, as the services do.

use serde_json::Value;

use crate::Exchange;
use crate::schemas::Schemas;

pub(crate) fn check_query(operation: &Value, exchange: &Exchange<'_>, schemas: &Schemas) -> Vec<String> {
    let query = exchange.path.split_once('?').map_or("", |(_, query)| query);
    let mut faults = Vec::new();
    for parameter in operation["parameters"].as_array().into_iter().flatten() {
        let name = parameter["name"].as_str().unwrap_or_default();
        let given = match parameter["in"].as_str() {
            Some("query") => query.split('&').find_map(|pair| pair.strip_prefix(name)?.strip_prefix('=')),
            Some("header") => exchange.request_headers.get(name).and_then(|value| value.to_str().ok()),
            // A path without them is another path.
            _ => continue,
        };
        match given {
            // An encoded text would have to be decoded first; none of the bounded ones needs it.
            Some(text) if text.contains('%') => {}
            Some(text) => faults.extend(schemas.text_faults(name, &parameter["schema"], text)),
            None if parameter["required"] == true => faults.push(format!("the parameter {name} is required")),
            None => {}
        }
    }
    let key = "Idempotency-Key";
    let is_documented =
        operation["parameters"].as_array().into_iter().flatten().any(|known| known["name"] == key);
    let is_undocumented_key = exchange.request_headers.contains_key(key) && !is_documented;
    let has_effect = exchange.method == http::Method::POST;
    faults.extend((is_undocumented_key && has_effect).then(|| format!("the header {key} is not documented")));
    faults
}
