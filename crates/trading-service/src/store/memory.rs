//! The in-memory store of the trading service: everything as plain values, behind the same port as every other store.
//! Its tables are an image from which nothing was evicted, and the commands that were executed.

use std::collections::BTreeMap;
use std::sync::Arc;

use futures::future::{FutureExt as _, ready};
use starkeep_platform::domain::Domain as _;
use starkeep_platform::memory::{Disturbance, Memory, MemoryTables};
use starkeep_platform::replica::ReplicaId;
use starkeep_trading_core::{GameId, Market};

use crate::domain::{Change, Image, Key, Move, Trading, Transaction};
use crate::ports::{Asked, Store};

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tables {
    whole: Image,
    executed: BTreeMap<Transaction, GameId>,
}

pub type MemoryStore = Memory<Trading>;

/// An empty store. `disturb` moves clock and chance on while a decision is made a second time.
pub fn open(replica: ReplicaId, disturb: Disturbance) -> Arc<MemoryStore> {
    MemoryStore::new(replica, disturb)
}

impl Store for Memory<Trading> {
    fn market(&self, game: GameId) -> Asked<'_, Option<Market>> {
        ready(Ok(self.read(|tables| tables.whole.markets.get(&game).cloned()))).boxed()
    }
}

impl MemoryTables for Trading {
    type Tables = Tables;

    fn load(tables: &Tables) -> Image {
        let mut image = tables.whole.clone();
        Self::evict(&mut image);
        image
    }

    fn fetch(tables: &Tables, key: &Key, image: &mut Image) {
        match key {
            Key::Market(game) => {
                if let Some(market) = tables.whole.markets.get(game).filter(|_| image.lacks_market(*game)) {
                    image.load_market_for_batch(*game, market.clone());
                }
            }
            Key::Executed(transaction) => {
                if tables.executed.contains_key(transaction) {
                    image.load_executed(transaction.clone());
                }
            }
        }
    }

    fn save(tables: &mut Tables, change: &Change) -> Result<(), String> {
        match change {
            Change::Received(received) => {
                for step in &received.moves {
                    if let Move::Deleted { game } = step {
                        tables.executed.retain(|_, of| of != game);
                    }
                }
            }
            Change::Traded(traded) => {
                let open = tables.whole.open.get(&traded.game).map(|intent| intent.id);
                if open != traded.settled {
                    return Err(format!("game {} has another wave open: {open:?}", traded.game));
                }
                for transaction in &traded.executed {
                    if tables.executed.insert(transaction.clone(), traded.game).is_some() {
                        return Err(format!("{transaction} was executed before"));
                    }
                }
            }
            Change::TakenOver { .. } => {}
        }
        if let Change::TakenOver { game, wave, .. } = change
            && tables.whole.open.get(game).is_none_or(|open| open.id != *wave)
        {
            return Err(format!("game {game} has no such wave open: {wave:?}"));
        }
        Trading::absorb(&mut tables.whole, change);
        tables.whole.forget_executed();
        let overdrawn = tables.whole.markets.values().flat_map(|market| market.accounts.values());
        match overdrawn.into_iter().find(|account| account.spent > account.start + account.earned) {
            Some(account) => Err(format!("player {} spent more than it had", account.player)),
            None => Ok(()),
        }
    }
}
