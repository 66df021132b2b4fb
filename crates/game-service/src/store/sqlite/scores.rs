//! Standings, scored rounds and results of commands as rows and back.

use rusqlite::{Connection, OptionalExtension, Row, params};
use starkeep_game_core::{
    Amounts, CommandId, GameId, PlayerId, ResourceKind, RobotId, Standing, TrackedRobot,
};
use starkeep_platform::sqlite::uuid_column;
use uuid::Uuid;

use super::kind_column::kind;
use crate::domain::{BatchId, CommandResult, Image, RecordedNews};
use crate::ports::KeptScore;

/// Games with rounds that are yet to be scored.
const OPEN: &str = "JOIN scored_game USING (game_id) JOIN game ON game.id = game_id
     AND (game.status <> 'ended' OR scored < game.round_number)";

pub(super) fn load(connection: &Connection, image: &mut Image) -> rusqlite::Result<()> {
    let mut select = connection.prepare(
        "SELECT id AS game_id, scored, status = 'ended' AS has_ended, round_number FROM game JOIN scored_game ON game_id = id
         WHERE status <> 'ended' OR scored < round_number",
    )?;
    let mut rows = select.query([])?;
    while let Some(row) = rows.next()? {
        let game = game_id(row)?;
        image.begin_scores(game, row.get("scored")?);
        if row.get("has_ended")? {
            image.scored_game_ended(game, row.get("round_number")?);
        }
    }
    let mut select = connection.prepare(&format!("SELECT standing.* FROM standing {OPEN}"))?;
    let mut rows = select.query([])?;
    while let Some(row) = rows.next()? {
        let (player, standing) = read_standing(row)?;
        image.put_standing(game_id(row)?, player, standing);
    }
    let mut select = connection.prepare(&format!("SELECT tracked_robot.* FROM tracked_robot {OPEN}"))?;
    let mut rows = select.query([])?;
    while let Some(row) = rows.next()? {
        let (robot, tracked) = read_robot(row)?;
        image.put_tracked_robot(game_id(row)?, robot, Some(tracked));
    }
    let batches = format!(
        "SELECT batch.* FROM batch {OPEN} WHERE batch.round_number > scored AND batch.position IS NOT NULL"
    );
    let mut select = connection.prepare(&batches)?;
    let mut rows = select.query([])?;
    while let Some(row) = rows.next()? {
        let batch = BatchId { game: game_id(row)?, round: row.get("round_number")?, kind: kind(row)? };
        image.note_answer(batch, row.get_ref("position")?.as_str()?);
    }
    Ok(())
}

pub(super) fn record(connection: &Connection, news: &RecordedNews) -> rusqlite::Result<()> {
    news.begun.iter().try_for_each(|(game, round)| begin(connection, *game, *round))?;
    let mut upsert = connection.prepare_cached(
        "INSERT INTO standing (game_id, player_id, money, robots_alive, coal, iron, gem, gold, platin, fights_won)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)
         ON CONFLICT (game_id, player_id) DO UPDATE SET money = excluded.money, robots_alive = excluded.robots_alive,
             coal = excluded.coal, iron = excluded.iron, gem = excluded.gem, gold = excluded.gold,
             platin = excluded.platin, fights_won = excluded.fights_won",
    )?;
    for (game, player, Standing { money, robots_alive, mined, fights_won }) in &news.standings {
        let [coal, iron, gem, gold, platin] = amounts(*mined);
        upsert.execute(params![
            game.0.as_bytes(),
            player.0.as_bytes(),
            money.map(integer),
            robots_alive,
            coal,
            iron,
            gem,
            gold,
            platin,
            fights_won,
        ])?;
    }
    news.robots.iter().try_for_each(|(game, id, robot)| put_robot(connection, *game, *id, *robot))?;
    news.results.iter().try_for_each(|result| put_result(connection, result))?;
    let Some((source, position)) = &news.position else { return Ok(()) };
    super::robots::put_position(connection, source, position)
}

fn begin(connection: &Connection, game: GameId, scored: u32) -> rusqlite::Result<()> {
    connection
        .prepare_cached("INSERT INTO scored_game (game_id, scored) VALUES (?1, ?2) ON CONFLICT DO NOTHING")?
        .execute(params![game.0.as_bytes(), scored])
        .map(drop)
}

/// A batch of the open round was answered with a position: from this round on the game is scored.
pub(super) fn begin_with_batch(
    connection: &Connection,
    BatchId { game, round, .. }: BatchId,
) -> rusqlite::Result<()> {
    connection
        .prepare_cached(
            "INSERT INTO scored_game (game_id, scored)
             SELECT id, ?2 - 1 FROM game WHERE id = ?1 AND status = 'running' AND round_number = ?2
             ON CONFLICT DO NOTHING",
        )?
        .execute(params![game.0.as_bytes(), round])
        .map(drop)
}

fn put_robot(
    connection: &Connection,
    game: GameId,
    id: RobotId,
    robot: Option<TrackedRobot>,
) -> rusqlite::Result<()> {
    let Some(TrackedRobot { owner, cargo, last_hit_by }) = robot else {
        return connection
            .prepare_cached("DELETE FROM tracked_robot WHERE game_id = ?1 AND robot_id = ?2")?
            .execute(params![game.0.as_bytes(), id.0.as_bytes()])
            .map(drop);
    };
    let [coal, iron, gem, gold, platin] = amounts(cargo);
    connection
        .prepare_cached(
            "INSERT INTO tracked_robot (game_id, robot_id, owner_id, coal, iron, gem, gold, platin, last_hit_by)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
             ON CONFLICT (game_id, robot_id) DO UPDATE SET owner_id = excluded.owner_id, coal = excluded.coal,
                 iron = excluded.iron, gem = excluded.gem, gold = excluded.gold, platin = excluded.platin,
                 last_hit_by = excluded.last_hit_by",
        )?
        .execute(params![
            game.0.as_bytes(),
            id.0.as_bytes(),
            owner.0.as_bytes(),
            coal,
            iron,
            gem,
            gold,
            platin,
            last_hit_by.map(|player| player.0.into_bytes()),
        ])
        .map(drop)
}

/// Of a command that is not known, or no longer, nothing is kept.
fn put_result(connection: &Connection, result: &CommandResult) -> rusqlite::Result<()> {
    connection
        .prepare_cached(
            "UPDATE command SET result_channel = ?2, result_type = ?3, result_payload = ?4 WHERE id = ?1",
        )?
        .execute(params![result.command.0.as_bytes(), result.channel, result.event_type, result.payload])
        .map(drop)
}

pub(super) fn score(
    connection: &Connection,
    game: GameId,
    round: u32,
    rows: &[(PlayerId, Standing)],
) -> rusqlite::Result<()> {
    connection
        .prepare_cached("UPDATE scored_game SET scored = ?2 WHERE game_id = ?1")?
        .execute(params![game.0.as_bytes(), round])?;
    let mut insert = connection.prepare_cached(
        "INSERT INTO round_score (game_id, round_number, player_id, money, robots_alive, mined, fights_won)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
    )?;
    for (player, Standing { money, robots_alive, mined, fights_won }) in rows {
        insert.execute(params![
            game.0.as_bytes(),
            round,
            player.0.as_bytes(),
            money.map(integer),
            robots_alive,
            integer(mined.total()),
            fights_won,
        ])?;
    }
    // After the last round nothing is told of robots any longer.
    connection
        .prepare_cached(
            "DELETE FROM tracked_robot WHERE game_id = ?1
             AND EXISTS (SELECT 1 FROM game WHERE id = ?1 AND status = 'ended' AND round_number <= ?2)",
        )?
        .execute(params![game.0.as_bytes(), round])
        .map(drop)
}

/// None if nothing was ever told of the game.
pub(super) fn standings(
    connection: &Connection,
    game: GameId,
) -> rusqlite::Result<Option<Vec<(PlayerId, Standing)>>> {
    let mut known = connection.prepare_cached("SELECT 1 FROM scored_game WHERE game_id = ?1")?;
    if known.query_row([game.0.as_bytes()], |_| Ok(())).optional()?.is_none() {
        return Ok(None);
    }
    let mut select = connection.prepare_cached("SELECT * FROM standing WHERE game_id = ?1")?;
    let rows = select.query_map([game.0.as_bytes()], read_standing)?;
    rows.collect::<rusqlite::Result<_>>().map(Some)
}

/// In the order of the rounds.
pub(super) fn scores(connection: &Connection, game: GameId) -> rusqlite::Result<Vec<KeptScore>> {
    let mut select =
        connection.prepare_cached("SELECT * FROM round_score WHERE game_id = ?1 ORDER BY round_number")?;
    let rows = select.query_map([game.0.as_bytes()], |row| {
        Ok(KeptScore {
            round: row.get("round_number")?,
            player: PlayerId(uuid_column(row, "player_id")?),
            money: row.get::<_, Option<i64>>("money")?.map(i64::unsigned_abs),
            robots_alive: row.get("robots_alive")?,
            mined: row.get::<_, i64>("mined")?.unsigned_abs(),
            fights_won: row.get("fights_won")?,
        })
    })?;
    rows.collect()
}

/// Of a command's row.
pub(super) fn result(row: &Row<'_>) -> rusqlite::Result<Option<CommandResult>> {
    let Some(channel) = row.get("result_channel")? else { return Ok(None) };
    Ok(Some(CommandResult {
        command: CommandId(uuid_column(row, "id")?),
        channel,
        event_type: row.get("result_type")?,
        payload: row.get("result_payload")?,
    }))
}

fn game_id(row: &Row<'_>) -> rusqlite::Result<GameId> {
    uuid_column(row, "game_id").map(GameId)
}

fn read_standing(row: &Row<'_>) -> rusqlite::Result<(PlayerId, Standing)> {
    let standing = Standing {
        money: row.get::<_, Option<i64>>("money")?.map(i64::unsigned_abs),
        robots_alive: row.get("robots_alive")?,
        mined: read_amounts(row)?,
        fights_won: row.get("fights_won")?,
    };
    Ok((PlayerId(uuid_column(row, "player_id")?), standing))
}

fn read_robot(row: &Row<'_>) -> rusqlite::Result<(RobotId, TrackedRobot)> {
    let last_hit_by: Option<[u8; 16]> = row.get("last_hit_by")?;
    let tracked = TrackedRobot {
        owner: PlayerId(uuid_column(row, "owner_id")?),
        cargo: read_amounts(row)?,
        last_hit_by: last_hit_by.map(Uuid::from_bytes).map(PlayerId),
    };
    Ok((RobotId(uuid_column(row, "robot_id")?), tracked))
}

fn read_amounts(row: &Row<'_>) -> rusqlite::Result<Amounts> {
    let mut amounts = Amounts::NONE;
    for kind in ResourceKind::ALL {
        amounts.add(kind, row.get::<_, i64>(kind.as_str())?.unsigned_abs());
    }
    Ok(amounts)
}

fn amounts(amounts: Amounts) -> [i64; 5] {
    amounts.each().map(|(_, amount)| integer(amount))
}

/// No game comes near the largest number.
fn integer(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}
