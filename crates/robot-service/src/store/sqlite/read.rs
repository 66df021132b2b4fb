//! Reading rows: games, their robots with all that belongs to them, orders, and minings that are open.
//! A value that no version of ours wrote is an error that names it.

use std::fmt;

use jiff::Timestamp;
use rusqlite::types::Type;
use rusqlite::{Connection, Error, OptionalExtension, Result, Row};
use starkeep_core_types::WorldId;
use starkeep_executor::FollowedGame;
use starkeep_platform::intent::Intents;
use starkeep_platform::sqlite::{load_intents, uuid_column};
use starkeep_robot_core::{
    Amounts, Books, CommandId, GameId, Levels, PlanetId, PlayerId, ResourceKind, Robot, RobotId,
};
use uuid::Uuid;

use crate::domain::{GameRobots, MiningCall, Order};
use crate::store::forms::{MiningCallForm, OrderForm, read_round_state, read_status};

/// The position, and when events were missed for the last time.
pub(super) fn game_stream(connection: &Connection) -> Result<(Option<String>, Option<Timestamp>)> {
    connection.query_row("SELECT position, gap_at_millis FROM game_stream", [], |row| {
        let gap = row.get::<_, Option<i64>>("gap_at_millis")?.map(Timestamp::from_millisecond);
        Ok((row.get("position")?, gap.transpose().map_err(invalid)?))
    })
}

pub(super) fn games(connection: &Connection) -> Result<Vec<(GameId, FollowedGame)>> {
    let mut select = connection.prepare(
        "SELECT id, status, world_id, round, round_state, created, started FROM followed_game ORDER BY id",
    )?;
    let games = select.query_map([], |row| {
        let world: Option<[u8; 16]> = row.get("world_id")?;
        let game = FollowedGame {
            status: word(row, "status", read_status)?,
            world: world.map(|world| WorldId(Uuid::from_bytes(world))),
            round: row.get("round")?,
            round_state: word(row, "round_state", read_round_state)?,
            created: row.get::<_, i64>("created")?.unsigned_abs(),
            started: row.get::<_, Option<i64>>("started")?.map(i64::unsigned_abs),
        };
        Ok((GameId(uuid_column(row, "id")?), game))
    })?;
    games.collect()
}

pub(super) fn game_robots(connection: &Connection, game: GameId) -> Result<GameRobots> {
    let mut robots = GameRobots {
        spawned: spawned(connection, game)?,
        books: books(connection, game)?,
        ..GameRobots::default()
    };
    robots_of(connection, game)?.into_iter().for_each(|robot| robots.fleet.put(robot));
    let mut select = connection.prepare("SELECT ids FROM executed WHERE game_id = ?1 ORDER BY number")?;
    let mut rows = select.query([game.0.as_bytes()])?;
    while let Some(row) = rows.next()? {
        let ids: Vec<u8> = row.get("ids")?;
        let ids = ids.chunks_exact(16).filter_map(|id| Uuid::from_slice(id).ok());
        robots.executed.add(&ids.map(CommandId).collect::<Vec<_>>());
    }
    Ok(robots)
}

fn spawned(connection: &Connection, game: GameId) -> Result<u64> {
    let spawned: Option<i64> = connection
        .query_row("SELECT robots FROM spawned WHERE game_id = ?1", [game.0.as_bytes()], |row| row.get(0))
        .optional()?;
    Ok(spawned.unwrap_or(0).unsigned_abs())
}

fn books(connection: &Connection, game: GameId) -> Result<Books> {
    let mut books = Books::default();
    let mut select = connection.prepare("SELECT kind, mined, sold, lost FROM book WHERE game_id = ?1")?;
    let mut rows = select.query([game.0.as_bytes()])?;
    while let Some(row) = rows.next()? {
        let kind = word(row, "kind", ResourceKind::parse)?;
        let add = |amounts: &mut Amounts, column| -> Result<()> {
            amounts.add(kind, row.get::<_, i64>(column)?.unsigned_abs());
            Ok(())
        };
        add(&mut books.mined, "mined")?;
        add(&mut books.sold, "sold")?;
        add(&mut books.lost, "lost")?;
    }
    Ok(books)
}

const ROBOT: &str = "SELECT game_id, number, id, player_id, planet_id, health, energy, levels, coal, iron, gem, gold, platin FROM robot";

pub(super) fn robot(connection: &Connection, robot: RobotId) -> Result<Option<(GameId, Robot)>> {
    connection
        .prepare_cached(&format!("{ROBOT} WHERE id = ?1"))?
        .query_row([robot.0.as_bytes()], |row| Ok((GameId(uuid_column(row, "game_id")?), robot_row(row)?)))
        .optional()
}

/// In the order in which they were spawned.
pub(super) fn robots_of(connection: &Connection, game: GameId) -> Result<Vec<Robot>> {
    connection
        .prepare_cached(&format!("{ROBOT} WHERE game_id = ?1 ORDER BY number"))?
        .query_map([game.0.as_bytes()], robot_row)?
        .collect()
}

fn robot_row(row: &Row<'_>) -> Result<Robot> {
    let amount = |kind: ResourceKind| row.get::<_, i64>(kind.as_str()).map(i64::unsigned_abs);
    let mut cargo = Amounts::NONE;
    for kind in ResourceKind::ALL {
        cargo.add(kind, amount(kind)?);
    }
    let levels: [u8; 7] = row.get("levels")?;
    Ok(Robot {
        id: RobotId(uuid_column(row, "id")?),
        number: row.get::<_, i64>("number")?.unsigned_abs(),
        player: PlayerId(uuid_column(row, "player_id")?),
        planet: PlanetId(uuid_column(row, "planet_id")?),
        health: row.get("health")?,
        energy: row.get("energy")?,
        levels: Levels::new(levels).ok_or_else(|| invalid(format_args!("levels are {levels:?}")))?,
        cargo,
    })
}

pub(super) fn order(connection: &Connection, transaction: CommandId) -> Result<Option<Order>> {
    let content: Option<String> = connection
        .prepare_cached("SELECT content FROM carried_out WHERE transaction_id = ?1")?
        .query_row([transaction.0.as_bytes()], |row| row.get(0))
        .optional()?;
    content.map(|content| form::<OrderForm>(&content)?.try_into().map_err(invalid)).transpose()
}

pub(super) fn minings(connection: &Connection) -> Result<Intents<MiningCall>> {
    let read = |call: &str| form::<MiningCallForm>(call)?.try_into().map_err(invalid);
    Ok(load_intents(connection, read)?.into_iter().collect())
}

fn form<T: serde::de::DeserializeOwned>(text: &str) -> Result<T> {
    serde_json::from_str(text).map_err(invalid)
}

fn word<T>(row: &Row<'_>, column: &str, parse: impl Fn(&str) -> Option<T>) -> Result<T> {
    let text = row.get_ref(column)?.as_str().map_err(|_| invalid(format_args!("{column} is no text")))?;
    parse(text).ok_or_else(|| invalid(format_args!("{column} is `{text}`, which this version does not know")))
}

/// A stored value that no version of ours wrote.
fn invalid(text: impl fmt::Display) -> Error {
    Error::FromSqlConversionFailure(0, Type::Null, text.to_string().into())
}
