//! Changing the settings of a game that is created or running, and what follows from it at once.
//! The bounds themselves stand in `settings`.

use jiff::Timestamp;

use crate::change::{Change, EndReason};
use crate::game::{Game, State};
use crate::policy::Policy;
use crate::rejection::Rejection;
use crate::settings::{Field, MAX_ROUNDS};
use crate::time::Moment;

impl Game {
    /// Below the current round's number a running game ends at once; that very number makes this round the last.
    pub fn set_max_rounds(&self, value: u32, at: Moment, now: Timestamp) -> Result<Change, Rejection> {
        let least = match &self.state {
            State::Created { .. } => *MAX_ROUNDS.start(),
            State::Running(_) => 0,
            State::Ended(_) => return Err(Rejection::Ended { game: self.id }),
        };
        Field::MaxRounds.check(least..=*MAX_ROUNDS.end(), value)?;
        let changed = Self { max_rounds: value, ..self.clone() };
        match &self.state {
            State::Running(running) if value < running.round.number => {
                let (game_time, reason) = (running.game_time(at), EndReason::MaxRoundsLowered);
                let end = changed.ended_while_running(running, game_time, now, reason);
                Ok(Change { before: Some(self.clone()), ..end })
            }
            _ => Ok(Change::new(self, changed)),
        }
    }

    /// Applies from the next round on.
    pub fn set_round_length(&self, policy: &Policy, millis: u32) -> Result<Change, Rejection> {
        if let State::Ended(_) = self.state {
            return Err(Rejection::Ended { game: self.id });
        }
        Field::RoundLength.check(policy.round_lengths(), millis)?;
        Ok(Change::new(self, Self { round_length: millis, ..self.clone() }))
    }
}
