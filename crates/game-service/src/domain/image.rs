//! What decisions and reads see: everything that is created, running or open, kept in memory and cheap to clone.
//! Ended games, and players who play in none, are in the database; how a change moves the image is in `absorb`.

mod absorb;
mod load;
mod scores;
mod topic_scores;
mod worlds;

pub(crate) use self::topic_scores::{Account, LateTrade, ToldRound};
pub(crate) use self::worlds::OpenReplenishment;

use std::sync::Arc;

use imbl::{HashMap, HashSet, OrdMap, OrdSet};
use jiff::Timestamp;
use starkeep_game_core::{
    Boundary, Command, Game, GameId, Kind, Moment, Retire, Retirement, Robot, RobotId, Slots, State, WorldId,
};
use starkeep_platform::intent::{Intent, Intents};

use super::residents::Residents;
use super::scores::GameScores;
use super::{BatchId, BatchState, Players, RoundBatches, Sender, WorldCall};

/// Games that are created or running, what is under way, and what is to be done. Cheap to clone.
///
/// What is iterated over is ordered: decisions and events must not depend on a random order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Image {
    active: OrdMap<GameId, Arc<Game>>,
    /// The next boundary of every running game.
    schedule: OrdSet<(Moment, GameId)>,
    /// Worlds that have been asked for, of games that do not exist yet and of starts; and replenishments of worlds.
    intents: Intents<WorldCall>,
    /// Worlds that nobody plays in any longer, until the map has answered that they are retired.
    retirements: OrdMap<WorldId, Retire>,
    /// Ended games that decisions of this batch declared, or that it has ended.
    loaded_for_batch: HashMap<GameId, Arc<Game>>,
    /// Games that this batch deletes: their rows are still there until it is written.
    deleted: HashSet<GameId>,
    ended_games: u64,
    /// How many were ever created, deleted ones included.
    games_created: u64,
    heartbeat: Heartbeat,
    residents: Residents,
    /// How far each stream of others has been read.
    positions: OrdMap<String, String>,
    /// The open rounds' commands, of games that have any.
    commands: OrdMap<GameId, RoundBatches>,
    /// The place of the last command of each running game that ever had one.
    last_places: OrdMap<GameId, u64>,
    /// How many commands were ever taken, of all games.
    commands_taken: u64,
    /// Games whose execution phase is open and that have something to carry out, or do not want to wait for its end.
    executing: OrdSet<GameId>,
    /// Batches that are being sent, also of games that have ended meanwhile, and by whom.
    sending: OrdMap<BatchId, Sender>,
    /// Of games of which executors have told, until all their rounds are scored.
    scores: OrdMap<GameId, GameScores>,
}

/// What is durable of the passed time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Heartbeat {
    pub at: Moment,
    /// The wall clock, only to say how long a downtime was. None before the first heartbeat.
    pub wall: Option<Timestamp>,
}

impl Image {
    pub fn new(
        active: impl IntoIterator<Item = Game>,
        intents: impl IntoIterator<Item = Intent<WorldCall>>,
        retirements: impl IntoIterator<Item = Retirement>,
        ended_games: u64,
        heartbeat: Heartbeat,
    ) -> Self {
        let mut image = Self { ended_games, heartbeat, ..Self::default() };
        for game in active {
            game.roster.iter().for_each(|player| image.residents.join(player));
            image.put(game);
        }
        image.intents = intents.into_iter().collect();
        image.retirements = retirements.into_iter().map(|Retirement { world, how }| (world, how)).collect();
        image
    }

    /// A game that is created or running; an ended one only for a decision that declares it.
    pub fn game(&self, id: GameId) -> Result<&Arc<Game>, starkeep_game_core::Rejection> {
        let known = self.active.get(&id).or_else(|| self.loaded_for_batch.get(&id));
        known.ok_or(starkeep_game_core::Rejection::UnknownGame { game: id })
    }

    /// A game that is created or running.
    pub fn active_game(&self, id: GameId) -> Option<&Arc<Game>> {
        self.active.get(&id)
    }

    pub fn active_games(&self) -> impl Iterator<Item = &Arc<Game>> {
        self.active.values()
    }

    pub fn ended_games(&self) -> u64 {
        self.ended_games
    }

    /// How many games were ever created, deleted ones included.
    pub fn games_created(&self) -> u64 {
        self.games_created
    }

    /// Any game that is created, running or about to be created.
    pub fn any_active(&self) -> Option<GameId> {
        let creations = self.intents.iter().filter_map(|intent| match intent.call {
            WorldCall::Create(game) => Some(game),
            WorldCall::Start(_) | WorldCall::Replenish { .. } => None,
        });
        self.active.keys().copied().chain(creations).min()
    }

    pub fn intents(&self) -> &Intents<WorldCall> {
        &self.intents
    }

    pub fn retirements(&self) -> impl Iterator<Item = Retirement> {
        self.retirements.iter().map(|(&world, &how)| Retirement { world, how })
    }

    /// Running games first, then starts under way, so that a conflict names a game that runs.
    pub fn slots(&self) -> Slots {
        let mut running = Vec::new();
        let mut starting = Vec::new();
        for game in self.active.values() {
            match &game.state {
                State::Running(state) => running.push((state.slot, game.id)),
                State::Created { start: Some(start) } => starting.push((start.slot, game.id)),
                _ => {}
            }
        }
        running.sort_unstable();
        starting.sort_unstable();
        running.append(&mut starting);
        Slots(running)
    }

    pub fn next_deadline(&self) -> Option<Moment> {
        self.schedule.get_min().map(|(at, _)| *at)
    }

    /// Boundaries that are due, the earliest first.
    pub fn due(&self, now: Moment) -> Vec<(&Arc<Game>, Boundary)> {
        let due = self.schedule.iter().take_while(|(at, _)| *at <= now);
        due.filter_map(|(_, game)| self.active.get(game))
            .filter_map(|game| game.next_boundary().map(|boundary| (game, boundary)))
            .collect()
    }

    /// Whether any game's schedule depends on passed time.
    pub fn some_game_ticks(&self) -> bool {
        !self.schedule.is_empty()
    }

    pub fn heartbeat(&self) -> Heartbeat {
        self.heartbeat
    }

    /// Service time that has certainly passed: the last heartbeat, or the latest moment of a schedule if that is later.
    pub fn service_time(&self) -> Moment {
        let lived = self.active.values().filter_map(|game| match &game.state {
            State::Running(running) => Some(running.timer.since),
            _ => None,
        });
        lived.fold(self.heartbeat.at, Moment::max)
    }

    /// Players of created and running games; others only for a decision that declares them.
    pub fn players(&self) -> &Players {
        self.residents.players()
    }

    /// A living robot of a player of a created or running game; another one only for a decision that declares it.
    pub fn robot(&self, id: RobotId) -> Option<Robot> {
        self.residents.robot(id)
    }

    /// How many robots are in memory.
    pub fn robots(&self) -> usize {
        self.residents.robots()
    }

    /// How many robots live, in memory or not.
    pub fn living_robots(&self) -> usize {
        self.residents.living_robots()
    }

    /// The position of the last record of the stream that was learned from; None before the first.
    pub fn position_of(&self, source: &str) -> Option<&str> {
        self.positions.get(source).map(String::as_str)
    }

    /// The commands of the game's open round; None if there are none.
    pub fn collected(&self, game: GameId) -> Option<&RoundBatches> {
        self.commands.get(&game)
    }

    /// Has the game commands that are not sent, or being sent?
    pub fn has_work_left(&self, game: GameId) -> bool {
        let open =
            |collected: &RoundBatches| collected.unsent().next().is_some() || collected.is_being_sent();
        self.collected(game).is_some_and(open)
    }

    /// Games whose execution phase is open and that have something to carry out, or do not want to wait for its end.
    pub fn executing(&self) -> impl Iterator<Item = GameId> {
        self.executing.iter().copied()
    }

    /// The place of the game's next command.
    pub fn next_place(&self, game: GameId) -> u64 {
        self.last_places.get(&game).map_or(1, |last| last + 1)
    }

    /// How many commands were ever taken, of all games.
    pub fn commands_taken(&self) -> u64 {
        self.commands_taken
    }

    /// Adds a command of an open round.
    pub(crate) fn take(&mut self, command: Arc<Command>) {
        self.last_places.insert(command.game, command.place);
        self.commands.entry(command.game).or_default().take(command);
    }

    /// Who sends the batch; None if nobody does.
    pub fn sender(&self, batch: BatchId) -> Option<Sender> {
        self.sending.get(&batch).copied()
    }

    /// May the state of the batch be `Unknown`? Of a round that is over only the database knows. Not of a game that has ended.
    pub fn may_be_unknown(&self, batch: BatchId) -> bool {
        let Some(game) = self.active_game(batch.game) else { return false };
        let open = self.collected(batch.game).filter(|batches| batches.round() == batch.round);
        match open {
            Some(batches) => batches.state(batch.kind) == Some(BatchState::Unknown),
            None => batch.round < game.current_round(),
        }
    }

    /// Is a batch being sent that goes before this one in its round?
    pub fn sends_before(&self, batch: BatchId) -> bool {
        let first = BatchId { kind: Kind::Selling, ..batch };
        self.sending.range(first..batch).next().is_some()
    }

    /// Every batch that is being sent, and by whom.
    pub fn sending(&self) -> impl Iterator<Item = (BatchId, Sender)> {
        self.sending.iter().map(|(batch, sender)| (*batch, *sender))
    }

    pub(crate) fn set_sender(&mut self, batch: BatchId, sender: Sender) {
        self.sending.insert(batch, sender);
    }

    pub(crate) fn begin_batch(&mut self, batch: BatchId, state: BatchState) {
        if let Some(batches) = self.open_batches(batch) {
            batches.begin_batch(batch.kind, state);
        }
    }

    /// Is that round's execution phase open, whatever the clock says?
    pub fn is_executing(&self, game: GameId, round: u32) -> bool {
        self.active_game(game).is_some_and(|game| game.is_executing() && game.current_round() == round)
    }

    fn settle_batch(&mut self, batch: BatchId, state: BatchState, position: Option<&str>) {
        let was_sending = self.sending.remove(&batch).is_some();
        let is_new = match self.open_batches(batch) {
            Some(batches) => batches.settle_batch(batch.kind, state),
            // Of a round that is over the answer comes too late, unless the game is over with it.
            None => was_sending && self.active_game(batch.game).is_none(),
        };
        if let Some(position) = position.filter(|_| is_new) {
            self.note_answer(batch, position);
        }
    }

    fn open_batches(&mut self, batch: BatchId) -> Option<&mut RoundBatches> {
        self.commands.get_mut(&batch.game).filter(|batches| batches.round() == batch.round)
    }

    fn note_work(&mut self, game: &Game) {
        if game.is_executing() && (game.ends_phases_early() || self.commands.contains_key(&game.id)) {
            self.executing.insert(game.id);
        } else {
            self.executing.remove(&game.id);
        }
    }

    fn put(&mut self, game: Game) {
        if let Some(boundary) = game.next_boundary() {
            self.schedule.insert((boundary.at, game.id));
        }
        self.note_work(&game);
        self.active.insert(game.id, Arc::new(game));
    }

    /// Drops what was of use to one batch only, and who does not play any longer.
    pub(crate) fn evict(&mut self) {
        self.loaded_for_batch.clear();
        self.deleted.clear();
        self.residents.evict();
    }
}
