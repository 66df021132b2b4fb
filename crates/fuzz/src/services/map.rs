//! A map service with an active world of a few planets and one that is inactive.

use std::sync::Arc;
use std::time::Duration;

use futures::future::{FutureExt as _, ready};
use http::Method;
use serde_json::{Value, json};
use starkeep_map_service::store::memory;
use starkeep_map_service::{Config, MapService};
use starkeep_platform::blocking::InlineBlocking;
use starkeep_platform::service::FrameConfig;

use super::text;
use crate::fuzzed_service::{FuzzedService, Surroundings};
use crate::given_world::GivenWorld;
use crate::names::Names;
use crate::request::FuzzRequest;

/// With something in it.
pub(crate) fn open() -> FuzzedService {
    let mut fuzzed = empty();
    fuzzed.names = prepared(&fuzzed);
    fuzzed
}

pub(crate) fn empty() -> FuzzedService {
    let surroundings = Surroundings::new();
    let store = memory::open(surroundings.replica, surroundings.disturbance());
    let (common, frame) = (store.clone().common(), FrameConfig::default());
    let config = Config {
        frame: frame.clone(),
        closed_mining: false,
        closed_map: false,
        replenish_every: Some(Duration::from_mins(1)),
    };
    let Surroundings { clock, chance, .. } = surroundings;
    let service = MapService::new(store, config, clock.clone(), chance, Arc::new(InlineBlocking));
    FuzzedService::open(service, common, frame, &clock, Box::new(|| ready(Ok(())).boxed()))
}

fn prepared(fuzzed: &FuzzedService) -> Names {
    let planet = |x: u8, kind: &str, resource: Value| json!({"x": x, "y": 0, "movement_difficulty": 1, "planet_type": kind, "resource": resource});
    let planets = json!([
        planet(0, "spacestation", Value::Null),
        planet(1, "default", json!({"resource_type": "coal"})),
        planet(2, "default", Value::Null),
    ]);
    let made = || {
        let body = json!({"gameworld": {"player_amount": 1, "planets": planets}});
        text(&fuzzed.done(Method::POST, "/gameworlds", &body), "id")
    };
    let (inactive, active) = (made(), made());
    let body = json!({"gameworld": {"status": "inactive"}});
    fuzzed.done(Method::PATCH, &format!("/gameworlds/{inactive}"), &body);
    let chart = fuzzed.done(Method::GET, &format!("/gameworlds/{active}/planets"), &Value::Null);
    let mut names = Names::default();
    names.add("id", &active);
    names.add("gameworld_id", active);
    names.add("inactiveId", inactive);
    names.add("planet_id", text(&chart[1], "id"));
    names.add("stationId", text(&chart[0], "id"));
    names.add("planet_type", "spacestation");
    names
}

/// Is it a request for a large world that is to be generated?
pub(crate) fn takes_long(request: &FuzzRequest) -> bool {
    GivenWorld::read(&request.body).is_some_and(|world| world.takes_long())
}
