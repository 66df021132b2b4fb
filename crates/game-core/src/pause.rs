//! A host's hand on the clock: pausing a game, letting it go on, and playing a round at a time.
//! A paused game still takes what its phase takes; only its time stands.

use jiff::Timestamp;
use starkeep_core_types::RoundId;

use crate::change::{Change, ClockChange, EndReason, Event};
use crate::game::{Game, Running, State};
use crate::policy::Policy;
use crate::rejection::Rejection;
use crate::round::Phase;
use crate::time::Moment;
use crate::timer::Timer;

impl Game {
    /// All later deadlines are off until the game is resumed.
    pub fn pause(&self, at: Moment) -> Result<Change, Rejection> {
        let running = self.running()?;
        if running.timer.paused {
            return Err(Rejection::Paused { game: self.id });
        }
        let timer = Timer { since: at.max(running.timer.since), from: running.game_time(at), paused: true };
        Ok(self.with_timer(running, timer).announcing_clock(ClockChange::Paused, at))
    }

    /// The phase goes on with the time it had left.
    pub fn resume(&self, at: Moment) -> Result<Change, Rejection> {
        let running = self.paused()?;
        let timer = Timer { since: at.max(running.timer.since), paused: false, ..running.timer };
        Ok(self.with_timer(running, timer).announcing_clock(ClockChange::Resumed, at).shortened(at))
    }

    /// Plays the rest of the round of a paused game at once: the next round has begun and is paused, or the game is over.
    /// `next_round` is the id of the round that may begin.
    /// In the countdown there is no round to play: see `skip_countdown`.
    pub fn step(
        &self,
        policy: &Policy,
        next_round: RoundId,
        at: Moment,
        now: Timestamp,
    ) -> Result<Change, Rejection> {
        let running = self.paused()?;
        if running.phase == Phase::Countdown {
            running.check_collecting(self.id, at)?;
        }
        let game_time = running.timer.from;
        if running.round.number >= self.max_rounds {
            let mut end = self.ended_while_running(running, game_time, now, EndReason::RoundsOver);
            let stepped = Event::clock(ClockChange::Stepped, end.after.as_ref().unwrap_or(self), at);
            // A consumer that stops reading at the game's end has read everything by then.
            end.events.insert(end.events.len() - 1, stepped);
            return Ok(end);
        }
        let here = at.max(running.timer.since);
        let mut events = Vec::with_capacity(4);
        if running.phase == Phase::Collection {
            events.push(Event::input_ended(self.id, &running.round));
        }
        let over = self.round_over(policy, running, game_time, here, next_round);
        events.extend(&over.events);
        Ok(Change { events, ..over }.announcing_clock(ClockChange::Stepped, at))
    }

    /// A step in the countdown begins with the first round of the paused game. None if that has begun.
    pub fn skip_countdown(&self, at: Moment) -> Result<Option<Change>, Rejection> {
        let running = self.paused()?;
        let here = at.max(running.timer.since);
        Ok((running.phase == Phase::Countdown).then(|| self.first_round_begun(running, here)))
    }

    /// The first half of a step whose commands are yet to be carried out: the input ends, and the time still stands.
    pub fn begin_step(&self, at: Moment) -> Result<Change, Rejection> {
        let running = self.paused()?;
        Ok(match running.phase {
            Phase::Collection => self.input_over(running, running.timer.from, at.max(running.timer.since)),
            Phase::Countdown | Phase::Execution => Change::new(self, self.clone()),
        })
    }

    /// The second half, when they are.
    pub fn finish_step(
        &self,
        policy: &Policy,
        round: u32,
        next_round: RoundId,
        at: Moment,
        now: Timestamp,
    ) -> Result<Change, Rejection> {
        match self.paused() {
            Ok(running) if running.round.number == round && running.phase == Phase::Execution => {
                self.step(policy, next_round, at, now)
            }
            _ => Err(Rejection::StepOvertaken { game: self.id, round }),
        }
    }

    pub(crate) fn running(&self) -> Result<&Running, Rejection> {
        match &self.state {
            State::Running(running) => Ok(running),
            State::Created { .. } => Err(Rejection::NotRunning { game: self.id }),
            State::Ended(_) => Err(Rejection::Ended { game: self.id }),
        }
    }

    fn paused(&self) -> Result<&Running, Rejection> {
        let running = self.running()?;
        if running.timer.paused { Ok(running) } else { Err(Rejection::NotPaused { game: self.id }) }
    }

    fn with_timer(&self, running: &Running, timer: Timer) -> Change {
        Change::new(self, self.in_state(State::Running(Running { timer, ..running.clone() })))
    }
}
