//! What the use cases ask of a store and of other services, in the domain's words; changes are made by decisions.
//! How it is kept or asked is up to the adapters in `store` and `gateways`.

use futures::future::BoxFuture;
use starkeep_executor::{GameEvent, Games};
use starkeep_platform::store::Store as PlatformStore;
use starkeep_robot_core::{
    CommandId, GameId, MiningRefusal, Planet, PlanetFault, PlanetId, PlayerId, Robot, RobotId,
};

use crate::domain::Robots;
pub use crate::domain::{MiningCall, Order};

/// An answer that the storage itself is asked for; the error says why it cannot be read.
pub type Asked<'a, T> = BoxFuture<'a, Result<T, String>>;

pub trait Store: PlatformStore<Robots> {
    /// A robot, also of an ended game.
    fn robot(&self, robot: RobotId) -> Asked<'_, Option<(GameId, Robot)>>;

    /// All robots of a game, also of an ended one, in the order in which they were spawned.
    fn robots_of(&self, game: GameId) -> Asked<'_, Vec<Robot>>;

    /// An order that was carried out before.
    fn order(&self, transaction: CommandId) -> Asked<'_, Option<Order>>;
}

/// The map service.
pub trait Map: Send + Sync + 'static {
    fn planet(&self, planet: PlanetId) -> BoxFuture<'_, Result<Planet, PlanetFailure>>;

    /// Asks for a mining. The same call twice takes from the planet once.
    fn mine<'a>(&'a self, call: &'a MiningCall) -> BoxFuture<'a, MiningAnswer>;

    /// Why the last call got no answer, if it did not.
    fn fault(&self) -> Option<String>;
}

/// Why the map has not told of a planet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlanetFailure {
    pub fault: PlanetFault,
    /// Asked again, it may: it was not reached, or is at fault for a moment.
    pub may_pass: bool,
}

/// What came of a request to mine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MiningAnswer {
    /// So much was mined.
    Mined(u64),
    /// Nothing was mined, and never will be.
    Refused(MiningRefusal),
    /// This request has had no effect: it has not arrived, or its token was refused. An earlier one may have had one.
    NotTaken,
    /// Whether something was mined is not known.
    Unknown,
}

/// The game service.
pub trait GameService: Send + Sync + 'static {
    /// The player whose token it is; none if it is nobody's. The error says why it is not known.
    fn player_of<'a>(&'a self, token: &'a str) -> BoxFuture<'a, Result<Option<PlayerId>, String>>;

    /// The events that bring these games up to date, where events were missed.
    fn missed_events<'a>(&'a self, known: &'a Games) -> BoxFuture<'a, Result<Vec<GameEvent>, String>>;
}
