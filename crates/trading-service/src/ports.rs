//! What the use cases ask of other services, in the domain's words. How they are called is up to the adapters in `gateways`.

use std::time::Duration;

use futures::future::BoxFuture;
use starkeep_contract::robot_service::Robot;
use starkeep_executor::{BatchHeaders, WorldEvent};
use starkeep_trading_core::{Amounts, PlanetId, PlayerId, RobotId, TradedRobot, Upgrade, WorldId};
use uuid::Uuid;

/// The robot service.
pub trait Robots: Send + Sync + 'static {
    /// A robot's owner and where it stands; none if there is no such robot.
    fn find(
        &self,
        robot: RobotId,
        context: CallContext,
    ) -> BoxFuture<'_, Result<Option<TradedRobot>, RobotFault>>;

    /// Sent again with the same key, the call takes effect once, if the service says so of itself.
    fn deliver(&self, call: RobotCall, context: CallContext) -> BoxFuture<'_, Result<Delivered, RobotFault>>;

    /// Does it carry out a call with the same key only once?
    fn executes_once(&self) -> BoxFuture<'_, Result<bool, RobotFault>>;

    /// Why the last call failed, if it did.
    fn fault(&self) -> Option<String>;
}

/// What goes with a call.
#[derive(Clone, Copy, Debug)]
pub struct CallContext {
    pub headers: BatchHeaders,
    /// How long its answer is waited for.
    pub within: Duration,
}

/// What the robot service is to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RobotCall {
    /// The command's; also the idempotency key.
    pub transaction: Uuid,
    pub work: RobotWork,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RobotWork {
    /// One robot on each of the planets.
    Spawn {
        player: PlayerId,
        planets: Vec<PlanetId>,
    },
    RestoreHealth {
        robot: RobotId,
    },
    RestoreEnergy {
        robot: RobotId,
    },
    Upgrade {
        robot: RobotId,
        of: Upgrade,
        level: u8,
    },
    /// Takes everything that the robot holds.
    Unload {
        robot: RobotId,
    },
}

/// What the robot service has done.
#[derive(Clone, Debug, PartialEq)]
pub enum Delivered {
    Spawned(Vec<Robot>),
    /// In its own words.
    Changed(String),
    Unloaded(Amounts),
}

/// How a call failed, by what is known about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RobotFault {
    /// It certainly has not arrived.
    NotReached(String),
    /// It may have taken effect.
    Unclear(String),
    /// It was refused, with a sentence for the player; nothing was done.
    Refused(String),
}

/// What can be asked of the game and map services where their events were not received.
pub trait Others: Send + Sync + 'static {
    /// Where the game service's log ends now.
    fn game_position(&self) -> BoxFuture<'_, Result<String, String>>;

    /// The body of the game service's `GET /rosters`.
    fn rosters(&self) -> BoxFuture<'_, Result<Vec<u8>, String>>;

    /// A gameworld; none if the map has no such one.
    fn world(&self, world: WorldId) -> BoxFuture<'_, Result<Option<WorldEvent>, String>>;
}
