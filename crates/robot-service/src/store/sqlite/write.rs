//! Writing rows: what was received about games, and what happened to robots.
//! A game that was deleted takes all of its rows with it.

use jiff::Timestamp;
use rusqlite::{Connection, Error, Result, params};
use starkeep_executor::FollowedGame;
use starkeep_platform::intent::Intent;
use starkeep_platform::sqlite::{begin_intent, remove_intent};
use starkeep_robot_core::{Books, CommandId, GameId, ResourceKind, Robot, Upgrade};

use crate::domain::{Mining, Order, ReceivedGame, RobotsMoved};
use crate::store::forms::{MiningCallForm, OrderForm, round_state_word, status_word};

pub(super) fn received(
    connection: &Connection,
    position: &str,
    gap: Option<Timestamp>,
    games: &[ReceivedGame],
) -> Result<()> {
    connection
        .prepare_cached("UPDATE game_stream SET position = ?1, gap_at_millis = coalesce(?2, gap_at_millis)")?
        .execute(params![position, gap.map(Timestamp::as_millisecond)])?;
    games.iter().try_for_each(|ReceivedGame { id, state }| match state {
        Some(state) => put_game(connection, *id, state),
        None => forget_game(connection, *id),
    })
}

fn put_game(connection: &Connection, id: GameId, game: &FollowedGame) -> Result<()> {
    connection
        .prepare_cached(
            "INSERT OR REPLACE INTO followed_game (id, status, world_id, round, round_state, created, started)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
        )?
        .execute(params![
            id.0.as_bytes(),
            status_word(game.status),
            game.world.as_ref().map(|world| world.0.as_bytes()),
            game.round,
            round_state_word(game.round_state),
            game.created.cast_signed(),
            game.started.map(u64::cast_signed),
        ])
        .map(drop)
}

fn forget_game(connection: &Connection, game: GameId) -> Result<()> {
    for rows in [
        "DELETE FROM robot WHERE game_id = ?1",
        "DELETE FROM spawned WHERE game_id = ?1",
        "DELETE FROM book WHERE game_id = ?1",
        "DELETE FROM executed WHERE game_id = ?1",
        "DELETE FROM carried_out WHERE game_id = ?1",
        "DELETE FROM followed_game WHERE id = ?1",
    ] {
        connection.prepare_cached(rows)?.execute([game.0.as_bytes()])?;
    }
    connection
        .prepare_cached("DELETE FROM intent WHERE json_extract(call, '$.game') = ?1")?
        .execute([game.0.to_string()])
        .map(drop)
}

pub(super) fn moved(connection: &Connection, moved: &RobotsMoved) -> Result<()> {
    let game = moved.game;
    put_robots(connection, game, &moved.robots)?;
    let mut remove = connection.prepare_cached("DELETE FROM robot WHERE id = ?1")?;
    for robot in &moved.destroyed {
        remove.execute([robot.0.as_bytes()])?;
    }
    put_books(connection, game, &moved.books)?;
    put_executed(connection, game, &moved.executed)?;
    if let Some((transaction, order)) = &moved.order {
        put_order(connection, game, *transaction, order)?;
    }
    moved.begun.iter().try_for_each(|mining| begin_mining(connection, mining))?;
    moved.settled.iter().try_for_each(|mining| remove_intent(connection, *mining))
}

/// A robot that is not there yet is new.
fn put_robots(connection: &Connection, game: GameId, robots: &[Robot]) -> Result<()> {
    let mut update = connection.prepare_cached(
        "UPDATE robot SET planet_id = ?3, health = ?4, energy = ?5, levels = ?6, coal = ?7, iron = ?8, gem = ?9,
                          gold = ?10, platin = ?11
         WHERE game_id = ?1 AND number = ?2",
    )?;
    let mut newest = 0;
    for robot in robots {
        let amount = |kind| robot.cargo.of(kind).cast_signed();
        let changed = update.execute(params![
            game.0.as_bytes(),
            robot.number.cast_signed(),
            robot.planet.0.as_bytes(),
            robot.health,
            robot.energy,
            Upgrade::ALL.map(|upgrade| robot.levels.of(upgrade)),
            amount(ResourceKind::Coal),
            amount(ResourceKind::Iron),
            amount(ResourceKind::Gem),
            amount(ResourceKind::Gold),
            amount(ResourceKind::Platin),
        ])?;
        if changed == 0 {
            insert_robot(connection, game, robot)?;
            newest = newest.max(robot.number);
        }
    }
    if newest == 0 {
        return Ok(());
    }
    connection
        .prepare_cached(
            "INSERT INTO spawned (game_id, robots) VALUES (?1, ?2)
             ON CONFLICT (game_id) DO UPDATE SET robots = max(robots, excluded.robots)",
        )?
        .execute(params![game.0.as_bytes(), newest.cast_signed()])
        .map(drop)
}

fn insert_robot(connection: &Connection, game: GameId, robot: &Robot) -> Result<()> {
    let amount = |kind| robot.cargo.of(kind).cast_signed();
    connection
        .prepare_cached(
            "INSERT INTO robot (game_id, number, id, player_id, planet_id, health, energy, levels,
                                coal, iron, gem, gold, platin)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)",
        )?
        .execute(params![
            game.0.as_bytes(),
            robot.number.cast_signed(),
            robot.id.0.as_bytes(),
            robot.player.0.as_bytes(),
            robot.planet.0.as_bytes(),
            robot.health,
            robot.energy,
            Upgrade::ALL.map(|upgrade| robot.levels.of(upgrade)),
            amount(ResourceKind::Coal),
            amount(ResourceKind::Iron),
            amount(ResourceKind::Gem),
            amount(ResourceKind::Gold),
            amount(ResourceKind::Platin),
        ])
        .map(drop)
}

fn put_books(connection: &Connection, game: GameId, books: &Books) -> Result<()> {
    let mut add = connection.prepare_cached(
        "UPDATE book SET mined = mined + ?3, sold = sold + ?4, lost = lost + ?5 WHERE game_id = ?1 AND kind = ?2",
    )?;
    for kind in ResourceKind::ALL {
        let [mined, sold, lost] =
            [books.mined, books.sold, books.lost].map(|amounts| amounts.of(kind).cast_signed());
        if [mined, sold, lost] == [0; 3] {
            continue;
        }
        let entry = params![game.0.as_bytes(), kind.as_str(), mined, sold, lost];
        if add.execute(entry)? == 0 {
            connection
                .prepare_cached(
                    "INSERT INTO book (game_id, kind, mined, sold, lost) VALUES (?1, ?2, ?3, ?4, ?5)",
                )?
                .execute(entry)?;
        }
    }
    Ok(())
}

fn put_executed(connection: &Connection, game: GameId, executed: &[CommandId]) -> Result<()> {
    if executed.is_empty() {
        return Ok(());
    }
    let ids: Vec<u8> = executed.iter().flat_map(|command| command.0.into_bytes()).collect();
    connection
        .prepare_cached("INSERT INTO executed (game_id, ids) VALUES (?1, ?2)")?
        .execute(params![game.0.as_bytes(), ids])
        .map(drop)
}

fn put_order(connection: &Connection, game: GameId, transaction: CommandId, order: &Order) -> Result<()> {
    let content = json(&OrderForm::from(order))?;
    connection
        .prepare_cached("INSERT INTO carried_out (transaction_id, game_id, content) VALUES (?1, ?2, ?3)")?
        .execute(params![transaction.0.as_bytes(), game.0.as_bytes(), content])
        .map(drop)
}

fn begin_mining(connection: &Connection, mining: &Mining) -> Result<()> {
    let call = json(&MiningCallForm::from(&mining.call))?;
    begin_intent(connection, &Intent { id: mining.id, owner: mining.owner, call })
}

fn json(form: &impl serde::Serialize) -> Result<String> {
    serde_json::to_string(form).map_err(|fault| Error::ToSqlConversionFailure(Box::new(fault)))
}
