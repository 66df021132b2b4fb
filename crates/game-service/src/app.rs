//! The use cases of the game service: each asks the clock, hands the store a decision, and returns what came of it.
//! Rules are the core's, words are the wire's; only what spans two services or two steps is arranged here.

mod clock;
mod commands;
mod create;
mod dispatch;
mod games;
mod players;
mod robots;
mod rounds;
mod start;
mod under_way;

use std::sync::Arc;

use starkeep_game_core::{Change as GameChange, Game, GameId, Policy};
use starkeep_platform::apply::{Decided, Failure, Remember, Work, apply};
use starkeep_platform::chance::Chance;
use starkeep_platform::clock::Clock;
use starkeep_platform::http::auth::AdminToken;

pub use self::commands::{Accepted, Each, Wish};
pub use self::games::Page;
pub use self::players::Joining;
use self::under_way::UnderWay;
use crate::deliveries::Deliveries;
use crate::domain::{Change, Games, Image, Key, Rejection};
use crate::ports::{MapFault, MapGateway, Receiver, Store};
use crate::punctuality::Punctuality;
use crate::timeline::Timeline;
use crate::wire::Wire;

/// The services beside this one.
#[derive(Clone)]
pub struct Neighbours {
    pub map: Arc<dyn MapGateway>,
    /// Who carries out trades; what nobody carries out is not delivered.
    pub trading: Option<Arc<dyn Receiver>>,
    /// Who carries out everything else.
    pub robots: Option<Arc<dyn Receiver>>,
}

/// Everything a use case may ask.
pub struct App {
    pub(crate) store: Arc<dyn Store>,
    pub(crate) neighbours: Neighbours,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) chance: Arc<dyn Chance>,
    pub(crate) timeline: Timeline,
    pub(crate) policy: Policy,
    pub(crate) wire: Wire,
    /// What a host shows to act in a player's place.
    pub(crate) host_token: AdminToken,
    pub(crate) punctuality: Punctuality,
    pub(crate) deliveries: Deliveries,
    under_way: UnderWay,
}

pub type Outcome<T> = Result<T, Failure<Rejection>>;

/// Why something that crosses two services did not come about. Nothing of it stays behind for long.
#[derive(Debug)]
pub enum IntentFailure {
    Store(Failure<Rejection>),
    Map(MapFault),
}

impl From<Failure<Rejection>> for IntentFailure {
    fn from(failure: Failure<Rejection>) -> Self {
        Self::Store(failure)
    }
}

impl App {
    pub fn new(
        store: Arc<dyn Store>,
        neighbours: Neighbours,
        clock: Arc<dyn Clock>,
        chance: Arc<dyn Chance>,
        policy: Policy,
        wire: Wire,
        host_token: AdminToken,
    ) -> Arc<Self> {
        let timeline = Timeline::resume(clock.clone(), store.image().service_time());
        Arc::new(Self {
            store,
            neighbours,
            clock,
            chance,
            timeline,
            policy,
            wire,
            host_token,
            punctuality: Punctuality::default(),
            deliveries: Deliveries::default(),
            under_way: UnderWay::default(),
        })
    }

    pub fn timeline(&self) -> &Timeline {
        &self.timeline
    }

    /// Submits a decision and waits for its commit.
    async fn decide<T: Send + 'static>(&self, work: Work<Games, T>) -> Outcome<T> {
        apply(&*self.store, work).await
    }

    /// A change of one game that the rules decide, told to everybody; the caller sees the game as it now is.
    async fn change_game(
        &self,
        id: GameId,
        remember: Remember<Game>,
        rule: impl Fn(&Game, &Image) -> Result<GameChange, Rejection> + Send + 'static,
    ) -> Outcome<Game> {
        self.shift_if_frozen(id).await?;
        self.decide(self.game_change(id, rule).remember(remember)).await
    }

    fn game_change(
        &self,
        id: GameId,
        rule: impl Fn(&Game, &Image) -> Result<GameChange, Rejection> + Send + 'static,
    ) -> Work<Games, Game> {
        let announce = self.announcer();
        Work::new(vec![Key::Game(id)], move |image: &Image| {
            let game = image.game(id)?;
            let change = rule(game, image)?;
            let output = change.after.clone().unwrap_or_else(|| (**game).clone());
            let (events, left_over) = (announce(&change), image.left_over(&change));
            Ok(Decided { change: Change::Game(Box::new(change), left_over), events, output })
        })
    }

    /// Turns a change's events into envelopes, with ids and time of this moment.
    fn announcer(
        &self,
    ) -> impl Fn(&GameChange) -> Vec<starkeep_contract::events::NewEvent> + Send + Sync + 'static {
        let (wire, chance, now) = (self.wire, self.chance.clone(), self.clock.wall());
        move |change| change.events.iter().filter_map(|event| wire.event(event, &*chance, now)).collect()
    }
}
