//! Robots, and how far the streams have been read that tell of them, as rows and back.
//! Positions are texts: only who reads a stream knows their form.

use rusqlite::{Connection, OptionalExtension, Row, params};
use starkeep_game_core::{GameId, PlayerId, Robot, RobotGame, RobotId};
use starkeep_platform::sqlite::uuid_column;
use uuid::Uuid;

use super::ACTIVE_PLAYERS;
use crate::domain::Image;

/// The living robots of those who take part in an active game, how many live in all, and the positions.
pub(super) fn load(connection: &Connection, image: &mut Image) -> rusqlite::Result<()> {
    let mut select = connection
        .prepare(&format!("SELECT * FROM robot WHERE alive = 1 AND owner_id IN ({ACTIVE_PLAYERS})"))?;
    let mut rows = select.query([])?;
    while let Some(row) = rows.next()? {
        let (id, robot) = read(row)?;
        image.insert_robot(id, robot);
    }
    let living: i64 =
        connection.query_row("SELECT count(*) FROM robot WHERE alive = 1", [], |row| row.get(0))?;
    image.set_living_robots(usize::try_from(living).unwrap_or_default());
    let mut select = connection.prepare("SELECT source, position FROM stream_position")?;
    let mut rows = select.query([])?;
    while let Some(row) = rows.next()? {
        image.set_position(row.get_ref("source")?.as_str()?, row.get_ref("position")?.as_str()?);
    }
    Ok(())
}

pub(super) fn find(connection: &Connection, id: RobotId) -> rusqlite::Result<Option<(RobotId, Robot)>> {
    let mut select = connection.prepare_cached("SELECT * FROM robot WHERE id = ?1")?;
    select.query_row([id.0.as_bytes()], read).optional()
}

pub(super) fn living_of(connection: &Connection, owner: PlayerId) -> rusqlite::Result<Vec<(RobotId, Robot)>> {
    let mut select = connection.prepare_cached("SELECT * FROM robot WHERE owner_id = ?1 AND alive = 1")?;
    select.query_map([owner.0.as_bytes()], read)?.collect()
}

fn read(row: &Row<'_>) -> rusqlite::Result<(RobotId, Robot)> {
    let id = |column| row.get::<_, Option<[u8; 16]>>(column).map(|id| id.map(Uuid::from_bytes));
    let game = match (row.get_ref("acts_in")?.as_str_or_null()?, id("game_id")?, id("own_game_id")?) {
        (_, _, Some(own)) => RobotGame::Own(GameId(own)),
        (None, ..) => RobotGame::Any,
        (Some("next"), ..) => RobotGame::Next,
        (Some("only"), Some(game), _) => RobotGame::Only(GameId(game)),
        (Some(_), ..) => RobotGame::Past,
    };
    let robot = Robot { owner: id("owner_id")?.map(PlayerId), alive: row.get("alive")?, game };
    Ok((RobotId(uuid_column(row, "id")?), robot))
}

/// Robots that were announced before the game belong to it.
pub(super) fn start_game(connection: &Connection, game: GameId) -> rusqlite::Result<()> {
    connection
        .prepare_cached("UPDATE robot SET acts_in = 'only', game_id = ?1 WHERE acts_in = 'next'")?
        .execute([game.0.as_bytes()])
        .map(drop)
}

pub(super) fn save(
    connection: &Connection,
    robots: &[(RobotId, Robot)],
    position: Option<&(String, String)>,
) -> rusqlite::Result<()> {
    let mut upsert = connection.prepare_cached(
        "INSERT INTO robot (id, owner_id, alive, acts_in, game_id, own_game_id) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
         ON CONFLICT (id) DO UPDATE SET owner_id = excluded.owner_id, alive = excluded.alive, acts_in = excluded.acts_in,
             game_id = excluded.game_id, own_game_id = excluded.own_game_id",
    )?;
    for (id, Robot { owner, alive, game }) in robots {
        let (acts_in, game, own) = match game {
            RobotGame::Any => (None, None, None),
            RobotGame::Next => (Some("next"), None, None),
            RobotGame::Only(game) => (Some("only"), Some(game.0.into_bytes()), None),
            RobotGame::Own(game) => (None, None, Some(game.0.into_bytes())),
            RobotGame::Past => (Some("past"), None, None),
        };
        let owner = owner.map(|owner| owner.0.into_bytes());
        upsert.execute(params![id.0.as_bytes(), owner, alive, acts_in, game, own])?;
    }
    let Some((source, position)) = position else { return Ok(()) };
    put_position(connection, source, position)
}

/// How far the stream has been read.
pub(super) fn put_position(connection: &Connection, source: &str, position: &str) -> rusqlite::Result<()> {
    connection
        .prepare_cached(
            "INSERT INTO stream_position (source, position) VALUES (?1, ?2)
             ON CONFLICT (source) DO UPDATE SET position = excluded.position",
        )?
        .execute(params![source, position])
        .map(drop)
}
