//! A robot service in memory: it keeps robots, carries out each call once, and fails as a test says.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard};

use futures::future::BoxFuture;
use starkeep_contract::robot_service::{Inventory, Robot};
use starkeep_contract::{PlanetId as WirePlanetId, PlayerId as WirePlayerId, RobotId as WireRobotId};
use starkeep_trading_core::{Amounts, PlanetId, PlayerId, RobotId, TradedRobot};
use starkeep_trading_service::ports::{CallContext, Delivered, RobotCall, RobotFault, RobotWork, Robots};
use tokio::sync::Notify;
use uuid::Uuid;

/// How it reacts to the next call. Without one it answers.
#[derive(Clone)]
pub(crate) enum Reaction {
    /// It cannot be reached.
    Away,
    /// It is at fault, and nothing was done.
    Fails,
    /// It does what is asked, and the answer never arrives.
    LosesItsAnswer,
    Refuses(&'static str),
    /// Nothing happens before this is said.
    Waits(Arc<Notify>),
    /// It cannot be reached, which is noticed when this is said.
    WaitsAndIsAway(Arc<Notify>),
}

#[derive(Default)]
struct State {
    robots: BTreeMap<RobotId, Held>,
    answers: BTreeMap<Uuid, Result<Delivered, RobotFault>>,
    /// Every call that was carried out, in order.
    done: Vec<RobotCall>,
    contexts: Vec<CallContext>,
    script: VecDeque<Reaction>,
    is_away: bool,
    executes_once: bool,
    lookups: usize,
    probes: usize,
}

struct Held {
    owner: PlayerId,
    planet: PlanetId,
    load: [u64; 5],
}

pub(crate) struct FakeRobots(Mutex<State>);

impl FakeRobots {
    pub(crate) fn new() -> Arc<Self> {
        Arc::new(Self(Mutex::new(State { executes_once: true, ..State::default() })))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().expect("no test panics while it holds the lock")
    }

    pub(crate) fn then(&self, reaction: Reaction) {
        self.state().script.push_back(reaction);
    }

    /// Nobody can reach it any longer, or everybody again.
    pub(crate) fn set_away(&self, is_away: bool) {
        self.state().is_away = is_away;
    }

    /// As the existing service is.
    pub(crate) fn forget_keys(&self) {
        self.state().executes_once = false;
    }

    pub(crate) fn put(&self, robot: Uuid, owner: Uuid, planet: Uuid, load: [u64; 5]) {
        let held = Held { owner: PlayerId(owner), planet: PlanetId(planet), load };
        self.state().robots.insert(RobotId(robot), held);
    }

    pub(crate) fn load(&self, robot: Uuid) -> [u64; 5] {
        self.state().robots[&RobotId(robot)].load
    }

    pub(crate) fn robots_of(&self, owner: Uuid) -> Vec<Uuid> {
        let state = self.state();
        let theirs = state.robots.iter().filter(|(_, robot)| robot.owner.0 == owner);
        theirs.map(|(id, _)| id.0).collect()
    }

    pub(crate) fn planet_of(&self, robot: Uuid) -> Uuid {
        self.state().robots[&RobotId(robot)].planet.0
    }

    pub(crate) fn done(&self) -> Vec<RobotCall> {
        self.state().done.clone()
    }

    pub(crate) fn contexts(&self) -> Vec<CallContext> {
        self.state().contexts.clone()
    }

    /// How often it was asked whether it executes once.
    pub(crate) fn probes(&self) -> usize {
        self.state().probes
    }

    pub(crate) fn lookups(&self) -> usize {
        self.state().lookups
    }

    fn has_done(&self, call: &RobotCall) -> bool {
        self.state().answers.contains_key(&call.transaction)
    }

    fn carry_out(&self, call: &RobotCall) -> Result<Delivered, RobotFault> {
        let mut state = self.state();
        if let Some(answer) = state.answers.get(&call.transaction).filter(|_| state.executes_once) {
            return answer.clone();
        }
        let answer = do_work(&mut state, &call.work);
        state.done.push(call.clone());
        state.answers.insert(call.transaction, answer.clone());
        answer
    }
}

fn do_work(state: &mut State, work: &RobotWork) -> Result<Delivered, RobotFault> {
    let unknown = |robot: &RobotId| RobotFault::Refused(format!("Robot with ID {robot} not found"));
    match work {
        RobotWork::Spawn { player, planets } => {
            let mut spawned = Vec::new();
            for planet in planets {
                let id = RobotId(Uuid::from_u128((0xabcd << 64) + state.robots.len() as u128));
                state.robots.insert(id, Held { owner: *player, planet: *planet, load: [0; 5] });
                spawned.push(shown(id, *player, *planet));
            }
            Ok(Delivered::Spawned(spawned))
        }
        RobotWork::RestoreHealth { robot } => {
            state.robots.get(robot).ok_or_else(|| unknown(robot))?;
            Ok(Delivered::Changed(format!("robot {robot} health restored")))
        }
        RobotWork::RestoreEnergy { robot } => {
            state.robots.get(robot).ok_or_else(|| unknown(robot))?;
            Ok(Delivered::Changed(format!("robot {robot} energy restored")))
        }
        RobotWork::Upgrade { robot, of, level } => {
            state.robots.get(robot).ok_or_else(|| unknown(robot))?;
            Ok(Delivered::Changed(format!("{} of robot {robot} has been updated to LVL{level}", of.as_str())))
        }
        RobotWork::Unload { robot } => {
            let held = state.robots.get_mut(robot).ok_or_else(|| unknown(robot))?;
            Ok(Delivered::Unloaded(Amounts::new(std::mem::take(&mut held.load))))
        }
    }
}

impl Robots for FakeRobots {
    fn find(&self, robot: RobotId, _: CallContext) -> BoxFuture<'_, Result<Option<TradedRobot>, RobotFault>> {
        Box::pin(async move {
            let mut state = self.state();
            state.lookups += 1;
            if state.is_away {
                return Err(RobotFault::NotReached("nobody is there".to_owned()));
            }
            let held = state.robots.get(&robot);
            Ok(held.map(|held| TradedRobot { owner: held.owner, planet: held.planet }))
        })
    }

    fn deliver(&self, call: RobotCall, context: CallContext) -> BoxFuture<'_, Result<Delivered, RobotFault>> {
        Box::pin(async move {
            let reaction = {
                let mut state = self.state();
                state.contexts.push(context);
                let away = Some(Reaction::Away).filter(|_| state.is_away);
                away.or_else(|| state.script.pop_front())
            };
            match reaction {
                // What was carried out before is not refused afterwards.
                Some(Reaction::Refuses(sentence)) if !self.has_done(&call) => {
                    Err(RobotFault::Refused(sentence.to_owned()))
                }
                None | Some(Reaction::Refuses(_)) => self.carry_out(&call),
                Some(Reaction::Away) => Err(RobotFault::NotReached("nobody is there".to_owned())),
                Some(Reaction::Fails) => Err(RobotFault::Unclear("it answers 500".to_owned())),
                Some(Reaction::LosesItsAnswer) => {
                    let _ = self.carry_out(&call);
                    Err(RobotFault::Unclear("its answer broke off".to_owned()))
                }
                Some(Reaction::WaitsAndIsAway(go)) => {
                    go.notified().await;
                    Err(RobotFault::NotReached("nobody is there".to_owned()))
                }
                Some(Reaction::Waits(go)) => {
                    go.notified().await;
                    self.carry_out(&call)
                }
            }
        })
    }

    fn executes_once(&self) -> BoxFuture<'_, Result<bool, RobotFault>> {
        Box::pin(async move {
            let mut state = self.state();
            state.probes += 1;
            let away = || RobotFault::NotReached("nobody is there".to_owned());
            if state.is_away { Err(away()) } else { Ok(state.executes_once) }
        })
    }

    fn fault(&self) -> Option<String> {
        self.state().is_away.then(|| "nobody is there".to_owned())
    }
}

/// A new robot.
pub(crate) fn shown(id: RobotId, player: PlayerId, planet: PlanetId) -> Robot {
    Robot {
        id: WireRobotId(id.0),
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
