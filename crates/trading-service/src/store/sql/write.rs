//! Writing changes as rows: what was received about games and gameworlds, and trades.

use starkeep_executor::FollowedGame;
use starkeep_platform::intent::Intent;
use starkeep_platform::sql::{SqlFault, Statements, begin_intent, remove_intent};
use starkeep_platform::values;
use starkeep_trading_core::{
    Amounts, Bought, GameId, PlanetId, PlayerId, PriceList, Reservation, ResourceKind, WorldId,
};

use super::read::{ROUND_WORDS, STATUS_WORDS};
use crate::domain::{Booking, Move, Received, Stream, Traded};
use crate::store::changes::{pattern_of_waves, write_wave};

macro_rules! add_to {
    ($column:literal) => {
        concat!("UPDATE account SET ", $column, " = ", $column, " + ?3 WHERE game = ?1 AND player = ?2")
    };
}

pub(super) fn received(rows: &mut dyn Statements, received: &Received) -> Result<(), SqlFault> {
    for step in &received.moves {
        match step {
            Move::Game { game, state } => followed(rows, *game, state)?,
            Move::Deleted { game } => deleted(rows, *game)?,
            Move::Joined { game, player, money } => joined(rows, *game, *player, *money)?,
            Move::Left { game, player } => left(rows, *game, *player)?,
            Move::Prices { game, round, prices } => prices_began(rows, *game, *round, prices)?,
            Move::Balances { game, round } => balances(rows, *game, *round)?,
            Move::World { world, number, stations } => made(rows, *world, *number, stations)?,
            Move::WorldDropped { world } => dropped(rows, *world)?,
            Move::Stations { game, world } => {
                rows.run("UPDATE world SET game = ?2 WHERE id = ?1", values![world.0, game.0])?;
            }
        }
    }
    let Some((stream, position)) = &received.position else { return Ok(()) };
    let name = match stream {
        Stream::Game => "game",
        Stream::Map => "map",
    };
    rows.run(
        "INSERT INTO stream (name, position, gap_at_millis) VALUES (?1, ?2, ?3)
         ON CONFLICT (name) DO UPDATE
         SET position = excluded.position, gap_at_millis = coalesce(excluded.gap_at_millis, stream.gap_at_millis)",
        values![name, position, received.gap],
    )
}

fn followed(rows: &mut dyn Statements, game: GameId, state: &FollowedGame) -> Result<(), SqlFault> {
    let status = STATUS_WORDS.iter().find(|(status, _)| *status == state.status).map(|(_, word)| *word);
    let round = ROUND_WORDS.iter().find(|(round, _)| *round == state.round_state).map(|(_, word)| *word);
    rows.run(
        "INSERT INTO game (id, status, world, round, round_state, created, started)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
         ON CONFLICT (id) DO UPDATE SET status = excluded.status, world = excluded.world,
         round = excluded.round, round_state = excluded.round_state, created = excluded.created,
         started = excluded.started",
        values![
            game.0,
            status,
            state.world.map(|world| world.0),
            state.round,
            round,
            state.created,
            state.started,
        ],
    )
}

fn deleted(rows: &mut dyn Statements, game: GameId) -> Result<(), SqlFault> {
    for removal in [
        "DELETE FROM station WHERE world IN (SELECT id FROM world WHERE game = ?1)",
        "DELETE FROM world WHERE game = ?1",
        "DELETE FROM executed WHERE game = ?1",
        "DELETE FROM balance WHERE game = ?1",
        "DELETE FROM sale WHERE game = ?1",
        "DELETE FROM price WHERE game = ?1",
        "DELETE FROM account WHERE game = ?1",
        "DELETE FROM game WHERE id = ?1",
    ] {
        rows.run(removal, values![game.0])?;
    }
    rows.run("DELETE FROM intent WHERE call LIKE ?1", values![&pattern_of_waves(game)])
}

fn joined(rows: &mut dyn Statements, game: GameId, player: PlayerId, money: u64) -> Result<(), SqlFault> {
    for insert in [
        "INSERT INTO account (game, player, start) VALUES (?1, ?2, ?3)",
        "INSERT INTO balance (game, player, balance, round) VALUES (?1, ?2, ?3, 0)",
    ] {
        rows.run(insert, values![game.0, player.0, money])?;
    }
    Ok(())
}

fn left(rows: &mut dyn Statements, game: GameId, player: PlayerId) -> Result<(), SqlFault> {
    for removal in [
        "DELETE FROM account WHERE game = ?1 AND player = ?2",
        "DELETE FROM balance WHERE game = ?1 AND player = ?2 AND round = 0",
    ] {
        rows.run(removal, values![game.0, player.0])?;
    }
    Ok(())
}

fn prices_began(
    rows: &mut dyn Statements,
    game: GameId,
    round: u32,
    prices: &PriceList,
) -> Result<(), SqlFault> {
    let [coal, iron, gem, gold, platin] = prices.resources;
    let [rocket, wormhole, bombardment, destruction, swarm, nuke] = prices.items;
    rows.run(
        "INSERT INTO price (game, round, coal, iron, gem, gold, platin, rocket, wormhole, long_range_bombardment,
                            self_destruction, repair_swarm, nuke)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)",
        values![
            game.0,
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
        ],
    )
}

fn balances(rows: &mut dyn Statements, game: GameId, round: u32) -> Result<(), SqlFault> {
    rows.run(
        "INSERT INTO balance (game, round, player, balance)
         SELECT game, ?2, player, start + earned - spent FROM account WHERE game = ?1",
        values![game.0, round],
    )
}

fn made(
    rows: &mut dyn Statements,
    world: WorldId,
    number: u64,
    stations: &[PlanetId],
) -> Result<(), SqlFault> {
    rows.run("INSERT INTO world (id, number) VALUES (?1, ?2)", values![world.0, number])?;
    (0_i64..).zip(stations).try_for_each(|(place, planet)| {
        let insert = "INSERT INTO station (world, place, planet) VALUES (?1, ?2, ?3)";
        rows.run(insert, values![world.0, place, planet.0])
    })
}

fn dropped(rows: &mut dyn Statements, world: WorldId) -> Result<(), SqlFault> {
    for removal in ["DELETE FROM station WHERE world = ?1", "DELETE FROM world WHERE id = ?1"] {
        rows.run(removal, values![world.0])?;
    }
    Ok(())
}

pub(super) fn traded(rows: &mut dyn Statements, traded: &Traded) -> Result<(), SqlFault> {
    let game = traded.game;
    if let Some(id) = traded.settled {
        remove_intent(rows, id)?;
    }
    for booking in &traded.bookings {
        match booking {
            Booking::Bought(bought) => delivered(rows, game, bought)?,
            Booking::Cancelled(cancelled) => {
                rows.run(
                    "UPDATE account SET spent = spent - ?3 WHERE game = ?1 AND player = ?2",
                    values![game.0, cancelled.player.0, cancelled.cost],
                )?;
                if cancelled.is_first {
                    set_first(rows, game, cancelled.player, None)?;
                }
            }
            Booking::Sold { player, round, amounts, income } => {
                sold(rows, game, *player, *round, *amounts, *income)?;
            }
        }
    }
    for transaction in &traded.executed {
        let insert = "INSERT INTO executed (id, game) VALUES (?1, ?2)";
        rows.run(insert, values![&transaction.to_bytes(), game.0])?;
    }
    let Some(begun) = &traded.begun else { return Ok(()) };
    for reserved in begun.intent.call.reservations() {
        rows.run(add_to!("spent"), values![game.0, reserved.player.0, reserved.cost])?;
        if reserved.is_first {
            set_first(rows, game, reserved.player, reserved.planets.first())?;
        }
    }
    rows.run("UPDATE game SET spawn_state = ?2 WHERE id = ?1", values![game.0, begun.rng_state])?;
    let Intent { id, owner, call } = &begun.intent;
    begin_intent(rows, &Intent { id: *id, owner: *owner, call: write_wave(call) })
}

fn set_first(
    rows: &mut dyn Statements,
    game: GameId,
    player: PlayerId,
    station: Option<&PlanetId>,
) -> Result<(), SqlFault> {
    rows.run(
        "UPDATE account SET first_station = ?3 WHERE game = ?1 AND player = ?2",
        values![game.0, player.0, station.map(|planet| planet.0)],
    )
}

/// By their places in `Bought`.
const ADD_BOUGHT: [&str; 8] = [
    add_to!("robots"),
    add_to!("health"),
    add_to!("energy"),
    add_to!("upgrade_1"),
    add_to!("upgrade_2"),
    add_to!("upgrade_3"),
    add_to!("upgrade_4"),
    add_to!("upgrade_5"),
];

fn delivered(rows: &mut dyn Statements, game: GameId, bought: &Reservation) -> Result<(), SqlFault> {
    let Some(place) = Bought::place(bought.item) else { return Ok(()) };
    rows.run(ADD_BOUGHT[place], values![game.0, bought.player.0, bought.count])
}

fn sold(
    rows: &mut dyn Statements,
    game: GameId,
    player: PlayerId,
    round: u32,
    amounts: Amounts,
    income: u64,
) -> Result<(), SqlFault> {
    rows.run(add_to!("earned"), values![game.0, player.0, income])?;
    if amounts.is_empty() {
        return Ok(());
    }
    let [coal, iron, gem, gold, platin] = ResourceKind::ALL.map(|kind| amounts.of(kind));
    rows.run(
        "INSERT INTO sale (game, round, coal, iron, gem, gold, platin) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
         ON CONFLICT (game, round) DO UPDATE SET coal = sale.coal + excluded.coal,
             iron = sale.iron + excluded.iron, gem = sale.gem + excluded.gem, gold = sale.gold + excluded.gold,
             platin = sale.platin + excluded.platin",
        values![game.0, round, coal, iron, gem, gold, platin],
    )
}
