//! The map service: looking at a planet, and mining on one, in a world of about 1,200 planets.

use std::sync::Arc;

use axum::body::Body;
use http::Request;
use serde_json::{Value, json};
use starkeep_map_service::ports::Store;
use starkeep_map_service::store::{Maps, memory};
use starkeep_map_service::{Config, MapService};
use starkeep_platform::blocking::InlineBlocking;
use starkeep_platform::service::FrameConfig;

use crate::pages;
use crate::serving::{REPLICA, Served, Surroundings, get, post, text, undisturbed};

const WORLDS: u32 = 64;

pub(super) fn show_a_planet(times: u32) {
    let (map, planets) = with_a_world(Surroundings::new(), memory::open(REPLICA, undisturbed()));
    map.count_requests(times, |number| {
        let planet = &planets[number as usize * 7 % planets.len()];
        get(format!("/planets/{}", text(planet, "id")))
    });
}

pub(super) fn mine_in_memory(times: u32) {
    mine(times, Surroundings::new(), memory::open(REPLICA, undisturbed()));
}

pub(super) fn mine_on_a_file(times: u32) {
    let surroundings = Surroundings::new();
    let store = surroundings.store::<Maps>();
    mine(times, surroundings, store);
}

/// In one world after the other.
pub(super) fn pages_of_minings(times: u32, at_once: u32) -> u64 {
    let surroundings = Surroundings::with_scattered_ids();
    let store = surroundings.store::<Maps>();
    let map = opened(surroundings, store.clone());
    let worlds: Vec<_> = (0..WORLDS).map(|seed| planets_of_a_world(&map, 10, seed)).collect();
    let minings: Vec<_> = worlds.iter().map(|planets| minings(planets)).collect();
    let mining = |number: u32| minings[(number % WORLDS) as usize](number / WORLDS);
    pages::of_a_hundred(&map, &store, times, at_once, mining)
}

fn mine(times: u32, surroundings: Surroundings, store: Arc<dyn Store>) {
    let (map, planets) = with_a_world(surroundings, store);
    map.count_requests(times, minings(&planets));
}

/// Of one deposit after the other.
fn minings(planets: &[Value]) -> impl Fn(u32) -> Request<Body> {
    let deposits: Vec<_> = planets.iter().filter(|planet| !planet["resource"].is_null()).collect();
    let body = json!({"mining": {"amount_requested": 10}});
    move |number| {
        let planet = deposits[number as usize * 7 % deposits.len()];
        post(format!("/planets/{}/minings", text(planet, "id")), &body)
    }
}

/// With all planets of the world.
fn with_a_world(surroundings: Surroundings, store: Arc<dyn Store>) -> (Served, Vec<Value>) {
    let map = opened(surroundings, store);
    let planets = planets_of_a_world(&map, 100, 7);
    (map, planets)
}

fn opened(surroundings: Surroundings, store: Arc<dyn Store>) -> Served {
    let frame = FrameConfig::default();
    let config =
        Config { frame: frame.clone(), closed_mining: false, closed_map: false, replenish_every: None };
    let (clock, chance) = (surroundings.clock.clone(), surroundings.chance.clone());
    let service = MapService::new(store.clone(), config, clock, chance, Arc::new(InlineBlocking));
    surroundings.serve(service, store.common(), frame)
}

/// Of a style in which nothing is balanced: in a large world that takes long.
fn planets_of_a_world(map: &Served, players: u32, seed: u32) -> Vec<Value> {
    let world = json!({"gameworld": {"player_amount": players, "seed": seed, "style": "wild"}});
    let id = text(&map.ask(post("/gameworlds", &world)), "id");
    let planets = map.ask(get(format!("/gameworlds/{id}/planets")));
    planets.as_array().expect("a list").clone()
}
