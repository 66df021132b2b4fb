//! Replenishment: exhausted deposits move to another planet, and one that was partly mined is filled up.
//! The caller decides when; what happens follows from the world's own random generator.

mod free_planets;

use jiff::Timestamp;
use starkeep_core_types::{DepositId, IdGenerator, ResourceKind, Rng};

use self::free_planets::FreePlanets;
use super::{Origin, World};
use crate::resource::Deposit;
use crate::terrain::Slot;

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Replenished {
    pub at: Timestamp,
    /// To be applied in this order: a planet that one refill leaves may be where a later one appears.
    pub refills: Vec<Refill>,
    /// The world's random generator afterwards.
    pub rng: Rng,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Refill {
    /// The exhausted deposit that this one replaces. `None`: a deposit that was there before is filled up.
    pub replaced: Option<(Slot, DepositId)>,
    pub slot: Slot,
    pub deposit: DepositId,
    pub kind: ResourceKind,
    /// How much was added: of a new deposit, all that it holds.
    pub amount: i64,
}

impl World {
    /// Every exhausted deposit moves, in slot order; then one random deposit of those that were neither full nor exhausted
    /// is filled up. An inactive world stays as it is.
    pub fn replenish(&self, ids: &mut IdGenerator, now: Timestamp) -> Replenished {
        let mut rng = self.rng.clone();
        if !self.is_active() {
            return Replenished { at: now, refills: Vec::new(), rng };
        }
        let mut refills = self.move_exhausted(ids, &mut rng);
        refills.extend(self.fill_up_one(&mut rng));
        Replenished { at: now, refills, rng }
    }

    fn move_exhausted(&self, ids: &mut IdGenerator, rng: &mut Rng) -> Vec<Refill> {
        let mut exhausted = self.deposits.iter().filter(|(_, deposit)| deposit.is_exhausted()).peekable();
        if exhausted.peek().is_none() {
            // Looking for free planets means looking at all of them.
            return Vec::new();
        }
        let mut free = match self.origin {
            Origin::Generated { .. } => FreePlanets::of(self),
            // Whoever made the world by hand has put its deposits where they are meant to be.
            Origin::Custom => FreePlanets::default(),
        };
        exhausted
            .map(|(&left_slot, gone)| {
                let slot = match free.take(gone.kind, rng) {
                    Some(other_slot) => {
                        free.add(left_slot, self.terrain.planet(left_slot).ring(self.terrain.side()));
                        other_slot
                    }
                    None => left_slot,
                };
                Refill {
                    replaced: Some((left_slot, gone.id)),
                    slot,
                    deposit: DepositId(ids.next_id()),
                    kind: gone.kind,
                    amount: gone.max_amount,
                }
            })
            .collect()
    }

    fn fill_up_one(&self, rng: &mut Rng) -> Option<Refill> {
        let begun: Vec<(&Slot, &Deposit)> = self
            .deposits
            .iter()
            .filter(|(_, deposit)| !deposit.is_full() && !deposit.is_exhausted())
            .collect();
        let &(&slot, before) = rng.pick(&begun)?;
        Some(Refill {
            replaced: None,
            slot,
            deposit: before.id,
            kind: before.kind,
            amount: before.max_amount - before.current_amount,
        })
    }

    pub fn apply_replenished(&mut self, replenished: &Replenished) {
        for &Refill { replaced, slot, deposit, kind, amount } in &replenished.refills {
            if let Some((left_slot, _)) = replaced {
                self.deposits.remove(&left_slot);
                self.deposits.insert(slot, Deposit::full(deposit, kind, amount, replenished.at));
            } else if let Some(filled) = self.deposits.get_mut(&slot) {
                filled.current_amount += amount;
                filled.updated_at = replenished.at;
            }
            self.books.record_replenished(kind, amount);
        }
        self.rng = replenished.rng.clone();
    }
}

#[cfg(test)]
mod tests;
