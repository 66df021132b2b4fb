//! Worlds for programs, with planets in the form of `GET /gameworlds/{id}/planets`.

use serde_json::{Value, json};
use starkeep_contract::map::Gameworld;
use starkeep_map_core::{Layout, NewDeposit, PlanetKind, Spec, value_as_number};

pub(super) fn preview(layout: &Layout, spec: Spec, seed: u64) -> Value {
    let mut deposits = layout.deposits.iter().peekable();
    let mut planets = Vec::with_capacity(layout.planets.len());
    for (slot, planet) in (0..).zip(&layout.planets) {
        let deposit = deposits.next_if(|deposit: &&NewDeposit| deposit.slot == slot);
        let resource = deposit.map(|deposit| {
            json!({ "resource_type": deposit.kind.as_str(), "max_amount": deposit.max_amount,
                "current_amount": deposit.current_amount })
        });
        let planet_type = match planet.kind {
            PlanetKind::Default => "default",
            PlanetKind::SpaceStation => "spacestation",
        };
        planets
            .push(json!({ "x": planet.x, "y": planet.y, "movement_difficulty": planet.movement_difficulty,
            "planet_type": planet_type, "resource": resource }));
    }
    let fairness = &layout.fairness;
    let values: Vec<f64> = fairness.values.iter().copied().map(value_as_number).collect();
    json!({
        "seed": seed, "players": spec.players, "style": spec.style.as_str(), "side": layout.side, "planets": planets,
        "connected": fairness.connected, "least_distance": fairness.least_distance, "values": values,
        "ratio": fairness.spread().ratio(), "ratio_before": fairness.before.ratio(),
    })
}

pub(super) fn verified(gameworld: &Gameworld, planets: usize) -> Value {
    json!({ "id": gameworld.id, "seed": gameworld.seed, "seed_commitment": gameworld.seed_commitment, "planets": planets,
        "verified": true })
}
