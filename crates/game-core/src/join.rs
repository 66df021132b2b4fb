//! Players taking and giving back their seats before a game starts, and a host who takes them out, also of a running game.
//! Who a player is, and how that is proved, is not known here.

use starkeep_core_types::PlayerId;
use uuid::Uuid;

use crate::change::{Change, Event, RosterChange};
use crate::game::{Game, Running, State};
use crate::rejection::Rejection;
use crate::time::Moment;

impl Game {
    /// The order of the reasons to refuse is part of the contract. `transaction` links the join to what comes of it.
    pub fn join(&self, player: PlayerId, transaction: Uuid) -> Result<Change, Rejection> {
        self.check_open()?;
        if self.roster.contains(player) {
            return Err(Rejection::AlreadyJoined { game: self.id, player });
        }
        if self.roster.len() >= self.max_players as usize {
            return Err(Rejection::GameFull { seats: self.max_players });
        }
        let transaction = Some(transaction);
        let joined = Self { roster: self.roster.with(player, transaction), ..self.clone() };
        let roster = Some(RosterChange::Joined { player, transaction });
        let change = Change { roster, ..Change::new(self, joined) };
        Ok(change.announcing([Event::PlayerJoined { game: self.id, player }]))
    }

    pub fn leave(&self, player: PlayerId) -> Result<Change, Rejection> {
        self.check_open()?;
        if !self.roster.contains(player) {
            return Err(Rejection::NotJoined { game: self.id, player });
        }
        let left = Self { roster: self.roster.without(player), ..self.clone() };
        let change = Change { roster: Some(RosterChange::Left(player)), ..Change::new(self, left) };
        let transaction = self.roster.transaction_of(player);
        Ok(change.announcing([Event::PlayerLeft { game: self.id, player, transaction }]))
    }

    /// What only a host does. Before the start it is the same as leaving. From a running game nothing of the player is taken
    /// away: it does nothing more, and nobody waits for it.
    pub fn take_out(&self, player: PlayerId, at: Moment) -> Result<Change, Rejection> {
        let State::Running(running) = &self.state else { return self.leave(player) };
        self.check_plays(player)?;
        let running = Running { ready: running.ready.without(&player), ..running.clone() };
        let roster = self.roster.taking_out(player);
        let fewer = Self { roster, ..self.in_state(State::Running(running)) };
        let change = Change { roster: Some(RosterChange::TakenOut(player)), ..Change::new(self, fewer) };
        let transaction = self.roster.transaction_of(player);
        Ok(change.announcing([Event::PlayerLeft { game: self.id, player, transaction }]).shortened(at))
    }

    /// May the player still do something in the game?
    pub(crate) fn check_plays(&self, player: PlayerId) -> Result<(), Rejection> {
        if self.roster.is_taken_out(player) {
            return Err(Rejection::TakenOut { game: self.id, player });
        }
        if !self.roster.contains(player) {
            return Err(Rejection::NotJoined { game: self.id, player });
        }
        Ok(())
    }
}
