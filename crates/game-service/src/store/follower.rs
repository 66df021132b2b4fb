//! A replica for tests: it is given only the serialised changes, as they are committed, and must reach the same state.
//! It keeps an image and the tables in memory, and compares both with what the database says.

use std::sync::{Arc, Mutex, PoisonError};

use jiff::Timestamp;
use starkeep_game_core::Token;
use starkeep_platform::documents::DocumentWrites;
use starkeep_platform::domain::{ChangeCodec, Domain};
use starkeep_platform::memory::MemoryTables;
use starkeep_platform::sql::{SqlConnection, SqlTables};

use super::memory::{self, Tables};
use crate::domain::{Games, Image};
use crate::ports::{PlayerSearch, Store};

/// Follows one installation, over all its restarts, from its empty beginning on.
#[derive(Default)]
pub struct Follower(Mutex<Replica>);

#[derive(Default)]
struct Replica {
    image: Image,
    tables: Tables,
    faults: Vec<String>,
}

impl Follower {
    /// `slots` is how many games may run at a time.
    pub fn new(slots: u32) -> Arc<Self> {
        let replica = Replica { tables: Tables::with_slots(slots), ..Replica::default() };
        Arc::new(Self(Mutex::new(replica)))
    }

    /// Absorbs a change. Errors are reported when everything is compared.
    pub fn follow(&self, bytes: &[u8]) {
        let mut replica = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let change = match Games::decode(bytes) {
            Ok(change) => change,
            Err(fault) => return replica.faults.push(fault.to_string()),
        };
        if Games::encode(&change) != bytes {
            replica.faults.push(format!("{change:?} has another form after it was read"));
        }
        let Replica { image, tables, .. } = &mut *replica;
        for key in Games::needed_by(&change) {
            <Games as MemoryTables>::fetch(tables, &key, image);
        }
        Games::absorb(image, &change);
        Games::evict(image);
        if let Err(fault) =
            <Games as MemoryTables>::save(&mut replica.tables, &change, &DocumentWrites::default())
        {
            replica.faults.push(format!("{fault}: {change:?}"));
        }
    }

    /// Compares the replica with what is published and with what the database says. Nobody else writes meanwhile.
    pub(crate) async fn compare(&self, store: &Arc<dyn Store>, database: &dyn SqlConnection) {
        // Maintenance waits for its turn: whatever was handed in before is committed after this, also what nobody waits for.
        let common = store.clone().common();
        let epoch = common.lease().current().expect("a lease is held");
        common.remove_answers(epoch, Timestamp::MIN).await.expect("nothing is removed");
        let (image, tables) = {
            let replica = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            assert!(replica.faults.is_empty(), "{:#?}", replica.faults);
            (replica.image.clone(), replica.tables.clone())
        };
        let loaded = <Games as SqlTables>::load(database).await.expect("the database can be read");
        assert_same(&image, &store.image(), "the image of a replica and the published one");
        assert_same(&image, &loaded, "the image of a replica and a loaded one");
        assert_same(
            &image,
            &<Games as MemoryTables>::load(&tables),
            "the image of a replica and of the memory tables",
        );
        compare_answers(&**store, &tables).await;
    }
}

/// Every question of the port, about everything there is.
async fn compare_answers(store: &dyn Store, tables: &Tables) {
    const PAGE: usize = 2;
    for id in tables.game_ids() {
        let game = store.ended_game(id).await.expect("the database can be read");
        assert_eq!(game, memory::ended_game(tables, id));
        for number in 0..=game.map_or(0, |game| game.current_round() + 1) {
            let round = store.round(id, number).await.expect("the database can be read");
            assert_eq!(round, memory::round(tables, id, number));
        }
    }
    for id in tables.command_ids() {
        let command = store.command(id).await.expect("the database can be read");
        assert_eq!(command, memory::command(tables, id));
    }
    for player in tables.players().iter() {
        let searches = vec![
            PlayerSearch::Id(player.id),
            PlayerSearch::Token(player.token),
            PlayerSearch::TokenOrId(player.token),
            PlayerSearch::TokenOrId(Token(player.id.0)),
            PlayerSearch::named(&player.name),
            PlayerSearch::with_mail(&player.mail),
        ];
        let found = store.players(searches.clone()).await.expect("the database can be read");
        assert_eq!(found, memory::players(tables, &searches));
        assert_eq!(found.len(), searches.len());
    }
    let robots: Vec<_> = tables.robot_ids().collect();
    let known = store.robots(robots.clone()).await.expect("the database can be read");
    assert_eq!(known, memory::robots(tables, &robots));
    let mut ended = store.ended_game_ids().await.expect("the database can be read");
    ended.sort_unstable();
    assert_eq!(ended, memory::ended_game_ids(tables));
    let mut after = None;
    loop {
        let page = store.ended_games(after, PAGE).await.expect("the database can be read");
        assert_eq!(page, memory::ended_games(tables, after, PAGE));
        let Some(last) = page.last() else { return };
        after = Some((last.created_at, last.id));
    }
}

#[track_caller]
fn assert_same(one: &Image, other: &Image, what: &str) {
    assert!(one == other, "{what} differ:\n{one:#?}\n{other:#?}");
}
