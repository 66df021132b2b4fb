//! Players taking and giving back their seats before a game starts.
//! Who a player is, and how that is proved, is not known here.

use starkeep_core_types::PlayerId;

use crate::change::{Change, Event, RosterChange};
use crate::game::Game;
use crate::rejection::Rejection;

impl Game {
    /// The order of the reasons to refuse is part of the contract.
    pub fn join(&self, player: PlayerId) -> Result<Change, Rejection> {
        self.check_open()?;
        if self.roster.contains(player) {
            return Err(Rejection::AlreadyJoined { game: self.id, player });
        }
        if self.roster.len() >= self.max_players as usize {
            return Err(Rejection::GameFull { seats: self.max_players });
        }
        let joined = Self { roster: self.roster.with(player), ..self.clone() };
        let change = Change { roster: Some(RosterChange::Joined(player)), ..Change::new(self, joined) };
        Ok(change.announcing([Event::PlayerJoined { game: self.id, player }]))
    }

    pub fn leave(&self, player: PlayerId) -> Result<Change, Rejection> {
        self.check_open()?;
        if !self.roster.contains(player) {
            return Err(Rejection::NotJoined { game: self.id, player });
        }
        let left = Self { roster: self.roster.without(player), ..self.clone() };
        Ok(Change { roster: Some(RosterChange::Left(player)), ..Change::new(self, left) })
    }
}
