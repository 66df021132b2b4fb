//! Commands and their batches as rows and back.

use std::sync::Arc;

use rusqlite::{Connection, OptionalExtension, Row, params};
use starkeep_game_core::{Command, CommandId, GameId, Kind, Order, PlayerId, RobotId, RoundId};
use starkeep_platform::replica::ReplicaId;
use starkeep_platform::sqlite::uuid_column;
use uuid::Uuid;

use super::kind_column::{kind, kind_word};
use super::scores;
use crate::domain::{BatchId, BatchState, Image, NewCommand, Sender};
use crate::ports::{KeptCommand, KeptRound};

/// What the rounds that are open have collected, and what has become of it.
pub(super) fn load(connection: &Connection, image: &mut Image) -> rusqlite::Result<()> {
    let open = "JOIN game ON game.id = game_id AND game.status = 'running' AND game.round_number = open.round_number";
    let mut select = connection
        .prepare(&format!("SELECT open.* FROM command AS open {open} WHERE replaced = 0 ORDER BY place"))?;
    let mut rows = select.query([])?;
    while let Some(row) = rows.next()? {
        image.take(Arc::new(read(row)?));
    }
    let mut select = connection.prepare(&format!("SELECT open.* FROM batch AS open {open}"))?;
    let mut rows = select.query([])?;
    while let Some(row) = rows.next()? {
        let (game, round) = (GameId(uuid_column(row, "game_id")?), row.get("round_number")?);
        let batch = BatchId { game, round, kind: kind(row)? };
        if let Some(state) = batch_state(row)? {
            image.begin_batch(batch, state);
        }
    }
    let mut select = connection.prepare(
        "SELECT game_id, round_number, kind, sender, executes_once FROM batch WHERE state = 'sending'",
    )?;
    let mut rows = select.query([])?;
    while let Some(row) = rows.next()? {
        let game = GameId(uuid_column(row, "game_id")?);
        let batch = BatchId { game, round: row.get("round_number")?, kind: kind(row)? };
        let replica = ReplicaId(uuid_column(row, "sender")?);
        image.set_sender(batch, Sender { replica, executes_once: row.get("executes_once")? });
    }
    // The subquery is a look at the end of an index, however many commands the game has had.
    let mut select = connection.prepare(
        "SELECT id, (SELECT place FROM command WHERE game_id = game.id ORDER BY round_number DESC, place DESC LIMIT 1) AS place
         FROM game WHERE status = 'running'",
    )?;
    let mut rows = select.query([])?;
    while let Some(row) = rows.next()? {
        if let Some(place) = row.get::<_, Option<i64>>("place")? {
            image.set_last_place(GameId(uuid_column(row, "id")?), place.unsigned_abs());
        }
    }
    let taken: i64 = connection.query_row("SELECT taken FROM command_count", [], |row| row.get(0))?;
    image.set_commands_taken(taken.unsigned_abs());
    image.index_executing();
    Ok(())
}

pub(super) fn take(
    connection: &Connection,
    NewCommand { command, replaces }: &NewCommand,
) -> rusqlite::Result<()> {
    if let Some(replaced) = replaces {
        connection
            .prepare_cached(
                "UPDATE command SET replaced = 1 WHERE game_id = ?1 AND round_number = ?2 AND place = ?3",
            )?
            .execute(params![command.game.0.as_bytes(), command.round, replaced.cast_signed()])?;
    }
    let Details { planet, target, item, quantity } = Details::of(&command.order);
    connection
        .prepare_cached(
            "INSERT INTO command (place, id, game_id, round_number, player_id, kind, robot_id, planet, target_id, item, quantity)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
        )?
        .execute(params![
            command.place.cast_signed(),
            command.id.0.as_bytes(),
            command.game.0.as_bytes(),
            command.round,
            command.player.0.as_bytes(),
            kind_word(command.order.kind()),
            command.order.robot().map(|robot| robot.0.into_bytes()),
            planet,
            target.map(|target| target.0.into_bytes()),
            item,
            quantity,
        ])
        .map(drop)
}

/// So many more commands were taken.
pub(super) fn count(connection: &Connection, commands: usize) -> rusqlite::Result<()> {
    if commands == 0 {
        return Ok(());
    }
    connection
        .prepare_cached("UPDATE command_count SET taken = taken + ?1")?
        .execute([i64::try_from(commands).unwrap_or(i64::MAX)])
        .map(drop)
}

/// A batch of which nothing was known yet.
pub(super) fn begin_batch(
    connection: &Connection,
    BatchId { game, round, kind }: BatchId,
    sender: Option<Sender>,
) -> rusqlite::Result<()> {
    let state = if sender.is_some() { BatchState::Sending } else { BatchState::Undelivered };
    let replica = sender.map(|sender| sender.replica.0.into_bytes());
    let once = sender.is_some_and(|sender| sender.executes_once);
    connection
        .prepare_cached(
            "INSERT INTO batch (game_id, round_number, kind, state, sender, executes_once)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        )?
        .execute(params![game.0.as_bytes(), round, kind_word(kind), state_word(state), replica, once])
        .map(drop)
}

/// A batch that is being sent gets another sender.
pub(super) fn resume_batch(
    connection: &Connection,
    BatchId { game, round, kind }: BatchId,
    sender: ReplicaId,
) -> rusqlite::Result<()> {
    connection
        .prepare_cached(
            "UPDATE batch SET sender = ?4
             WHERE game_id = ?1 AND round_number = ?2 AND kind = ?3 AND state = 'sending'",
        )?
        .execute(params![game.0.as_bytes(), round, kind_word(kind), sender.0.as_bytes()])
        .map(drop)
}

/// Batches of a round that is over.
pub(super) fn put_batch_states(
    connection: &Connection,
    game: GameId,
    round: u32,
    states: &[(Kind, BatchState)],
) -> rusqlite::Result<()> {
    let mut upsert = connection.prepare_cached(
        "INSERT INTO batch (game_id, round_number, kind, state) VALUES (?1, ?2, ?3, ?4)
         ON CONFLICT (game_id, round_number, kind)
         DO UPDATE SET state = excluded.state, sender = NULL WHERE batch.state = 'sending'",
    )?;
    for (kind, state) in states {
        upsert.execute(params![game.0.as_bytes(), round, kind_word(*kind), state_word(*state)])?;
    }
    Ok(())
}

/// Of a batch that is being sent still, or is unknown; a game that was deleted meanwhile has none.
pub(super) fn settle(
    connection: &Connection,
    batch: BatchId,
    state: BatchState,
    position: Option<&str>,
) -> rusqlite::Result<()> {
    let BatchId { game, round, kind } = batch;
    // The position of an answer that comes after its round is not waited for, and not kept.
    let settled = connection
        .prepare_cached(
            "UPDATE batch SET state = ?4, sender = NULL,
                 position = CASE WHEN round_number = (SELECT round_number FROM game WHERE id = ?1) THEN ?5 END
             WHERE game_id = ?1 AND round_number = ?2 AND kind = ?3 AND state IN ('sending', 'unknown')",
        )?
        .execute(params![game.0.as_bytes(), round, kind_word(kind), state_word(state), position])?;
    if position.is_some() && settled > 0 { scores::begin_with_batch(connection, batch) } else { Ok(()) }
}

pub(super) fn find(connection: &Connection, id: CommandId) -> rusqlite::Result<Option<KeptCommand>> {
    let mut select = connection.prepare_cached(
        "SELECT command.*, state FROM command LEFT JOIN batch USING (game_id, round_number, kind) WHERE id = ?1",
    )?;
    let kept = |row: &Row<'_>| {
        Ok(KeptCommand {
            command: read(row)?,
            replaced: row.get("replaced")?,
            batch: batch_state(row)?,
            result: scores::result(row)?,
        })
    };
    select.query_row([id.0.as_bytes()], kept).optional()
}

pub(super) fn of_round(
    connection: &Connection,
    game: GameId,
    round: u32,
) -> rusqlite::Result<Option<KeptRound>> {
    let mut select = connection.prepare_cached("SELECT id FROM round WHERE game_id = ?1 AND number = ?2")?;
    let id = |row: &Row<'_>| uuid_column(row, "id");
    let Some(id) = select.query_row(params![game.0.as_bytes(), round], id).optional()? else {
        return Ok(None);
    };
    let mut select = connection.prepare_cached(
        "SELECT * FROM command WHERE game_id = ?1 AND round_number = ?2 AND replaced = 0 ORDER BY place",
    )?;
    let commands = select.query_map(params![game.0.as_bytes(), round], read)?;
    Ok(Some(KeptRound { id: RoundId(id), commands: commands.collect::<rusqlite::Result<_>>()? }))
}

/// What stands beside an order's kind and robot.
#[derive(Default)]
struct Details {
    planet: Option<String>,
    target: Option<RobotId>,
    item: Option<String>,
    quantity: Option<u32>,
}

impl Details {
    fn of(order: &Order) -> Self {
        match order.clone() {
            Order::Sell { item, planet, .. } => Self { planet, item, ..Self::default() },
            Order::Buy { item, planet, .. } => Self { item: Some(item), planet, ..Self::default() },
            Order::BuyRobots { quantity, planet } => {
                Self { quantity: Some(quantity), planet, ..Self::default() }
            }
            Order::Move { planet, .. } => Self { planet: Some(planet.to_string()), ..Self::default() },
            Order::Fight { target, .. } => Self { target: Some(target), ..Self::default() },
            Order::Mine { .. } | Order::Regenerate { .. } => Self::default(),
        }
    }
}

fn read(row: &Row<'_>) -> rusqlite::Result<Command> {
    Ok(Command {
        id: CommandId(uuid_column(row, "id")?),
        game: GameId(uuid_column(row, "game_id")?),
        round: row.get("round_number")?,
        player: PlayerId(uuid_column(row, "player_id")?),
        order: order(row)?,
        place: row.get::<_, i64>("place")?.unsigned_abs(),
    })
}

fn order(row: &Row<'_>) -> rusqlite::Result<Order> {
    let planet: Option<String> = row.get("planet")?;
    if let Some(quantity) = row.get("quantity")? {
        return Ok(Order::BuyRobots { quantity, planet });
    }
    let robot = RobotId(uuid_column(row, "robot_id")?);
    Ok(match kind(row)? {
        Kind::Selling => Order::Sell { robot, item: row.get("item")?, planet },
        Kind::Buying => Order::Buy { robot, item: row.get("item")?, planet },
        Kind::Movement => Order::Move { robot, planet: uuid_in(planet) },
        Kind::Battle => Order::Fight { robot, target: RobotId(uuid_column(row, "target_id")?) },
        Kind::Mining => Order::Mine { robot },
        Kind::Regeneration => Order::Regenerate { robot },
    })
}

fn uuid_in(text: Option<String>) -> Uuid {
    text.and_then(|text| Uuid::try_parse(&text).ok()).unwrap_or_default()
}

const STATES: [BatchState; 5] = [
    BatchState::Sending,
    BatchState::Dispatched,
    BatchState::Undelivered,
    BatchState::Unknown,
    BatchState::Dropped,
];

/// None where the batch has not been begun.
fn batch_state(row: &Row<'_>) -> rusqlite::Result<Option<BatchState>> {
    let word: Option<String> = row.get("state")?;
    Ok(word.and_then(|word| STATES.into_iter().find(|state| state_word(*state) == word)))
}

fn state_word(state: BatchState) -> &'static str {
    match state {
        BatchState::Sending => "sending",
        BatchState::Dispatched => "dispatched",
        BatchState::Undelivered => "undelivered",
        BatchState::Unknown => "unknown",
        BatchState::Dropped => "dropped",
    }
}
