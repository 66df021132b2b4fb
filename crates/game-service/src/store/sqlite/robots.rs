//! Robots and how far has been listened, as rows and back.

use rusqlite::{Connection, params};
use starkeep_game_core::{PlayerId, Robot, RobotId};
use starkeep_platform::sqlite::uuid_column;
use uuid::Uuid;

use crate::domain::Image;

pub(super) fn load(connection: &Connection, image: &mut Image) -> rusqlite::Result<()> {
    let mut select = connection.prepare("SELECT id, owner_id, alive FROM robot")?;
    let mut rows = select.query([])?;
    while let Some(row) = rows.next()? {
        let owner = row.get::<_, Option<[u8; 16]>>("owner_id")?.map(|id| PlayerId(Uuid::from_bytes(id)));
        image.insert_robot(RobotId(uuid_column(row, "id")?), Robot { owner, alive: row.get("alive")? });
    }
    let mut select = connection.prepare("SELECT topic, next_offset FROM heard")?;
    let mut rows = select.query([])?;
    while let Some(row) = rows.next()? {
        image.set_heard(row.get_ref("topic")?.as_str()?, row.get::<_, i64>("next_offset")?.unsigned_abs());
    }
    Ok(())
}

pub(super) fn save(
    connection: &Connection,
    robots: &[(RobotId, Robot)],
    next_offset: Option<&(String, u64)>,
) -> rusqlite::Result<()> {
    let mut upsert = connection.prepare_cached(
        "INSERT INTO robot (id, owner_id, alive) VALUES (?1, ?2, ?3)
         ON CONFLICT (id) DO UPDATE SET owner_id = excluded.owner_id, alive = excluded.alive",
    )?;
    for (id, Robot { owner, alive }) in robots {
        upsert.execute(params![id.0.as_bytes(), owner.map(|owner| owner.0.into_bytes()), alive])?;
    }
    let Some((topic, next_offset)) = next_offset else { return Ok(()) };
    connection
        .prepare_cached(
            "INSERT INTO heard (topic, next_offset) VALUES (?1, ?2)
             ON CONFLICT (topic) DO UPDATE SET next_offset = excluded.next_offset",
        )?
        .execute(params![topic, next_offset.cast_signed()])
        .map(drop)
}
