//! Bots play whole games: everything that can happen happens, playing pays, and the same seed gives the same game.
#![allow(clippy::unwrap_used, reason = "what fails here fails the test")]

mod simulation;

use simulation::{Game, START_MONEY, Setup};
use starkeep_bot_core::ResourceKind;

fn game(seed: u64, bots: u32) -> Game {
    Game::play(Setup { seed, bots, rounds: 100, id_seed: 7 })
}

#[test]
fn report() {
    for bots in [4, 20] {
        for seed in 0..if bots == 4 { 20 } else { 4 } {
            let game = game(seed, bots);
            let mut scores = game.scores();
            scores.sort();
            let mean = scores.iter().sum::<u64>() / u64::from(bots);
            println!("{bots} bots seed {seed}: mean {mean} {scores:?} alive {} sold {:?}", game.fleet.len(), game.sold);
            println!("   {:?} prices {:?}", game.results, game.market.prices().resources);
            let coal = game.market.price_history().skip(80).map(|(_, p)| p.of(ResourceKind::Coal)).sum::<u64>();
            println!("   coal in the end {} {}", coal, game.sold_in(80..=100, ResourceKind::Coal));
        }
    }
    let _ = START_MONEY;
}
