//! The rules of worlds: generation, mining and replenishment.

use std::hint::black_box;

use jiff::Timestamp;
use starkeep_map_core::{
    GENERATOR_VERSION, IdGenerator, NewWorld, Nonce, Origin, ReplenishmentMode, Slot, Spec, Style, World,
    WorldId, generate,
};
use uuid::Uuid;

use crate::measured::count;

const NOW: Timestamp = Timestamp::UNIX_EPOCH;
const SEED: u64 = 7;

pub(super) fn generate_a_world(times: u32) {
    let spec = Spec { players: 4, style: Style::Balanced };
    count(times, || drop(black_box(generate(SEED, black_box(&spec)))));
}

/// One deposit after the other, and around again.
pub(super) fn mine(times: u32) {
    let (mut world, slots) = large_world();
    let mut slots = slots.iter().cycle();
    count(times, || {
        let slot = slots.next().expect("a world has deposits");
        let mined = world.mine(*slot, 10, NOW).expect("a deposit can be mined");
        world.apply_mined(&mined);
    });
}

pub(super) fn replenish(times: u32) {
    let (mut world, slots) = large_world();
    for slot in &slots[..100] {
        let mined = world.mine(*slot, 1_000_000, NOW).expect("a deposit can be mined");
        world.apply_mined(&mined);
    }
    let exhausted = world;
    count(times, || {
        let mut world = exhausted.clone();
        let replenished = world.replenish(&mut IdGenerator::from_seed(SEED), NOW);
        assert!(replenished.refills.len() >= 100);
        world.apply_replenished(&replenished);
        drop(black_box(world));
    });
}

/// About 1,200 planets, and where its deposits are.
fn large_world() -> (World, Vec<Slot>) {
    // Balancing it takes long, and is no part of what is counted.
    let (players, style) = (100, Style::Wild);
    let new = NewWorld {
        id: WorldId(Uuid::from_u128(1)),
        player_amount: players,
        round_amount: None,
        origin: Origin::Generated { style, version: GENERATOR_VERSION },
        replenishment: ReplenishmentMode::Automatic,
        seed: SEED,
        nonce: Nonce::from_bits(3),
        id_seed: SEED,
        created_at: NOW,
    };
    let world = World::create(&new, generate(SEED, &Spec { players, style }));
    let slots = world.deposits.keys().copied().collect();
    (world, slots)
}
