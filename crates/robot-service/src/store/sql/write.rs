//! Writing rows: what was received about games, and what happened to robots.
//! A game that was deleted takes all of its rows with it.

use jiff::Timestamp;
use starkeep_executor::FollowedGame;
use starkeep_platform::intent::Intent;
use starkeep_platform::sql::{SqlFault, Statements, begin_intent, remove_intent};
use starkeep_platform::values;
use starkeep_robot_core::{Books, CommandId, GameId, ResourceKind, Robot, Upgrade};

use crate::domain::{Mining, Order, ReceivedGame, RobotsMoved};
use crate::store::forms::{MiningCallForm, OrderForm, SpawnedForm, round_state_word, status_word};

pub(super) fn received(
    rows: &mut dyn Statements,
    position: &str,
    gap: Option<Timestamp>,
    games: &[ReceivedGame],
) -> Result<(), SqlFault> {
    rows.run(
        "UPDATE game_stream SET position = ?1, gap_at_millis = coalesce(?2, gap_at_millis)",
        values![position, gap],
    )?;
    games.iter().try_for_each(|ReceivedGame { id, state }| match state {
        Some(state) => put_game(rows, *id, state),
        None => forget_game(rows, *id),
    })
}

fn put_game(rows: &mut dyn Statements, id: GameId, game: &FollowedGame) -> Result<(), SqlFault> {
    rows.run(
        "INSERT INTO followed_game (id, status, world_id, round, round_state, created, started)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
         ON CONFLICT (id) DO UPDATE SET status = excluded.status, world_id = excluded.world_id,
             round = excluded.round, round_state = excluded.round_state, created = excluded.created,
             started = excluded.started",
        values![
            id.0,
            status_word(game.status),
            game.world.map(|world| world.0),
            game.round,
            round_state_word(game.round_state),
            game.created,
            game.started,
        ],
    )
}

fn forget_game(rows: &mut dyn Statements, game: GameId) -> Result<(), SqlFault> {
    for removal in [
        "DELETE FROM robot WHERE game_id = ?1",
        "DELETE FROM spawned WHERE game_id = ?1",
        "DELETE FROM book WHERE game_id = ?1",
        "DELETE FROM executed WHERE game_id = ?1",
        "DELETE FROM carried_out WHERE game_id = ?1",
        "DELETE FROM followed_game WHERE id = ?1",
    ] {
        rows.run(removal, values![game.0])?;
    }
    rows.run("DELETE FROM intent WHERE call LIKE ?1", values![&MiningCallForm::pattern_of(game)])
}

pub(super) fn moved(rows: &mut dyn Statements, moved: &RobotsMoved) -> Result<(), SqlFault> {
    let game = moved.game;
    match moved.order {
        Some((_, Order::Spawn { .. })) => insert_robots(rows, game, &moved.robots)?,
        _ => update_robots(rows, game, &moved.robots)?,
    }
    for robot in &moved.destroyed {
        rows.run("DELETE FROM robot WHERE id = ?1", values![robot.0])?;
    }
    put_books(rows, game, &moved.books)?;
    put_executed(rows, game, &moved.executed)?;
    if let Some((transaction, order)) = &moved.order {
        put_order(rows, game, *transaction, order)?;
    }
    moved.begun.iter().try_for_each(|mining| begin_mining(rows, mining))?;
    if let Some(Intent { id, owner, call }) = &moved.untold {
        begin_intent(rows, &Intent { id: *id, owner: *owner, call: json(&SpawnedForm::from(call)) })?;
    }
    moved.settled.iter().chain(&moved.told).try_for_each(|done| remove_intent(rows, *done))
}

fn update_robots(rows: &mut dyn Statements, game: GameId, robots: &[Robot]) -> Result<(), SqlFault> {
    robots.iter().try_for_each(|robot| {
        rows.run_on_one_row(
            "UPDATE robot SET planet_id = ?3, health = ?4, energy = ?5, levels = ?6, coal = ?7, iron = ?8, gem = ?9,
                              gold = ?10, platin = ?11
             WHERE game_id = ?1 AND number = ?2",
            values![
                game.0,
                robot.number,
                robot.planet.0,
                robot.health,
                robot.energy,
                &Upgrade::ALL.map(|upgrade| robot.levels.of(upgrade)),
                robot.cargo.of(ResourceKind::Coal),
                robot.cargo.of(ResourceKind::Iron),
                robot.cargo.of(ResourceKind::Gem),
                robot.cargo.of(ResourceKind::Gold),
                robot.cargo.of(ResourceKind::Platin),
            ],
        )
    })
}

fn insert_robots(rows: &mut dyn Statements, game: GameId, robots: &[Robot]) -> Result<(), SqlFault> {
    for robot in robots {
        rows.run(
            "INSERT INTO robot (game_id, number, id, player_id, planet_id, health, energy, levels,
                                coal, iron, gem, gold, platin)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)",
            values![
                game.0,
                robot.number,
                robot.id.0,
                robot.player.0,
                robot.planet.0,
                robot.health,
                robot.energy,
                &Upgrade::ALL.map(|upgrade| robot.levels.of(upgrade)),
                robot.cargo.of(ResourceKind::Coal),
                robot.cargo.of(ResourceKind::Iron),
                robot.cargo.of(ResourceKind::Gem),
                robot.cargo.of(ResourceKind::Gold),
                robot.cargo.of(ResourceKind::Platin),
            ],
        )?;
    }
    let Some(newest) = robots.iter().map(|robot| robot.number).max() else { return Ok(()) };
    rows.run(
        "INSERT INTO spawned (game_id, robots) VALUES (?1, ?2)
         ON CONFLICT (game_id) DO UPDATE SET robots = excluded.robots WHERE spawned.robots < excluded.robots",
        values![game.0, newest],
    )
}

fn put_books(rows: &mut dyn Statements, game: GameId, books: &Books) -> Result<(), SqlFault> {
    for kind in ResourceKind::ALL {
        let [mined, sold, lost] = [books.mined, books.sold, books.lost].map(|amounts| amounts.of(kind));
        if [mined, sold, lost] == [0; 3] {
            continue;
        }
        let entry = values![game.0, kind.as_str(), mined, sold, lost];
        if mined >= sold + lost {
            rows.run(
                "INSERT INTO book (game_id, kind, mined, sold, lost) VALUES (?1, ?2, ?3, ?4, ?5)
                 ON CONFLICT (game_id, kind) DO UPDATE SET mined = book.mined + excluded.mined,
                     sold = book.sold + excluded.sold, lost = book.lost + excluded.lost",
                entry,
            )?;
        } else {
            // Alone it could not be a book, so there is one that it is added to.
            rows.run_on_one_row(
                "UPDATE book SET mined = mined + ?3, sold = sold + ?4, lost = lost + ?5
                 WHERE game_id = ?1 AND kind = ?2",
                entry,
            )?;
        }
    }
    Ok(())
}

fn put_executed(rows: &mut dyn Statements, game: GameId, executed: &[CommandId]) -> Result<(), SqlFault> {
    if executed.is_empty() {
        return Ok(());
    }
    let ids: Vec<u8> = executed.iter().flat_map(|command| command.0.into_bytes()).collect();
    rows.run("INSERT INTO executed (game_id, ids) VALUES (?1, ?2)", values![game.0, &ids])
}

fn put_order(
    rows: &mut dyn Statements,
    game: GameId,
    transaction: CommandId,
    order: &Order,
) -> Result<(), SqlFault> {
    rows.run(
        "INSERT INTO carried_out (transaction_id, game_id, content) VALUES (?1, ?2, ?3)",
        values![transaction.0, game.0, &json(&OrderForm::from(order))],
    )
}

fn begin_mining(rows: &mut dyn Statements, mining: &Mining) -> Result<(), SqlFault> {
    let call = json(&MiningCallForm::from(&mining.call));
    begin_intent(rows, &Intent { id: mining.id, owner: mining.owner, call })
}

fn json(form: &impl serde::Serialize) -> String {
    serde_json::to_string(form).expect("a form is plain data")
}
