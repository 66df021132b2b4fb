//! The map service: looking at a planet, and mining on one, in a world of about 1,200 planets.

use std::sync::Arc;

use serde_json::{Value, json};
use starkeep_map_service::ports::Store;
use starkeep_map_service::store::{memory, sql};
use starkeep_map_service::{Config, MapService};
use starkeep_platform::blocking::InlineBlocking;
use starkeep_platform::service::FrameConfig;

use crate::serving::{REPLICA, Served, Surroundings, get, post, text, undisturbed};

pub(super) fn show_a_planet(times: u32) {
    let (map, planets) = with_a_world(Surroundings::new(), |_| memory::open(REPLICA, undisturbed()));
    map.count_requests(times, |number| {
        let planet = &planets[number as usize * 7 % planets.len()];
        get(format!("/planets/{}", text(planet, "id")))
    });
}

pub(super) fn mine_in_memory(times: u32) {
    mine(times, |_| memory::open(REPLICA, undisturbed()));
}

pub(super) fn mine_on_a_file(times: u32) {
    mine(times, |surroundings| sql::open_sqlite(&surroundings.file(), REPLICA).expect("the store opens"));
}

fn mine(times: u32, store: impl Fn(&Surroundings) -> Arc<dyn Store>) {
    let (map, planets) = with_a_world(Surroundings::new(), store);
    let deposits: Vec<_> = planets.iter().filter(|planet| !planet["resource"].is_null()).collect();
    let body = json!({"mining": {"amount_requested": 10}});
    map.count_requests(times, |number| {
        let planet = deposits[number as usize * 7 % deposits.len()];
        post(format!("/planets/{}/minings", text(planet, "id")), &body)
    });
}

/// With all planets of the world.
fn with_a_world(
    surroundings: Surroundings,
    store: impl Fn(&Surroundings) -> Arc<dyn Store>,
) -> (Served, Vec<Value>) {
    let frame = FrameConfig::default();
    let config =
        Config { frame: frame.clone(), closed_mining: false, closed_map: false, replenish_every: None };
    let store = store(&surroundings);
    let (clock, chance) = (surroundings.clock.clone(), surroundings.chance.clone());
    let service = MapService::new(store.clone(), config, clock, chance, Arc::new(InlineBlocking));
    let map = surroundings.serve(service, store.common(), frame);
    // Balancing a world of this size takes long.
    let world = json!({"gameworld": {"player_amount": 100, "seed": 7, "style": "wild"}});
    let id = text(&map.ask(post("/gameworlds", &world)), "id");
    let planets = map.ask(get(format!("/gameworlds/{id}/planets")));
    let planets = planets.as_array().expect("a list").clone();
    (map, planets)
}
