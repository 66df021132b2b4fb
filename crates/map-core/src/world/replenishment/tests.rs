//! What one replenishment does to a world, case by case.
//! Long random histories are a property test of the crate.

use std::sync::Arc;

use starkeep_core_types::ResourceKind;

use super::*;
use crate::commitment::{Nonce, replenishment_rng};
use crate::resource::lies_in;
use crate::terrain::{PlanetKind, Ring, Terrain};
use crate::world::tests::{at, example_world};

fn mine_all(world: &mut World, slot: Slot) {
    let mined = world.mine(slot, 1_000_000_000, at(1)).unwrap();
    world.apply_mined(&mined);
}

fn slots_of(world: &World, kind: ResourceKind) -> Vec<Slot> {
    world.deposits.iter().filter(|(_, deposit)| deposit.kind == kind).map(|(slot, _)| *slot).collect()
}

#[test]
fn a_full_world_stays_as_it_is() {
    let (world, mut ids) = example_world();
    let replenished = world.replenish(&mut ids, at(9));
    assert_eq!(replenished, Replenished { at: at(9), refills: Vec::new(), rng: world.rng.clone() });
}

#[test]
fn an_inactive_world_stays_as_it_is() {
    let (mut world, mut ids) = example_world();
    let slot = *world.deposits.keys().next().unwrap();
    mine_all(&mut world, slot);
    world.apply_deactivated(&world.deactivate(false, at(2)).unwrap());
    assert_eq!(world.replenish(&mut ids, at(9)).refills, []);
}

#[test]
fn an_exhausted_deposit_reappears_elsewhere_in_its_region() {
    for kind in ResourceKind::ALL {
        let (mut world, mut ids) = example_world();
        let slot = slots_of(&world, kind)[0];
        let gone = world.deposits[&slot].clone();
        mine_all(&mut world, slot);
        let before = world.clone();

        let replenished = world.replenish(&mut ids, at(9));
        world.apply_replenished(&replenished);

        let [refill] = &replenished.refills[..] else { panic!("one refill: {replenished:?}") };
        assert_eq!(refill.replaced, Some((slot, gone.id)));
        assert_ne!(refill.deposit, gone.id);
        assert_eq!((refill.kind, refill.amount), (kind, gone.max_amount));

        let planet = world.terrain.planet(refill.slot);
        assert_eq!(planet.kind, PlanetKind::Default);
        assert!(lies_in(kind, planet.ring(world.terrain.side())));
        assert!(!before.deposits.contains_key(&refill.slot), "the new place was free");
        assert!(!world.deposits.contains_key(&slot));
        let successor = Deposit::full(refill.deposit, kind, gone.max_amount, at(9));
        assert_eq!(world.deposits[&refill.slot], successor);
        assert_eq!(world.deposits.len(), before.deposits.len());
        assert_ne!(world.rng, before.rng);
        assert_eq!(world.books_balance(), Ok(()));
    }
}

#[test]
fn one_deposit_that_was_begun_is_filled_up() {
    let (mut world, mut ids) = example_world();
    let slots: Vec<Slot> = world.deposits.keys().copied().take(3).collect();
    for slot in &slots {
        let mined = world.mine(*slot, 4_000, at(1)).unwrap();
        world.apply_mined(&mined);
    }
    for left in [2, 1, 0] {
        let replenished = world.replenish(&mut ids, at(9));
        let [refill] = &replenished.refills[..] else { panic!("one refill: {replenished:?}") };
        assert_eq!((refill.replaced, refill.amount), (None, 4_000));
        assert_eq!(refill.deposit, world.deposits[&refill.slot].id);
        world.apply_replenished(&replenished);
        let filled = &world.deposits[&refill.slot];
        assert_eq!((filled.created_at, filled.updated_at), (at(0), at(9)));
        assert_eq!(slots.iter().filter(|slot| !world.deposits[*slot].is_full()).count(), left);
        assert_eq!(world.books_balance(), Ok(()));
    }
}

#[test]
fn successors_never_share_a_planet() {
    let (mut world, mut ids) = example_world();
    let slots: Vec<Slot> = world.deposits.keys().copied().collect();
    for slot in &slots {
        mine_all(&mut world, *slot);
    }
    let replenished = world.replenish(&mut ids, at(9));
    world.apply_replenished(&replenished);
    let left: Vec<Slot> = replenished.refills.iter().map(|refill| refill.replaced.unwrap().0).collect();
    assert_eq!(left, slots, "in slot order");
    assert_eq!(world.deposits.len(), slots.len());
    assert!(world.deposits.values().all(Deposit::is_full));
    assert_eq!(world.books_balance(), Ok(()));
}

/// The inner ring alone, every planet of it holding gold.
fn world_without_a_free_planet() -> (World, IdGenerator) {
    let (mut world, mut ids) = example_world();
    let side = world.terrain.side();
    let inner: Vec<_> =
        world.terrain.planets().iter().filter(|planet| planet.ring(side) == Ring::Inner).copied().collect();
    world.terrain = Arc::new(Terrain::new(side, inner));
    world.deposits = (0u32..)
        .zip(world.terrain.planets())
        .map(|(slot, _)| (slot, Deposit::full(DepositId(ids.next_id()), ResourceKind::Gold, 100, at(0))))
        .collect();
    (world, ids)
}

#[test]
fn without_a_free_planet_a_deposit_reappears_where_it_was() {
    let (mut world, mut ids) = world_without_a_free_planet();
    mine_all(&mut world, 3);
    mine_all(&mut world, 7);
    let replenished = world.replenish(&mut ids, at(9));
    let moves: Vec<_> =
        replenished.refills.iter().map(|refill| (refill.replaced.unwrap().0, refill.slot)).collect();
    assert_eq!(moves, [(3, 3), (7, 7)]);
}

#[test]
fn a_planet_just_left_is_free_for_the_next() {
    let (mut world, mut ids) = world_without_a_free_planet();
    world.deposits.remove(&5);
    for slot in [3, 7, 20] {
        mine_all(&mut world, slot);
    }
    let replenished = world.replenish(&mut ids, at(9));
    let moves: Vec<_> =
        replenished.refills.iter().map(|refill| (refill.replaced.unwrap().0, refill.slot)).collect();
    assert_eq!(moves, [(3, 5), (7, 3), (20, 7)]);
    world.apply_replenished(&replenished);
    assert!(!world.deposits.contains_key(&20));
    assert_eq!(world.deposits.len(), 24);
}

#[test]
fn deposits_of_a_world_made_by_hand_refill_where_they_are() {
    let (mut world, mut ids) = example_world();
    world.origin = Origin::Custom;
    let slots: Vec<Slot> = world.deposits.keys().copied().collect();
    for slot in &slots {
        mine_all(&mut world, *slot);
    }
    let replenished = world.replenish(&mut ids, at(9));
    world.apply_replenished(&replenished);
    assert_eq!(world.deposits.keys().copied().collect::<Vec<_>>(), slots);
    assert!(world.deposits.values().all(Deposit::is_full));
    assert_eq!(world.books_balance(), Ok(()));
}

#[test]
fn replenishments_follow_from_nonce_and_seed_alone() {
    let refilled = |nonce| {
        let (mut world, mut ids) = example_world();
        world.rng = replenishment_rng(&nonce, world.seed);
        for slot in world.deposits.keys().copied().collect::<Vec<_>>() {
            mine_all(&mut world, slot);
        }
        let refills = world.replenish(&mut ids, at(9)).refills;
        refills.into_iter().map(|refill| (refill.slot, refill.kind)).collect::<Vec<_>>()
    };
    assert_eq!(refilled(Nonce::from_bits(1)), refilled(Nonce::from_bits(1)));
    assert_ne!(refilled(Nonce::from_bits(1)), refilled(Nonce::from_bits(2)));
}
