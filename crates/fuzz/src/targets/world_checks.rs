//! Planets as they were given and as they are shown: each is there once, as it was written, beside those that it is next to.

use std::collections::BTreeMap;

use serde_json::{Value, json};

/// What is a planet's own, without ids and times.
type Own = (Value, Value, Value);

/// By their places.
pub(super) fn same_planets(planets: &[Value]) -> BTreeMap<(u64, u64), Own> {
    planets.iter().map(|planet| (place(planet), own(planet))).collect()
}

fn place(planet: &Value) -> (u64, u64) {
    let coordinate = |name: &str| planet[name].as_u64().unwrap_or(u64::MAX);
    (coordinate("x"), coordinate("y"))
}

/// What is left out means what the contract says.
fn own(planet: &Value) -> Own {
    let resource = &planet["resource"];
    let most = resource["max_amount"].as_u64().unwrap_or(10_000);
    let now = resource["current_amount"].as_u64().unwrap_or(most);
    let deposit =
        if resource.is_null() { Value::Null } else { json!([resource["resource_type"], most, now]) };
    (planet["movement_difficulty"].clone(), planet["planet_type"].clone(), deposit)
}

pub(super) fn check_as_given(given: &[Value], chart: &[Value]) -> Result<(), String> {
    let (given_planets, shown_planets) = (same_planets(given), same_planets(chart));
    if given.len() != chart.len() || given_planets.len() != given.len() {
        return Err(format!("{} planets were given, and {} are shown", given.len(), chart.len()));
    }
    match given_planets.iter().find(|(place, own)| shown_planets.get(place) != Some(own)) {
        None => Ok(()),
        Some((place, own)) => {
            Err(format!("at {place:?} {own:?} was given, and {:?} is shown", shown_planets.get(place)))
        }
    }
}

/// Who is next to a planet is next to it on the map, and costs what it says itself.
pub(super) fn check_neighbours(chart: &[Value]) -> Result<(), String> {
    let by_id: BTreeMap<&str, &Value> =
        chart.iter().filter_map(|planet| Some((planet["id"].as_str()?, planet))).collect();
    for planet in chart {
        for neighbour in planet["neighbours"].as_array().into_iter().flatten() {
            let other = neighbour["planet_id"].as_str().and_then(|id| by_id.get(id));
            let other = other.ok_or_else(|| format!("{neighbour} is not in the world"))?;
            let (x, y) = place(planet);
            let expected = match neighbour["direction"].as_str() {
                Some("north") => (x, y + 1),
                Some("east") => (x + 1, y),
                Some("south") => (x, y.wrapping_sub(1)),
                _ => (x.wrapping_sub(1), y),
            };
            if place(other) != expected || other["movement_difficulty"] != neighbour["movement_difficulty"] {
                return Err(format!("{neighbour} is not where {planet} says"));
            }
        }
    }
    Ok(())
}
