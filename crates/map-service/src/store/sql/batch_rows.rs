//! What a batch does to deposits, books and random generators, added up so that each row is written once.
//! A thousand minings of one deposit are one update of its row, and one of its book.

use std::collections::BTreeMap;

use jiff::Timestamp;
use starkeep_map_core::{Deposit, DepositId, Mined, Refill, Replenished, ResourceKind, Slot, WorldId};
use starkeep_platform::sql::{SqlFault, Statements};
use starkeep_platform::values;

use super::write;

#[derive(Default)]
pub(super) struct BatchRows {
    /// Ordered, so that rows that are stored together are written together.
    deposits: BTreeMap<(WorldId, Slot), DepositRow>,
    books: BTreeMap<(WorldId, ResourceKind), Entry>,
    random_states: BTreeMap<WorldId, u64>,
}

/// What happens to the deposit of a planet.
enum DepositRow {
    /// The deposit that is stored there gets this much more, or less.
    Changed {
        deposit: DepositId,
        added: i64,
        at: Timestamp,
    },
    /// A new deposit replaces what is stored there, if anything is.
    Placed(Deposit),
    Removed,
}

/// What is added to a book.
#[derive(Default)]
struct Entry {
    replenished: i64,
    mined: i64,
}

impl BatchRows {
    pub(super) fn mined(&mut self, world: WorldId, mined: &Mined) {
        if mined.amount > 0 {
            self.add((world, mined.slot), mined.deposit, -mined.amount, mined.at);
            self.books.entry((world, mined.kind)).or_default().mined += mined.amount;
        }
    }

    pub(super) fn replenished(&mut self, world: WorldId, replenished: &Replenished) {
        let at = replenished.at;
        for &Refill { replaced, slot, deposit, kind, amount } in &replenished.refills {
            if let Some((left_slot, _)) = replaced {
                self.deposits.insert((world, left_slot), DepositRow::Removed);
                let placed = DepositRow::Placed(Deposit::full(deposit, kind, amount, at));
                self.deposits.insert((world, slot), placed);
            } else {
                self.add((world, slot), deposit, amount, at);
            }
            self.books.entry((world, kind)).or_default().replenished += amount;
        }
        self.random_states.insert(world, replenished.rng.state());
    }

    fn add(&mut self, place: (WorldId, Slot), deposit: DepositId, amount: i64, at: Timestamp) {
        match self.deposits.get_mut(&place) {
            Some(DepositRow::Placed(placed)) => {
                placed.current_amount += amount;
                placed.updated_at = at;
            }
            Some(DepositRow::Changed { added, at: updated, .. }) => {
                *added += amount;
                *updated = at;
            }
            Some(DepositRow::Removed) | None => {
                self.deposits.insert(place, DepositRow::Changed { deposit, added: amount, at });
            }
        }
    }

    /// The world is withdrawn, with everything in it.
    pub(super) fn forget(&mut self, world: WorldId) {
        self.deposits.retain(|(of, _), _| *of != world);
        self.books.retain(|(of, _), _| *of != world);
        self.random_states.remove(&world);
    }

    pub(super) fn write(self, rows: &mut dyn Statements) -> Result<(), SqlFault> {
        for ((world, slot), row) in self.deposits {
            match row {
                DepositRow::Changed { deposit, added, at } => {
                    change(rows, (world, slot), deposit, added, at)?;
                }
                DepositRow::Placed(deposit) => write::deposit(rows, world, slot, &deposit)?,
                DepositRow::Removed => vacate(rows, (world, slot))?,
            }
        }
        for ((world, kind), entry) in self.books {
            rows.run(
                "UPDATE book SET replenished = replenished + ?3, mined = mined + ?4 WHERE world_id = ?1 AND kind = ?2",
                values![world.0, kind.as_str(), entry.replenished, entry.mined],
            )?;
        }
        for (world, state) in self.random_states {
            rows.run("UPDATE world SET random_state = ?2 WHERE id = ?1", values![world.0, state])?;
        }
        Ok(())
    }
}

fn change(
    rows: &mut dyn Statements,
    (world, slot): (WorldId, Slot),
    deposit: DepositId,
    added: i64,
    at: Timestamp,
) -> Result<(), SqlFault> {
    // Adding to NULL gives NULL: of the two columns only the one that the deposit uses changes.
    rows.run_on_one_row(
        "INSERT INTO deposit (world_id, slot, id, added, updated_at_millis) VALUES (?1, ?2, ?3, ?4, ?5)
         ON CONFLICT (world_id, slot) DO UPDATE
         SET added = deposit.added + excluded.added, current_amount = deposit.current_amount + excluded.added,
             updated_at_millis = excluded.updated_at_millis
         WHERE deposit.id = excluded.id",
        values![world.0, slot, deposit.0, added, at],
    )
}

/// The row stays: the layout may say that a deposit lies there.
fn vacate(rows: &mut dyn Statements, (world, slot): (WorldId, Slot)) -> Result<(), SqlFault> {
    rows.run(
        "INSERT INTO deposit (world_id, slot) VALUES (?1, ?2)
         ON CONFLICT (world_id, slot) DO UPDATE SET id = NULL, added = NULL, kind = NULL, max_amount = NULL,
             current_amount = NULL, created_at_millis = NULL, updated_at_millis = NULL",
        values![world.0, slot],
    )
}
