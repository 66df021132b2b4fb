//! A game as a row and back, with its seats and rounds.
//! Which rows are written when is in the module above.

use std::collections::HashMap;
use std::time::Duration;

use futures::future::try_join;
use imbl::HashSet;
use jiff::Timestamp;
use starkeep_game_core::{
    Ended, Game, GameId, Moment, Pace, Phase, PlayerId, ReplenishmentMode, Roster, RosterChange, Round,
    RoundId, Running, StartUnderWay, State, Timer, WorldId,
};
use starkeep_platform::sql::{Row, SqlConnection, SqlFault, Statements, Value};
use starkeep_platform::values;
use uuid::Uuid;

use crate::domain::{GameMove, Heartbeat};
use crate::ports::Age;

/// Statements for some games and for their seats, in the order of joining.
type GamesAndSeats = (&'static str, &'static str);

macro_rules! seats {
    ($($of_games:literal),+) => {
        concat!(
            "SELECT game_id, player_id, transaction_id, ready_in_round, taken_out FROM participant WHERE game_id ",
            $($of_games,)+
            " ORDER BY game_id, seat"
        )
    };
}

macro_rules! games_and_seats {
    ($which:literal) => {
        (concat!("SELECT * FROM game ", $which), seats!("IN (SELECT id FROM game ", $which, ")"))
    };
}

const ONE: GamesAndSeats = ("SELECT * FROM game WHERE id = ?1", seats!("= ?1"));

/// Written so that ended games are not walked through.
const ACTIVE: GamesAndSeats = games_and_seats!("WHERE status IN ('created', 'running')");

const ENDED: GamesAndSeats = games_and_seats!(
    "WHERE status = 'ended' AND (created_at_millis, id) < (?1, ?2)
     ORDER BY created_at_millis DESC, id DESC LIMIT ?3"
);

/// To be asked in a snapshot, like everything that is made of games and seats.
async fn games(
    connection: &dyn SqlConnection,
    (games, seats): GamesAndSeats,
    values: &[Value<'_>],
) -> Result<Vec<Game>, SqlFault> {
    let (games, seats) = try_join(connection.query(games, values), connection.query(seats, values)).await?;
    let mut seats_of = HashMap::<GameId, Vec<Seat>>::new();
    for row in &seats {
        seats_of.entry(GameId(row.get("game_id")?)).or_default().push(read_seat(row)?);
    }
    let games = games.iter().map(|row| {
        let mut game = read(row)?;
        let seats = seats_of.remove(&game.id).unwrap_or_default();
        if let State::Running(running) = &mut game.state {
            let is_ready = |seat: &&Seat| seat.ready_in == running.round.number && !seat.taken_out;
            let ready = seats.iter().filter(is_ready);
            running.ready = ready.map(|seat| seat.player).collect();
        }
        let taken_out: Vec<_> = seats.iter().filter(|seat| seat.taken_out).map(|seat| seat.player).collect();
        let roster: Roster = seats.into_iter().map(|seat| (seat.player, seat.transaction)).collect();
        game.roster = taken_out.into_iter().fold(roster, |roster, player| roster.taking_out(player));
        Ok(game)
    });
    games.collect()
}

/// Those that are created or running.
pub(super) async fn active_games(connection: &dyn SqlConnection) -> Result<Vec<Game>, SqlFault> {
    games(connection, ACTIVE, &[]).await
}

pub(super) async fn game(connection: &dyn SqlConnection, id: GameId) -> Result<Option<Game>, SqlFault> {
    Ok(games(connection, ONE, values![id.0]).await?.pop())
}

pub(super) async fn ended_games(
    connection: &dyn SqlConnection,
    after: Option<Age>,
    limit: usize,
) -> Result<Vec<Game>, SqlFault> {
    let (at, id) = after.unwrap_or((Timestamp::MAX, GameId(Uuid::max())));
    games(connection, ENDED, values![at, id.0, limit]).await
}

/// The index has the ids, so that no row of a game is read.
pub(super) async fn ended_game_ids(connection: &dyn SqlConnection) -> Result<Vec<GameId>, SqlFault> {
    let rows = connection.query("SELECT id FROM game WHERE status = 'ended'", &[]).await?;
    rows.iter().map(|row| row.get("id").map(GameId)).collect()
}

/// Another game was created.
pub(super) fn count(rows: &mut dyn Statements) -> Result<(), SqlFault> {
    rows.run("UPDATE game_count SET created = created + 1", &[])
}

fn slot(game: &Game) -> Option<u32> {
    match &game.state {
        State::Created { start } => start.map(|start| start.slot),
        State::Running(running) => Some(running.slot),
        State::Ended(_) => None,
    }
}

/// A player has come or gone.
pub(super) fn count_player(
    rows: &mut dyn Statements,
    game: GameId,
    change: RosterChange,
) -> Result<(), SqlFault> {
    rows.run("UPDATE game SET joined = joined + ?2 WHERE id = ?1", values![game.0, seats_taken_by(change)])
}

fn seats_taken_by(change: RosterChange) -> i32 {
    match change {
        RosterChange::TakenOut(_) => 0,
        RosterChange::Joined { .. } => 1,
        RosterChange::Left(_) => -1,
    }
}

/// Writes everything but the players; who came or went is counted.
pub(super) fn put(
    rows: &mut dyn Statements,
    game: &Game,
    roster: Option<RosterChange>,
) -> Result<(), SqlFault> {
    let (status, started_at, ended_at) = match &game.state {
        State::Created { .. } => ("created", None, None),
        State::Running(running) => ("running", Some(running.started_at), None),
        State::Ended(ended) => ("ended", ended.started_at, Some(ended.ended_at)),
    };
    let running = if let State::Running(running) = &game.state { Some(running) } else { None };
    let ended = if let State::Ended(ended) = &game.state { Some(ended) } else { None };
    let start_world =
        if let State::Created { start: Some(start) } = &game.state { Some(start.world.0) } else { None };
    let (from, phase_ends) =
        running.map(|running| (running.timer.from, running.phase_ends)).unwrap_or_default();
    let seats_taken = roster.map_or(0, seats_taken_by);
    rows.run(
        include_str!("put_game.sql"),
        values![
            game.id.0,
            status,
            game.max_rounds,
            game.max_players,
            game.round_length,
            // Of a row that is new. It is also checked where there is one already, and must not be below zero.
            seats_taken.max(0),
            game.seed,
            game.style.as_deref(),
            game.world.map(|world| world.0),
            game.replaced_world.map(|world| world.0),
            game.created_at,
            started_at,
            ended_at,
            slot(game),
            start_world,
            running.map(|running| running.timer.since.0),
            running.map_or_else(|| game.current_round(), |running| running.round.number),
            running.map(|running| running.round.id.0),
            running.map(|running| running.round.length),
            running.map(|running| running.round.begins.as_secs()),
            running.map(|running| running.round.begins.subsec_nanos()),
            running.map(|running| phase_word(running.phase)),
            ended.map(|ended| ended.game_time.as_secs()),
            ended.map(|ended| ended.game_time.subsec_nanos()),
            ended.map(|ended| ended.round_time.as_secs()),
            ended.map(|ended| ended.round_time.subsec_nanos()),
            from.as_secs(),
            from.subsec_nanos(),
            running.is_some_and(|running| running.timer.paused),
            phase_ends.as_secs(),
            phase_ends.subsec_nanos(),
            pace_word(game.pace),
            running.is_some_and(|running| running.phase == Phase::Countdown),
            game.start_money,
            game.drawn_seed,
            game.nonce.as_deref(),
            game.world_is_given,
            replenishment_word(game.replenishment),
            running.map_or(0, |running| running.replenished_after),
            &game.name,
            seats_taken,
        ],
    )
}

/// Writes what a boundary, or somebody who sets the clock, can change of a game that runs and goes on running. No index
/// has these columns, which makes it half the work of `put`, and most of what a running game writes is this.
pub(super) fn advance(rows: &mut dyn Statements, game: &Game, running: &Running) -> Result<(), SqlFault> {
    let Running { timer, round, phase, phase_ends, replenished_after, .. } = running;
    rows.run(
        include_str!("advance_game.sql"),
        values![
            game.id.0,
            game.max_rounds,
            game.round_length,
            timer.since.0,
            round.number,
            round.id.0,
            round.length,
            round.begins.as_secs(),
            round.begins.subsec_nanos(),
            phase_word(*phase),
            timer.from.as_secs(),
            timer.from.subsec_nanos(),
            timer.paused,
            phase_ends.as_secs(),
            phase_ends.subsec_nanos(),
            pace_word(game.pace),
            *phase == Phase::Countdown,
            *replenished_after,
        ],
    )
}

/// In the countdown the row shows the first round's collection, with a mark that it has yet to begin.
fn phase_word(phase: Phase) -> &'static str {
    match phase {
        Phase::Countdown | Phase::Collection => "collection",
        Phase::Execution => "execution",
    }
}

fn pace_word(pace: Pace) -> &'static str {
    match pace {
        Pace::Clock => "clock",
        Pace::Turbo => "turbo",
    }
}

fn replenishment_word(replenishment: ReplenishmentMode) -> &'static str {
    match replenishment {
        ReplenishmentMode::Automatic => "automatic",
        ReplenishmentMode::OnRequest => "on_request",
    }
}

/// Writes who came, who went and who is ready; seats are numbered in the order of joining.
pub(super) fn put_players(rows: &mut dyn Statements, moved: &GameMove) -> Result<(), SqlFault> {
    let game = moved.game.without_players();
    match moved.roster {
        Some(RosterChange::Joined { player, transaction }) => rows.run(
            "INSERT INTO participant (game_id, player_id, transaction_id, seat)
             SELECT ?1, ?2, ?3, coalesce(max(seat), 0) + 1 FROM participant WHERE game_id = ?1",
            values![game.id.0, player.0, transaction],
        )?,
        Some(RosterChange::Left(player)) => rows.run(
            "DELETE FROM participant WHERE game_id = ?1 AND player_id = ?2",
            values![game.id.0, player.0],
        )?,
        Some(RosterChange::TakenOut(player)) => rows.run(
            "UPDATE participant SET taken_out = 1 WHERE game_id = ?1 AND player_id = ?2",
            values![game.id.0, player.0],
        )?,
        None => {}
    }
    let Some(player) = moved.ready else { return Ok(()) };
    rows.run(
        "UPDATE participant SET ready_in_round = ?3 WHERE game_id = ?1 AND player_id = ?2",
        values![game.id.0, player.0, game.current_round()],
    )
}

/// The open round.
pub(super) fn put_round(rows: &mut dyn Statements, game: &Game) -> Result<(), SqlFault> {
    let State::Running(Running { round, .. }) = &game.state else { return Ok(()) };
    rows.run(
        "INSERT INTO round (game_id, number, id) VALUES (?1, ?2, ?3)",
        values![game.id.0, round.number, round.id.0],
    )
}

pub(super) fn shift_timer(rows: &mut dyn Statements, id: GameId, since: Moment) -> Result<(), SqlFault> {
    rows.run(
        "UPDATE game SET timer_since_nanos = ?2 WHERE id = ?1 AND status = 'running'",
        values![id.0, since.0],
    )
}

pub(super) fn delete(rows: &mut dyn Statements, id: GameId) -> Result<(), SqlFault> {
    rows.run("DELETE FROM game WHERE id = ?1", values![id.0])
}

struct Seat {
    player: PlayerId,
    transaction: Option<Uuid>,
    /// The last round in which the player was ready.
    ready_in: u32,
    taken_out: bool,
}

fn read_seat(row: &Row) -> Result<Seat, SqlFault> {
    Ok(Seat {
        player: PlayerId(row.get("player_id")?),
        transaction: row.get("transaction_id")?,
        ready_in: row.get("ready_in_round")?,
        taken_out: row.get("taken_out")?,
    })
}

fn read(row: &Row) -> Result<Game, SqlFault> {
    Ok(Game {
        id: GameId(row.get("id")?),
        name: row.get("name")?,
        max_rounds: row.get("max_rounds")?,
        max_players: row.get("max_players")?,
        round_length: row.get("round_length_millis")?,
        pace: if row.text("pace")? == "turbo" { Pace::Turbo } else { Pace::Clock },
        seed: row.get("seed")?,
        drawn_seed: row.get("drawn_seed")?,
        style: row.get("style")?,
        nonce: row.get("nonce")?,
        start_money: row.get("start_money")?,
        world: world(row, "world_id")?,
        world_is_given: row.get("world_is_given")?,
        replenishment: match row.text("replenishment")? {
            "on_request" => ReplenishmentMode::OnRequest,
            _ => ReplenishmentMode::Automatic,
        },
        replaced_world: world(row, "replaced_world_id")?,
        roster: Roster::default(),
        created_at: row.get("created_at_millis")?,
        state: match row.text("status")? {
            "running" => State::Running(read_running(row)?),
            "ended" => State::Ended(read_ended(row)?),
            _ => State::Created { start: read_start(row)? },
        },
    })
}

fn read_start(row: &Row) -> Result<Option<StartUnderWay>, SqlFault> {
    let slot: Option<u32> = row.get("slot")?;
    Ok(slot.zip(world(row, "start_world_id")?).map(|(slot, world)| StartUnderWay { slot, world }))
}

fn read_running(row: &Row) -> Result<Running, SqlFault> {
    Ok(Running {
        slot: row.get("slot")?,
        started_at: row.get("started_at_millis")?,
        timer: Timer {
            since: Moment(row.get("timer_since_nanos")?),
            from: duration(row, "timer_from_seconds", "timer_from_nanos")?,
            paused: row.get("paused")?,
        },
        round: Round {
            id: RoundId(row.get("round_id")?),
            number: row.get("round_number")?,
            length: row.get("current_round_length_millis")?,
            begins: duration(row, "round_begins_seconds", "round_begins_nanos")?,
        },
        phase: match row.text("phase")? {
            "execution" => Phase::Execution,
            _ if row.get("countdown")? => Phase::Countdown,
            _ => Phase::Collection,
        },
        phase_ends: duration(row, "phase_ends_seconds", "phase_ends_nanos")?,
        // Known from the seats, which are read by themselves.
        ready: HashSet::new(),
        replenished_after: row.get("replenished_after")?,
    })
}

fn read_ended(row: &Row) -> Result<Ended, SqlFault> {
    Ok(Ended {
        started_at: row.get("started_at_millis")?,
        ended_at: row.get("ended_at_millis")?,
        last_round: row.get("round_number")?,
        game_time: duration(row, "game_time_seconds", "game_time_nanos")?,
        round_time: duration(row, "round_time_seconds", "round_time_nanos")?,
    })
}

pub(super) fn heartbeat(row: &Row) -> Result<Heartbeat, SqlFault> {
    Ok(Heartbeat { at: Moment(row.get("nanos")?), wall: row.get("wall_millis")? })
}

fn duration(row: &Row, seconds: &str, nanos: &str) -> Result<Duration, SqlFault> {
    Ok(Duration::new(row.get(seconds)?, row.get(nanos)?))
}

fn world(row: &Row, column: &str) -> Result<Option<WorldId>, SqlFault> {
    Ok(row.get::<Option<Uuid>>(column)?.map(WorldId))
}

#[cfg(test)]
mod tests {
    use super::super::tests::assert_no_scan;
    use super::*;

    #[test]
    fn nothing_walks_through_all_games_or_seats() {
        assert_no_scan([ONE, ACTIVE, ENDED].into_iter().flat_map(|(games, seats)| [games, seats]));
    }
}
