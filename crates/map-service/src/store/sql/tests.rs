//! Batches as the writer saves them: what is read back afterwards is what the image says, however much happened at once.
//! How the writer forms its batches is the platform's.

mod bench;
mod histories;

use std::sync::Arc;

use starkeep_platform::sql::at_once;

use self::bench::{Bench, at};
use super::staging::{self, StagedWorlds};
use super::{read, write};
use crate::domain::{Key, WorldState};
use crate::store::memory;

#[test]
fn of_many_changes_to_a_row_the_last_stands() {
    let mut bench = Bench::new();
    let (one, other) = (bench.world(), bench.world());
    let slots = bench.slots(one);
    let others = bench.slots(other);
    bench.mine(one, slots[0], 5);
    bench.save();
    for amount in [1, 2, 3, 9_000, 20_000, 1] {
        bench.mine(one, slots[0], amount);
        bench.mine(one, slots[1], amount);
        bench.mine(other, others[1], amount);
    }
    bench.save();
    assert!(bench.image.world(one).unwrap().deposits[&slots[0]].is_exhausted());
}

#[test]
fn deposits_may_be_emptied_move_and_be_mined_again_in_one_batch() {
    let mut bench = Bench::new();
    let world = bench.world();
    bench.save();
    for round in 0..20 {
        for slot in bench.slots(world).into_iter().take(5) {
            bench.mine(world, slot, 10_000);
        }
        assert!(bench.replenish(world));
        for slot in bench.slots(world).into_iter().skip(2).take(5) {
            bench.mine(world, slot, 10_000);
        }
        assert!(bench.replenish(world));
        bench.mine(world, bench.slots(world)[round], 7);
        bench.save();
    }
}

#[test]
fn a_world_that_another_replica_has_staged_anew_is_found_as_that_has_staged_it() {
    let mut bench = Bench::new();
    let mine = bench.stage();
    let own = StagedWorlds::default();
    own.insert(&mine);
    let found = |bench: &Bench| at_once(staging::find(&bench.connection, &own, mine.id)).unwrap().unwrap();
    assert!(Arc::ptr_eq(&found(&bench), &mine), "it is in memory");
    let theirs = bench.stage_as(mine.id, at(1)).unwrap();
    assert_ne!(mine.terrain.stations().count(), 0);
    assert_eq!(*found(&bench), *theirs);
}

#[test]
fn a_world_may_be_made_mined_ended_and_withdrawn_in_one_batch() {
    let mut bench = Bench::new();
    let kept = bench.world();
    let gone = bench.world();
    let slot = bench.slots(gone)[0];
    bench.mine(gone, slot, 10_000);
    assert!(bench.replenish(gone));
    bench.deactivate(gone);
    bench.withdraw(gone);
    bench.save();
    assert!(bench.image.world(kept).is_some());
    let (worlds, books, withdrawn) = (bench.rows("world"), bench.rows("book"), bench.rows("withdrawn_world"));
    assert_eq!((worlds, books, withdrawn), (1, 5, 1));
}

#[test]
fn an_id_is_not_forgotten_before_all_deposits_of_its_world_are_removed() {
    let mut bench = Bench::new();
    let (gone, kept) = (bench.world(), bench.world());
    for world in [gone, kept] {
        for slot in bench.slots(world).into_iter().take(5) {
            bench.mine(world, slot, 1);
        }
    }
    bench.save();
    bench.withdraw(gone);
    bench.save();
    let connection = &bench.connection;
    assert_eq!(bench.rows("deposit"), 10);
    assert_eq!(at_once(read::withdrawn_with_deposits(connection)).unwrap(), [gone]);
    assert_eq!(at_once(write::forget_withdrawn(connection, at(1_000))).unwrap(), 0);
    for (is_done, left) in [(false, 8), (false, 6), (true, 5), (true, 5)] {
        assert_eq!(at_once(write::remove_deposits(connection, gone, 2)).unwrap(), is_done);
        assert_eq!(bench.rows("deposit"), left);
    }
    assert!(at_once(write::remove_deposits(connection, kept, 2)).unwrap());
    assert_eq!(bench.rows("deposit"), 5, "a world that is there keeps its deposits");
    assert_eq!(at_once(write::forget_withdrawn(connection, at(1_000))).unwrap(), 1);
}

#[test]
fn what_a_batch_has_done_goes_before_what_the_database_still_says() {
    let mut bench = Bench::new();
    let (ended, gone) = (bench.world(), bench.world());
    let planets = [ended, gone].map(|world| bench.image.world(world).unwrap().terrain.planet(0).id);
    bench.save();
    bench.deactivate(ended);
    bench.withdraw(gone);
    for is_saved in [false, true] {
        if is_saved {
            bench.save();
        }
        for key in [Key::Planet(planets[0]), Key::Planet(planets[1]), Key::World(ended), Key::World(gone)] {
            bench.fetch(key);
        }
        assert!(matches!(bench.image.state_of(ended), WorldState::Inactive));
        assert!(matches!(bench.image.state_of(gone), WorldState::Withdrawn));
        assert_eq!(planets.map(|planet| bench.image.inactive_world_of(planet)), [Some(ended), None]);
    }
}

#[test]
fn a_staged_world_is_found_by_nobody_until_it_is_made() {
    let mut bench = Bench::new();
    let world = bench.stage();
    let (id, planet) = (world.id, world.terrain.planet(0).id);
    for is_made in [false, true] {
        if is_made {
            bench.make(id);
        }
        bench.save();
        let connection = &bench.connection;
        assert_eq!(at_once(read::active_worlds(connection)).unwrap().contains(&id), is_made);
        assert_eq!(at_once(read::overview(connection, id)).unwrap().is_some(), is_made);
        assert_eq!(at_once(read::overviews(connection, None, 9)).unwrap().len(), usize::from(is_made));
        assert_eq!(at_once(read::world(connection, id)).unwrap() == Some(world.clone()), is_made);
        assert_eq!(at_once(read::planet(connection, planet)).unwrap().is_some(), is_made);
        assert_eq!(at_once(read::why_not_active(connection, id)).unwrap().is_some(), is_made);
        assert_eq!(memory::planet(&bench.tables, planet).is_some(), is_made);
    }
}

#[test]
fn what_was_staged_and_not_made_leaves_no_row() {
    let mut bench = Bench::new();
    let world = bench.stage();
    bench.discard_staged(world.id);
    for table in ["world", "world_layout", "deposit", "book"] {
        assert_eq!(bench.rows(table), 0, "{table}");
    }
    // A world that was made is no longer staged, so it stays.
    let made = bench.world();
    bench.save();
    bench.discard_staged(made);
    bench.save();
}
