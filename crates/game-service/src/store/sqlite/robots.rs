//! Robots, and how far the streams have been read that tell of them, as rows and back.
//! Positions are texts: only who reads a stream knows their form.

use rusqlite::{Connection, OptionalExtension, Row, params};
use starkeep_game_core::{PlayerId, Robot, RobotId};
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
    let owner = row.get::<_, Option<[u8; 16]>>("owner_id")?.map(|id| PlayerId(Uuid::from_bytes(id)));
    Ok((RobotId(uuid_column(row, "id")?), Robot { owner, alive: row.get("alive")? }))
}

pub(super) fn save(
    connection: &Connection,
    robots: &[(RobotId, Robot)],
    position: Option<&(String, String)>,
) -> rusqlite::Result<()> {
    let mut upsert = connection.prepare_cached(
        "INSERT INTO robot (id, owner_id, alive) VALUES (?1, ?2, ?3)
         ON CONFLICT (id) DO UPDATE SET owner_id = excluded.owner_id, alive = excluded.alive",
    )?;
    for (id, Robot { owner, alive }) in robots {
        upsert.execute(params![id.0.as_bytes(), owner.map(|owner| owner.0.into_bytes()), alive])?;
    }
    let Some((source, position)) = position else { return Ok(()) };
    connection
        .prepare_cached(
            "INSERT INTO stream_position (source, position) VALUES (?1, ?2)
             ON CONFLICT (source) DO UPDATE SET position = excluded.position",
        )?
        .execute(params![source, position])
        .map(drop)
}
