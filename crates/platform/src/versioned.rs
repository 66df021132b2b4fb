//! A serialised form with its version in front, as JSON: `{"v":1,"change":…}`. A version that is not known is refused for what it
//! is, and not for the first field that differs.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::domain::UnreadableChange;

#[derive(Deserialize)]
struct Version {
    v: u32,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Versioned<F> {
    v: u32,
    change: F,
}

pub fn encode(version: u32, form: &impl Serialize) -> Vec<u8> {
    let versioned = Versioned { v: version, change: form };
    serde_json::to_vec(&versioned).expect("a serialised form is plain data")
}

pub fn decode<F: DeserializeOwned>(version: u32, bytes: &[u8]) -> Result<F, UnreadableChange> {
    let unreadable = |fault: serde_json::Error| UnreadableChange(fault.to_string());
    let Version { v } = serde_json::from_slice(bytes).map_err(unreadable)?;
    if v != version {
        return Err(UnreadableChange(format!("it has version {v}, and {version} is known")));
    }
    serde_json::from_slice::<Versioned<F>>(bytes).map(|versioned| versioned.change).map_err(unreadable)
}
