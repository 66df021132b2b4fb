//! Mining: takes an amount out of a deposit.
//! Who may mine, and how often, is decided by the services.

use jiff::Timestamp;
use starkeep_core_types::{DepositId, ResourceKind};

use super::World;
use crate::rejection::Rejection;
use crate::spec::MINING_AMOUNTS;
use crate::terrain::Slot;

/// An amount was taken out of a deposit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Mined {
    pub slot: Slot,
    pub deposit: DepositId,
    pub kind: ResourceKind,
    /// 0 if the deposit was exhausted; nothing has changed then.
    pub amount: i64,
    pub at: Timestamp,
}

impl World {
    /// As much as was asked for, or all that is left; nothing, on an exhausted deposit, is an answer and no error.
    ///
    /// # Panics
    /// If the slot belongs to another terrain.
    pub fn mine(&self, slot: Slot, amount: i64, now: Timestamp) -> Result<Mined, Rejection> {
        if !MINING_AMOUNTS.contains(&amount) {
            return Err(Rejection::AmountOutOfBounds { amount });
        }
        if !self.is_active() {
            return Err(Rejection::WorldInactive { world: self.id });
        }
        let planet = self.terrain.planet(slot).id;
        let deposit = self.deposits.get(&slot).ok_or(Rejection::NoDeposit { planet })?;
        let amount = amount.min(deposit.current_amount);
        Ok(Mined { slot, deposit: deposit.id, kind: deposit.kind, amount, at: now })
    }

    pub fn apply_mined(&mut self, mined: &Mined) {
        if mined.amount > 0
            && let Some(deposit) = self.deposits.get_mut(&mined.slot)
        {
            deposit.current_amount -= mined.amount;
            deposit.updated_at = mined.at;
            self.books.record_mined(mined.kind, mined.amount);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{at, example_world};
    use super::*;
    use crate::spec::FULL_DEPOSIT;

    #[test]
    fn a_deposit_gives_what_was_asked_for_until_it_is_empty() {
        let (mut world, _) = example_world();
        let (&slot, before) =
            world.deposits.get_min().map(|(slot, deposit)| (slot, deposit.clone())).unwrap();
        let table = [(1, 4_000, 4_000, 1), (2, 5_999, 5_999, 2), (3, 1_000_000_000, 1, 3), (4, 10, 0, 3)];
        for (second, asked, given, changed) in table {
            let mined = world.mine(slot, asked, at(second)).unwrap();
            let expected =
                Mined { slot, deposit: before.id, kind: before.kind, amount: given, at: at(second) };
            assert_eq!(mined, expected);
            world.apply_mined(&mined);
            assert_eq!(world.deposits[&slot].updated_at, at(changed), "only a change is dated");
            assert_eq!(world.books_balance(), Ok(()));
        }
        let after = &world.deposits[&slot];
        assert!(after.is_exhausted());
        assert_eq!((after.id, after.created_at), (before.id, before.created_at));
        assert_eq!(world.books.of(before.kind).mined, FULL_DEPOSIT);
    }

    #[test]
    fn what_cannot_be_mined_is_told() {
        let (mut world, _) = example_world();
        let station = world.terrain.stations().next().unwrap();
        let planet = world.terrain.planet(station).id;
        assert_eq!(world.mine(station, 1, at(1)), Err(Rejection::NoDeposit { planet }));
        for amount in [i64::MIN, -1, 0, 1_000_000_001] {
            assert_eq!(world.mine(station, amount, at(1)), Err(Rejection::AmountOutOfBounds { amount }));
        }

        let slot = *world.deposits.keys().next().unwrap();
        world.apply_deactivated(&world.deactivate(false, at(1)).unwrap());
        assert_eq!(world.mine(slot, 1, at(2)), Err(Rejection::WorldInactive { world: world.id }));
    }
}
