//! The in-memory store of the game service: its tables as plain ordered maps, behind the same port as every other store.
//! They are what a database would keep, ended games included. They mirror the tables in `sql`; cheap to clone, so that a batch that fails can be undone.

#[cfg(test)]
mod followed_batches;
mod queries;
mod save;
mod scores;
#[cfg(test)]
mod tests;

use std::collections::HashSet;
use std::sync::Arc;

use futures::future::{BoxFuture, FutureExt as _, ready};
use imbl::OrdMap;
use starkeep_game_core::{
    Command, CommandId, Game, GameId, Kind, Player, Retire, Retirement, Robot, RobotId, RoundId, State,
    WorldId,
};
use starkeep_platform::decision::StoreFault;
use starkeep_platform::documents::DocumentWrites;
use starkeep_platform::intent::Intents;
use starkeep_platform::memory::{Disturbance, Memory, MemoryTables};
use starkeep_platform::replica::ReplicaId;

pub(crate) use self::queries::{
    carried_out, command, ended_game, ended_game_ids, ended_games, players, robots, round,
};
use self::scores::ScoreTables;
pub(crate) use self::scores::{scores, standings};
use crate::domain::{
    BatchId, BatchState, Change, CommandResult, Games, Heartbeat, Image, Key, Players, Sender, WorldCall,
};
use crate::ports::{Age, KeptCommand, KeptRound, KeptScore, KeptStandings, PlayerSearch, Store, Unreadable};

/// The game service's store in memory.
pub type MemoryStore = Memory<Games>;

/// An empty store. `slots` is how many games may run at a time; `disturb` moves clock and chance on while a decision is
/// made a second time.
pub fn open(slots: u32, replica: ReplicaId, disturb: Disturbance) -> Result<Arc<MemoryStore>, StoreFault> {
    let memory = Memory::<Games>::new(replica, disturb);
    memory.maintain(None, |tables| *tables = Tables::with_slots(slots))?;
    Ok(memory)
}

impl Store for Memory<Games> {
    fn ended_game(&self, id: GameId) -> BoxFuture<'_, Result<Option<Game>, Unreadable>> {
        ready(Ok(self.read(|tables| ended_game(tables, id)))).boxed()
    }

    fn ended_games(&self, after: Option<Age>, limit: usize) -> BoxFuture<'_, Result<Vec<Game>, Unreadable>> {
        ready(Ok(self.read(|tables| ended_games(tables, after, limit)))).boxed()
    }

    fn ended_game_ids(&self) -> BoxFuture<'_, Result<Vec<GameId>, Unreadable>> {
        ready(Ok(self.read(ended_game_ids))).boxed()
    }

    fn command(&self, id: CommandId) -> BoxFuture<'_, Result<Option<KeptCommand>, Unreadable>> {
        ready(Ok(self.read(|tables| command(tables, id)))).boxed()
    }

    fn carried_out(&self, game: GameId, round: u32) -> BoxFuture<'_, Result<Vec<KeptCommand>, Unreadable>> {
        ready(Ok(self.read(|tables| carried_out(tables, game, round)))).boxed()
    }

    fn round(&self, game: GameId, number: u32) -> BoxFuture<'_, Result<Option<KeptRound>, Unreadable>> {
        ready(Ok(self.read(|tables| round(tables, game, number)))).boxed()
    }

    fn standings(&self, game: GameId) -> BoxFuture<'_, Result<Option<KeptStandings>, Unreadable>> {
        ready(Ok(self.read(|tables| standings(tables, game)))).boxed()
    }

    fn scores(&self, game: GameId) -> BoxFuture<'_, Result<Vec<KeptScore>, Unreadable>> {
        ready(Ok(self.read(|tables| scores(tables, game)))).boxed()
    }

    fn players(&self, searches: Vec<PlayerSearch>) -> BoxFuture<'_, Result<Vec<Player>, Unreadable>> {
        ready(Ok(self.read(|tables| players(tables, &searches)))).boxed()
    }

    fn robots(&self, ids: Vec<RobotId>) -> BoxFuture<'_, Result<Vec<(RobotId, Robot)>, Unreadable>> {
        ready(Ok(self.read(|tables| robots(tables, &ids)))).boxed()
    }
}

/// Everything durable.
#[derive(Clone, Debug)]
pub struct Tables {
    /// How many games may run at a time.
    slots: u32,
    games: OrdMap<GameId, Game>,
    games_created: u64,
    rounds: OrdMap<(GameId, u32), RoundId>,
    /// By their places.
    commands: OrdMap<(GameId, u64), CommandRow>,
    command_ids: OrdMap<CommandId, (GameId, u64)>,
    commands_taken: u64,
    batches: OrdMap<BatchId, BatchState>,
    /// Of the batches that are being sent.
    senders: OrdMap<BatchId, Sender>,
    /// Where the executors' logs stood after batches, if the answer came in time.
    batch_positions: OrdMap<BatchId, String>,
    players: Players,
    robots: OrdMap<RobotId, Robot>,
    /// How far each topic of others has been read.
    positions: OrdMap<String, String>,
    retirements: OrdMap<WorldId, Retire>,
    intents: Intents<WorldCall>,
    heartbeat: Heartbeat,
    scores: ScoreTables,
}

#[derive(Clone, Debug)]
struct CommandRow {
    command: Arc<Command>,
    replaced: bool,
    result: Option<CommandResult>,
}

impl Default for Tables {
    fn default() -> Self {
        Self {
            slots: 1,
            games: OrdMap::new(),
            games_created: 0,
            rounds: OrdMap::new(),
            commands: OrdMap::new(),
            command_ids: OrdMap::new(),
            commands_taken: 0,
            batches: OrdMap::new(),
            senders: OrdMap::new(),
            batch_positions: OrdMap::new(),
            players: Players::default(),
            robots: OrdMap::new(),
            positions: OrdMap::new(),
            retirements: OrdMap::new(),
            intents: Intents::default(),
            heartbeat: Heartbeat::default(),
            scores: ScoreTables::default(),
        }
    }
}

impl Tables {
    /// Empty; `slots` is how many games may run at a time.
    pub(crate) fn with_slots(slots: u32) -> Self {
        Self { slots, ..Self::default() }
    }

    pub(crate) fn game_ids(&self) -> impl Iterator<Item = GameId> {
        self.games.keys().copied()
    }

    pub(crate) fn players(&self) -> &Players {
        &self.players
    }

    pub(crate) fn robot_ids(&self) -> impl Iterator<Item = RobotId> {
        self.robots.keys().copied()
    }

    pub(crate) fn command_ids(&self) -> impl Iterator<Item = CommandId> {
        self.command_ids.keys().copied()
    }
}

impl MemoryTables for Games {
    type Tables = Tables;

    fn load(tables: &Tables) -> Image {
        let is_ended = |game: &&Game| matches!(game.state, State::Ended(_));
        let active = tables.games.values().filter(|game| !is_ended(game)).cloned();
        let intents = tables.intents.iter().copied();
        let retirements = tables.retirements.iter().map(|(&world, &how)| Retirement { world, how });
        let ended = tables.games.values().filter(is_ended).count() as u64;
        let mut image = Image::new(active, intents, retirements, ended, tables.heartbeat);
        image.set_games_created(tables.games_created);
        load_players(tables, &mut image);
        tables.positions.iter().for_each(|(topic, position)| image.set_position(topic, position));
        load_commands(tables, &mut image);
        scores::load(tables, &mut image);
        image
    }

    fn fetch(tables: &Tables, key: &Key, image: &mut Image) {
        match key {
            Key::Game(id) if !image.holds(*id) => {
                if let Some(game) = tables.games.get(id) {
                    image.load_for_batch(game.clone());
                }
            }
            Key::Player(search) if !image.holds_player(search) => {
                if let Some(player) = tables.players.find(search) {
                    image.load_player_for_batch((**player).clone());
                }
            }
            Key::Robot(id) if image.robot(*id).is_none() => {
                if let Some(robot) = tables.robots.get(id) {
                    image.load_robot_for_batch(*id, *robot);
                }
            }
            Key::RobotsOf(owner) if !image.holds_robots_of(*owner) => {
                let is_living = |robot: &Robot| robot.alive && robot.owner == Some(*owner);
                for (id, robot) in tables.robots.iter().filter(|(_, robot)| is_living(robot)) {
                    image.load_robot_for_batch(*id, *robot);
                }
            }
            Key::Game(_) | Key::Player(_) | Key::Robot(_) | Key::RobotsOf(_) => {}
        }
    }

    fn save(tables: &mut Tables, change: &Change, _: &DocumentWrites) -> Result<(), String> {
        tables.save(change)
    }
}

/// Who takes part in an active game, and their living robots.
fn load_players(tables: &Tables, image: &mut Image) {
    let active = tables.games.values().filter(|game| !matches!(game.state, State::Ended(_)));
    let playing: HashSet<_> = active.flat_map(|game| game.roster.iter()).collect();
    for player in playing.iter().filter_map(|id| tables.players.get(*id)) {
        image.insert_player((**player).clone());
    }
    let living = tables.robots.iter().filter(|(_, robot)| robot.alive);
    image.set_living_robots(living.clone().count());
    for (id, robot) in living.filter(|(_, robot)| robot.owner.is_some_and(|owner| playing.contains(&owner))) {
        image.insert_robot(*id, *robot);
    }
}

/// What the rounds that are open have collected, and what has become of it.
fn load_commands(tables: &Tables, image: &mut Image) {
    for game in tables.games.values() {
        let State::Running(running) = &game.state else { continue };
        let (first, last) = ((game.id, 0), (game.id, u64::MAX));
        for (_, row) in tables.commands.range(first..=last) {
            if row.command.round == running.round.number && !row.replaced {
                image.take(row.command.clone());
            }
        }
        if let Some(((_, place), _)) = tables.commands.range(first..=last).next_back() {
            image.set_last_place(game.id, *place);
        }
        for kind in Kind::ALL {
            let batch = BatchId { game: game.id, round: running.round.number, kind };
            if let Some(state) = tables.batches.get(&batch) {
                image.begin_batch(batch, *state);
            }
        }
    }
    tables.senders.iter().for_each(|(batch, sender)| image.set_sender(*batch, *sender));
    image.set_commands_taken(tables.commands_taken);
    image.index_executing();
}
