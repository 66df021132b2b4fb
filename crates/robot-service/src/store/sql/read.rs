//! Reading rows: games, their robots with all that belongs to them, orders, and minings that are open.
//! A value that no version of ours wrote is an error that names it.

use std::collections::BTreeMap;

use futures::future::try_join_all;
use jiff::Timestamp;
use starkeep_core_types::WorldId;
use starkeep_executor::{FollowedGame, GameStatus};
use starkeep_platform::intent::{Intent, Intents};
use starkeep_platform::sql::{Row, SqlConnection, SqlFault, load_intents};
use starkeep_platform::values;
use starkeep_robot_core::{
    Amounts, CommandId, GameId, Levels, PlanetId, PlayerId, ResourceKind, Robot, RobotId,
};
use uuid::Uuid;

use crate::domain::{GameRobots, Image, MiningCall, Order, SpawnedRobots};
use crate::store::forms::{CallForm, OrderForm, read_round_state, read_status};

/// What is kept in memory: every game, and the robots of those that have not ended or that the map owes minings.
pub(super) async fn image(connection: &dyn SqlConnection) -> Result<Image, SqlFault> {
    let (position, last_gap) = game_stream(connection).await?;
    let (minings, surroundings) = intents(connection).await?;
    let mut image = Image::new(position, last_gap, minings, surroundings);
    let (mut games, mut ended) = (BTreeMap::new(), Vec::new());
    for (id, game) in followed_games(connection).await? {
        image.games.restore(id, game);
        if game.status != GameStatus::Ended {
            games.insert(id, GameRobots::default());
        } else if image.open_minings(id).next().is_some() {
            games.insert(id, GameRobots::default());
            ended.push(id);
        }
    }
    let mut kept = KeptGames { games, ended };
    kept.fill(connection, &SPAWNED, add_spawned).await?;
    kept.fill(connection, &BOOKS, add_book).await?;
    kept.fill(connection, &EXECUTED, add_executed).await?;
    kept.fill(connection, &ROBOTS, add_robot).await?;
    kept.games.into_iter().for_each(|(id, robots)| image.insert_robots(id, robots));
    Ok(image)
}

/// The position, and when events were missed for the last time.
async fn game_stream(
    connection: &dyn SqlConnection,
) -> Result<(Option<String>, Option<Timestamp>), SqlFault> {
    let row = connection.query_one("SELECT position, gap_at_millis FROM game_stream", &[]).await?;
    let row = row.ok_or_else(|| SqlFault::unreadable("game_stream has no row"))?;
    Ok((row.get("position")?, row.get("gap_at_millis")?))
}

async fn followed_games(connection: &dyn SqlConnection) -> Result<Vec<(GameId, FollowedGame)>, SqlFault> {
    let rows = connection.query(
        "SELECT id, status, world_id, round, round_state, created, started FROM followed_game ORDER BY id",
        &[],
    );
    let games = rows.await?.into_iter().map(|row| {
        let game = FollowedGame {
            status: row.word("status", read_status)?,
            world: row.get::<Option<Uuid>>("world_id")?.map(WorldId),
            round: row.get("round")?,
            round_state: row.word("round_state", read_round_state)?,
            created: row.get("created")?,
            started: row.get("started")?,
        };
        Ok((GameId(row.get("id")?), game))
    });
    games.collect()
}

/// Statements for the same rows of all games that have not ended, and of one game.
pub(super) struct RowsOfGames {
    pub(super) of_unended: &'static str,
    of_one: &'static str,
}

macro_rules! rows_of_games {
    ($select:literal, $order:literal) => {
        RowsOfGames {
            of_unended: concat!(
                $select,
                " WHERE game_id IN (SELECT id FROM followed_game WHERE status <> 'ended') ",
                $order
            ),
            of_one: concat!($select, " WHERE game_id = ?1 ", $order),
        }
    };
}

pub(super) const SPAWNED: RowsOfGames = rows_of_games!("SELECT game_id, robots FROM spawned", "");
pub(super) const BOOKS: RowsOfGames = rows_of_games!("SELECT game_id, kind, mined, sold, lost FROM book", "");
pub(super) const EXECUTED: RowsOfGames =
    rows_of_games!("SELECT game_id, ids FROM executed", "ORDER BY game_id, number");
/// In the order in which they were spawned.
pub(super) const ROBOTS: RowsOfGames = rows_of_games!("SELECT * FROM robot", "ORDER BY game_id, number");

/// Games whose robots are kept in memory.
struct KeptGames {
    games: BTreeMap<GameId, GameRobots>,
    /// Those of them that have ended: hardly ever one.
    ended: Vec<GameId>,
}

impl KeptGames {
    /// Reads a table, all games at once.
    async fn fill(
        &mut self,
        connection: &dyn SqlConnection,
        select: &RowsOfGames,
        add: fn(&mut GameRobots, &Row) -> Result<(), SqlFault>,
    ) -> Result<(), SqlFault> {
        let of_ended = self.ended.iter().map(|game| connection.query(select.of_one, values![game.0]));
        let of_ended = try_join_all(of_ended).await?;
        let of_unended = connection.query(select.of_unended, &[]).await?;
        for row in of_unended.iter().chain(of_ended.iter().flatten()) {
            if let Some(game) = self.games.get_mut(&game_id(row)?) {
                add(game, row)?;
            }
        }
        Ok(())
    }
}

fn add_spawned(game: &mut GameRobots, row: &Row) -> Result<(), SqlFault> {
    game.spawned = row.get("robots")?;
    Ok(())
}

fn add_book(game: &mut GameRobots, row: &Row) -> Result<(), SqlFault> {
    let kind = row.word("kind", ResourceKind::parse)?;
    game.books.mined.add(kind, row.get("mined")?);
    game.books.sold.add(kind, row.get("sold")?);
    game.books.lost.add(kind, row.get("lost")?);
    Ok(())
}

fn add_executed(game: &mut GameRobots, row: &Row) -> Result<(), SqlFault> {
    let (ids, _) = row.bytes("ids")?.as_chunks();
    let ids: Vec<_> = ids.iter().map(|id| CommandId(Uuid::from_bytes(*id))).collect();
    game.executed.add(&ids);
    Ok(())
}

fn add_robot(game: &mut GameRobots, row: &Row) -> Result<(), SqlFault> {
    game.fleet.put(robot_row(row)?);
    Ok(())
}

pub(super) async fn robot(
    connection: &dyn SqlConnection,
    robot: RobotId,
) -> Result<Option<(GameId, Robot)>, SqlFault> {
    let row = connection.query_one("SELECT * FROM robot WHERE id = ?1", values![robot.0]).await?;
    row.map(|row| Ok((game_id(&row)?, robot_row(&row)?))).transpose()
}

/// In the order in which they were spawned.
pub(super) async fn robots_of(connection: &dyn SqlConnection, game: GameId) -> Result<Vec<Robot>, SqlFault> {
    connection.query(ROBOTS.of_one, values![game.0]).await?.iter().map(robot_row).collect()
}

fn game_id(row: &Row) -> Result<GameId, SqlFault> {
    row.get("game_id").map(GameId)
}

fn robot_row(row: &Row) -> Result<Robot, SqlFault> {
    let mut cargo = Amounts::NONE;
    for kind in ResourceKind::ALL {
        cargo.add(kind, row.get(kind.as_str())?);
    }
    let levels: [u8; 7] = row.get("levels")?;
    let no_levels = || SqlFault::unreadable(format_args!("levels are {levels:?}"));
    Ok(Robot {
        id: RobotId(row.get("id")?),
        number: row.get("number")?,
        player: PlayerId(row.get("player_id")?),
        planet: PlanetId(row.get("planet_id")?),
        health: row.get("health")?,
        energy: row.get("energy")?,
        levels: Levels::new(levels).ok_or_else(no_levels)?,
        cargo,
    })
}

pub(super) async fn order(
    connection: &dyn SqlConnection,
    transaction: CommandId,
) -> Result<Option<Order>, SqlFault> {
    let content = "SELECT content FROM carried_out WHERE transaction_id = ?1";
    let Some(row) = connection.query_one(content, values![transaction.0]).await? else { return Ok(None) };
    form::<OrderForm>(row.text("content")?)?.try_into().map(Some).map_err(SqlFault::unreadable)
}

async fn intents(
    connection: &dyn SqlConnection,
) -> Result<(Intents<MiningCall>, Intents<SpawnedRobots>), SqlFault> {
    let (mut minings, mut surroundings) = (Intents::default(), Intents::default());
    for Intent { id, owner, call } in load_intents(connection, form::<CallForm>).await? {
        match call {
            CallForm::Mining(call) => {
                let call = call.try_into().map_err(SqlFault::unreadable)?;
                minings.begin(Intent { id, owner, call });
            }
            CallForm::Spawned(call) => surroundings.begin(Intent { id, owner, call: call.into() }),
        }
    }
    Ok((minings, surroundings))
}

fn form<T: serde::de::DeserializeOwned>(text: &str) -> Result<T, SqlFault> {
    serde_json::from_str(text).map_err(SqlFault::unreadable)
}
