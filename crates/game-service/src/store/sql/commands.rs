//! Commands and their batches as rows and back.

use std::sync::Arc;

use starkeep_game_core::{Command, CommandId, GameId, Kind, Order, PlayerId, RobotId, RoundId};
use starkeep_platform::replica::ReplicaId;
use starkeep_platform::sql::{Row, SqlConnection, SqlFault, Statements};
use starkeep_platform::values;
use uuid::Uuid;

use super::kind_column::{kind, kind_word};
use super::{only_row, scores};
use crate::domain::{BatchId, BatchState, Image, NewCommand, Sender};
use crate::ports::{KeptCommand, KeptRound};

/// Rows of the rounds that are open.
macro_rules! open {
    ($table:literal) => {
        concat!(
            "SELECT open.* FROM ",
            $table,
            " AS open JOIN game ON game.id = game_id AND game.status = 'running'
                 AND game.round_number = open.round_number"
        )
    };
}

const OPEN_COMMANDS: &str = concat!(open!("command"), " WHERE replaced = 0 ORDER BY place");
const OPEN_BATCHES: &str = open!("batch");
const SENDING: &str =
    "SELECT game_id, round_number, kind, sender, executes_once FROM batch WHERE state = 'sending'";
/// The subquery is a look at the end of an index, however many commands the game has had.
const LAST_PLACES: &str =
    "SELECT id, (SELECT place FROM command WHERE game_id = game.id ORDER BY round_number DESC, place DESC LIMIT 1) AS place
     FROM game WHERE status = 'running'";

/// What the rounds that are open have collected, and what has become of it.
pub(super) async fn load(connection: &dyn SqlConnection, image: &mut Image) -> Result<(), SqlFault> {
    for row in connection.query(OPEN_COMMANDS, &[]).await? {
        image.take(Arc::new(read(&row)?));
    }
    for row in connection.query(OPEN_BATCHES, &[]).await? {
        if let Some(state) = batch_state(&row)? {
            image.begin_batch(batch_id(&row)?, state);
        }
    }
    for row in connection.query(SENDING, &[]).await? {
        let replica = ReplicaId(row.get("sender")?);
        image.set_sender(batch_id(&row)?, Sender { replica, executes_once: row.get("executes_once")? });
    }
    for row in connection.query(LAST_PLACES, &[]).await? {
        if let Some(place) = row.get("place")? {
            image.set_last_place(GameId(row.get("id")?), place);
        }
    }
    image.set_commands_taken(only_row(connection, "SELECT taken FROM command_count").await?.first()?);
    image.index_executing();
    Ok(())
}

pub(super) fn take(
    rows: &mut dyn Statements,
    NewCommand { command, replaces }: &NewCommand,
) -> Result<(), SqlFault> {
    if let Some(replaced) = replaces {
        rows.run(
            "UPDATE command SET replaced = 1 WHERE game_id = ?1 AND round_number = ?2 AND place = ?3",
            values![command.game.0, command.round, *replaced],
        )?;
    }
    let Details { planet, target, item, quantity } = Details::of(&command.order);
    rows.run(
        "INSERT INTO command (place, id, game_id, round_number, player_id, kind, robot_id, planet, target_id, item, quantity)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
        values![
            command.place,
            command.id.0,
            command.game.0,
            command.round,
            command.player.0,
            kind_word(command.order.kind()),
            command.order.robot().map(|robot| robot.0),
            planet.as_deref(),
            target.map(|target| target.0),
            item.as_deref(),
            quantity,
        ],
    )
}

/// So many more commands were taken.
pub(super) fn count(rows: &mut dyn Statements, commands: usize) -> Result<(), SqlFault> {
    if commands == 0 {
        return Ok(());
    }
    rows.run("UPDATE command_count SET taken = taken + ?1", values![commands])
}

/// A batch of which nothing was known yet.
pub(super) fn begin_batch(
    rows: &mut dyn Statements,
    BatchId { game, round, kind }: BatchId,
    sender: Option<Sender>,
) -> Result<(), SqlFault> {
    let state = if sender.is_some() { BatchState::Sending } else { BatchState::Undelivered };
    let replica = sender.map(|sender| sender.replica.0);
    let once = sender.is_some_and(|sender| sender.executes_once);
    rows.run(
        "INSERT INTO batch (game_id, round_number, kind, state, sender, executes_once)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        values![game.0, round, kind_word(kind), state_word(state), replica, once],
    )
}

/// A batch that is being sent gets another sender.
pub(super) fn resume_batch(
    rows: &mut dyn Statements,
    BatchId { game, round, kind }: BatchId,
    sender: ReplicaId,
) -> Result<(), SqlFault> {
    rows.run(
        "UPDATE batch SET sender = ?4 WHERE game_id = ?1 AND round_number = ?2 AND kind = ?3 AND state = 'sending'",
        values![game.0, round, kind_word(kind), sender.0],
    )
}

/// Batches of a round that is over.
pub(super) fn put_batch_states(
    rows: &mut dyn Statements,
    game: GameId,
    round: u32,
    states: &[(Kind, BatchState)],
) -> Result<(), SqlFault> {
    states.iter().try_for_each(|(kind, state)| {
        rows.run(
            "INSERT INTO batch (game_id, round_number, kind, state) VALUES (?1, ?2, ?3, ?4)
             ON CONFLICT (game_id, round_number, kind)
             DO UPDATE SET state = excluded.state, sender = NULL WHERE batch.state = 'sending'",
            values![game.0, round, kind_word(*kind), state_word(*state)],
        )
    })
}

/// Of a batch that is being sent still, or is unknown; a game that was deleted meanwhile has none.
pub(super) fn settle(
    rows: &mut dyn Statements,
    batch: BatchId,
    state: BatchState,
    position: Option<&str>,
) -> Result<(), SqlFault> {
    if position.is_some() {
        // First, because afterwards the row no longer tells whether it was this answer that settled the batch.
        scores::begin_with_batch(rows, batch)?;
    }
    let BatchId { game, round, kind } = batch;
    // The position of an answer that comes after its round is not waited for, and not kept.
    rows.run(
        "UPDATE batch SET state = ?4, sender = NULL,
             position = CASE WHEN round_number = (SELECT round_number FROM game WHERE id = ?1) THEN ?5 END
         WHERE game_id = ?1 AND round_number = ?2 AND kind = ?3 AND state IN ('sending', 'unknown')",
        values![game.0, round, kind_word(kind), state_word(state), position],
    )
}

pub(super) async fn find(
    connection: &dyn SqlConnection,
    id: CommandId,
) -> Result<Option<KeptCommand>, SqlFault> {
    let row = connection.query_one(
        "SELECT command.*, state FROM command LEFT JOIN batch USING (game_id, round_number, kind) WHERE id = ?1",
        values![id.0],
    );
    row.await?.as_ref().map(kept).transpose()
}

/// In the order in which they were taken.
pub(super) async fn carried_out(
    connection: &dyn SqlConnection,
    game: GameId,
    round: u32,
) -> Result<Vec<KeptCommand>, SqlFault> {
    let rows = connection.query(
        "SELECT command.*, state FROM command LEFT JOIN batch USING (game_id, round_number, kind)
         WHERE game_id = ?1 AND round_number = ?2 AND replaced = 0 ORDER BY place",
        values![game.0, round],
    );
    rows.await?.iter().map(kept).collect()
}

fn kept(row: &Row) -> Result<KeptCommand, SqlFault> {
    Ok(KeptCommand {
        command: read(row)?,
        replaced: row.get("replaced")?,
        batch: batch_state(row)?,
        result: scores::result(row)?,
    })
}

/// To be asked in a snapshot.
pub(super) async fn of_round(
    connection: &dyn SqlConnection,
    game: GameId,
    round: u32,
) -> Result<Option<KeptRound>, SqlFault> {
    let values = values![game.0, round];
    let row = connection.query_one("SELECT id FROM round WHERE game_id = ?1 AND number = ?2", values).await?;
    let Some(row) = row else { return Ok(None) };
    let commands = connection.query(
        "SELECT * FROM command WHERE game_id = ?1 AND round_number = ?2 AND replaced = 0 ORDER BY place",
        values,
    );
    let commands = commands.await?.iter().map(read).collect::<Result<_, _>>()?;
    Ok(Some(KeptRound { id: RoundId(row.get("id")?), commands }))
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

fn batch_id(row: &Row) -> Result<BatchId, SqlFault> {
    Ok(BatchId { game: GameId(row.get("game_id")?), round: row.get("round_number")?, kind: kind(row)? })
}

fn read(row: &Row) -> Result<Command, SqlFault> {
    Ok(Command {
        id: CommandId(row.get("id")?),
        game: GameId(row.get("game_id")?),
        round: row.get("round_number")?,
        player: PlayerId(row.get("player_id")?),
        order: order(row)?,
        place: row.get("place")?,
    })
}

fn order(row: &Row) -> Result<Order, SqlFault> {
    let planet: Option<String> = row.get("planet")?;
    if let Some(quantity) = row.get("quantity")? {
        return Ok(Order::BuyRobots { quantity, planet });
    }
    let robot = RobotId(row.get("robot_id")?);
    Ok(match kind(row)? {
        Kind::Selling => Order::Sell { robot, item: row.get("item")?, planet },
        Kind::Buying => Order::Buy { robot, item: row.get("item")?, planet },
        Kind::Movement => Order::Move { robot, planet: uuid_in(planet) },
        Kind::Battle => Order::Fight { robot, target: RobotId(row.get("target_id")?) },
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
fn batch_state(row: &Row) -> Result<Option<BatchState>, SqlFault> {
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

#[cfg(test)]
mod tests {
    use starkeep_platform::sql::SqlTables as _;
    use starkeep_platform::sqlite::SqliteConnection;

    use super::super::tests::assert_no_scan;
    use super::*;
    use crate::domain::Games;

    /// In its third round.
    const GAME: &str = "INSERT INTO game (id, status, max_rounds, max_players, round_length_millis, joined, created_at_millis,
         started_at_millis, slot, timer_since_nanos, round_number, round_id, current_round_length_millis,
         round_begins_seconds, round_begins_nanos, phase)
         VALUES (?1, 'running', 5, 5, 5000, 0, 0, 0, 1, 0, 3, ?1, 5000, 0, 0, 'execution')";
    const BATCH: &str =
        "INSERT INTO batch (game_id, round_number, kind, state, sender) VALUES (?1, ?2, 'mining', ?3, ?4)";

    #[test]
    fn the_start_walks_only_through_what_is_open() {
        assert_no_scan([OPEN_COMMANDS, OPEN_BATCHES, SENDING, LAST_PLACES]);
    }

    #[test]
    fn only_an_answer_that_settles_a_batch_of_the_open_round_begins_scores() {
        let game = GameId(Uuid::from_u128(1));
        for (before, round, position, scored) in [
            ("sending", 3, Some("7"), Some(2)),
            ("unknown", 3, Some("7"), Some(2)),
            ("dispatched", 3, Some("7"), None),
            ("sending", 2, Some("7"), None),
            ("sending", 3, None, None),
        ] {
            let connection = SqliteConnection::in_memory(Games::SQLITE_MIGRATIONS).unwrap();
            let sender = (before == "sending").then_some(game.0);
            let batch = BatchId { game, round, kind: Kind::Mining };
            let settled = connection.batch(|rows| {
                rows.run(GAME, values![game.0])?;
                rows.run(BATCH, values![game.0, round, before, sender])?;
                settle(rows, batch, BatchState::Dispatched, position)
            });
            assert_eq!(settled, Ok(()));
            let find = "SELECT (SELECT scored FROM scored_game), position, state FROM batch";
            let found = connection.lock().query_row(find, [], |row| <(_, _, _)>::try_from(row));
            let kept = scored.and(position).map(str::to_owned);
            assert_eq!(found, Ok((scored, kept, "dispatched".to_owned())), "{before} in round {round}");
        }
    }
}
