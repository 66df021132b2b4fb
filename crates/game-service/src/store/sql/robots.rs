//! Robots, and how far the streams have been read that tell of them, as rows and back.
//! Positions are texts: only who reads a stream knows their form.

use starkeep_game_core::{GameId, PlayerId, Robot, RobotGame, RobotId};
use starkeep_platform::sql::{Row, SqlConnection, SqlFault, Statements};
use starkeep_platform::values;
use uuid::Uuid;

use super::{active_players, only_row};
use crate::domain::Image;

const LIVING_OF_PLAYING: &str =
    concat!("SELECT * FROM robot WHERE alive = 1 AND owner_id IN (", active_players!(), ")");

/// The living robots of those who take part in an active game, how many live in all, and the positions.
pub(super) async fn load(connection: &dyn SqlConnection, image: &mut Image) -> Result<(), SqlFault> {
    for row in connection.query(LIVING_OF_PLAYING, &[]).await? {
        let (id, robot) = read(&row)?;
        image.insert_robot(id, robot);
    }
    let living = only_row(connection, "SELECT count(*) AS living FROM robot WHERE alive = 1").await?;
    image.set_living_robots(usize::try_from(living.first::<u64>()?).unwrap_or_default());
    for row in connection.query("SELECT source, position FROM stream_position", &[]).await? {
        image.set_position(row.text("source")?, row.text("position")?);
    }
    Ok(())
}

pub(super) async fn find(
    connection: &dyn SqlConnection,
    id: RobotId,
) -> Result<Option<(RobotId, Robot)>, SqlFault> {
    let row = connection.query_one("SELECT * FROM robot WHERE id = ?1", values![id.0]).await?;
    row.as_ref().map(read).transpose()
}

pub(super) async fn living_of(
    connection: &dyn SqlConnection,
    owner: PlayerId,
) -> Result<Vec<(RobotId, Robot)>, SqlFault> {
    let living = "SELECT * FROM robot WHERE owner_id = ?1 AND alive = 1";
    connection.query(living, values![owner.0]).await?.iter().map(read).collect()
}

fn read(row: &Row) -> Result<(RobotId, Robot), SqlFault> {
    let id = |column| row.get::<Option<Uuid>>(column);
    let acts_in: Option<String> = row.get("acts_in")?;
    let game = match (acts_in.as_deref(), id("game_id")?, id("own_game_id")?) {
        (_, _, Some(own)) => RobotGame::Own(GameId(own)),
        (None, ..) => RobotGame::Any,
        (Some("next"), ..) => RobotGame::Next,
        (Some("only"), Some(game), _) => RobotGame::Only(GameId(game)),
        (Some(_), ..) => RobotGame::Past,
    };
    let robot = Robot { owner: id("owner_id")?.map(PlayerId), alive: row.get("alive")?, game };
    Ok((RobotId(row.get("id")?), robot))
}

/// Robots that were announced before the game belong to it.
pub(super) fn start_game(rows: &mut dyn Statements, game: GameId) -> Result<(), SqlFault> {
    rows.run("UPDATE robot SET acts_in = 'only', game_id = ?1 WHERE acts_in = 'next'", values![game.0])
}

pub(super) fn save(
    rows: &mut dyn Statements,
    robots: &[(RobotId, Robot)],
    position: Option<&(String, String)>,
) -> Result<(), SqlFault> {
    for (id, Robot { owner, alive, game }) in robots {
        let (acts_in, game, own) = match game {
            RobotGame::Any => (None, None, None),
            RobotGame::Next => (Some("next"), None, None),
            RobotGame::Only(game) => (Some("only"), Some(game.0), None),
            RobotGame::Own(game) => (None, None, Some(game.0)),
            RobotGame::Past => (Some("past"), None, None),
        };
        rows.run(
            "INSERT INTO robot (id, owner_id, alive, acts_in, game_id, own_game_id) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
             ON CONFLICT (id) DO UPDATE SET owner_id = excluded.owner_id, alive = excluded.alive, acts_in = excluded.acts_in,
                 game_id = excluded.game_id, own_game_id = excluded.own_game_id",
            values![id.0, owner.map(|owner| owner.0), *alive, acts_in, game, own],
        )?;
    }
    let Some((source, position)) = position else { return Ok(()) };
    put_position(rows, source, position)
}

/// How far the stream has been read.
pub(super) fn put_position(rows: &mut dyn Statements, source: &str, position: &str) -> Result<(), SqlFault> {
    rows.run(
        "INSERT INTO stream_position (source, position) VALUES (?1, ?2)
         ON CONFLICT (source) DO UPDATE SET position = excluded.position",
        values![source, position],
    )
}

#[cfg(test)]
mod tests {
    use super::super::tests::assert_no_scan;
    use super::*;

    #[test]
    fn the_start_walks_only_through_robots_of_those_who_play() {
        assert_no_scan([LIVING_OF_PLAYING]);
    }
}
