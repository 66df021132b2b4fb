//! What the service keeps: its entities as documents, and which of them a change touches.

mod executed;
mod followed;
mod market;
mod wave;

use starkeep_platform::documents::{Document, Documents, Kind, Question, Touched, Unreadable, put};
use starkeep_trading_core::{GameId, Market};
use uuid::Uuid;

use self::executed::{Executed, ExecutedForm, OF_GAME};
use self::followed::{FollowedGameEntity, StreamEntity, Unclaimed};
use self::market::{AccountEntity, Balances, Prices, Sales, Stations};
use self::wave::OpenWave;
use super::change::{Booking, Move, Received, Traded};
use super::{Change, Image, Key, Trading};

impl Documents for Trading {
    const KINDS: &'static [Kind<Self>] = &[
        Kind::of::<FollowedGameEntity>(),
        Kind::of::<StreamEntity>(),
        Kind::of::<Unclaimed>(),
        Kind::of::<Stations>(),
        Kind::of::<AccountEntity>(),
        Kind::of::<Prices>(),
        Kind::of::<Sales>(),
        Kind::of::<Balances>(),
        Kind::of::<OpenWave>(),
        Kind::of::<Executed>(),
    ];

    fn touched(change: &Change, touched: &mut Touched<Self>) {
        match change {
            Change::Received(received) => touched_by_news(received, touched),
            Change::Traded(traded) => touched_by_trades(traded, touched),
            Change::TakenOver { game, .. } => touched.one::<OpenWave>(&(game.0,)),
        }
    }

    /// First the games, then the markets of those that have not ended.
    fn start(image: &Image, step: u32) -> Vec<Question> {
        match step {
            0 => vec![
                Question::all::<OpenWave>(),
                Question::all::<FollowedGameEntity>(),
                Question::all::<StreamEntity>(),
                Question::all::<Unclaimed>(),
            ],
            1 => image.markets.keys().flat_map(|game| of_market(*game)).collect(),
            _ => Vec::new(),
        }
    }

    fn lacks(image: &Image, key: &Key) -> bool {
        match key {
            Key::Market(game) => image.lacks_market(*game),
            Key::Executed(transaction) => !image.is_executed(transaction),
        }
    }

    fn wanted(key: &Key) -> Vec<Question> {
        match key {
            Key::Market(game) => market_questions(*game),
            Key::Executed(transaction) => vec![Question::one::<Executed>(&(transaction.clone(),))],
        }
    }

    fn found(image: &mut Image, key: &Key, found: &[Document]) -> Result<(), Unreadable> {
        match key {
            Key::Executed(_) => found.iter().try_for_each(|document| put::<Self>(image, document)),
            Key::Market(game) => {
                if let Some(market) = market_of(*game, found)? {
                    image.load_market_for_batch(*game, market);
                }
                Ok(())
            }
        }
    }
}

/// For the market of a game, whether it is in memory or not.
pub(crate) fn market_questions(game: GameId) -> Vec<Question> {
    let header = Question::one::<FollowedGameEntity>(&(game.0,));
    of_market(game).into_iter().chain([header]).collect()
}

/// The market that was found; none if the game is not known.
pub(crate) fn market_of(game: GameId, found: &[Document]) -> Result<Option<Market>, Unreadable> {
    let mut image = Image::default();
    image.load_market_for_batch(game, Market::default());
    found.iter().try_for_each(|document| put::<Trading>(&mut image, document))?;
    let is_known = image.games.get(game).is_some();
    Ok(image.markets.remove(&game).filter(|_| is_known))
}

fn of_market(game: GameId) -> [Question; 5] {
    let parts = (game.0,);
    [
        Question::one::<Stations>(&parts),
        Question::under::<AccountEntity>(&parts),
        Question::under::<Prices>(&parts),
        Question::under::<Sales>(&parts),
        Question::under::<Balances>(&parts),
    ]
}

fn touched_by_news(received: &Received, touched: &mut Touched<Trading>) {
    for step in &received.moves {
        match step {
            Move::Game { game, .. } => touched.one::<FollowedGameEntity>(&(game.0,)),
            Move::Deleted { game } => forget(game.0, touched),
            Move::Joined { game, player, .. } | Move::Left { game, player } => {
                touched.one::<AccountEntity>(&(game.0, player.0));
            }
            Move::Prices { game, round, .. } => touched.one::<Prices>(&(game.0, *round)),
            Move::Balances { game, round } => touched.one::<Balances>(&(game.0, *round)),
            Move::World { world, .. } | Move::WorldDropped { world } => {
                touched.one::<Unclaimed>(&(world.0,));
            }
            Move::Stations { game, world } => {
                touched.one::<Unclaimed>(&(world.0,));
                touched.one::<Stations>(&(game.0,));
            }
        }
    }
    if let Some((stream, _)) = &received.position {
        touched.one::<StreamEntity>(&(*stream,));
    }
}

/// Everything of a game that was deleted.
fn forget(game: Uuid, touched: &mut Touched<Trading>) {
    let parts = (game,);
    touched.one::<FollowedGameEntity>(&parts);
    touched.one::<OpenWave>(&parts);
    touched.one::<Stations>(&parts);
    touched.all_removed::<AccountEntity>(&parts);
    touched.all_removed::<Prices>(&parts);
    touched.all_removed::<Sales>(&parts);
    touched.all_removed::<Balances>(&parts);
    touched.all_removed_by::<Executed>(OF_GAME, game.as_bytes());
}

fn touched_by_trades(traded: &Traded, touched: &mut Touched<Trading>) {
    let game = traded.game.0;
    if traded.settled.is_some() || traded.begun.is_some() {
        touched.one::<OpenWave>(&(game,));
    }
    for booking in &traded.bookings {
        match booking {
            Booking::Bought(reserved) | Booking::Cancelled(reserved) => {
                touched.one::<AccountEntity>(&(game, reserved.player.0));
            }
            Booking::Sold { player, round, .. } => {
                touched.one::<AccountEntity>(&(game, player.0));
                touched.one::<Sales>(&(game, *round));
            }
        }
    }
    for transaction in &traded.executed {
        touched.carried::<Executed>(&(transaction.clone(),), &ExecutedForm { game });
    }
    if let Some(begun) = &traded.begun {
        touched.one::<FollowedGameEntity>(&(game,));
        for reserved in begun.intent.call.reservations() {
            touched.one::<AccountEntity>(&(game, reserved.player.0));
        }
    }
}
