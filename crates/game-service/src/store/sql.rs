//! The game service's tables in a database: what is loaded at the start, and how a batch of changes is written.
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

use futures::future::{BoxFuture, try_join_all};
use futures::{FutureExt as _, TryFutureExt as _};
use starkeep_game_core::{
    CommandId, Game, GameId, Player, Retire, Retirement, Robot, RobotId, State, WorldId,
};
use starkeep_platform::disk_log::DiskLog;
use starkeep_platform::documents::DocumentWrites;
use starkeep_platform::replica::ReplicaId;
use starkeep_platform::sql::PLATFORM_TABLES;
use starkeep_platform::sql::{
    Load, Migration, PostgresTables, Row, SqlConnection, SqlFault, SqlStore, SqlTables, Statements,
    into_image, remove_intent,
};
use starkeep_platform::sqlite;
use starkeep_platform::store::OpenError;
use starkeep_platform::values;

use crate::domain::{BatchState, Change, EndedRound, Games, Image, Key};
use crate::ports::{Age, KeptCommand, KeptRound, KeptScore, KeptStandings, PlayerSearch, Store, Unreadable};

/// The ids of those who take part in an active game: they are in memory, and so are their living robots. Written so that
/// neither ended games nor their participants are walked through.
macro_rules! active_players {
    () => {
        "SELECT player_id FROM participant WHERE game_id IN (SELECT id FROM game WHERE status IN ('created', 'running'))"
    };
}
use active_players;

/// Opens or creates the data file. `slots` is how many games may run at a time.
pub async fn open_sqlite(path: &Path, slots: u32, replica: ReplicaId) -> Result<Arc<dyn Store>, OpenError> {
    let store = sqlite::open::<Games>(path, replica, DiskLog::of_one_store())?;
    limit_running_games(&store, slots).await?;
    Ok(Arc::new(store))
}

/// So many games may run at a time. Those that run already stay.
pub async fn limit_running_games(store: &SqlStore<Games>, slots: u32) -> Result<(), OpenError> {
    let set = store.maintain(None, move |connection| {
        connection.execute("UPDATE running_games_limit SET slots = ?1", values![slots])
    });
    set.await.map(drop).map_err(|fault| OpenError::Unwritable(fault.to_string()))
}

/// Refuses a data file that cannot be opened by this version, without touching it.
pub fn inspect_sqlite(path: &Path) -> Result<(), OpenError> {
    sqlite::inspect::<Games>(path)
}

impl SqlTables for Games {
    const SQLITE_MIGRATIONS: &'static [Migration] = &[&[
        PLATFORM_TABLES,
        include_str!("sqlite/0001.sql"),
        include_str!("sqlite/0002.sql"),
        include_str!("sqlite/0003.sql"),
        include_str!("sqlite/0004.sql"),
        include_str!("sqlite/0005.sql"),
        include_str!("sqlite/0006.sql"),
        include_str!("sqlite/0007.sql"),
        include_str!("sqlite/0008.sql"),
        include_str!("sqlite/0009.sql"),
        include_str!("sqlite/0010.sql"),
        include_str!("sqlite/0010_scores.sql"),
        include_str!("sqlite/0011.sql"),
        include_str!("sqlite/0012.sql"),
        include_str!("sqlite/0013.sql"),
        include_str!("sqlite/0014.sql"),
        include_str!("sqlite/0015.sql"),
    ]];

    type Cache = ();

    fn load(connection: &dyn SqlConnection) -> BoxFuture<'_, Result<Image, SqlFault>> {
        load(connection).boxed()
    }

    fn lacks(image: &Image, key: &Key) -> bool {
        match key {
            Key::Game(id) => !image.holds(*id),
            Key::Player(search) => !image.holds_player(search),
            Key::Robot(id) => image.robot(*id).is_none(),
            Key::RobotsOf(owner) => !image.holds_robots_of(*owner),
        }
    }

    fn find<'a>(
        connection: &'a dyn SqlConnection,
        (): &'a (),
        key: &'a Key,
    ) -> BoxFuture<'a, Result<Load<Image>, SqlFault>> {
        async move {
            let load: Load<Image> = match key {
                Key::Game(id) => {
                    let game = rows::game(connection, *id).await?;
                    into_image(|image: &mut Image| {
                        if let Some(game) = game {
                            image.load_for_batch(game);
                        }
                    })
                }
                Key::Player(search) => {
                    let player = players::find(connection, search).await?;
                    into_image(|image: &mut Image| {
                        if let Some(player) = player {
                            image.load_player_for_batch(player);
                        }
                    })
                }
                Key::Robot(id) => load_robots(robots::find(connection, *id).await?),
                Key::RobotsOf(owner) => load_robots(robots::living_of(connection, *owner).await?),
            };
            let key = key.clone();
            // Asked again, because another key may have brought it meanwhile.
            Ok(Box::new(move |image: &mut Image| if Self::lacks(image, &key) { load(image) } else { Ok(()) })
                as Load<Image>)
        }
        .boxed()
    }

    fn save(rows: &mut dyn Statements, changes: &[Change], _: &DocumentWrites) -> Result<(), SqlFault> {
        changes.iter().try_for_each(|change| save(rows, change))?;
        let taken = changes.iter().map(|change| match change {
            Change::CommandsTaken(taken) => taken.len(),
            _ => 0,
        });
        commands::count(rows, taken.sum())
    }
}

fn load_robots(robots: impl IntoIterator<Item = (RobotId, Robot)> + Send + 'static) -> Load<Image> {
    into_image(|image: &mut Image| {
        robots.into_iter().for_each(|(id, robot)| image.load_robot_for_batch(id, robot));
    })
}

async fn load(connection: &dyn SqlConnection) -> Result<Image, SqlFault> {
    let active = rows::active_games(connection).await?;
    let intents = intents::load(connection).await?;
    let retirements = retirements(connection).await?;
    let ended = only_row(connection, "SELECT count(*) AS ended FROM game WHERE status = 'ended'").await?;
    let heartbeat = only_row(connection, "SELECT nanos, wall_millis FROM service_time").await?;
    let mut image = Image::new(active, intents, retirements, ended.first()?, rows::heartbeat(&heartbeat)?);
    image.set_games_created(only_row(connection, "SELECT created FROM game_count").await?.first()?);
    players::load(connection, &mut image).await?;
    robots::load(connection, &mut image).await?;
    commands::load(connection, &mut image).await?;
    scores::load(connection, &mut image).await?;
    Ok(image)
}

async fn retirements(connection: &dyn SqlConnection) -> Result<Vec<Retirement>, SqlFault> {
    let rows = connection.query("SELECT world_id, how FROM world_to_retire", &[]).await?;
    let retirements = rows.iter().map(|row| {
        let how = match row.text("how")? {
            "delete" => Retire::Delete,
            "seal" => Retire::Seal,
            _ => Retire::Deactivate,
        };
        Ok(Retirement { world: WorldId(row.get("world_id")?), how })
    });
    retirements.collect()
}

/// Of a statement that always finds one.
async fn only_row(connection: &dyn SqlConnection, sql: &'static str) -> Result<Row, SqlFault> {
    let row = connection.query_one(sql, &[]).await?;
    row.ok_or_else(|| SqlFault::unreadable(format_args!("there is no row: {sql}")))
}

/// Every change is written in its order: in one batch a game may end and another take its slot.
fn save(rows: &mut dyn Statements, change: &Change) -> Result<(), SqlFault> {
    match change {
        Change::GameCreated { game, intent } => {
            rows::put(rows, game.without_players(), None)?;
            rows::count(rows)?;
            intent.map_or(Ok(()), |settled| remove_intent(rows, settled))
        }
        Change::GameMoved(moved) => {
            if let Some(EndedRound { number, unsent }) = &moved.ended_round {
                commands::put_batch_states(rows, moved.game.id(), *number, unsent)?;
            }
            let game = moved.game.without_players();
            match &game.state {
                State::Running(running) if !moved.starts && moved.roster.is_none() => {
                    rows::advance(rows, game, running)?;
                }
                // Before the start players who come or go change nothing else.
                State::Created { .. } if let Some(change) = moved.roster => {
                    rows::count_player(rows, game.id, change)?;
                }
                _ => rows::put(rows, game, moved.roster)?,
            }
            rows::put_players(rows, moved)?;
            if moved.starts {
                robots::start_game(rows, moved.game.id())?;
            }
            if moved.opens_round {
                rows::put_round(rows, game)?;
            }
            moved.intents.iter().try_for_each(|step| intents::save(rows, step))?;
            moved.retire.iter().try_for_each(|retirement| list(rows, *retirement))
        }
        Change::GameDeleted { game, retire } => {
            rows::delete(rows, *game)?;
            retire.iter().try_for_each(|retirement| list(rows, *retirement))
        }
        Change::CreationBegun(intent) => intents::begin(rows, intent),
        Change::CreationWithdrawn { intent, retire } => {
            remove_intent(rows, *intent)?;
            retire.iter().try_for_each(|retirement| list(rows, *retirement))
        }
        Change::WorldAbandoned(retirement) => list(rows, *retirement),
        Change::WorldRetired(Retirement { world, how }) => rows.run(
            "DELETE FROM world_to_retire WHERE world_id = ?1 AND how = ?2",
            values![world.0, word(*how)],
        ),
        Change::ReplenishmentSettled(intent) => remove_intent(rows, *intent),
        Change::PlayerRegistered(player) => players::save(rows, player),
        Change::TokenRenewed { player, token } => players::renew(rows, *player, *token),
        Change::RobotsReported { robots, position, .. } => robots::save(rows, robots, position.as_ref()),
        Change::CommandsTaken(taken) => taken.iter().try_for_each(|taken| commands::take(rows, taken)),
        Change::BatchBegun { batch, sender } => commands::begin_batch(rows, *batch, *sender),
        Change::BatchResumed { batch, sender } => commands::resume_batch(rows, *batch, *sender),
        Change::BatchSettled { batch, state, position } => {
            commands::settle(rows, *batch, *state, position.as_deref())
        }
        Change::BatchesInterrupted(batches) => {
            let mut unknown = batches.iter();
            unknown.try_for_each(|batch| commands::settle(rows, *batch, BatchState::Unknown, None))
        }
        Change::ExecutorNewsRecorded(news) => scores::record(rows, news),
        Change::RoundScored { game, round, rows: standings, known, news } => {
            news.iter().try_for_each(|news| scores::record(rows, news))?;
            scores::score(rows, *game, *round, standings, *known)
        }
        Change::Heartbeat { at, wall, shifted } => {
            shifted.iter().try_for_each(|(game, since)| rows::shift_timer(rows, *game, *since))?;
            // Service time never goes back.
            rows.run(
                "UPDATE service_time SET nanos = CASE WHEN nanos < ?1 THEN ?1 ELSE nanos END, wall_millis = ?2",
                values![at.0, *wall],
            )
        }
    }
}

/// A world that is to be deleted stays so.
fn list(rows: &mut dyn Statements, Retirement { world, how }: Retirement) -> Result<(), SqlFault> {
    rows.run(
        "INSERT INTO world_to_retire (world_id, how) VALUES (?1, ?2)
         ON CONFLICT (world_id) DO UPDATE SET how = 'delete' WHERE excluded.how = 'delete'",
        values![world.0, word(how)],
    )
}

fn word(how: Retire) -> &'static str {
    match how {
        Retire::Deactivate => "deactivate",
        Retire::Seal => "seal",
        Retire::Delete => "delete",
    }
}

impl PostgresTables for Games {
    const FIRST_VERSION: usize = 1;
    const POSTGRES_MIGRATIONS: &'static [Migration] =
        &[&[include_str!("postgres/0014.sql"), include_str!("postgres/0015.sql")]];
    const TABLES: &'static [&'static str] = &[
        "running_games_limit",
        "game_count",
        "command_count",
        "service_time",
        "game",
        "participant",
        "round",
        "player",
        "robot",
        "stream_position",
        "command",
        "batch",
        "scored_game",
        "standing",
        "tracked_robot",
        "round_score",
        "world_to_retire",
    ];
    const POSITIONS: &'static [(&'static str, &'static str)] =
        &[("stream_position", "position"), ("batch", "position")];
}

impl Store for SqlStore<Games> {
    fn ended_game(&self, id: GameId) -> BoxFuture<'_, Result<Option<Game>, Unreadable>> {
        let found = self.read_snapshot(move |connection| rows::game(connection, id).boxed());
        found.map_err(Unreadable).boxed()
    }

    fn ended_games(&self, after: Option<Age>, limit: usize) -> BoxFuture<'_, Result<Vec<Game>, Unreadable>> {
        let found = self.read_snapshot(move |connection| rows::ended_games(connection, after, limit).boxed());
        found.map_err(Unreadable).boxed()
    }

    fn ended_game_ids(&self) -> BoxFuture<'_, Result<Vec<GameId>, Unreadable>> {
        let found = self.read(|connection| rows::ended_game_ids(connection).boxed());
        found.map_err(Unreadable).boxed()
    }

    fn command(&self, id: CommandId) -> BoxFuture<'_, Result<Option<KeptCommand>, Unreadable>> {
        let found = self.read(move |connection| commands::find(connection, id).boxed());
        found.map_err(Unreadable).boxed()
    }

    fn carried_out(&self, game: GameId, round: u32) -> BoxFuture<'_, Result<Vec<KeptCommand>, Unreadable>> {
        let found = self.read(move |connection| commands::carried_out(connection, game, round).boxed());
        found.map_err(Unreadable).boxed()
    }

    fn round(&self, game: GameId, round: u32) -> BoxFuture<'_, Result<Option<KeptRound>, Unreadable>> {
        let found = self.read_snapshot(move |connection| commands::of_round(connection, game, round).boxed());
        found.map_err(Unreadable).boxed()
    }

    fn standings(&self, game: GameId) -> BoxFuture<'_, Result<Option<KeptStandings>, Unreadable>> {
        let found = self.read(move |connection| scores::standings(connection, game).boxed());
        found.map_err(Unreadable).boxed()
    }

    fn scores(&self, game: GameId) -> BoxFuture<'_, Result<Vec<KeptScore>, Unreadable>> {
        let found = self.read(move |connection| scores::scores(connection, game).boxed());
        found.map_err(Unreadable).boxed()
    }

    /// All are asked for at once.
    fn players(&self, searches: Vec<PlayerSearch>) -> BoxFuture<'_, Result<Vec<Player>, Unreadable>> {
        let found = self.read(move |connection| {
            async move {
                let found = searches.iter().map(|search| players::find(connection, search));
                Ok(try_join_all(found).await?.into_iter().flatten().collect())
            }
            .boxed()
        });
        found.map_err(Unreadable).boxed()
    }

    /// All are asked for at once.
    fn robots(&self, ids: Vec<RobotId>) -> BoxFuture<'_, Result<Vec<(RobotId, Robot)>, Unreadable>> {
        let found = self.read(move |connection| {
            async move {
                let found = ids.iter().map(|id| robots::find(connection, *id));
                Ok(try_join_all(found).await?.into_iter().flatten().collect())
            }
            .boxed()
        });
        found.map_err(Unreadable).boxed()
    }
}

#[cfg(test)]
mod tests {
    use starkeep_platform::sqlite::SqliteConnection;

    use super::*;

    /// Each of these statements finds its rows by an index.
    #[track_caller]
    pub(super) fn assert_no_scan(statements: impl IntoIterator<Item = &'static str>) {
        let database = SqliteConnection::in_memory(Games::SQLITE_MIGRATIONS).unwrap();
        let connection = database.lock();
        for sql in statements {
            let mut explain = connection.prepare(&format!("EXPLAIN QUERY PLAN {sql}")).unwrap();
            let steps: Vec<String> =
                explain.raw_query().mapped(|row| row.get("detail")).map(Result::unwrap).collect();
            assert!(!steps.is_empty());
            assert!(steps.iter().all(|step| !step.contains("SCAN")), "{sql}: {steps:?}");
        }
    }
}
