//! Replenishment: exhausted deposits move to another planet, and one that was partly mined is filled up.
//! The caller decides when; what happens follows from the world's own random generator.

mod free_planets;

use jiff::Timestamp;
use uuid::Uuid;

use self::free_planets::FreePlanets;
use super::World;
use crate::ids::{DepositId, PlanetId};
use crate::resource::Deposit;
use crate::rng::Rng;
use crate::terrain::Slot;

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Replenished {
    /// To be applied in this order: a planet that one refill leaves may be where a later one appears.
    pub refills: Vec<Refill>,
    /// The world's stream afterwards.
    pub rng: Rng,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Refill {
    /// The exhausted deposit that is gone, if this is its successor.
    pub vanished: Option<(Slot, DepositId)>,
    pub slot: Slot,
    pub planet: PlanetId,
    /// As it now is.
    pub deposit: Deposit,
    /// How much was added.
    pub amount: i64,
}

impl World {
    /// Every exhausted deposit moves, in slot order; then one random deposit of those that were neither full nor exhausted
    /// is filled up. An inactive world stays as it is.
    pub fn replenish(&self, ids: &mut dyn FnMut() -> Uuid, now: Timestamp) -> Replenished {
        let mut rng = self.rng.clone();
        if !self.is_active() {
            return Replenished { refills: Vec::new(), rng };
        }
        let mut refills = self.move_exhausted(ids, now, &mut rng);
        refills.extend(self.fill_up_one(now, &mut rng));
        Replenished { refills, rng }
    }

    fn move_exhausted(&self, ids: &mut dyn FnMut() -> Uuid, now: Timestamp, rng: &mut Rng) -> Vec<Refill> {
        let mut exhausted = self.deposits.iter().filter(|(_, deposit)| deposit.is_exhausted()).peekable();
        if exhausted.peek().is_none() {
            // Looking for free planets means looking at all of them.
            return Vec::new();
        }
        let mut free = FreePlanets::of(self);
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
                    vanished: Some((left_slot, gone.id)),
                    slot,
                    planet: self.terrain.planet(slot).id,
                    deposit: Deposit::full(DepositId(ids()), gone.kind, gone.max_amount, now),
                    amount: gone.max_amount,
                }
            })
            .collect()
    }

    fn fill_up_one(&self, now: Timestamp, rng: &mut Rng) -> Option<Refill> {
        let begun: Vec<(&Slot, &Deposit)> = self
            .deposits
            .iter()
            .filter(|(_, deposit)| !deposit.is_full() && !deposit.is_exhausted())
            .collect();
        let &(&slot, before) = rng.pick(&begun)?;
        Some(Refill {
            vanished: None,
            slot,
            planet: self.terrain.planet(slot).id,
            deposit: Deposit { current_amount: before.max_amount, updated_at: now, ..before.clone() },
            amount: before.max_amount - before.current_amount,
        })
    }

    pub fn apply_replenished(&mut self, replenished: &Replenished) {
        for refill in &replenished.refills {
            if let Some((left_slot, _)) = refill.vanished {
                self.deposits.remove(&left_slot);
            }
            self.books.record_replenished(refill.deposit.kind, refill.amount);
            self.deposits.insert(refill.slot, refill.deposit.clone());
        }
        self.rng = replenished.rng.clone();
    }
}

#[cfg(test)]
mod tests;
