//! Batches as the writer saves them: what is read back afterwards is what the image says, however much happened at once.
//! How the writer forms its batches is the platform's.

use std::sync::Arc;

use jiff::Timestamp;
use rusqlite::Connection;
use starkeep_map_core::{NewWorld, Slot, Style, World, WorldId};
use starkeep_platform::domain::Domain;
use starkeep_platform::sqlite::Tables;
use uuid::Uuid;

use super::read;
use crate::domain::{Change, Image, Key, Maps, WorldState};

fn at(second: i64) -> Timestamp {
    Timestamp::from_second(second).unwrap()
}

/// A batch under way: changes are absorbed one by one and saved together, as the writer does it.
struct Bench {
    connection: Connection,
    image: Image,
    batch: Vec<Change>,
    last_id: u128,
}

impl Bench {
    fn new() -> Self {
        let connection = Connection::open_in_memory().unwrap();
        connection.pragma_update(None, "foreign_keys", true).unwrap();
        for sql in Maps::MIGRATIONS.iter().copied().flatten() {
            connection.execute_batch(sql).unwrap();
        }
        let image = Maps::load(&connection).unwrap();
        Self { connection, image, batch: Vec::new(), last_id: 0 }
    }

    fn take(&mut self, change: Change) {
        Maps::absorb(&mut self.image, &change);
        self.batch.push(change);
    }

    fn save(&mut self) {
        Maps::save(&self.connection, &std::mem::take(&mut self.batch)).unwrap();
        Maps::evict(&mut self.image);
    }

    fn world(&mut self) -> WorldId {
        let id = WorldId(Uuid::from_u128(self.last_id + 1));
        let new = NewWorld { id, player_amount: 1, round_amount: None, seed: 3, style: Style::Balanced };
        let last_id = &mut self.last_id;
        let mut ids = || {
            *last_id += 1;
            Uuid::from_u128(*last_id + 1_000)
        };
        let world = World::create(new, &mut ids, at(0));
        self.take(Change::WorldMade(Arc::new(world)));
        id
    }

    fn slots(&self, world: WorldId) -> Vec<Slot> {
        self.image.world(world).unwrap().deposits.keys().copied().collect()
    }

    fn mine(&mut self, world: WorldId, slot: Slot, amount: i64) {
        let mined = self.image.world(world).unwrap().mine(slot, amount, at(amount)).unwrap();
        self.take(Change::Mined { world, mined });
    }

    fn replenish(&mut self, world: WorldId) {
        let last_id = &mut self.last_id;
        let mut ids = || {
            *last_id += 1;
            Uuid::from_u128(*last_id + 1_000)
        };
        let replenished = self.image.world(world).unwrap().replenish(&mut ids, at(9));
        assert!(!replenished.refills.is_empty());
        self.take(Change::Replenished { world, replenished });
    }

    fn assert_stored(&self, world: WorldId) {
        let stored = read::world(&self.connection, world).unwrap().unwrap();
        assert_eq!(Some(&stored), self.image.world(world).map(|world| &**world));
        assert_eq!(stored.books_balance(), Ok(()));
    }

    fn rows(&self, table: &str) -> i64 {
        self.connection.query_row(&format!("SELECT count(*) FROM {table}"), [], |row| row.get(0)).unwrap()
    }
}

#[test]
fn of_many_changes_to_a_row_the_last_stands() {
    let mut bench = Bench::new();
    let (one, other) = (bench.world(), bench.world());
    let slots = bench.slots(one);
    bench.mine(one, slots[0], 5);
    bench.save();
    bench.assert_stored(one);
    for amount in [1, 2, 3, 9_000] {
        bench.mine(one, slots[0], amount);
        bench.mine(one, slots[1], amount);
        bench.mine(other, slots[1], amount);
    }
    bench.save();
    for world in [one, other] {
        bench.assert_stored(world);
    }
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
        bench.replenish(world);
        for slot in bench.slots(world).into_iter().skip(2).take(5) {
            bench.mine(world, slot, 10_000);
        }
        bench.replenish(world);
        bench.mine(world, bench.slots(world)[round], 7);
        bench.save();
        bench.assert_stored(world);
    }
}

#[test]
fn a_world_may_be_made_mined_ended_and_withdrawn_in_one_batch() {
    let mut bench = Bench::new();
    let kept = bench.world();
    let gone = bench.world();
    let slot = bench.slots(gone)[0];
    bench.mine(gone, slot, 10_000);
    bench.replenish(gone);
    let deactivated = bench.image.world(gone).unwrap().deactivate(at(5)).unwrap();
    bench.take(Change::Deactivated(deactivated));
    bench.take(Change::Withdrawn { world: gone, at: at(6) });
    bench.save();
    bench.assert_stored(kept);
    let (worlds, books, withdrawn) = (bench.rows("world"), bench.rows("book"), bench.rows("withdrawn_world"));
    assert_eq!((worlds, books, withdrawn), (1, 5, 1));
}

#[test]
fn what_a_batch_has_done_goes_before_what_the_database_still_says() {
    let mut bench = Bench::new();
    let (ended, gone) = (bench.world(), bench.world());
    let planets = [ended, gone].map(|world| bench.image.world(world).unwrap().terrain.planet(0).id);
    bench.save();
    let deactivated = bench.image.world(ended).unwrap().deactivate(at(5)).unwrap();
    bench.take(Change::Deactivated(deactivated));
    bench.take(Change::Withdrawn { world: gone, at: at(5) });
    for is_saved in [false, true] {
        if is_saved {
            bench.save();
        }
        for key in [Key::Planet(planets[0]), Key::Planet(planets[1]), Key::World(ended), Key::World(gone)] {
            Maps::fetch(&bench.connection, &(), &key, &mut bench.image).unwrap();
        }
        assert!(matches!(bench.image.state_of(ended), WorldState::Inactive));
        assert!(matches!(bench.image.state_of(gone), WorldState::Withdrawn));
        assert_eq!(planets.map(|planet| bench.image.inactive_world_of(planet)), [Some(ended), None]);
    }
}
