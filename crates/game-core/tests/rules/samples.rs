//! Ids, instants and games that the tests share.
//! They are made through the public commands only, so every sample is a game that can exist.

use std::time::Duration;

use jiff::Timestamp;
use starkeep_game_core::*;
use uuid::Uuid;

pub(crate) const GAME: GameId = GameId(Uuid::from_u128(0x6A));
pub(crate) const OTHER_GAME: GameId = GameId(Uuid::from_u128(0x6B));
pub(crate) const FIRST_WORLD: WorldId = WorldId(Uuid::from_u128(0xA1));
pub(crate) const FRESH_WORLD: WorldId = WorldId(Uuid::from_u128(0xA2));
pub(crate) const FREE: Slots = Slots(Vec::new());
/// Not zero, so that a mix-up of game time and service time is seen.
pub(crate) const START: Moment = Moment(5_000_000_123);

pub(crate) fn player(number: u32) -> PlayerId {
    PlayerId(Uuid::from_u128(0x1_0000 + u128::from(number)))
}

/// Of the player's join.
pub(crate) fn transaction(number: u32) -> Uuid {
    Uuid::from_u128(0x3_0000 + u128::from(number))
}

pub(crate) fn round_id(number: u32) -> RoundId {
    RoundId(Uuid::from_u128(0x2_0000_0000 + u128::from(number)))
}

pub(crate) fn noon(plus_seconds: i64) -> Timestamp {
    Timestamp::from_second(1_772_798_400 + plus_seconds).unwrap()
}

pub(crate) fn ms(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

/// So many rounds of a second for two players.
pub(crate) fn new_game(max_rounds: u32) -> NewGame {
    NewGame {
        id: GAME,
        name: None,
        max_rounds,
        max_players: 2,
        round_length: Some(1_000),
        seed: None,
        drawn_seed: 5,
        style: None,
        nonce: None,
        given_world: None,
        start_money: None,
    }
}

/// A world that is replenished when the game says so.
pub(crate) fn made(id: WorldId) -> MadeWorld {
    MadeWorld { id, replenishment: ReplenishmentMode::OnRequest }
}

pub(crate) fn created(max_rounds: u32) -> Game {
    after(create(&Policy::standard(), new_game(max_rounds), Some(made(FIRST_WORLD)), None, 1, noon(0)))
}

pub(crate) fn starting(max_rounds: u32) -> Game {
    match begin(&created(max_rounds)) {
        Ok(Start::NeedsWorld { change, .. }) => change.after.unwrap(),
        other => panic!("{other:?}"),
    }
}

pub(crate) fn running(max_rounds: u32) -> Game {
    after(finish(&starting(max_rounds)))
}

/// The world of a start under way has been made; the first round begins at once.
pub(crate) fn finish(game: &Game) -> Result<Change, Rejection> {
    game.finish_start(&Policy::standard(), FRESH_WORLD, made(FRESH_WORLD), round_id(1), START, noon(1))
}

pub(crate) fn ended() -> Game {
    after(running(3).end(START + ms(500), noon(2)))
}

pub(crate) fn begin(game: &Game) -> Result<Start, Rejection> {
    game.begin_start(&Policy::standard(), &FREE, FRESH_WORLD, round_id(1), START, noon(1))
}

/// Takes the next so many boundaries, each at its instant.
pub(crate) fn advanced(game: Game, boundaries: usize) -> Game {
    (0..boundaries).fold(game, |game, _| advance(&game).after.unwrap())
}

pub(crate) fn advance(game: &Game) -> Change {
    let boundary = game.next_boundary().unwrap();
    game.advance(&Policy::standard(), boundary, round_id(game.current_round() + 1), noon(3)).unwrap()
}

pub(crate) fn after(change: Result<Change, Rejection>) -> Game {
    change.unwrap().after.unwrap()
}

pub(crate) fn round_started(number: u32) -> Event {
    Event::RoundStarted { game: GAME, round: round_id(number), number }
}

pub(crate) fn input_ended(number: u32) -> Event {
    Event::InputEnded { game: GAME, round: round_id(number), number }
}

pub(crate) fn round_ended(number: u32) -> Event {
    Event::RoundEnded { game: GAME, round: round_id(number), number }
}

pub(crate) fn deactivate(world: WorldId) -> Retirement {
    Retirement { world, how: Retire::Deactivate }
}

pub(crate) fn seal(world: WorldId) -> Retirement {
    Retirement { world, how: Retire::Seal }
}

pub(crate) fn delete(world: WorldId) -> Retirement {
    Retirement { world, how: Retire::Delete }
}
