//! The account of a player in a game: what it began with, what it earned and what it spent.
//! The balance is not stored but follows from these, so that money cannot appear or vanish unnoticed.

use starkeep_core_types::PlayerId;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Account {
    pub player: PlayerId,
    pub start: u64,
    pub earned: u64,
    /// With what is reserved for purchases that are under way.
    pub spent: u64,
}

/// The player has less than it needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CannotAfford {
    pub player: PlayerId,
    pub needed: u64,
}

impl Account {
    pub fn open(player: PlayerId, start: u64) -> Self {
        Self { player, start, earned: 0, spent: 0 }
    }

    pub fn balance(&self) -> u64 {
        self.start.saturating_add(self.earned).saturating_sub(self.spent)
    }

    #[must_use]
    pub(crate) fn earning(self, income: u64) -> Self {
        Self { earned: self.earned.saturating_add(income), ..self }
    }

    pub(crate) fn spending(self, needed: u64) -> Result<Self, CannotAfford> {
        if self.balance() < needed {
            return Err(CannotAfford { player: self.player, needed });
        }
        Ok(Self { spent: self.spent + needed, ..self })
    }

    /// Takes back a payment.
    #[must_use]
    pub(crate) fn refunded(self, amount: u64) -> Self {
        Self { spent: self.spent.saturating_sub(amount), ..self }
    }
}
