//! A game as a row and back, with its seats and rounds.
//! Which rows are written when is in the module above.

use std::time::Duration;

use imbl::HashSet;
use jiff::Timestamp;
use rusqlite::{Connection, Params, Row, params};
use starkeep_game_core::{
    Ended, Game, GameId, Moment, Pace, Phase, PlayerId, ReplenishmentMode, Roster, RosterChange, Round,
    RoundId, Running, StartUnderWay, State, Timer, WorldId,
};
use starkeep_platform::sqlite::uuid_column;
use uuid::Uuid;

use crate::domain::{GameMove, Heartbeat};
use crate::ports::Age;

pub(super) fn games(
    connection: &Connection,
    which: &str,
    values: impl Params,
) -> rusqlite::Result<Vec<Game>> {
    let mut select = connection.prepare_cached(&format!("SELECT * FROM game {which}"))?;
    let mut games = select.query_map(values, read)?.collect::<rusqlite::Result<Vec<_>>>()?;
    for game in &mut games {
        let seats = seats(connection, game.id)?;
        if let State::Running(running) = &mut game.state {
            let is_ready = |seat: &&Seat| seat.ready_in == running.round.number && !seat.taken_out;
            let ready = seats.iter().filter(is_ready);
            running.ready = ready.map(|seat| seat.player).collect();
        }
        let taken_out: Vec<_> = seats.iter().filter(|seat| seat.taken_out).map(|seat| seat.player).collect();
        let roster: Roster = seats.into_iter().map(|seat| (seat.player, seat.transaction)).collect();
        game.roster = taken_out.into_iter().fold(roster, |roster, player| roster.taking_out(player));
    }
    Ok(games)
}

pub(super) fn game(connection: &Connection, id: GameId) -> rusqlite::Result<Option<Game>> {
    Ok(games(connection, "WHERE id = ?1", [id.0.as_bytes()])?.pop())
}

pub(super) fn ended_games(
    connection: &Connection,
    after: Option<Age>,
    limit: usize,
) -> rusqlite::Result<Vec<Game>> {
    let (at, id) = after.unwrap_or((Timestamp::MAX, GameId(Uuid::max())));
    games(
        connection,
        "WHERE status = 'ended' AND (created_at_millis, id) < (?1, ?2)
         ORDER BY created_at_millis DESC, id DESC LIMIT ?3",
        params![at.as_millisecond(), id.0.as_bytes(), i64::try_from(limit).unwrap_or(i64::MAX)],
    )
}

/// The index has the ids, so that no row of a game is read.
pub(super) fn ended_game_ids(connection: &Connection) -> rusqlite::Result<Vec<GameId>> {
    let mut select = connection.prepare_cached("SELECT id FROM game WHERE status = 'ended'")?;
    select.query_map([], |row| Ok(GameId(uuid_column(row, "id")?)))?.collect()
}

/// Another game was created.
pub(super) fn count(connection: &Connection) -> rusqlite::Result<()> {
    connection.prepare_cached("UPDATE game_count SET created = created + 1")?.execute([]).map(drop)
}

pub(super) fn slot(game: &Game) -> Option<u32> {
    match &game.state {
        State::Created { start } => start.map(|start| start.slot),
        State::Running(running) => Some(running.slot),
        State::Ended(_) => None,
    }
}

/// A player has come or gone.
pub(super) fn count_player(
    connection: &Connection,
    game: GameId,
    change: RosterChange,
) -> rusqlite::Result<()> {
    connection
        .prepare_cached("UPDATE game SET joined = joined + ?2 WHERE id = ?1")?
        .execute(params![game.0.as_bytes(), seats_taken_by(change)])
        .map(drop)
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
    connection: &Connection,
    game: &Game,
    roster: Option<RosterChange>,
) -> rusqlite::Result<()> {
    let (status, started_at, ended_at) = match &game.state {
        State::Created { .. } => ("created", None, None),
        State::Running(running) => ("running", Some(running.started_at), None),
        State::Ended(ended) => ("ended", ended.started_at, Some(ended.ended_at)),
    };
    let running = if let State::Running(running) = &game.state { Some(running) } else { None };
    let ended = if let State::Ended(ended) = &game.state { Some(ended) } else { None };
    let start_world =
        if let State::Created { start: Some(start) } = &game.state { Some(start.world) } else { None };
    let (from, phase_ends) =
        running.map(|running| (running.timer.from, running.phase_ends)).unwrap_or_default();
    let mut upsert = connection.prepare_cached(include_str!("put_game.sql"))?;
    upsert.execute(params![
        game.id.0.as_bytes(),
        status,
        game.max_rounds,
        game.max_players,
        game.round_length,
        roster.map_or(0, seats_taken_by),
        game.seed.map(u64::cast_signed),
        game.style,
        bytes(game.world),
        bytes(game.replaced_world),
        game.created_at.as_millisecond(),
        started_at.map(Timestamp::as_millisecond),
        ended_at.map(Timestamp::as_millisecond),
        slot(game),
        bytes(start_world),
        running.map(|running| running.timer.since.0.cast_signed()),
        running.map_or_else(|| game.current_round(), |running| running.round.number),
        running.map(|running| *running.round.id.0.as_bytes()),
        running.map(|running| running.round.length),
        running.map(|running| seconds(running.round.begins)),
        running.map(|running| running.round.begins.subsec_nanos()),
        running.map(|running| phase_word(running.phase)),
        ended.map(|ended| seconds(ended.game_time)),
        ended.map(|ended| ended.game_time.subsec_nanos()),
        ended.map(|ended| seconds(ended.round_time)),
        ended.map(|ended| ended.round_time.subsec_nanos()),
        seconds(from),
        from.subsec_nanos(),
        running.is_some_and(|running| running.timer.paused),
        seconds(phase_ends),
        phase_ends.subsec_nanos(),
        pace_word(game.pace),
        running.is_some_and(|running| running.phase == Phase::Countdown),
        game.start_money,
        game.drawn_seed.cast_signed(),
        game.nonce,
        game.world_is_given,
        replenishment_word(game.replenishment),
        running.map_or(0, |running| running.replenished_after),
        game.name,
    ])?;
    Ok(())
}

/// Writes what a boundary, or somebody who sets the clock, can change of a game that runs and goes on running. No index
/// has these columns, which makes it half the work of `put`, and most of what a running game writes is this.
pub(super) fn advance(connection: &Connection, game: &Game, running: &Running) -> rusqlite::Result<()> {
    let Running { timer, round, phase, phase_ends, replenished_after, .. } = running;
    connection
        .prepare_cached(include_str!("advance_game.sql"))?
        .execute(params![
            game.id.0.as_bytes(),
            game.max_rounds,
            game.round_length,
            timer.since.0.cast_signed(),
            round.number,
            round.id.0.as_bytes(),
            round.length,
            seconds(round.begins),
            round.begins.subsec_nanos(),
            phase_word(*phase),
            seconds(timer.from),
            timer.from.subsec_nanos(),
            timer.paused,
            seconds(*phase_ends),
            phase_ends.subsec_nanos(),
            pace_word(game.pace),
            *phase == Phase::Countdown,
            replenished_after,
        ])
        .map(drop)
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
pub(super) fn put_players(connection: &Connection, moved: &GameMove) -> rusqlite::Result<()> {
    let game = moved.game.without_players();
    let id = game.id.0.as_bytes();
    match moved.roster {
        Some(RosterChange::Joined { player, transaction }) => {
            let transaction = transaction.map(Uuid::into_bytes);
            connection
                .prepare_cached(
                    "INSERT INTO participant (game_id, player_id, transaction_id, seat)
                     SELECT ?1, ?2, ?3, coalesce(max(seat), 0) + 1 FROM participant WHERE game_id = ?1",
                )?
                .execute(params![id, player.0.as_bytes(), transaction])?;
        }
        Some(RosterChange::Left(player)) => {
            connection
                .prepare_cached("DELETE FROM participant WHERE game_id = ?1 AND player_id = ?2")?
                .execute(params![id, player.0.as_bytes()])?;
        }
        Some(RosterChange::TakenOut(player)) => {
            connection
                .prepare_cached("UPDATE participant SET taken_out = 1 WHERE game_id = ?1 AND player_id = ?2")?
                .execute(params![id, player.0.as_bytes()])?;
        }
        None => {}
    }
    if let Some(player) = moved.ready {
        connection
            .prepare_cached(
                "UPDATE participant SET ready_in_round = ?3 WHERE game_id = ?1 AND player_id = ?2",
            )?
            .execute(params![id, player.0.as_bytes(), game.current_round()])?;
    }
    Ok(())
}

/// The open round.
pub(super) fn put_round(connection: &Connection, game: &Game) -> rusqlite::Result<()> {
    let State::Running(Running { round, .. }) = &game.state else { return Ok(()) };
    connection
        .prepare_cached("INSERT INTO round (game_id, number, id) VALUES (?1, ?2, ?3)")?
        .execute(params![game.id.0.as_bytes(), round.number, round.id.0.as_bytes()])
        .map(drop)
}

pub(super) fn shift_timer(connection: &Connection, id: GameId, since: Moment) -> rusqlite::Result<()> {
    connection
        .prepare_cached("UPDATE game SET timer_since_nanos = ?2 WHERE id = ?1 AND status = 'running'")?
        .execute(params![id.0.as_bytes(), since.0.cast_signed()])
        .map(drop)
}

pub(super) fn delete(connection: &Connection, id: GameId) -> rusqlite::Result<()> {
    connection.prepare_cached("DELETE FROM game WHERE id = ?1")?.execute([id.0.as_bytes()]).map(drop)
}

struct Seat {
    player: PlayerId,
    transaction: Option<Uuid>,
    /// The last round in which the player was ready.
    ready_in: u32,
    taken_out: bool,
}

/// Who has joined, in their order.
fn seats(connection: &Connection, id: GameId) -> rusqlite::Result<Vec<Seat>> {
    let mut select = connection.prepare_cached(
        "SELECT player_id, transaction_id, ready_in_round, taken_out FROM participant
         WHERE game_id = ?1 ORDER BY seat",
    )?;
    let seats = select.query_map([id.0.as_bytes()], |row| {
        Ok(Seat {
            player: PlayerId(uuid_column(row, "player_id")?),
            transaction: optional_uuid(row, "transaction_id")?,
            ready_in: row.get("ready_in_round")?,
            taken_out: row.get("taken_out")?,
        })
    })?;
    seats.collect()
}

fn read(row: &Row<'_>) -> rusqlite::Result<Game> {
    Ok(Game {
        id: GameId(uuid_column(row, "id")?),
        name: row.get("name")?,
        max_rounds: row.get("max_rounds")?,
        max_players: row.get("max_players")?,
        round_length: row.get("round_length_millis")?,
        pace: if row.get::<_, String>("pace")? == "turbo" { Pace::Turbo } else { Pace::Clock },
        seed: row.get::<_, Option<i64>>("seed")?.map(i64::unsigned_abs),
        drawn_seed: row.get::<_, i64>("drawn_seed")?.cast_unsigned(),
        style: row.get("style")?,
        nonce: row.get("nonce")?,
        start_money: row.get("start_money")?,
        world: optional_uuid(row, "world_id")?.map(WorldId),
        world_is_given: row.get("world_is_given")?,
        replenishment: match row.get::<_, String>("replenishment")?.as_str() {
            "on_request" => ReplenishmentMode::OnRequest,
            _ => ReplenishmentMode::Automatic,
        },
        replaced_world: optional_uuid(row, "replaced_world_id")?.map(WorldId),
        roster: Roster::default(),
        created_at: timestamp(row.get("created_at_millis")?),
        state: match row.get::<_, String>("status")?.as_str() {
            "running" => State::Running(read_running(row)?),
            "ended" => State::Ended(read_ended(row)?),
            _ => State::Created { start: read_start(row)? },
        },
    })
}

fn read_start(row: &Row<'_>) -> rusqlite::Result<Option<StartUnderWay>> {
    let slot: Option<u32> = row.get("slot")?;
    Ok(slot
        .zip(optional_uuid(row, "start_world_id")?.map(WorldId))
        .map(|(slot, world)| StartUnderWay { slot, world }))
}

fn read_running(row: &Row<'_>) -> rusqlite::Result<Running> {
    let phase: String = row.get("phase")?;
    Ok(Running {
        slot: row.get("slot")?,
        started_at: timestamp(row.get("started_at_millis")?),
        timer: Timer {
            since: Moment(row.get::<_, i64>("timer_since_nanos")?.unsigned_abs()),
            from: duration(row, "timer_from_seconds", "timer_from_nanos")?,
            paused: row.get("paused")?,
        },
        round: Round {
            id: RoundId(uuid_column(row, "round_id")?),
            number: row.get("round_number")?,
            length: row.get("current_round_length_millis")?,
            begins: duration(row, "round_begins_seconds", "round_begins_nanos")?,
        },
        phase: match phase.as_str() {
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

fn read_ended(row: &Row<'_>) -> rusqlite::Result<Ended> {
    Ok(Ended {
        started_at: row.get::<_, Option<i64>>("started_at_millis")?.map(timestamp),
        ended_at: timestamp(row.get("ended_at_millis")?),
        last_round: row.get("round_number")?,
        game_time: duration(row, "game_time_seconds", "game_time_nanos")?,
        round_time: duration(row, "round_time_seconds", "round_time_nanos")?,
    })
}

pub(super) fn heartbeat(row: &Row<'_>) -> rusqlite::Result<Heartbeat> {
    let wall: Option<i64> = row.get("wall_millis")?;
    Ok(Heartbeat {
        at: Moment(row.get::<_, i64>("nanos")?.unsigned_abs()),
        wall: wall.and_then(|millis| Timestamp::from_millisecond(millis).ok()),
    })
}

fn timestamp(millis: i64) -> Timestamp {
    Timestamp::from_millisecond(millis).unwrap_or_default()
}

fn duration(row: &Row<'_>, seconds: &str, nanos: &str) -> rusqlite::Result<Duration> {
    Ok(Duration::new(row.get::<_, i64>(seconds)?.unsigned_abs(), row.get(nanos)?))
}

fn seconds(span: Duration) -> i64 {
    span.as_secs().cast_signed()
}

fn bytes(world: Option<WorldId>) -> Option<[u8; 16]> {
    world.map(|world| world.0.into_bytes())
}

fn optional_uuid(row: &Row<'_>, column: &str) -> rusqlite::Result<Option<Uuid>> {
    Ok(row.get::<_, Option<[u8; 16]>>(column)?.map(Uuid::from_bytes))
}
