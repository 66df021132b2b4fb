//! The tables in SQLite and in memory side by side, and three images: the one that decisions are made on, one that is given
//! only the serialised changes, and the one that a new process would load. After every batch all of them must be equal.

use std::sync::Arc;

use jiff::Timestamp;
use starkeep_map_core::{
    GENERATOR_VERSION, IdGenerator, NewWorld, Nonce, Origin, ReplenishmentMode, Slot, Spec, Style, World,
    WorldId, generate,
};
use starkeep_platform::documents::DocumentWrites;
use starkeep_platform::domain::{ChangeCodec, Domain};
use starkeep_platform::memory::MemoryTables;
use starkeep_platform::sql::{SqlTables, at_once};
use starkeep_platform::sqlite::SqliteConnection;
use uuid::Uuid;

use super::super::read;
use super::super::staging::{self, StagedWorlds};
use super::super::write::{self, EncodedLayout};
use crate::domain::{Change, Image, Key, Maps, WorldState};
use crate::ports::Cursor;
use crate::store::memory;

pub(super) fn at(second: i64) -> Timestamp {
    Timestamp::from_second(second).unwrap()
}

pub(super) struct Bench {
    pub(super) connection: SqliteConnection,
    pub(super) tables: memory::Tables,
    cache: StagedWorlds,
    pub(super) image: Image,
    follower: Image,
    batch: Vec<Change>,
    last_number: u64,
    /// Every id that was ever staged.
    pub(super) ids: Vec<WorldId>,
}

impl Bench {
    pub(super) fn new() -> Self {
        Self {
            connection: SqliteConnection::in_memory(Maps::SQLITE_MIGRATIONS).unwrap(),
            tables: memory::Tables::default(),
            cache: StagedWorlds::default(),
            image: Image::default(),
            follower: Image::default(),
            batch: Vec::new(),
            last_number: 0,
            ids: Vec::new(),
        }
    }

    pub(super) fn next_number(&mut self) -> u64 {
        self.last_number += 1;
        self.last_number
    }

    pub(super) fn now(&mut self) -> Timestamp {
        at(self.next_number().cast_signed())
    }

    /// What the batch has changed so far, as the writer would have it.
    pub(super) fn take(&mut self, change: Change) {
        Maps::absorb(&mut self.image, &change);
        self.batch.push(change);
    }

    pub(super) fn fetch(&mut self, key: Key) {
        fetch(&self.connection, &self.cache, &key, &mut self.image);
    }

    /// A world that is written and not made; several share their instant.
    pub(super) fn stage(&mut self) -> Arc<World> {
        let number = self.next_number();
        let id = WorldId(Uuid::from_u128(u128::from(number)));
        self.ids.push(id);
        self.stage_as(id, at((number / 8).cast_signed())).unwrap()
    }

    pub(super) fn stage_as(&mut self, id: WorldId, created_at: Timestamp) -> Option<Arc<World>> {
        let id_seed = self.next_number();
        let seed = id_seed % 5;
        let new = NewWorld {
            id,
            player_amount: 1,
            round_amount: Some(7),
            origin: Origin::Generated { style: Style::Balanced, version: GENERATOR_VERSION },
            replenishment: ReplenishmentMode::ALL[usize::from(id_seed.is_multiple_of(2))],
            seed,
            nonce: Nonce::from_bits(id_seed.into()),
            id_seed,
            created_at,
        };
        let layout = generate(seed, &Spec { players: 1, style: Style::Balanced });
        let world = Arc::new(World::create(&new, layout));
        self.cache.insert(&world);
        let layout = EncodedLayout::of(&world);
        let is_staged = at_once(staging::stage(&self.connection, world.clone(), layout)).unwrap();
        assert_eq!(memory::stage(&mut self.tables, world.clone()), is_staged);
        is_staged.then_some(world)
    }

    pub(super) fn discard_staged(&mut self, world: WorldId) {
        at_once(staging::remove(&self.connection, world)).unwrap();
        memory::discard_staged(&mut self.tables, world);
    }

    pub(super) fn world(&mut self) -> WorldId {
        let id = self.stage().id;
        // The request that staged it is over: it is loaded from the database.
        self.make(id);
        id
    }

    pub(super) fn make(&mut self, id: WorldId) {
        self.fetch(Key::World(id));
        assert!(matches!(self.image.state_of(id), WorldState::Unknown));
        self.fetch(Key::StagedWorld(id));
        assert!(self.image.staged(id).is_some());
        let unannounced_from = [None, Some(1)][usize::from(self.next_number().is_multiple_of(2))];
        self.take(Change::WorldMade { world: id, unannounced_from });
    }

    /// The next station, or that all are announced.
    pub(super) fn announce(&mut self, world: WorldId) {
        let Some((_, from)) = self.image.unannounced(world) else { return };
        let unannounced_from = Some(from + 1).filter(|from| *from < 4);
        self.take(Change::StationsAnnounced { world, unannounced_from });
    }

    pub(super) fn slots(&self, world: WorldId) -> Vec<Slot> {
        self.image.world(world).unwrap().deposits.keys().copied().collect()
    }

    pub(super) fn mine(&mut self, world: WorldId, slot: Slot, amount: i64) {
        let now = self.now();
        let mined = self.image.world(world).unwrap().mine(slot, amount, now).unwrap();
        self.take(Change::Mined { world, mined });
    }

    /// Whether there was something to refill.
    pub(super) fn replenish(&mut self, world: WorldId) -> bool {
        let (seed, now) = (self.next_number(), self.now());
        let replenished = self.image.world(world).unwrap().replenish(&mut IdGenerator::from_seed(seed), now);
        let is_something = !replenished.refills.is_empty();
        if is_something {
            self.take(Change::Replenished { world, replenished });
        }
        is_something
    }

    pub(super) fn deactivate(&mut self, world: WorldId) {
        let now = self.now();
        let deactivated =
            self.image.world(world).unwrap().deactivate(world.0.as_u128() % 2 == 1, now).unwrap();
        self.take(Change::Deactivated(deactivated));
    }

    pub(super) fn withdraw(&mut self, world: WorldId) {
        let at = self.now();
        self.take(Change::Withdrawn { world, at });
    }

    /// Saves the batch everywhere and compares.
    pub(super) fn save(&mut self) {
        let batch = std::mem::take(&mut self.batch);
        self.connection
            .batch(|rows| <Maps as SqlTables>::save(rows, &batch, &DocumentWrites::default()))
            .unwrap();
        Maps::evict(&mut self.image);
        for change in &batch {
            <Maps as MemoryTables>::save(&mut self.tables, change, &DocumentWrites::default()).unwrap();
        }
        // The follower reads what was written, after the whole batch was.
        for change in &batch {
            let read = Maps::decode(&Maps::encode(change)).unwrap();
            assert_eq!(&read, change);
            for key in Maps::needed_by(&read) {
                let nothing_cached = StagedWorlds::default();
                fetch(&self.connection, &nothing_cached, &key, &mut self.follower);
            }
            Maps::absorb(&mut self.follower, &read);
        }
        Maps::evict(&mut self.follower);
        self.assert_images_equal();
        self.assert_answers_equal();
    }

    /// A new process begins with what it loads.
    pub(super) fn restart(&mut self) {
        self.save();
        self.image = at_once(<Maps as SqlTables>::load(&self.connection)).unwrap();
        for (world, _) in at_once(staging::all(&self.connection)).unwrap() {
            self.discard_staged(world);
        }
    }

    fn assert_images_equal(&self) {
        assert!(at_once(<Maps as SqlTables>::load(&self.connection)).unwrap() == self.image, "SQLite");
        assert!(<Maps as MemoryTables>::load(&self.tables) == self.image, "memory");
        assert!(self.follower == self.image, "serialised changes");
        for world in self.image.active() {
            assert_eq!(world.books_balance(), Ok(()));
        }
    }

    /// SQLite and memory answer the port's questions alike.
    fn assert_answers_equal(&self) {
        let (connection, tables) = (&self.connection, &self.tables);
        for &id in &self.ids {
            assert_eq!(at_once(read::overview(connection, id)).unwrap(), memory::overview(tables, id));
            let world = at_once(read::world(connection, id)).unwrap();
            assert_eq!(world, memory::world(tables, id));
            let Some(world) = world else { continue };
            let planets = world.terrain.planets();
            for planet in [&planets[0], &planets[planets.len() / 2], &planets[planets.len() - 1]] {
                let found = at_once(read::planet(connection, planet.id)).unwrap();
                assert!(found.is_some());
                assert_eq!(found, memory::planet(tables, planet.id));
            }
        }
        let mut after = None;
        loop {
            let page = at_once(read::overviews(connection, after, 2)).unwrap();
            assert_eq!(page, memory::overviews(tables, after, 2));
            let Some(last) = page.last() else { break };
            after = Some(Cursor { created_at: last.created_at, id: last.id });
        }
    }

    /// What a batch that declares all keys sees of every id and of these planets is the same from both.
    pub(super) fn assert_fetched_equal(&self) {
        let mut images = [(); 2].map(|()| self.image.clone());
        let planets = self.ids.iter().filter_map(|id| memory::world(&self.tables, *id));
        let planets = planets.map(|world| Key::Planet(world.terrain.planet(0).id));
        let worlds = self.ids.iter().flat_map(|id| [Key::World(*id), Key::StagedWorld(*id)]);
        for key in worlds.chain(planets) {
            fetch(&self.connection, &self.cache, &key, &mut images[0]);
            <Maps as MemoryTables>::fetch(&self.tables, &key, &mut images[1]);
        }
        assert!(images[0] == images[1]);
    }

    pub(super) fn forget_withdrawn(&mut self, before: Timestamp) {
        for world in at_once(read::withdrawn_with_deposits(&self.connection)).unwrap() {
            while !at_once(write::remove_deposits(&self.connection, world, 2)).unwrap() {}
        }
        let forgotten = at_once(write::forget_withdrawn(&self.connection, before)).unwrap();
        assert_eq!(forgotten, memory::forget_withdrawn(&mut self.tables, before));
    }

    pub(super) fn rows(&self, table: &str) -> i64 {
        let count = format!("SELECT count(*) FROM {table}");
        self.connection.lock().query_row(&count, [], |row| row.get(0)).unwrap()
    }
}

/// As a batch that declares the key does.
fn fetch(connection: &SqliteConnection, cache: &StagedWorlds, key: &Key, image: &mut Image) {
    if Maps::lacks(image, key) {
        at_once(Maps::find(connection, cache, key)).unwrap()(image).unwrap();
    }
}
