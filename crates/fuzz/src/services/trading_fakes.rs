//! The services beside a trading service: a robot service that does all that is asked, and others of which nothing was missed.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use futures::future::{BoxFuture, FutureExt as _, ready};
use starkeep_contract::robot_service::{Inventory, Robot};
use starkeep_contract::{PlanetId as WirePlanetId, PlayerId as WirePlayerId, RobotId as WireRobotId};
use starkeep_executor::WorldEvent;
use starkeep_trading_core::{Amounts, PlanetId, PlayerId, RobotId, TradedRobot, WorldId};
use starkeep_trading_service::ports::{
    CallContext, Delivered, Others, RobotCall, RobotFault, RobotWork, Robots,
};
use uuid::Uuid;

pub(super) const PLAYER: Uuid = Uuid::from_u128(0x5eed_0000_0000_4000_8000_0000_0000_0004);
pub(super) const ROBOT: Uuid = Uuid::from_u128(0x5eed_0000_0000_4000_8000_0000_0000_0008);
pub(super) const STATION: Uuid = Uuid::from_u128(0x5eed_0000_0000_4000_8000_0000_0000_0002);

/// Knows the one robot, and spawns as many as are wanted.
pub(super) struct OneRobot {
    load: Mutex<[u64; 5]>,
    spawned: AtomicU64,
}

impl Default for OneRobot {
    fn default() -> Self {
        Self { load: Mutex::new([1, 2, 3, 4, 5]), spawned: AtomicU64::new(0) }
    }
}

impl OneRobot {
    fn spawn(&self, player: PlayerId, planet: PlanetId) -> Robot {
        let number = self.spawned.fetch_add(1, Ordering::Relaxed);
        Robot {
            id: WireRobotId(Uuid::from_u128(u128::from(number) + 1)),
            player: WirePlayerId(player.0),
            planet: WirePlanetId(planet.0),
            alive: true,
            max_health: 10,
            max_energy: 20,
            energy_regen: 4,
            attack_damage: 1,
            mining_speed: 2,
            health: 10,
            energy: 20,
            health_level: 0,
            damage_level: 0,
            mining_speed_level: 0,
            mining_level: 0,
            energy_level: 0,
            energy_regen_level: 0,
            storage_level: 0,
            inventory: Inventory {
                max_storage: 20,
                used_storage: 0,
                stored_coal: 0,
                stored_iron: 0,
                stored_gem: 0,
                stored_gold: 0,
                stored_platin: 0,
            },
        }
    }
}

impl Robots for OneRobot {
    fn find(&self, robot: RobotId, _: CallContext) -> BoxFuture<'_, Result<Option<TradedRobot>, RobotFault>> {
        let known = TradedRobot { owner: PlayerId(PLAYER), planet: PlanetId(STATION) };
        ready(Ok((robot.0 == ROBOT).then_some(known))).boxed()
    }

    fn deliver(&self, call: RobotCall, _: CallContext) -> BoxFuture<'_, Result<Delivered, RobotFault>> {
        let delivered = match call.work {
            RobotWork::Spawn { player, planets } => {
                Delivered::Spawned(planets.into_iter().map(|planet| self.spawn(player, planet)).collect())
            }
            RobotWork::Unload { .. } => {
                let load = std::mem::take(&mut *self.load.lock().expect("nobody panics with it"));
                Delivered::Unloaded(Amounts::new(load))
            }
            RobotWork::RestoreHealth { .. } | RobotWork::RestoreEnergy { .. } | RobotWork::Upgrade { .. } => {
                Delivered::Changed("done".to_owned())
            }
        };
        ready(Ok(delivered)).boxed()
    }

    fn executes_once(&self) -> BoxFuture<'_, Result<bool, RobotFault>> {
        ready(Ok(true)).boxed()
    }

    fn fault(&self) -> Option<String> {
        None
    }
}

pub(super) struct NothingMissed;

impl Others for NothingMissed {
    fn game_position(&self) -> BoxFuture<'_, Result<String, String>> {
        ready(Ok(String::new())).boxed()
    }

    fn rosters(&self) -> BoxFuture<'_, Result<Vec<u8>, String>> {
        ready(Ok(b"[]".to_vec())).boxed()
    }

    fn world(&self, _: WorldId) -> BoxFuture<'_, Result<Option<WorldEvent>, String>> {
        ready(Ok(None)).boxed()
    }
}
