//! Standings, scored rounds and results of commands as rows and back.

use starkeep_game_core::{
    Amounts, CommandId, GameId, PlayerId, ResourceKind, RobotId, Standing, TrackedRobot,
};
use starkeep_platform::sql::{Row, SqlConnection, SqlFault, Statements};
use starkeep_platform::values;
use uuid::Uuid;

use super::kind_column::{kind, kind_word};
use crate::domain::{BatchId, CommandResult, Image, Known, RecordedNews};
use crate::ports::{KeptScore, KeptStandings};

/// The ids of games with rounds that are yet to be scored. One row a game is looked at to find them, and no other row of
/// the games that are scored.
macro_rules! open_games {
    () => {
        "SELECT game_id FROM scored_game JOIN game ON id = game_id WHERE status <> 'ended' OR scored < round_number"
    };
}

const OPEN_STANDINGS: &str = concat!("SELECT * FROM standing WHERE game_id IN (", open_games!(), ")");
const OPEN_ROBOTS: &str = concat!("SELECT * FROM tracked_robot WHERE game_id IN (", open_games!(), ")");
const OPEN_ANSWERS: &str = concat!(
    "SELECT batch.* FROM scored_game JOIN batch USING (game_id)
     WHERE batch.round_number > scored AND batch.position IS NOT NULL AND game_id IN (",
    open_games!(),
    ")"
);

pub(super) async fn load(connection: &dyn SqlConnection, image: &mut Image) -> Result<(), SqlFault> {
    let games = connection.query(
        "SELECT game_id, scored, CASE WHEN status = 'ended' THEN 1 ELSE 0 END AS has_ended, round_number
         FROM game JOIN scored_game ON game_id = id WHERE status <> 'ended' OR scored < round_number",
        &[],
    );
    for row in games.await? {
        let game = game_id(&row)?;
        image.begin_scores(game, row.get("scored")?);
        if row.get("has_ended")? {
            image.scored_game_ended(game, row.get("round_number")?);
        }
    }
    for row in connection.query(OPEN_STANDINGS, &[]).await? {
        let (player, standing) = read_standing(&row)?;
        image.put_standing(game_id(&row)?, player, standing);
    }
    for row in connection.query(OPEN_ROBOTS, &[]).await? {
        let (robot, tracked) = read_robot(&row)?;
        image.put_tracked_robot(game_id(&row)?, robot, Some(tracked));
    }
    for row in connection.query(OPEN_ANSWERS, &[]).await? {
        let batch = BatchId { game: game_id(&row)?, round: row.get("round_number")?, kind: kind(&row)? };
        image.note_answer(batch, row.text("position")?);
    }
    Ok(())
}

pub(super) fn record(rows: &mut dyn Statements, news: &RecordedNews) -> Result<(), SqlFault> {
    news.begun.iter().try_for_each(|(game, round)| begin(rows, *game, *round))?;
    for (game, player, Standing { money, robots_alive, mined, fights_won }) in &news.standings {
        let [coal, iron, gem, gold, platin] = amounts(*mined);
        rows.run(
            "INSERT INTO standing (game_id, player_id, money, robots_alive, coal, iron, gem, gold, platin, fights_won)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)
             ON CONFLICT (game_id, player_id) DO UPDATE SET money = excluded.money, robots_alive = excluded.robots_alive,
                 coal = excluded.coal, iron = excluded.iron, gem = excluded.gem, gold = excluded.gold,
                 platin = excluded.platin, fights_won = excluded.fights_won",
            values![
                game.0,
                player.0,
                money.map(integer),
                *robots_alive,
                coal,
                iron,
                gem,
                gold,
                platin,
                *fights_won,
            ],
        )?;
    }
    news.robots.iter().try_for_each(|(game, id, robot)| put_robot(rows, *game, *id, *robot))?;
    news.results.iter().try_for_each(|result| put_result(rows, result))?;
    let Some((source, position)) = &news.position else { return Ok(()) };
    super::robots::put_position(rows, source, position)
}

fn begin(rows: &mut dyn Statements, game: GameId, scored: u32) -> Result<(), SqlFault> {
    rows.run(
        "INSERT INTO scored_game (game_id, scored) VALUES (?1, ?2) ON CONFLICT DO NOTHING",
        values![game.0, scored],
    )
}

/// A batch of the open round that is still to be settled was answered with a position: from this round on the game is
/// scored.
pub(super) fn begin_with_batch(
    rows: &mut dyn Statements,
    BatchId { game, round, kind }: BatchId,
) -> Result<(), SqlFault> {
    rows.run(
        "INSERT INTO scored_game (game_id, scored)
         SELECT id, round_number - 1 FROM game WHERE id = ?1 AND status = 'running' AND round_number = ?2
         AND EXISTS (SELECT 1 FROM batch
             WHERE game_id = ?1 AND round_number = ?2 AND kind = ?3 AND state IN ('sending', 'unknown'))
         ON CONFLICT DO NOTHING",
        values![game.0, round, kind_word(kind)],
    )
}

fn put_robot(
    rows: &mut dyn Statements,
    game: GameId,
    id: RobotId,
    robot: Option<TrackedRobot>,
) -> Result<(), SqlFault> {
    let Some(TrackedRobot { owner, cargo, last_hit_by }) = robot else {
        return rows
            .run("DELETE FROM tracked_robot WHERE game_id = ?1 AND robot_id = ?2", values![game.0, id.0]);
    };
    let [coal, iron, gem, gold, platin] = amounts(cargo);
    rows.run(
        "INSERT INTO tracked_robot (game_id, robot_id, owner_id, coal, iron, gem, gold, platin, last_hit_by)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
         ON CONFLICT (game_id, robot_id) DO UPDATE SET owner_id = excluded.owner_id, coal = excluded.coal,
             iron = excluded.iron, gem = excluded.gem, gold = excluded.gold, platin = excluded.platin,
             last_hit_by = excluded.last_hit_by",
        values![game.0, id.0, owner.0, coal, iron, gem, gold, platin, last_hit_by.map(|player| player.0),],
    )
}

/// Of a command that is not known, or no longer, nothing is kept.
fn put_result(rows: &mut dyn Statements, result: &CommandResult) -> Result<(), SqlFault> {
    rows.run(
        "UPDATE command SET result_channel = ?2, result_type = ?3, result_payload = ?4 WHERE id = ?1",
        values![result.command.0, &result.channel, &result.event_type, &result.payload],
    )
}

pub(super) fn score(
    rows: &mut dyn Statements,
    game: GameId,
    round: u32,
    standings: &[(PlayerId, Standing)],
    known: Known,
) -> Result<(), SqlFault> {
    rows.run("UPDATE scored_game SET scored = ?2 WHERE game_id = ?1", values![game.0, round])?;
    for (player, Standing { money, robots_alive, mined, fights_won }) in standings {
        rows.run(
            "INSERT INTO round_score (game_id, round_number, player_id, money, robots_alive, mined, fights_won, known)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
            values![
                game.0,
                round,
                player.0,
                money.map(integer),
                *robots_alive,
                integer(mined.total()),
                *fights_won,
                u32::from(known.bits()),
            ],
        )?;
    }
    // After the last round nothing is told of robots any longer.
    rows.run(
        "DELETE FROM tracked_robot WHERE game_id = ?1
         AND EXISTS (SELECT 1 FROM game WHERE id = ?1 AND status = 'ended' AND round_number <= ?2)",
        values![game.0, round],
    )
}

/// None if nothing was ever told of the game.
pub(super) async fn standings(
    connection: &dyn SqlConnection,
    game: GameId,
) -> Result<Option<KeptStandings>, SqlFault> {
    let rows = connection.query(
        "SELECT player_id, money, robots_alive, coal, iron, gem, gold, platin, fights_won
         FROM scored_game LEFT JOIN standing ON standing.game_id = scored_game.game_id
         WHERE scored_game.game_id = ?1",
        values![game.0],
    );
    let rows = rows.await?;
    if rows.is_empty() {
        return Ok(None);
    }
    let mut standings = Vec::new();
    for row in &rows {
        // A game of which nobody stands anywhere has one row, without a player.
        if row.get::<Option<Uuid>>("player_id")?.is_some() {
            standings.push(read_standing(row)?);
        }
    }
    Ok(Some(standings))
}

/// In the order of the rounds.
pub(super) async fn scores(connection: &dyn SqlConnection, game: GameId) -> Result<Vec<KeptScore>, SqlFault> {
    let of_game = "SELECT * FROM round_score WHERE game_id = ?1 ORDER BY round_number";
    let rows = connection.query(of_game, values![game.0]).await?;
    let scores = rows.iter().map(|row| {
        Ok(KeptScore {
            round: row.get("round_number")?,
            player: PlayerId(row.get("player_id")?),
            money: row.get("money")?,
            robots_alive: row.get("robots_alive")?,
            mined: row.get("mined")?,
            fights_won: row.get("fights_won")?,
            known: Known::from_bits(row.get("known")?),
        })
    });
    scores.collect()
}

/// Of a command's row.
pub(super) fn result(row: &Row) -> Result<Option<CommandResult>, SqlFault> {
    let Some(channel) = row.get("result_channel")? else { return Ok(None) };
    Ok(Some(CommandResult {
        command: CommandId(row.get("id")?),
        channel,
        event_type: row.get("result_type")?,
        payload: row.get("result_payload")?,
    }))
}

fn game_id(row: &Row) -> Result<GameId, SqlFault> {
    row.get("game_id").map(GameId)
}

fn read_standing(row: &Row) -> Result<(PlayerId, Standing), SqlFault> {
    let standing = Standing {
        money: row.get("money")?,
        robots_alive: row.get("robots_alive")?,
        mined: read_amounts(row)?,
        fights_won: row.get("fights_won")?,
    };
    Ok((PlayerId(row.get("player_id")?), standing))
}

fn read_robot(row: &Row) -> Result<(RobotId, TrackedRobot), SqlFault> {
    let tracked = TrackedRobot {
        owner: PlayerId(row.get("owner_id")?),
        cargo: read_amounts(row)?,
        last_hit_by: row.get::<Option<Uuid>>("last_hit_by")?.map(PlayerId),
    };
    Ok((RobotId(row.get("robot_id")?), tracked))
}

fn read_amounts(row: &Row) -> Result<Amounts, SqlFault> {
    let mut amounts = Amounts::NONE;
    for kind in ResourceKind::ALL {
        amounts.add(kind, row.get(kind.as_str())?);
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
