//! The commands of the rounds that are open, by what they are about, and what has become of those that were sent.
//! Rounds that are over are evicted from memory; what became of their commands is read from the database.

use std::collections::BTreeMap;
use std::sync::Arc;

use imbl::{HashMap, OrdMap};
use starkeep_game_core::{Command, GameId, Kind, PlayerId, RobotId, UnsentReason};
use starkeep_platform::replica::ReplicaId;

/// Names a batch: the commands of one kind and round, which are sent together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct BatchId {
    pub game: GameId,
    pub round: u32,
    pub kind: Kind,
}

/// What has become of a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BatchState {
    /// It is being sent, or was when the process died: it may have arrived.
    Sending,
    /// Whoever carries it out has taken it.
    Dispatched,
    /// It certainly did not arrive.
    Undelivered,
    /// It may have arrived, and is not sent again. A late answer says what became of it.
    Unknown,
    /// The game ended before it was sent.
    Dropped,
}

impl BatchState {
    /// Can something become known that is not known yet?
    pub fn may_be_settled(self) -> bool {
        matches!(self, Self::Sending | Self::Unknown)
    }
}

/// Who sends a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sender {
    pub replica: ReplicaId,
    /// Its executor has said that it carries a batch out once, however often it comes: another replica may send it again.
    pub executes_once: bool,
}

/// The commands of one game's open round. Cheap to clone, like the image that it is a part of.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RoundBatches {
    round: u32,
    /// In the order in which they were taken.
    batches: OrdMap<Kind, OrdMap<u64, Arc<Command>>>,
    /// Where each robot's last command is.
    robots: HashMap<RobotId, (Kind, u64)>,
    states: OrdMap<Kind, BatchState>,
}

impl RoundBatches {
    pub fn round(&self) -> u32 {
        self.round
    }

    /// The robot's command in this round.
    pub fn of_robot(&self, robot: RobotId) -> Option<&Arc<Command>> {
        let (kind, place) = self.robots.get(&robot)?;
        self.batches.get(kind)?.get(place)
    }

    /// What there are commands of, in the order of execution.
    pub fn kinds(&self) -> impl Iterator<Item = Kind> {
        self.batches.keys().copied()
    }

    /// What is yet to be sent, in the order of execution.
    pub fn unsent(&self) -> impl Iterator<Item = Kind> {
        self.kinds().filter(|kind| !self.states.contains_key(kind))
    }

    /// Has any batch been begun?
    pub fn is_begun(&self) -> bool {
        !self.states.is_empty()
    }

    pub fn is_being_sent(&self) -> bool {
        self.states.values().any(|state| *state == BatchState::Sending)
    }

    pub fn batch(&self, kind: Kind) -> Vec<Arc<Command>> {
        self.batches.get(&kind).into_iter().flat_map(OrdMap::values).cloned().collect()
    }

    /// How many commands each player has in this round, without those that were replaced.
    pub fn of_players(&self) -> BTreeMap<PlayerId, u32> {
        let mut counts = BTreeMap::new();
        for command in self.batches.values().flat_map(OrdMap::values) {
            *counts.entry(command.player).or_default() += 1;
        }
        counts
    }

    /// None while the batch has not been begun.
    pub fn state(&self, kind: Kind) -> Option<BatchState> {
        self.states.get(&kind).copied()
    }

    /// What becomes of the batches that are open when the round is over.
    pub fn when_round_ends(&self, reason: UnsentReason) -> Vec<(Kind, BatchState)> {
        let unsent = match reason {
            UnsentReason::OutOfTime => BatchState::Undelivered,
            UnsentReason::Dropped => BatchState::Dropped,
        };
        let state = |kind| match (self.state(kind), reason) {
            (None, _) => Some((kind, unsent)),
            (Some(BatchState::Sending), UnsentReason::OutOfTime) => Some((kind, BatchState::Unknown)),
            // Of a game that was ended the answer is still waited for.
            (Some(_), _) => None,
        };
        self.batches.keys().copied().filter_map(state).collect()
    }

    pub(crate) fn take(&mut self, command: Arc<Command>) {
        if self.round != command.round {
            *self = Self { round: command.round, ..Self::default() };
        }
        let (kind, place) = (command.order.kind(), command.place);
        if let Some(robot) = command.order.robot()
            && let Some((kind, place)) = self.robots.insert(robot, (kind, place))
        {
            self.forget(kind, place);
        }
        self.batches.entry(kind).or_default().insert(place, command);
    }

    /// Of a batch that has not been begun.
    pub(crate) fn begin_batch(&mut self, kind: Kind, state: BatchState) {
        self.states.entry(kind).or_insert(state);
    }

    /// Of a batch that is being sent, or of which nothing is known; what is known of any other stands.
    /// True if that is new.
    pub(crate) fn settle_batch(&mut self, kind: Kind, state: BatchState) -> bool {
        let is_open = self.state(kind).is_some_and(BatchState::may_be_settled);
        if is_open {
            self.states.insert(kind, state);
        }
        is_open
    }

    fn forget(&mut self, kind: Kind, place: u64) {
        let Some(batch) = self.batches.get_mut(&kind) else { return };
        batch.remove(&place);
        if batch.is_empty() {
            self.batches.remove(&kind);
        }
    }
}
