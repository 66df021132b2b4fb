//! The books of a market: money is counted twice, by what was paid and by what was traded, and both must agree.

use std::fmt;

use starkeep_core_types::PlayerId;

use crate::market::Market;

/// Two counts that ought to be equal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Imbalance {
    /// An account spent something else than what its purchases and open orders cost.
    Spent { player: PlayerId, spent: u64, cost: u64 },
    /// An account spent more than it had.
    Overdrawn { player: PlayerId },
    /// All accounts earned something else than what was sold brought.
    Earned { earned: u64, sold: u64 },
}

impl Market {
    /// `reserved` is what a player's orders cost that the robot service has not answered.
    pub fn audit(&self, reserved: impl Fn(PlayerId) -> u64) -> Result<(), Imbalance> {
        for account in self.accounts.values() {
            let cost = account.bought.cost().saturating_add(reserved(account.player));
            if cost != account.spent {
                return Err(Imbalance::Spent { player: account.player, spent: account.spent, cost });
            }
            if account.spent > account.start.saturating_add(account.earned) {
                return Err(Imbalance::Overdrawn { player: account.player });
            }
        }
        let earned = self.accounts.values().map(|account| account.earned).fold(0, u64::saturating_add);
        let sold = self.sold.iter().map(|(round, sold)| self.income(*round, *sold));
        let sold = sold.fold(0, u64::saturating_add);
        if earned == sold { Ok(()) } else { Err(Imbalance::Earned { earned, sold }) }
    }
}

impl fmt::Display for Imbalance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Spent { player, spent, cost } => {
                write!(f, "player {player} spent {spent}, and what it bought and ordered costs {cost}")
            }
            Self::Overdrawn { player } => write!(f, "player {player} spent more than it had"),
            Self::Earned { earned, sold } => {
                write!(f, "the players earned {earned}, and what was sold brought {sold}")
            }
        }
    }
}
