//! The numbered slots (from 1) that running games take: what limits how many run at a time.
//! That no slot is given away twice is for the store to keep; here the lowest free one is picked.

use starkeep_core_types::GameId;

use crate::rejection::Rejection;

/// Which slots are taken, and by whom: running games and starts under way.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Slots(pub Vec<(u32, GameId)>);

impl Slots {
    /// The lowest free slot. A game in a slot above the limit (which was higher once) counts as well.
    pub fn free(&self, limit: u32) -> Option<u32> {
        if self.0.len() >= limit as usize {
            return None;
        }
        (1..=limit).find(|slot| self.0.iter().all(|(taken, _)| taken != slot))
    }

    pub(crate) fn pick(&self, limit: u32) -> Result<u32, Rejection> {
        match (self.free(limit), self.0.first()) {
            (Some(slot), _) => Ok(slot),
            (None, Some(&(_, running))) => Err(Rejection::AnotherGameRuns { running, limit }),
            // A limit of 0: a service that never runs a game is of no use, so it means 1.
            (None, None) => Ok(1),
        }
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    #[test]
    fn the_lowest_free_slot_is_picked() {
        let taken = |slots: &[u32]| {
            Slots(slots.iter().map(|slot| (*slot, GameId(Uuid::from_u128(u128::from(*slot))))).collect())
        };
        for (slots, limit, free) in [
            (taken(&[]), 1, Some(1)),
            (taken(&[1]), 1, None),
            (taken(&[1]), 2, Some(2)),
            (taken(&[2]), 2, Some(1)),
            (taken(&[3, 1]), 3, Some(2)),
            (taken(&[1, 2, 3]), 3, None),
            (taken(&[3]), 1, None),
            (taken(&[5, 1]), 3, Some(2)),
            (taken(&[]), 0, None),
        ] {
            assert_eq!(slots.free(limit), free, "{slots:?} of {limit}");
        }
        assert_eq!(taken(&[]).pick(0), Ok(1));
    }
}
