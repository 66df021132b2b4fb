//! The game service's tables in SQLite: what is loaded at the start, and how a batch of changes is written.
//! The conversion between games and rows is in `rows`.

mod commands;
mod intents;
mod kind_column;
mod players;
mod robots;
mod rows;
mod scores;

use std::path::Path;
use std::sync::Arc;

use futures::FutureExt;
use futures::future::BoxFuture;
use rusqlite::{Connection, params};
use starkeep_game_core::{
    CommandId, Game, GameId, Player, Retire, Retirement, Robot, RobotId, State, WorldId,
};
use starkeep_platform::replica::ReplicaId;
use starkeep_platform::sqlite::{
    ABOUT_COLUMNS, INTENT_TABLE, Migration, PLATFORM_TABLES, RELAY_TABLE, SUBJECT_INDEX, Sqlite, Tables,
    remove_intent, uuid_column,
};
use starkeep_platform::store::OpenError;

use crate::domain::{BatchState, Change, EndedRound, Games, Image, Key};
use crate::ports::{Age, KeptCommand, KeptRound, KeptScore, KeptStandings, PlayerSearch, Store, Unreadable};

/// The ids of those who take part in an active game: they are in memory, and so are their living robots. Written so that
/// neither ended games nor their participants are walked through.
const ACTIVE_PLAYERS: &str = "SELECT player_id FROM participant
     WHERE game_id IN (SELECT id FROM game WHERE status IN ('created', 'running'))";

/// Opens or creates the data file. `slots` is how many games may run at a time.
pub async fn open(path: &Path, slots: u32, replica: ReplicaId) -> Result<Arc<dyn Store>, OpenError> {
    let sqlite = Sqlite::<Games>::open(path, replica)?;
    let set = sqlite.maintain(None, move |connection| {
        connection.execute("UPDATE running_games_limit SET slots = ?1", [slots])
    });
    set.await.map_err(|fault| OpenError::Unwritable(fault.to_string()))?;
    Ok(Arc::new(sqlite))
}

/// Refuses a data file that cannot be opened by this version, without touching it.
pub fn inspect(path: &Path) -> Result<(), OpenError> {
    starkeep_platform::sqlite::inspect::<Games>(path)
}

impl Tables for Games {
    const MIGRATIONS: &'static [Migration] = &[
        &[PLATFORM_TABLES, include_str!("sqlite/0001.sql")],
        &[include_str!("sqlite/0002.sql")],
        &[RELAY_TABLE, include_str!("sqlite/0003.sql")],
        &[include_str!("sqlite/0004.sql")],
        &[include_str!("sqlite/0005.sql")],
        &[include_str!("sqlite/0006.sql")],
        &[INTENT_TABLE, include_str!("sqlite/0007.sql")],
        &[include_str!("sqlite/0008.sql")],
        &[include_str!("sqlite/0009.sql")],
        &[ABOUT_COLUMNS, include_str!("sqlite/0010.sql"), include_str!("sqlite/0010_scores.sql")],
        &[include_str!("sqlite/0011.sql")],
        &[include_str!("sqlite/0012.sql")],
        &[SUBJECT_INDEX, include_str!("sqlite/0013.sql")],
        &[include_str!("sqlite/0014.sql")],
    ];

    type Cache = ();

    fn load(connection: &Connection) -> rusqlite::Result<Image> {
        let active = rows::games(connection, "WHERE status <> 'ended'", [])?;
        let mut retirements = connection.prepare("SELECT world_id, how FROM world_to_retire")?;
        let retirements = retirements
            .query_map([], |row| {
                let how = match row.get::<_, String>("how")?.as_str() {
                    "delete" => Retire::Delete,
                    "seal" => Retire::Seal,
                    _ => Retire::Deactivate,
                };
                Ok(Retirement { world: WorldId(uuid_column(row, "world_id")?), how })
            })?
            .collect::<rusqlite::Result<Vec<_>>>()?;
        let count = |sql| connection.query_row(sql, [], |row| row.get::<_, i64>(0)).map(i64::unsigned_abs);
        let ended = count("SELECT count(*) FROM game WHERE status = 'ended'")?;
        let heartbeat =
            connection.query_row("SELECT nanos, wall_millis FROM service_time", [], rows::heartbeat)?;
        let mut image = Image::new(active, intents::load(connection)?, retirements, ended, heartbeat);
        image.set_games_created(count("SELECT created FROM game_count")?);
        players::load(connection, &mut image)?;
        robots::load(connection, &mut image)?;
        commands::load(connection, &mut image)?;
        scores::load(connection, &mut image)?;
        Ok(image)
    }

    fn fetch(connection: &Connection, (): &(), key: &Key, image: &mut Image) -> rusqlite::Result<()> {
        match key {
            Key::Game(id) if !image.holds(*id) => {
                if let Some(game) = rows::game(connection, *id)? {
                    image.load_for_batch(game);
                }
            }
            Key::Player(search) if !image.holds_player(search) => {
                if let Some(player) = players::find(connection, search)? {
                    image.load_player_for_batch(player);
                }
            }
            Key::Robot(id) if image.robot(*id).is_none() => {
                if let Some((id, robot)) = robots::find(connection, *id)? {
                    image.load_robot_for_batch(id, robot);
                }
            }
            Key::RobotsOf(owner) if !image.holds_robots_of(*owner) => {
                for (id, robot) in robots::living_of(connection, *owner)? {
                    image.load_robot_for_batch(id, robot);
                }
            }
            Key::Game(_) | Key::Player(_) | Key::Robot(_) | Key::RobotsOf(_) => {}
        }
        Ok(())
    }

    fn save(connection: &Connection, changes: &[Change]) -> rusqlite::Result<()> {
        changes.iter().try_for_each(|change| save(connection, change))?;
        let taken = changes.iter().map(|change| match change {
            Change::CommandsTaken(taken) => taken.len(),
            _ => 0,
        });
        commands::count(connection, taken.sum())
    }
}

/// Every change is written in its order: in one batch a game may end and another take its slot.
fn save(connection: &Connection, change: &Change) -> rusqlite::Result<()> {
    match change {
        Change::GameCreated { game, intent } => {
            rows::put(connection, game.without_players(), None)?;
            rows::count(connection)?;
            intent.map_or(Ok(()), |settled| remove_intent(connection, settled))
        }
        Change::GameMoved(moved) => {
            if let Some(EndedRound { number, unsent }) = &moved.ended_round {
                commands::put_batch_states(connection, moved.game.id(), *number, unsent)?;
            }
            let game = moved.game.without_players();
            match &game.state {
                State::Running(running) if !moved.starts && moved.roster.is_none() => {
                    rows::advance(connection, game, running)?;
                }
                // Before the start players who come or go change nothing else.
                State::Created { .. } if let Some(change) = moved.roster => {
                    rows::count_player(connection, game.id, change)?;
                }
                _ => rows::put(connection, game, moved.roster)?,
            }
            rows::put_players(connection, moved)?;
            if moved.starts {
                robots::start_game(connection, moved.game.id())?;
            }
            if moved.opens_round {
                rows::put_round(connection, game)?;
            }
            moved.intents.iter().try_for_each(|step| intents::save(connection, step))?;
            moved.retire.iter().try_for_each(|retirement| list(connection, *retirement))
        }
        Change::GameDeleted { game, retire } => {
            rows::delete(connection, *game)?;
            retire.iter().try_for_each(|retirement| list(connection, *retirement))
        }
        Change::CreationBegun(intent) => intents::begin(connection, intent),
        Change::CreationWithdrawn { intent, retire } => {
            remove_intent(connection, *intent)?;
            retire.iter().try_for_each(|retirement| list(connection, *retirement))
        }
        Change::WorldAbandoned(retirement) => list(connection, *retirement),
        Change::WorldRetired(Retirement { world, how }) => connection
            .prepare_cached("DELETE FROM world_to_retire WHERE world_id = ?1 AND how = ?2")?
            .execute(params![world.0.as_bytes(), word(*how)])
            .map(drop),
        Change::ReplenishmentSettled(intent) => remove_intent(connection, *intent),
        Change::PlayerRegistered(player) => players::save(connection, player),
        Change::TokenRenewed { player, token } => players::renew(connection, *player, *token),
        Change::RobotsReported { robots, position } => robots::save(connection, robots, position.as_ref()),
        Change::CommandsTaken(taken) => taken.iter().try_for_each(|taken| commands::take(connection, taken)),
        Change::BatchBegun { batch, sender } => commands::begin_batch(connection, *batch, *sender),
        Change::BatchResumed { batch, sender } => commands::resume_batch(connection, *batch, *sender),
        Change::BatchSettled { batch, state, position } => {
            commands::settle(connection, *batch, *state, position.as_deref())
        }
        Change::BatchesInterrupted(batches) => {
            let mut unknown = batches.iter();
            unknown.try_for_each(|batch| commands::settle(connection, *batch, BatchState::Unknown, None))
        }
        Change::ExecutorNewsRecorded(news) => scores::record(connection, news),
        Change::RoundScored { game, round, rows } => scores::score(connection, *game, *round, rows),
        Change::Heartbeat { at, wall, shifted } => {
            shifted.iter().try_for_each(|(game, since)| rows::shift_timer(connection, *game, *since))?;
            // Service time never goes back.
            connection
                .prepare_cached("UPDATE service_time SET nanos = max(nanos, ?1), wall_millis = ?2")?
                .execute(params![at.0.cast_signed(), wall.as_millisecond()])
                .map(drop)
        }
    }
}

/// A world that is to be deleted stays so.
fn list(connection: &Connection, Retirement { world, how }: Retirement) -> rusqlite::Result<()> {
    let mut insert = connection.prepare_cached(
        "INSERT INTO world_to_retire (world_id, how) VALUES (?1, ?2)
         ON CONFLICT (world_id) DO UPDATE SET how = 'delete' WHERE excluded.how = 'delete'",
    )?;
    insert.execute(params![world.0.as_bytes(), word(how)]).map(drop)
}

fn word(how: Retire) -> &'static str {
    match how {
        Retire::Deactivate => "deactivate",
        Retire::Seal => "seal",
        Retire::Delete => "delete",
    }
}

impl Store for Sqlite<Games> {
    fn ended_game(&self, id: GameId) -> BoxFuture<'_, Result<Option<Game>, Unreadable>> {
        let found = self.read(move |connection| rows::game(connection, id));
        async move { found.await.map_err(Unreadable) }.boxed()
    }

    fn ended_games(&self, after: Option<Age>, limit: usize) -> BoxFuture<'_, Result<Vec<Game>, Unreadable>> {
        let found = self.read(move |connection| rows::ended_games(connection, after, limit));
        async move { found.await.map_err(Unreadable) }.boxed()
    }

    fn ended_game_ids(&self) -> BoxFuture<'_, Result<Vec<GameId>, Unreadable>> {
        let found = self.read(rows::ended_game_ids);
        async move { found.await.map_err(Unreadable) }.boxed()
    }

    fn command(&self, id: CommandId) -> BoxFuture<'_, Result<Option<KeptCommand>, Unreadable>> {
        let found = self.read(move |connection| commands::find(connection, id));
        async move { found.await.map_err(Unreadable) }.boxed()
    }

    fn round(&self, game: GameId, round: u32) -> BoxFuture<'_, Result<Option<KeptRound>, Unreadable>> {
        let found = self.read(move |connection| commands::of_round(connection, game, round));
        async move { found.await.map_err(Unreadable) }.boxed()
    }

    fn standings(&self, game: GameId) -> BoxFuture<'_, Result<Option<KeptStandings>, Unreadable>> {
        let found = self.read(move |connection| scores::standings(connection, game));
        async move { found.await.map_err(Unreadable) }.boxed()
    }

    fn scores(&self, game: GameId) -> BoxFuture<'_, Result<Vec<KeptScore>, Unreadable>> {
        let found = self.read(move |connection| scores::scores(connection, game));
        async move { found.await.map_err(Unreadable) }.boxed()
    }

    fn players(&self, searches: Vec<PlayerSearch>) -> BoxFuture<'_, Result<Vec<Player>, Unreadable>> {
        let found = self.read(move |connection| {
            let found = searches.iter().map(|search| players::find(connection, search));
            found.filter_map(Result::transpose).collect()
        });
        async move { found.await.map_err(Unreadable) }.boxed()
    }

    fn robots(&self, ids: Vec<RobotId>) -> BoxFuture<'_, Result<Vec<(RobotId, Robot)>, Unreadable>> {
        let found = self.read(move |connection| {
            let found = ids.iter().map(|id| robots::find(connection, *id));
            found.filter_map(Result::transpose).collect()
        });
        async move { found.await.map_err(Unreadable) }.boxed()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A game, so far as commands refer to it.
    const GAME: &str = "INSERT INTO game (id, status, max_rounds, max_players, round_length_millis, joined, created_at_millis,
         round_number) VALUES (?1, 'created', 5, 5, 5000, 0, 0, 0)";
    const COMMAND: &str =
        "INSERT INTO command (place, id, game_id, round_number, player_id, kind, robot_id, replaced)
         VALUES (?1, ?2, ?3, 1, ?2, 'mining', ?4, ?5)";

    fn id(number: u128) -> [u8; 16] {
        number.to_be_bytes()
    }

    #[test]
    fn commands_of_an_earlier_version_keep_their_order_and_get_places_within_their_games() {
        let connection = Connection::open_in_memory().unwrap();
        let earlier = Games::MIGRATIONS.iter().take(5).flat_map(|migration| migration.iter());
        earlier.for_each(|sql| connection.execute_batch(sql).unwrap());
        connection.execute(GAME, [id(1)]).unwrap();
        connection.execute(GAME, [id(2)]).unwrap();
        // Places 2 and 8 were of a game that has been deleted.
        for (place, game, robot, replaced) in
            [(1_u32, 1, 7, true), (3, 2, 7, false), (4, 1, 7, false), (6, 2, 8, false), (9, 1, 9, false)]
        {
            let command = params![place, id(100 + u128::from(place)), id(game), id(robot), replaced];
            connection.execute(COMMAND, command).unwrap();
        }
        connection.execute_batch(include_str!("sqlite/0006.sql")).unwrap();
        let mut select = connection
            .prepare("SELECT game_id, place, id, replaced FROM command ORDER BY game_id, place")
            .unwrap();
        let rows = select.query_map([], |row| {
            let number = |column: &str| row.get(column).map(u128::from_be_bytes);
            Ok((number("game_id")?, row.get("place")?, number("id")? - 100, row.get("replaced")?))
        });
        let rows: Vec<(u128, u32, u128, bool)> = rows.unwrap().map(Result::unwrap).collect();
        let expected =
            [(1, 1, 1, true), (1, 2, 4, false), (1, 3, 9, false), (2, 1, 3, false), (2, 2, 6, false)];
        assert_eq!(rows, expected);
        let taken: u32 =
            connection.query_row("SELECT taken FROM command_count", [], |row| row.get(0)).unwrap();
        assert_eq!(taken, 9, "as many as the last place said");
        connection.execute("DELETE FROM game WHERE id = ?1", [id(1)]).unwrap();
        let left: u32 = connection.query_row("SELECT count(*) FROM command", [], |row| row.get(0)).unwrap();
        assert_eq!(left, 2, "commands go with their game");
    }
}
