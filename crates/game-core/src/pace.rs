//! Turbo, for training and tests: phases end as soon as nobody needs them any longer, never later than the clock would.
//! What a phase leaves out does not count as game time.

use jiff::Timestamp;
use starkeep_core_types::{PlayerId, RoundId};

use crate::change::{Change, ClockChange};
use crate::game::{Game, Running, State};
use crate::policy::Policy;
use crate::rejection::Rejection;
use crate::round::Phase;
use crate::settings::Pace;
use crate::time::Moment;

impl Game {
    /// Applies at once, also to a phase that is open.
    pub fn set_pace(&self, pace: Pace, at: Moment) -> Result<Change, Rejection> {
        if let State::Ended(_) = self.state {
            return Err(Rejection::Ended { game: self.id });
        }
        let changed = Change::new(self, Self { pace, ..self.clone() });
        if pace == self.pace {
            return Ok(changed);
        }
        Ok(changed.announcing_clock(ClockChange::Pace, at).shortened(at))
    }

    /// The player needs no more of this round's collection. At clock pace this is noted and has no effect.
    pub fn ready(&self, player: PlayerId, at: Moment) -> Result<Change, Rejection> {
        let running = self.running()?;
        self.check_plays(player)?;
        running.check_collecting(self.id, at)?;
        if running.ready.contains(&player) {
            return Ok(Change::new(self, self.clone()));
        }
        let ready = Running { ready: running.ready.update(player), ..running.clone() };
        let change = Change::new(self, self.in_state(State::Running(ready)));
        Ok(Change { ready: Some(player), ..change }.shortened(at))
    }

    /// How many need no more of the open round's collection: who has said so, and who was taken out.
    pub fn ready_players(&self) -> usize {
        match &self.state {
            State::Running(running) => running.ready.len() + self.roster.taken_out(),
            State::Created { .. } | State::Ended(_) => 0,
        }
    }

    /// Everything of that round has been carried out: a game in a hurry has nothing more to wait for. None if it is in
    /// none, or stands, or the round is over already. `next_round` is the id of the round that may begin.
    pub fn carried_out(
        &self,
        policy: &Policy,
        round: u32,
        next_round: RoundId,
        at: Moment,
        now: Timestamp,
    ) -> Option<Change> {
        let State::Running(running) = &self.state else { return None };
        let open = running.phase == Phase::Execution && running.round.number == round;
        if !open || !self.ends_phases_early() {
            return None;
        }
        let here = running.here(at)?;
        Some(self.over(policy, running, running.game_time(here), here, next_round, now))
    }

    /// A game that nobody plays keeps to the clock: nobody could say when to go on.
    pub fn ends_phases_early(&self) -> bool {
        self.pace == Pace::Turbo && self.roster.taken_out() < self.roster.len()
    }

    /// Collection, if it may end already; None if not.
    fn hasten(&self, at: Moment) -> Option<Change> {
        let State::Running(running) = &self.state else { return None };
        if !self.ends_phases_early() {
            return None;
        }
        let here = running.here(at)?;
        let game_time = running.game_time(here);
        match running.phase {
            Phase::Collection if self.ready_players() == self.roster.len() => {
                Some(self.input_over(running, game_time, here))
            }
            Phase::Countdown | Phase::Collection | Phase::Execution => None,
        }
    }
}

impl Running {
    /// A boundary that is due already is taken where it was meant to be. None while the game's time stands.
    fn here(&self, at: Moment) -> Option<Moment> {
        Some(self.boundary()?.at.min(at).max(self.timer.since))
    }
}

impl Change {
    /// With what the pace makes of it.
    pub(crate) fn shortened(mut self, at: Moment) -> Self {
        if let Some(shortened) = self.after.as_ref().and_then(|game| game.hasten(at)) {
            self.after = shortened.after;
            self.events.extend(shortened.events);
        }
        self
    }
}
