//! The rules of games: creating one, ending a phase, taking an order.

use std::hint::black_box;

use jiff::Timestamp;
use starkeep_game_core::{
    Game, GameId, MadeWorld, Moment, NewGame, Order, PlayerId, Policy, ReplenishmentMode, Robot, RobotGame,
    RobotId, RoundId, Slots, Start, WorldId, create,
};
use uuid::Uuid;

use crate::measured::count;

const POLICY: Policy = Policy::standard();
const NOW: Timestamp = Timestamp::UNIX_EPOCH;
const PLAYERS: u32 = 10;

pub(super) fn create_a_game(times: u32) {
    count(times, || drop(black_box(created())));
}

/// By turns that of the collection and that of the round.
pub(super) fn end_a_phase(times: u32) {
    let mut game = running();
    count(times, || {
        let boundary = game.next_boundary().expect("a running game has a next boundary");
        let round = RoundId(Uuid::from_u128(u128::from(boundary.round)));
        let change = game.advance(&POLICY, boundary, round, NOW).expect("it is the next one");
        game = change.after.expect("it goes on");
    });
}

/// Of every player in many games, because hash maps are seeded at random.
pub(super) fn take_an_order(times: u32) {
    let games: Vec<_> = (0..100).map(|_| running()).collect();
    let robot = RobotId(Uuid::from_u128(0x70));
    let order = Order::Mine { robot };
    let players: Vec<_> = (1..=PLAYERS).map(player).collect();
    let mut each = games.iter().flat_map(|game| players.iter().map(move |player| (game, *player))).cycle();
    count(times, || {
        let (game, player) = each.next().expect("there are games");
        let known = Robot { owner: Some(player), alive: true, game: RobotGame::default() };
        let taken = game.take_order(black_box(&POLICY), player, &order, |_| Some(known), Moment(1));
        assert_eq!(taken, Ok(1));
    });
}

fn created() -> Game {
    let new = NewGame {
        id: GameId(Uuid::from_u128(0x6a)),
        name: None,
        max_rounds: 10_000,
        max_players: PLAYERS,
        round_length: Some(1_000),
        seed: None,
        drawn_seed: 5,
        style: None,
        nonce: None,
        given_world: None,
        start_money: None,
    };
    let world = MadeWorld { id: WorldId(Uuid::from_u128(0xa1)), replenishment: ReplenishmentMode::OnRequest };
    let change = create(&POLICY, new, Some(world), None, 1, NOW).expect("it is within the bounds");
    change.after.expect("a game")
}

/// In its first round.
fn running() -> Game {
    let mut game = created();
    for number in 1..=PLAYERS {
        let joined = game.join(player(number), Uuid::from_u128(u128::from(number)));
        game = joined.expect("there is a seat").after.expect("the game");
    }
    let (world, round) = (WorldId(Uuid::from_u128(0xa2)), RoundId(Uuid::from_u128(0)));
    let slots = Slots::default();
    match game.begin_start(&POLICY, &slots, world, round, Moment(0), NOW) {
        Ok(Start::Now(change)) => change.after.expect("the game"),
        other => panic!("every seat is taken, so that it starts at once: {other:?}"),
    }
}

fn player(number: u32) -> PlayerId {
    PlayerId(Uuid::from_u128(u128::from(number)))
}
