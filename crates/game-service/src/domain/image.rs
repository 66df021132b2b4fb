//! What decisions and reads see: everything that is created, running or open, kept in memory and cheap to clone.
//! What is over is in the database; how a change moves the image forward is told here, too.

use std::sync::Arc;

use imbl::{HashMap, HashSet, OrdMap, OrdSet};
use jiff::Timestamp;
use starkeep_game_core::{
    Boundary, Change as GameChange, Command, Game, GameId, Kind, Moment, Player, Retire, Retirement, Robot,
    RobotId, Slots, State, WorldId,
};

use super::{BatchState, Change, Players, RoundBatches};

/// Games that are created or running, what is under way, and what is to be done. Cheap to clone.
#[derive(Clone, Default)]
pub struct Image {
    active: HashMap<GameId, Arc<Game>>,
    /// The next boundary of every running game.
    schedule: OrdSet<(Moment, GameId)>,
    /// Games whose world has been asked for; they do not exist yet.
    creations: OrdMap<GameId, WorldId>,
    /// Worlds that nobody plays in any longer, until the map has heard of it.
    retirements: OrdMap<WorldId, Retire>,
    /// Ended games, loaded for one batch.
    guests: HashMap<GameId, Arc<Game>>,
    /// Games that this batch deletes: their rows are still there until it is written.
    deleted: HashSet<GameId>,
    ended_games: u64,
    heartbeat: Heartbeat,
    players: Players,
    robots: HashMap<RobotId, Robot>,
    /// How far each stream of others has been read.
    positions: HashMap<String, String>,
    /// The open rounds' commands, of games that have any.
    commands: HashMap<GameId, RoundBatches>,
    /// How many commands were ever taken.
    commands_taken: u64,
    /// Games whose execution phase is open and that have something to carry out, or do not want to wait for its end.
    executing: OrdSet<GameId>,
}

/// What is durable of the passed time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Heartbeat {
    pub at: Moment,
    /// A label, to tell how long nobody was up. None before the first.
    pub wall: Option<Timestamp>,
}

impl Image {
    pub fn new(
        active: impl IntoIterator<Item = Game>,
        creations: impl IntoIterator<Item = (GameId, WorldId)>,
        retirements: impl IntoIterator<Item = Retirement>,
        ended_games: u64,
        heartbeat: Heartbeat,
    ) -> Self {
        let mut image = Self { ended_games, heartbeat, ..Self::default() };
        for game in active {
            image.put(game);
        }
        image.creations = creations.into_iter().collect();
        image.retirements = retirements.into_iter().map(|Retirement { world, how }| (world, how)).collect();
        image
    }

    /// A game that is created or running, or was loaded for this batch.
    pub fn game(&self, id: GameId) -> Result<&Arc<Game>, starkeep_game_core::Rejection> {
        let known = self.active.get(&id).or_else(|| self.guests.get(&id));
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

    /// Any game that is created, running or about to be created.
    pub fn any_active(&self) -> Option<GameId> {
        self.active.keys().chain(self.creations.keys()).min().copied()
    }

    pub fn creation(&self, game: GameId) -> Option<WorldId> {
        self.creations.get(&game).copied()
    }

    pub fn creations(&self) -> impl Iterator<Item = (GameId, WorldId)> {
        self.creations.iter().map(|(game, world)| (*game, *world))
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

    /// Service time that has certainly passed: what was beaten, and what schedules have come to since.
    pub fn service_time(&self) -> Moment {
        let lived = self.active.values().filter_map(|game| match &game.state {
            State::Running(running) => Some(running.timer.since),
            _ => None,
        });
        lived.fold(self.heartbeat.at, Moment::max)
    }

    pub fn players(&self) -> &Players {
        &self.players
    }

    pub(crate) fn insert_player(&mut self, player: Player) {
        self.players.add(player);
    }

    pub fn robot(&self, id: RobotId) -> Option<Robot> {
        self.robots.get(&id).copied()
    }

    pub fn living_robots(&self) -> usize {
        self.robots.values().filter(|robot| robot.alive).count()
    }

    /// The position of the last record of the stream that was learned from; None before the first.
    pub fn position_of(&self, source: &str) -> Option<&str> {
        self.positions.get(source).map(String::as_str)
    }

    pub(crate) fn insert_robot(&mut self, id: RobotId, robot: Robot) {
        self.robots.insert(id, robot);
    }

    pub(crate) fn set_position(&mut self, source: &str, position: &str) {
        self.positions.insert(source.to_owned(), position.to_owned());
    }

    /// The commands of the game's open round; None if there are none.
    pub fn collected(&self, game: GameId) -> Option<&RoundBatches> {
        self.commands.get(&game)
    }

    /// Has the game commands whose fate is open?
    pub fn has_work_left(&self, game: GameId) -> bool {
        let open =
            |collected: &RoundBatches| collected.unsent().next().is_some() || collected.is_being_sent();
        self.collected(game).is_some_and(open)
    }

    /// Games whose execution phase is open and that have something to carry out, or do not want to wait for its end.
    pub fn executing(&self) -> impl Iterator<Item = GameId> {
        self.executing.iter().copied()
    }

    /// What becomes of the batches of a round that this change ends.
    pub fn left_over(&self, change: &GameChange) -> Vec<(Kind, BatchState)> {
        let collected = change.before.as_ref().and_then(|game| self.commands.get(&game.id));
        collected.zip(change.leftover).map(|(collected, why)| collected.left_over(why)).unwrap_or_default()
    }

    pub fn commands_taken(&self) -> u64 {
        self.commands_taken
    }

    pub(crate) fn take(&mut self, command: Arc<Command>) {
        self.commands_taken = self.commands_taken.max(command.place);
        self.commands.entry(command.game).or_default().take(command);
    }

    pub(crate) fn set_batch_state(&mut self, game: GameId, round: u32, kind: Kind, fate: BatchState) {
        if let Some(collected) = self.commands.get_mut(&game).filter(|collected| collected.round() == round) {
            collected.set_batch_state(kind, fate);
        }
    }

    /// For the start: games are known before their commands are.
    pub(crate) fn index_executing(&mut self, commands_taken: u64) {
        self.commands_taken = commands_taken;
        let games: Vec<_> = self.active.values().cloned().collect();
        for game in &games {
            self.note_work(game);
        }
    }

    fn mark_interrupted(&mut self) {
        for collected in self.commands.iter_mut().map(|(_, collected)| collected) {
            collected.mark_interrupted();
        }
    }

    fn note_work(&mut self, game: &Game) {
        if game.is_executing() && (game.ends_phases_early() || self.commands.contains_key(&game.id)) {
            self.executing.insert(game.id);
        } else {
            self.executing.remove(&game.id);
        }
    }

    /// Has the database nothing about this game that memory lacks?
    pub(crate) fn holds(&self, id: GameId) -> bool {
        self.active.contains_key(&id) || self.guests.contains_key(&id) || self.deleted.contains(&id)
    }

    pub(crate) fn load_for_batch(&mut self, ended: Game) {
        self.guests.insert(ended.id, Arc::new(ended));
    }

    fn put(&mut self, game: Game) {
        if let Some(boundary) = game.next_boundary() {
            self.schedule.insert((boundary.at, game.id));
        }
        self.note_work(&game);
        self.active.insert(game.id, Arc::new(game));
    }

    fn replace(&mut self, before: Option<&Game>, after: Option<&Game>) {
        if let Some(before) = before {
            if let Some(boundary) = before.next_boundary() {
                self.schedule.remove(&(boundary.at, before.id));
            }
            self.executing.remove(&before.id);
            if self.active.remove(&before.id).is_none() && self.guests.remove(&before.id).is_some() {
                self.ended_games -= 1;
            }
            if after.is_none() {
                self.deleted.insert(before.id);
            }
        }
        match after {
            Some(game) if matches!(game.state, State::Ended(_)) => {
                self.ended_games += 1;
                self.load_for_batch(game.clone());
            }
            Some(game) => self.put(game.clone()),
            None => {}
        }
    }

    fn retire(&mut self, Retirement { world, how }: Retirement) {
        // A world to be deleted need not be deactivated first.
        let how = if self.retirements.get(&world) == Some(&Retire::Delete) { Retire::Delete } else { how };
        self.retirements.insert(world, how);
    }

    /// Moves on by what was decided.
    pub(crate) fn absorb(&mut self, change: &Change) {
        match change {
            Change::Game(change, _) => {
                if let (Some(before), Some(_)) = (&change.before, change.leftover) {
                    self.commands.remove(&before.id);
                }
                self.replace(change.before.as_ref(), change.after.as_ref());
                if let (None, Some(created)) = (&change.before, &change.after) {
                    self.creations.remove(&created.id);
                }
                change.retire.iter().for_each(|&retirement| self.retire(retirement));
            }
            Change::CreationBegun { game, world } => {
                self.creations.insert(*game, *world);
            }
            Change::CreationWithdrawn { game, world } => {
                self.creations.remove(game);
                self.retire(Retirement { world: *world, how: Retire::Delete });
            }
            Change::Stray(retirement) => self.retire(*retirement),
            Change::Retired(Retirement { world, how }) => {
                // It may have been put on the list again, to be deleted, while the map was told to deactivate it.
                if self.retirements.get(world) == Some(how) {
                    self.retirements.remove(world);
                }
            }
            Change::Registered(player) => self.insert_player(player.clone()),
            Change::Renewed { player, token } => self.players.renew(*player, *token),
            Change::Heard { robots, position } => {
                for (id, robot) in robots {
                    self.insert_robot(*id, *robot);
                }
                if let Some((source, position)) = position {
                    self.set_position(source, position);
                }
            }
            Change::NewCommand(taken) => taken.iter().for_each(|taken| self.take(taken.command.clone())),
            Change::Begun { game, round, kind, fate } | Change::Settled { game, round, kind, fate } => {
                self.set_batch_state(*game, *round, *kind, *fate);
            }
            Change::Interrupted => self.mark_interrupted(),
            Change::Heartbeat { at, wall, shifted } => {
                self.heartbeat = Heartbeat { at: self.heartbeat.at.max(*at), wall: Some(*wall) };
                for change in shifted {
                    self.replace(change.before.as_ref(), change.after.as_ref());
                }
            }
        }
    }

    /// Drops what was of use to one batch only.
    pub(crate) fn settle(&mut self) {
        self.guests.clear();
        self.deleted.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_heartbeat_that_comes_late_does_not_set_the_time_back() {
        let mut image = Image::default();
        for (at, kept) in [(7, 7), (5, 7), (8, 8)] {
            let beat = Change::Heartbeat { at: Moment(at), wall: Timestamp::UNIX_EPOCH, shifted: vec![] };
            image.absorb(&beat);
            assert_eq!(image.heartbeat().at, Moment(kept));
        }
    }
}
