//! What a batch does to deposits, books and random streams, gathered so that each row is written once with its last value.
//! A thousand minings of one deposit are one row of it, and one of its book.

use std::collections::BTreeMap;

use rusqlite::{Connection, Result, params};
use starkeep_map_core::{Deposit, Mined, Replenished, ResourceKind, Rng, Slot, WorldId};

use super::write;

#[derive(Default)]
pub(super) struct BatchRows<'a> {
    /// Ordered, so that rows that lie together are written together. `None`: the planet is left without one.
    deposits: BTreeMap<(WorldId, Slot), Option<&'a Deposit>>,
    books: BTreeMap<(WorldId, ResourceKind), Entry>,
    streams: BTreeMap<WorldId, &'a Rng>,
}

/// What is added to a book.
#[derive(Default)]
struct Entry {
    replenished: i64,
    mined: i64,
}

impl<'a> BatchRows<'a> {
    pub(super) fn mined(&mut self, world: WorldId, mined: &'a Mined) {
        self.deposits.insert((world, mined.slot), Some(&mined.deposit));
        self.books.entry((world, mined.deposit.kind)).or_default().mined += mined.amount_mined;
    }

    pub(super) fn replenished(&mut self, world: WorldId, replenished: &'a Replenished) {
        for refill in &replenished.refills {
            if let Some((left_slot, _)) = refill.vanished {
                self.deposits.insert((world, left_slot), None);
            }
            self.deposits.insert((world, refill.slot), Some(&refill.deposit));
            self.books.entry((world, refill.deposit.kind)).or_default().replenished += refill.amount;
        }
        self.streams.insert(world, &replenished.rng);
    }

    /// The world is withdrawn, with everything in it.
    pub(super) fn forget(&mut self, world: WorldId) {
        self.deposits.retain(|(of, _), _| *of != world);
        self.books.retain(|(of, _), _| *of != world);
        self.streams.remove(&world);
    }

    pub(super) fn write(self, connection: &Connection) -> Result<()> {
        for ((world, slot), deposit) in self.deposits {
            match deposit {
                Some(deposit) => put(connection, world, slot, deposit)?,
                None => clear(connection, world, slot)?,
            }
        }
        let mut add = connection.prepare_cached(
            "UPDATE book SET replenished = replenished + ?3, mined = mined + ?4 WHERE world_id = ?1 AND kind = ?2",
        )?;
        for ((world, kind), entry) in self.books {
            add.execute(params![world.0.as_bytes(), kind.as_str(), entry.replenished, entry.mined])?;
        }
        let mut move_on = connection.prepare_cached("UPDATE world SET random_state = ?2 WHERE id = ?1")?;
        for (world, rng) in self.streams {
            move_on.execute(params![world.0.as_bytes(), rng.state().cast_signed()])?;
        }
        Ok(())
    }
}

/// The deposit that is there already changes its amount; a successor takes its planet.
fn put(connection: &Connection, world: WorldId, slot: Slot, deposit: &Deposit) -> Result<()> {
    let changed = connection
        .prepare_cached(
            "UPDATE deposit SET current_amount = ?4, updated_at_millis = ?5
             WHERE world_id = ?1 AND slot = ?2 AND id = ?3",
        )?
        .execute(params![
            world.0.as_bytes(),
            slot,
            deposit.id.0.as_bytes(),
            deposit.current_amount,
            deposit.updated_at.as_millisecond()
        ])?;
    if changed == 0 {
        clear(connection, world, slot)?;
        write::deposit(connection, world, slot, deposit)?;
    }
    Ok(())
}

fn clear(connection: &Connection, world: WorldId, slot: Slot) -> Result<()> {
    connection
        .prepare_cached("DELETE FROM deposit WHERE world_id = ?1 AND slot = ?2")?
        .execute(params![world.0.as_bytes(), slot])
        .map(drop)
}
