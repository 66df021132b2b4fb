//! The tables in memory refuse what a database would refuse.
//! That they say the same as SQLite is shown by the histories.

use std::sync::Arc;

use jiff::Timestamp;
use starkeep_game_core::{
    Command, CommandId, Game, GameId, MadeWorld, Moment, NewGame, Order, Player, PlayerId, Policy,
    ReplenishmentMode, RobotId, RoundId, Slots, Start, Token, WorldId, create,
};
use starkeep_platform::documents::DocumentWrites;
use starkeep_platform::memory::MemoryTables;
use uuid::Uuid;

use super::{Tables, round};
use crate::domain::{Change, Games, Image, NewCommand};

fn uuid(number: u128) -> Uuid {
    Uuid::from_u128(number)
}

fn save(tables: &mut Tables, change: &Change) -> Result<(), String> {
    Games::save(tables, change, &DocumentWrites::default())
}

fn image(tables: &Tables) -> Image {
    Games::load(tables)
}

fn game(tables: &Tables, number: u128) -> Arc<Game> {
    image(tables).game(GameId(uuid(number))).unwrap().clone()
}

fn add_game(tables: &mut Tables, number: u128) {
    let id = GameId(uuid(number));
    let new = NewGame {
        id,
        name: None,
        max_rounds: 3,
        max_players: 1,
        round_length: None,
        seed: None,
        drawn_seed: 1,
        style: None,
        nonce: None,
        given_world: None,
        start_money: None,
    };
    let created = create(&Policy::standard(), new, None, None, 1, Timestamp::UNIX_EPOCH).unwrap();
    let created = Change::of_game(created, &image(tables)).unwrap();
    save(tables, &created).unwrap();
    assert!(save(tables, &created).unwrap_err().contains("already"), "no game is created twice");
}

/// In the slot that is the lowest of those that the caller believes to be free.
fn start(tables: &mut Tables, number: u128, taken: &[u32]) -> Result<(), String> {
    let policy = Policy::msd().with_running_games(9);
    let slots = Slots(taken.iter().map(|slot| (*slot, GameId(uuid(99)))).collect());
    let (world, at, now) = (WorldId(uuid(number)), Moment(0), Timestamp::UNIX_EPOCH);
    let begun = game(tables, number).begin_start(&policy, &slots, world, RoundId(uuid(1)), at, now).unwrap();
    let Start::NeedsWorld { change, .. } = begun else { panic!("its world is made first") };
    save(tables, &Change::of_game(change, &image(tables)).unwrap())?;
    let made = MadeWorld { id: world, replenishment: ReplenishmentMode::OnRequest };
    let finished = game(tables, number)
        .finish_start(&Policy::standard(), world, made, RoundId(uuid(number)), at, now)
        .unwrap();
    save(tables, &Change::of_game(finished, &image(tables)).unwrap())
}

#[test]
fn no_slot_is_taken_twice_and_none_beyond_the_limit() {
    let mut tables = Tables::with_slots(2);
    (1..=3).for_each(|number| add_game(&mut tables, number));
    start(&mut tables, 1, &[]).unwrap();
    let before = tables.clone();
    assert_eq!(start(&mut tables, 2, &[]), Err("slot 1 is taken".to_owned()));
    tables = before;
    start(&mut tables, 2, &[1]).unwrap();
    assert_eq!(start(&mut tables, 3, &[1, 2]), Err("more games would run than are allowed".to_owned()));
}

#[test]
fn names_mail_addresses_and_tokens_belong_to_one_player() {
    let player = |id, name: &str, mail: &str, token| Player {
        id: PlayerId(uuid(id)),
        name: name.to_owned(),
        mail: mail.to_owned(),
        token: Token(uuid(token)),
        recovery_code: None,
    };
    let mut tables = Tables::default();
    save(&mut tables, &Change::PlayerRegistered(player(1, "ada", "ada@x", 1))).unwrap();
    save(&mut tables, &Change::PlayerRegistered(player(2, "bob", "bob@x", 2))).unwrap();
    for (twin, what) in [
        (player(1, "eve", "eve@x", 3), "player"),
        (player(3, "ADA", "eve@x", 3), "name"),
        (player(3, "eve", "Ada@X", 3), "mail address"),
        (player(3, "eve", "eve@x", 1), "token"),
    ] {
        let refused = save(&mut tables, &Change::PlayerRegistered(twin)).unwrap_err();
        assert!(refused.contains(what), "{refused}");
    }
    let renew = |token| Change::TokenRenewed { player: PlayerId(uuid(1)), token: Token(uuid(token)) };
    assert!(save(&mut tables, &renew(2)).unwrap_err().contains("token"));
    save(&mut tables, &renew(4)).unwrap();
    save(&mut tables, &Change::PlayerRegistered(player(3, "eve", "eve@x", 1))).unwrap();
}

#[test]
fn commands_have_their_own_ids_and_places_and_a_robot_has_one_in_a_round() {
    let mut tables = Tables::default();
    add_game(&mut tables, 1);
    start(&mut tables, 1, &[]).unwrap();
    let command = |id, place, robot, replaces| {
        let (id, order) = (CommandId(uuid(id)), Order::Mine { robot: RobotId(uuid(robot)) });
        let (game, player) = (GameId(uuid(1)), PlayerId(uuid(1)));
        let command = Arc::new(Command { id, game, round: 1, player, order, place });
        Change::CommandsTaken(vec![NewCommand { command, replaces }])
    };
    save(&mut tables, &command(1, 1, 7, None)).unwrap();
    let before = tables.clone();
    for (twin, what) in [
        (command(1, 2, 8, None), "there is a command"),
        (command(2, 1, 8, None), "the place of command"),
        (command(2, 2, 7, None), "a second one for its robot"),
    ] {
        let mut tables = before.clone();
        let refused = save(&mut tables, &twin).unwrap_err();
        assert!(refused.contains(what), "{refused}");
    }
    save(&mut tables, &command(2, 2, 7, Some(1))).unwrap();
    let kept = round(&tables, GameId(uuid(1)), 1).unwrap();
    assert_eq!(kept.commands.iter().map(|command| command.place).collect::<Vec<_>>(), [2]);
    assert_eq!(round(&tables, GameId(uuid(1)), 2), None);
}
