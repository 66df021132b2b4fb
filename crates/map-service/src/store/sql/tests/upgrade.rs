//! Databases of schema 4, which had a row for each planet and deposit, brought up to date: every world is what it was.
//! Files that earlier programs wrote are opened in the service's own tests.

use std::sync::Arc;

use rusqlite::{Connection, params};
use starkeep_map_core::{
    GENERATOR_VERSION, IdGenerator, NewWorld, Nonce, Origin, Planet, PlanetId, ReplenishmentMode,
    ResourceKind, Rng, Spec, Style, Terrain, World, WorldId, WorldStatus, generate,
};
use starkeep_platform::sql::{SqlTables, at_once};
use starkeep_platform::sqlite::SqliteConnection;
use uuid::Uuid;

use super::super::{read, staging, write};
use super::bench::at;
use crate::domain::Maps;

const BEFORE: usize = 4;

/// As the program with schema 4 made it: no nonce, no fairness, and planets with ids of their own.
fn earlier_world(number: u64, players: u32) -> World {
    let new = NewWorld {
        id: WorldId(Uuid::from_u128(u128::from(number) << 80)),
        player_amount: players,
        round_amount: Some(9).filter(|_| number.is_multiple_of(2)),
        origin: Origin::Generated { style: Style::Balanced, version: GENERATOR_VERSION },
        replenishment: ReplenishmentMode::Automatic,
        seed: number,
        nonce: Nonce::from_bits(1),
        id_seed: number,
        created_at: at(number.cast_signed()),
    };
    let world = World::create(&new, generate(number, &Spec { players, style: Style::Balanced }));
    let mut ids = IdGenerator::from_seed(number);
    let with_own_id = |planet: &Planet| Planet { id: PlanetId(ids.next_id()), ..*planet };
    let planets = world.terrain.planets().iter().map(with_own_id).collect();
    let terrain = Arc::new(Terrain::new(world.terrain.side(), planets));
    World { nonce: None, fairness: None, rng: Rng::from_seed(number), terrain, ..world }
}

/// The rows of schema 4.
fn insert(connection: &Connection, world: &World) {
    let id = world.id.0.as_bytes();
    let row = "INSERT INTO world VALUES (?1, ?2, ?3, ?4, ?5, 'balanced', ?6, ?7, ?8, ?9, ?10, 7)";
    connection
        .execute(
            row,
            params![
                id,
                world.status.as_str(),
                world.player_amount,
                world.round_amount,
                world.seed.cast_signed(),
                GENERATOR_VERSION,
                world.terrain.side(),
                world.rng.state().cast_signed(),
                world.created_at.as_millisecond(),
                world.updated_at.as_millisecond()
            ],
        )
        .unwrap();
    for (slot, planet) in (0_u32..).zip(world.terrain.planets()) {
        let Planet { x, y, kind, .. } = planet;
        let row = "INSERT INTO planet VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
        connection.execute(row, params![id, slot, planet.id.0.as_bytes(), x, y, kind.as_str()]).unwrap();
    }
    for (slot, deposit) in &world.deposits {
        let row = "INSERT INTO deposit VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";
        let (created, updated) = (deposit.created_at.as_millisecond(), deposit.updated_at.as_millisecond());
        let (kind, most, amount) = (deposit.kind.as_str(), deposit.max_amount, deposit.current_amount);
        let id_of_deposit = deposit.id.0.as_bytes();
        connection
            .execute(row, params![id, slot, id_of_deposit, kind, most, amount, created, updated])
            .unwrap();
    }
    for kind in ResourceKind::ALL {
        let book = world.books.of(kind);
        let row = "INSERT INTO book VALUES (?1, ?2, ?3, ?4, ?5)";
        connection
            .execute(row, params![id, kind.as_str(), book.initial, book.replenished, book.mined])
            .unwrap();
    }
}

#[test]
fn worlds_of_schema_4_are_what_they_were() {
    let database = SqliteConnection::in_memory(&Maps::SQLITE_MIGRATIONS[..BEFORE]).unwrap();
    let mut worlds: Vec<World> =
        (1..).zip([1, 12, 40, 150, 420]).map(|(number, players)| earlier_world(number, players)).collect();
    for world in &mut worlds {
        let slots: Vec<u32> = world.deposits.keys().copied().collect();
        for (slot, amount) in slots.into_iter().zip([10_000, 3, 10_000]) {
            world.apply_mined(&world.mine(slot, amount, at(100)).unwrap());
        }
        world.apply_replenished(&world.replenish(&mut IdGenerator::from_seed(100 + world.seed), at(200)));
    }
    let ended = worlds[1].deactivate(false, at(300)).unwrap();
    worlds[1].apply_deactivated(&ended);
    let staged = earlier_world(9, 1);
    for world in worlds.iter().chain([&staged]) {
        insert(&database.lock(), world);
    }
    let row = "INSERT INTO staged_world VALUES (?1, 0, 1)";
    database.lock().execute(row, [staged.id.0.as_bytes()]).unwrap();

    for sql in Maps::SQLITE_MIGRATIONS[BEFORE] {
        database.lock().execute_batch(sql).unwrap();
    }
    for world in &worlds {
        assert_eq!(at_once(read::world(&database, world.id)).unwrap().as_deref(), Some(world));
        let overview = at_once(read::overview(&database, world.id)).unwrap().unwrap();
        let stations = world.terrain.stations().map(|slot| world.terrain.planet(slot).id);
        assert_eq!(overview.stations, stations.collect::<Vec<_>>());
        for planet in world.terrain.planets() {
            assert_eq!(at_once(read::world_of(&database, planet.id)).unwrap(), Some(world.id));
        }
        // What it was made with is not known, so no change can name it.
        assert_eq!(at_once(read::as_made(&database, world.id)).unwrap(), None);
    }
    assert_eq!(at_once(read::world_of(&database, staged.terrain.planet(0).id)).unwrap(), None);
    assert_eq!(at_once(staging::all(&database)).unwrap(), []);
    let image = at_once(<Maps as SqlTables>::load(&database)).unwrap();
    assert!(worlds.iter().all(|world| image.unannounced(world.id).is_none()));
    let active = worlds.iter().filter(|world| world.status == WorldStatus::Active);
    assert_eq!(image.active().map(|world| &**world).collect::<Vec<_>>(), active.collect::<Vec<_>>());
    assert_eq!(
        image.planet(worlds[0].terrain.planet(3).id).map(|(world, slot)| (world.id, slot)),
        Some((worlds[0].id, 3))
    );

    // A world that is withdrawn is gone, although its planets are still listed.
    database.batch(|rows| write::withdrawn(rows, worlds[0].id, at(400))).unwrap();
    assert_eq!(at_once(read::world_of(&database, worlds[0].terrain.planet(0).id)).unwrap(), None);
}
