//! Bots play whole games: everything that can happen happens, playing pays, and the same seed gives the same game.
//! What a bot counts with is what the rules say.
#![allow(clippy::unwrap_used, reason = "what fails here fails the test")]

mod rules;
mod simulation;

use std::collections::BTreeSet;

use proptest::test_runner::Config;
use simulation::{Game, START_MONEY, Setup};
use starkeep_bot_core::ResourceKind;

/// Channels of the robot service, and types of `trades`.
const RESULTS: [&str; 13] = [
    "spawn-notification",
    "neighbours",
    "movement",
    "mining",
    "regeneration",
    "fighting",
    "robot-destroyed",
    "resource-distribution",
    "buy-robot",
    "buy-item",
    "sell-resource",
    "buy-error",
    "sell-error",
];

const ROUNDS: u32 = 100;
/// Near the end.
const LAST_ROUNDS: std::ops::RangeInclusive<u32> = 80..=ROUNDS;

/// So many games in the long run, a quarter of them in the short one.
fn seeds(most: u64) -> std::ops::Range<u64> {
    if Config::default().cases >= 640 { 0..most } else { 0..most.div_ceil(4) }
}

fn game(seed: u64, bots: u32) -> Game {
    Game::play(Setup { seed, bots, rounds: ROUNDS, id_seed: 7 })
}

/// What must hold of each game, however many play.
fn check(game: &Game) {
    let Setup { seed, bots, .. } = game.setup;
    let scores = game.scores();
    assert_eq!(game.books.balance(&game.fleet), Ok(()), "seed {seed}");
    assert!(game.sold.total() > game.sold.of(ResourceKind::Coal), "seed {seed} sold {:?}", game.sold);
    let mean = scores.iter().sum::<u64>() / u64::from(bots);
    assert!(mean > START_MONEY, "seed {seed}: who does nothing does better than {scores:?}");
    let different: BTreeSet<_> = scores.iter().collect();
    assert!(different.len() > 1, "seed {seed}: {scores:?}");
}

fn missing<'a>(games: impl IntoIterator<Item = &'a Game>) -> Vec<&'static str> {
    let occurred: BTreeSet<_> = games.into_iter().flat_map(|game| game.results.keys().copied()).collect();
    RESULTS.into_iter().filter(|result| !occurred.contains(result)).collect()
}

#[test]
fn four_bots_do_everything_and_do_well() {
    let games: Vec<_> = seeds(80).map(|seed| game(seed, 4)).collect();
    games.iter().for_each(check);
    assert_eq!(missing(&games), [""; 0]);
    // Two robots need not meet in every game.
    let full = games.iter().filter(|game| missing([*game]).is_empty()).count();
    assert!(full * 2 > games.len(), "{full} of {} games have everything", games.len());
}

#[test]
fn twenty_bots_leave_something_to_earn_with_coal() {
    for seed in seeds(4) {
        let game = game(seed, 20);
        check(&game);
        assert_eq!(missing([&game]), [""; 0], "seed {seed}");
        let prices = game.market.prices.iter().filter(|(round, _)| LAST_ROUNDS.contains(round));
        let prices: Vec<_> = prices.map(|(_, prices)| prices.of(ResourceKind::Coal)).collect();
        let mean = prices.iter().sum::<u64>() / prices.len() as u64;
        assert!(mean >= 3, "seed {seed}: coal was at {prices:?}");
        assert!(!prices.contains(&1), "seed {seed}: coal was at {prices:?}");
        assert!(game.sold_in(LAST_ROUNDS, ResourceKind::Coal) > 0, "seed {seed}: nobody sold coal");
    }
}

#[test]
fn the_same_seed_gives_the_same_game_whatever_the_ids() {
    let play = |id_seed| Game::play(Setup { seed: 3, bots: 4, rounds: ROUNDS, id_seed });
    let once = play(7);
    // Two ids are in the same order as before in every second game.
    for id_seed in 8..12 {
        let again = play(id_seed);
        for (once, again) in once.told.iter().zip(&again.told) {
            assert_eq!(once, again);
        }
        assert_eq!((once.scores(), &once.results), (again.scores(), &again.results));
    }
    assert_ne!(once.told, game(4, 4).told);
}

/// The shortest games, and a game in which the bots are alone with an empty account.
#[test]
fn bots_play_games_of_any_length() {
    for rounds in [1, 2, 3, 13] {
        let game = Game::play(Setup { seed: 1, bots: 2, rounds, id_seed: 7 });
        assert_eq!(game.books.balance(&game.fleet), Ok(()), "{rounds} rounds");
        assert!(game.fleet.len() >= 2, "each has a robot at once");
    }
}
