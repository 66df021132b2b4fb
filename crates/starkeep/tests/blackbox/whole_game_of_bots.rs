//! Built-in bots play whole games with the real program: everything that can happen happens, playing pays, every command has
//! its one result, and what the services tell of a game fits together. It is seen from outside only.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;

use serde_json::Value;
use starkeep_contract::events::Channel;
use starkeep_contract::trading_events::TradeKind;

use crate::bot_game::BotGame;
use crate::scale::scale;
use crate::whole_game::{assert_books_balance, serve};

const START_MONEY: i64 = 200;
const ROUNDS: u32 = 100;
/// Near the end.
const LAST_ROUNDS: RangeInclusive<u64> = 80..=100;

#[tokio::test]
async fn four_bots_do_everything_and_do_well() {
    let (program, _home) = serve(&[]).await;
    let (mut kinds, mut money, mut games_with_iron) = (BTreeSet::new(), Vec::new(), 0);
    let games = 2 * scale();
    for seed in 1..=games as u64 {
        let game = BotGame::play(&program, seed, 4, ROUNDS).await;
        check(&game);
        games_with_iron += usize::from(sells_better_than_coal(&game));
        kinds.extend(kinds_of(&game));
        money.extend(money_of(&game));
    }
    assert_eq!(missing(&kinds), Vec::<&str>::new());
    // Four bots need not find it on every map.
    assert!(
        games_with_iron * 10 >= games * 9,
        "only in {games_with_iron} of {games} games more than coal was sold"
    );
    assert_beats_doing_nothing(&money);
    for service in [program.map(), program.robot(), program.trading()] {
        assert_books_balance(&service).await;
    }
}

#[tokio::test]
async fn twenty_bots_leave_something_to_earn_with_coal() {
    let (program, _home) = serve(&[]).await;
    let game = BotGame::play(&program, 1, 20, ROUNDS).await;
    check(&game);
    assert!(sells_better_than_coal(&game), "only coal was sold");
    assert_eq!(missing(&kinds_of(&game)), Vec::<&str>::new());
    assert_beats_doing_nothing(&money_of(&game));
    let prices = coal_prices(&game);
    let mean = prices.iter().sum::<u64>() / prices.len() as u64;
    assert!(mean >= 3 && !prices.contains(&1), "coal was at {prices:?}");
    let sold =
        sales(&game).filter(|sale| LAST_ROUNDS.contains(&sale["about"]["roundNumber"].as_u64().unwrap()));
    assert!(sold.map(|sale| sale["payload"]["data"]["coal"].as_u64().unwrap()).sum::<u64>() > 0);
    for service in [program.map(), program.robot(), program.trading()] {
        assert_books_balance(&service).await;
    }
}

/// What must hold of each game, however many play.
pub(crate) fn check(game: &BotGame) {
    assert_every_command_has_one_result(game);
    assert_the_scoreboard_fits(game);
    let money = money_of(game);
    assert!(money.iter().any(|other| *other != money[0]), "seed {}: {money:?}", game.seed);
}

/// The bots say so of their commands, and the events of the services agree.
fn assert_every_command_has_one_result(game: &BotGame) {
    let results =
        [Channel::Movement, Channel::Mining, Channel::Regeneration, Channel::Fighting, Channel::Trades];
    let results = results.into_iter().flat_map(|channel| game.on(channel));
    let commands: Vec<_> = results.map(|event| event["headers"]["transactionId"].as_str().unwrap()).collect();
    let different: BTreeSet<_> = commands.iter().collect();
    assert_eq!(different.len(), commands.len(), "seed {}: a command was executed twice", game.seed);
    let (number, summary) = (commands.len(), &game.summary);
    let accepted = format!("{number} commands accepted, 0 refused");
    assert!(summary.contains(&accepted), "seed {}: {number} results, and {summary}", game.seed);
    let became = format!("What became of those accepted: {number} dispatched.");
    assert!(summary.ends_with(&became), "seed {}: {number} results, and {summary}", game.seed);
    // A round waits for everybody but those who are out.
    let is_late = summary.contains("not sent because the round was over");
    assert!(
        !is_late || game.scoreboard.iter().any(|row| row.out == Some(true)),
        "seed {}: {summary}",
        game.seed
    );
}

/// Money as the trades tell it, on the scoreboard and as the last of all rounds.
fn assert_the_scoreboard_fits(game: &BotGame) {
    let mut money = BTreeMap::<&str, i64>::new();
    for trade in game.on(Channel::Trades) {
        let player = trade["about"]["playerId"].as_str().unwrap();
        *money.entry(player).or_insert(START_MONEY) += trade["payload"]["moneyChangedBy"].as_i64().unwrap();
    }
    assert_eq!(game.scores.rounds, (1..=game.rounds).collect::<Vec<_>>());
    for row in &game.scoreboard {
        let shown = i64::try_from(row.money.unwrap()).unwrap();
        assert_eq!(shown, money[row.player_id.to_string().as_str()], "seed {}: {row:?}", game.seed);
        let scores = game.scores.players.iter().find(|player| player.player_id == row.player_id).unwrap();
        assert_eq!(scores.money.last(), Some(&row.money), "seed {}: {row:?}", game.seed);
        assert_eq!(scores.robots_alive.last(), Some(&row.robots_alive), "seed {}: {row:?}", game.seed);
    }
    assert!(game.scoreboard.is_sorted_by_key(|row| std::cmp::Reverse(row.money)));
}

/// Channels, and types of `trades`.
fn kinds_of(game: &BotGame) -> BTreeSet<String> {
    let channels = game.events.iter().map(|event| &event["channel"]);
    let types = game.on(Channel::Trades).map(|event| &event["headers"]["type"]);
    channels.chain(types).map(|name| name.as_str().unwrap().to_owned()).collect()
}

fn missing(kinds: &BTreeSet<String>) -> Vec<&'static str> {
    // When a map replenishes is decided by the clock.
    let channels = Channel::ALL.into_iter().filter(|channel| *channel != Channel::ResourceReplenished);
    let expected = channels.map(Channel::name).chain(TradeKind::ALL.map(TradeKind::name));
    expected.filter(|kind| !kinds.contains(*kind)).collect()
}

fn money_of(game: &BotGame) -> Vec<i64> {
    game.scoreboard.iter().map(|row| row.money.unwrap().try_into().unwrap()).collect()
}

/// Iron or what is worth more.
fn sells_better_than_coal(game: &BotGame) -> bool {
    let amount = |sale: &Value, kind| sale["payload"]["data"][kind].as_u64().unwrap();
    let better = |sale| ["iron", "gem", "gold", "platin"].iter().any(|kind| amount(sale, *kind) > 0);
    sales(game).any(better)
}

/// Who does nothing keeps what it had at the start.
fn assert_beats_doing_nothing(money: &[i64]) {
    let mean = money.iter().sum::<i64>() / i64::try_from(money.len()).unwrap();
    assert!(mean > START_MONEY, "who does nothing does better than {money:?}");
}

fn sales(game: &BotGame) -> impl Iterator<Item = &Value> {
    game.on(Channel::Trades).filter(|trade| trade["headers"]["type"] == TradeKind::SellResource.name())
}

/// In the last rounds.
fn coal_prices(game: &BotGame) -> Vec<u64> {
    let told = game.on(Channel::CurrentResourcePrices);
    let told = told.filter(|event| LAST_ROUNDS.contains(&event["about"]["roundNumber"].as_u64().unwrap()));
    let coal =
        told.flat_map(|event| event["payload"].as_array().unwrap()).filter(|price| price["name"] == "coal");
    coal.map(|price| price["price"].as_u64().unwrap()).collect()
}
