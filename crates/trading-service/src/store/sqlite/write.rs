//! Writing changes as rows: what was received about games and gameworlds, and trades.

use rusqlite::{Connection, Result, params};
use starkeep_executor::FollowedGame;
use starkeep_platform::intent::Intent;
use starkeep_platform::sqlite::{begin_intent, remove_intent};
use starkeep_trading_core::{
    Amounts, Bought, GameId, PlanetId, PlayerId, PriceList, Reservation, ResourceKind, WorldId,
};

use super::read::{ROUND_WORDS, STATUS_WORDS};
use crate::domain::{Booking, Move, Received, Stream, Traded};
use crate::store::changes::write_wave;

pub(super) fn received(connection: &Connection, received: &Received) -> Result<()> {
    for step in &received.moves {
        match step {
            Move::Game { game, state } => followed(connection, *game, state)?,
            Move::Deleted { game } => deleted(connection, *game)?,
            Move::Joined { game, player, money } => joined(connection, *game, *player, *money)?,
            Move::Left { game, player } => left(connection, *game, *player)?,
            Move::Prices { game, round, prices } => prices_began(connection, *game, *round, prices)?,
            Move::Balances { game, round } => balances(connection, *game, *round)?,
            Move::World { world, number, stations } => made(connection, *world, *number, stations)?,
            Move::WorldDropped { world } => dropped(connection, *world)?,
            Move::Stations { game, world } => {
                let sql = "UPDATE world SET game = ?2 WHERE id = ?1";
                connection.prepare_cached(sql)?.execute(params![world.0.as_bytes(), game.0.as_bytes()])?;
            }
        }
    }
    let Some((stream, position)) = &received.position else { return Ok(()) };
    let name = match stream {
        Stream::Game => "game",
        Stream::Map => "map",
    };
    connection
        .prepare_cached(
            "INSERT INTO stream (name, position, gap_at_millis) VALUES (?1, ?2, ?3)
             ON CONFLICT (name) DO UPDATE
             SET position = excluded.position, gap_at_millis = coalesce(excluded.gap_at_millis, gap_at_millis)",
        )?
        .execute(params![name, position, received.gap.map(jiff::Timestamp::as_millisecond)])
        .map(drop)
}

fn followed(connection: &Connection, game: GameId, state: &FollowedGame) -> Result<()> {
    let status = STATUS_WORDS.iter().find(|(status, _)| *status == state.status).map(|(_, word)| *word);
    let round = ROUND_WORDS.iter().find(|(round, _)| *round == state.round_state).map(|(_, word)| *word);
    connection
        .prepare_cached(
            "INSERT INTO game (id, status, world, round, round_state, created, started)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
             ON CONFLICT (id) DO UPDATE SET status = excluded.status, world = excluded.world,
             round = excluded.round, round_state = excluded.round_state, created = excluded.created,
             started = excluded.started",
        )?
        .execute(params![
            game.0.as_bytes(),
            status,
            state.world.map(|world| world.0.into_bytes()),
            state.round,
            round,
            state.created.cast_signed(),
            state.started.map(u64::cast_signed),
        ])
        .map(drop)
}

fn deleted(connection: &Connection, game: GameId) -> Result<()> {
    for rows in [
        "DELETE FROM station WHERE world IN (SELECT id FROM world WHERE game = ?1)",
        "DELETE FROM world WHERE game = ?1",
        "DELETE FROM executed WHERE game = ?1",
        "DELETE FROM balance WHERE game = ?1",
        "DELETE FROM sale WHERE game = ?1",
        "DELETE FROM price WHERE game = ?1",
        "DELETE FROM account WHERE game = ?1",
        "DELETE FROM intent WHERE call ->> 'game' = lower(hex(?1))",
        "DELETE FROM game WHERE id = ?1",
    ] {
        connection.prepare_cached(rows)?.execute([game.0.as_bytes()])?;
    }
    Ok(())
}

fn joined(connection: &Connection, game: GameId, player: PlayerId, money: u64) -> Result<()> {
    for insert in [
        "INSERT INTO account (game, player, start) VALUES (?1, ?2, ?3)",
        "INSERT INTO balance (game, player, balance, round) VALUES (?1, ?2, ?3, 0)",
    ] {
        connection.prepare_cached(insert)?.execute(params![
            game.0.as_bytes(),
            player.0.as_bytes(),
            money.cast_signed()
        ])?;
    }
    Ok(())
}

fn left(connection: &Connection, game: GameId, player: PlayerId) -> Result<()> {
    for rows in [
        "DELETE FROM account WHERE game = ?1 AND player = ?2",
        "DELETE FROM balance WHERE game = ?1 AND player = ?2 AND round = 0",
    ] {
        connection.prepare_cached(rows)?.execute(params![game.0.as_bytes(), player.0.as_bytes()])?;
    }
    Ok(())
}

fn prices_began(connection: &Connection, game: GameId, round: u32, prices: &PriceList) -> Result<()> {
    let [coal, iron, gem, gold, platin] = prices.resources.map(u64::cast_signed);
    let [rocket, wormhole, bombardment, destruction, swarm, nuke] = prices.items.map(u64::cast_signed);
    connection
        .prepare_cached("INSERT INTO price VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)")?
        .execute(params![
            game.0.as_bytes(),
            round,
            coal,
            iron,
            gem,
            gold,
            platin,
            rocket,
            wormhole,
            bombardment,
            destruction,
            swarm,
            nuke,
        ])
        .map(drop)
}

fn balances(connection: &Connection, game: GameId, round: u32) -> Result<()> {
    connection
        .prepare_cached(
            "INSERT INTO balance (game, round, player, balance)
             SELECT game, ?2, player, start + earned - spent FROM account WHERE game = ?1",
        )?
        .execute(params![game.0.as_bytes(), round])
        .map(drop)
}

fn made(connection: &Connection, world: WorldId, number: u64, stations: &[PlanetId]) -> Result<()> {
    connection
        .prepare_cached("INSERT INTO world (id, number) VALUES (?1, ?2)")?
        .execute(params![world.0.as_bytes(), number.cast_signed()])?;
    let mut insert =
        connection.prepare_cached("INSERT INTO station (world, place, planet) VALUES (?1, ?2, ?3)")?;
    for (place, planet) in (0_i64..).zip(stations) {
        insert.execute(params![world.0.as_bytes(), place, planet.0.as_bytes()])?;
    }
    Ok(())
}

fn dropped(connection: &Connection, world: WorldId) -> Result<()> {
    for rows in ["DELETE FROM station WHERE world = ?1", "DELETE FROM world WHERE id = ?1"] {
        connection.prepare_cached(rows)?.execute([world.0.as_bytes()])?;
    }
    Ok(())
}

pub(super) fn traded(connection: &Connection, traded: &Traded) -> Result<()> {
    let game = traded.game;
    if let Some(id) = traded.settled {
        remove_intent(connection, id)?;
    }
    for booking in &traded.bookings {
        match booking {
            Booking::Bought(bought) => delivered(connection, game, bought)?,
            Booking::Cancelled(cancelled) => {
                let sql = "UPDATE account SET spent = spent - ?3 WHERE game = ?1 AND player = ?2";
                spend(connection, sql, game, cancelled)?;
                if cancelled.is_first {
                    set_first(connection, game, cancelled.player, None)?;
                }
            }
            Booking::Sold { player, round, amounts, income } => {
                sold(connection, game, *player, *round, *amounts, *income)?;
            }
        }
    }
    let mut insert = connection.prepare_cached("INSERT INTO executed (id, game) VALUES (?1, ?2)")?;
    for transaction in &traded.executed {
        insert.execute(params![transaction.to_bytes(), game.0.as_bytes()])?;
    }
    let Some(begun) = &traded.begun else { return Ok(()) };
    for reserved in begun.intent.call.reservations() {
        let sql = "UPDATE account SET spent = spent + ?3 WHERE game = ?1 AND player = ?2";
        spend(connection, sql, game, reserved)?;
        if reserved.is_first {
            set_first(connection, game, reserved.player, reserved.planets.first())?;
        }
    }
    connection
        .prepare_cached("UPDATE game SET spawn_state = ?2 WHERE id = ?1")?
        .execute(params![game.0.as_bytes(), begun.rng_state.map(u64::cast_signed)])?;
    let Intent { id, owner, call } = &begun.intent;
    begin_intent(connection, &Intent { id: *id, owner: *owner, call: write_wave(call) })
}

fn spend(connection: &Connection, sql: &str, game: GameId, reserved: &Reservation) -> Result<()> {
    connection
        .prepare_cached(sql)?
        .execute(params![game.0.as_bytes(), reserved.player.0.as_bytes(), reserved.cost.cast_signed()])
        .map(drop)
}

fn set_first(
    connection: &Connection,
    game: GameId,
    player: PlayerId,
    station: Option<&PlanetId>,
) -> Result<()> {
    connection
        .prepare_cached("UPDATE account SET first_station = ?3 WHERE game = ?1 AND player = ?2")?
        .execute(params![game.0.as_bytes(), player.0.as_bytes(), station.map(|planet| planet.0.into_bytes())])
        .map(drop)
}

fn delivered(connection: &Connection, game: GameId, bought: &Reservation) -> Result<()> {
    let columns =
        ["robots", "health", "energy", "upgrade_1", "upgrade_2", "upgrade_3", "upgrade_4", "upgrade_5"];
    let Some(column) = Bought::place(bought.item).map(|place| columns[place]) else { return Ok(()) };
    connection
        .prepare_cached(&format!(
            "UPDATE account SET {column} = {column} + ?3 WHERE game = ?1 AND player = ?2"
        ))?
        .execute(params![game.0.as_bytes(), bought.player.0.as_bytes(), bought.count])
        .map(drop)
}

fn sold(
    connection: &Connection,
    game: GameId,
    player: PlayerId,
    round: u32,
    amounts: Amounts,
    income: u64,
) -> Result<()> {
    connection
        .prepare_cached("UPDATE account SET earned = earned + ?3 WHERE game = ?1 AND player = ?2")?
        .execute(params![game.0.as_bytes(), player.0.as_bytes(), income.cast_signed()])?;
    if amounts.is_empty() {
        return Ok(());
    }
    let [coal, iron, gem, gold, platin] = ResourceKind::ALL.map(|kind| amounts.of(kind).cast_signed());
    connection
        .prepare_cached(
            "INSERT INTO sale VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
             ON CONFLICT (game, round) DO UPDATE SET coal = coal + excluded.coal, iron = iron + excluded.iron,
             gem = gem + excluded.gem, gold = gold + excluded.gold, platin = platin + excluded.platin",
        )?
        .execute(params![game.0.as_bytes(), round, coal, iron, gem, gold, platin])
        .map(drop)
}
