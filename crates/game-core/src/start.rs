//! Starting a game: at once if its world fits or was given, otherwise in two steps with the making of a world in between.
//! Asking the map for that world, and asking again after a crash, happens elsewhere.

use std::time::Duration;

use imbl::HashSet;
use jiff::Timestamp;
use starkeep_core_types::{RoundId, WorldId};

use crate::change::{Change, Event, Retire};
use crate::game::{Game, Running, StartUnderWay, State};
use crate::made_world::MadeWorld;
use crate::policy::{Policy, WorldMade};
use crate::rejection::Rejection;
use crate::round::{Phase, Round};
use crate::slots::Slots;
use crate::time::Moment;
use crate::timer::Timer;

#[derive(Clone, Debug, PartialEq)]
pub enum Start {
    Now(Change),
    /// The start is under way: `change` writes it down, then a world for so many `players` is needed to finish it.
    NeedsWorld {
        change: Change,
        players: u32,
    },
}

impl Game {
    /// `round`, `at` and `now` are for a game that starts at once, `fresh_world` for one that cannot.
    pub fn begin_start(
        &self,
        policy: &Policy,
        slots: &Slots,
        fresh_world: WorldId,
        round: RoundId,
        at: Moment,
        now: Timestamp,
    ) -> Result<Start, Rejection> {
        self.check_open()?;
        let slot = slots.pick(policy.running_games)?;
        let joined = u32::try_from(self.roster.len()).unwrap_or(u32::MAX);
        let is_sized = policy.world_made == WorldMade::AtCreate && joined == self.max_players;
        let world_fits = self.world_is_given || is_sized;
        if world_fits && self.world.is_some() {
            return Ok(Start::Now(self.started(policy, self.clone(), slot, round, at, now)));
        }
        let start = Some(StartUnderWay { slot, world: fresh_world });
        let change = Change::new(self, self.in_state(State::Created { start }));
        Ok(Start::NeedsWorld { change, players: joined.max(1) })
    }

    /// `world` says which start is meant, `made` is what the map answered.
    /// If the start was withdrawn meanwhile, `made` is the caller's to retire.
    pub fn finish_start(
        &self,
        policy: &Policy,
        world: WorldId,
        made: MadeWorld,
        round: RoundId,
        at: Moment,
        now: Timestamp,
    ) -> Result<Change, Rejection> {
        match &self.state {
            State::Created { start: Some(start) } if start.world == world => {
                let with_world = Self {
                    world: Some(made.id),
                    replaced_world: self.world,
                    replenishment: made.replenishment,
                    ..self.clone()
                };
                Ok(self
                    .started(policy, with_world, start.slot, round, at, now)
                    .retiring(self.world, Retire::Seal))
            }
            _ => Err(Rejection::StartWithdrawn { game: self.id }),
        }
    }

    /// Back to created, without a word. Nothing changes if no start is under way.
    pub fn abandon_start(&self) -> Change {
        match &self.state {
            State::Created { start: Some(start) } => {
                Change::new(self, self.in_state(State::Created { start: None }))
                    .retiring([start.world], Retire::Delete)
            }
            _ => Change::new(self, self.clone()),
        }
    }

    /// Whether the game can still be started, joined and left: while a start is under way it cannot,
    /// since the world is being made for the players who are in.
    pub(crate) fn check_open(&self) -> Result<(), Rejection> {
        match self.state {
            State::Created { start: None } => Ok(()),
            State::Created { start: Some(_) } => Err(Rejection::StartUnderWay { game: self.id }),
            State::Running(_) | State::Ended(_) => {
                Err(Rejection::NotCreated { game: self.id, status: self.status() })
            }
        }
    }

    /// The first round begins at once, or after a countdown.
    fn started(
        &self,
        policy: &Policy,
        game: Self,
        slot: u32,
        round: RoundId,
        at: Moment,
        now: Timestamp,
    ) -> Change {
        let waiting = Running {
            slot,
            started_at: now,
            timer: Timer { since: at, from: Duration::ZERO, paused: false },
            round: Round::first(round, self.round_length),
            phase: Phase::Countdown,
            phase_ends: policy.start_delay,
            ready: HashSet::new(),
            replenished_after: 0,
        };
        let mut change = if policy.start_delay.is_zero() {
            Change { before: Some(self.clone()), ..game.first_round_begun(&waiting, at) }
        } else {
            Change::new(self, Self { state: State::Running(waiting), ..game })
        };
        change.events.insert(0, Event::Started(self.id));
        change
    }
}
