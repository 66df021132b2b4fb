//! A map service in memory that behaves as a test says: it answers, refuses, is away, loses an answer, or delays one.
//! It keeps every order and the state of every world, also of those that no game has any longer.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard};

use futures::future::BoxFuture;
use starkeep_game_core::{MadeWorld, ReplenishmentMode, Retire, Retirement, WorldId};
use starkeep_game_service::ports::{KnownWorld, MapFault, MapGateway, WorldOrder};
use tokio::sync::watch;
use uuid::Uuid;

/// How the map reacts to an order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Behaviour {
    #[default]
    Answers,
    Refuses,
    Away,
    /// Makes the world, and the answer never arrives.
    LosesItsAnswer,
    /// Makes a world under an id of its own.
    ChoosesAnotherId,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum World {
    Active,
    Inactive,
    /// Inactive, and its seed stays hidden.
    Sealed,
    Deleted,
}

#[derive(Default)]
struct State {
    behaviour: Behaviour,
    orders: Vec<WorldOrder>,
    worlds: BTreeMap<WorldId, World>,
    /// Ids that were deleted; a request for one that arrives later is refused.
    withdrawn: BTreeSet<WorldId>,
    refuses_retirements: bool,
    /// Worlds that it replenishes by its own clock.
    automatic: BTreeSet<WorldId>,
    /// What it answers to every replenishment, if not that it is done.
    replenishment_fault: Option<MapFault>,
    /// Every attempt, by its world and its key.
    asked_to_replenish: Vec<(WorldId, Uuid)>,
    /// What was done: each key once.
    replenished: Vec<(WorldId, Uuid)>,
    /// Why the last probe failed.
    fault: Option<MapFault>,
    own_ids: u128,
}

impl State {
    fn replenishment_of(&self, world: WorldId) -> ReplenishmentMode {
        if self.automatic.contains(&world) {
            ReplenishmentMode::Automatic
        } else {
            ReplenishmentMode::OnRequest
        }
    }
}

pub(crate) struct FakeMap {
    state: Mutex<State>,
    orders: watch::Sender<usize>,
    retirements: watch::Sender<usize>,
    probes: watch::Sender<usize>,
    /// Where a call waits as long as this is false.
    before_making: watch::Sender<bool>,
    after_making: watch::Sender<bool>,
    retiring: watch::Sender<bool>,
    looking_up: watch::Sender<bool>,
    replenishing: watch::Sender<bool>,
    lookups: watch::Sender<usize>,
    replenishments: watch::Sender<usize>,
}

impl FakeMap {
    pub(crate) fn new() -> Arc<Self> {
        Arc::new(Self {
            state: Mutex::default(),
            orders: watch::Sender::new(0),
            retirements: watch::Sender::new(0),
            probes: watch::Sender::new(0),
            before_making: watch::Sender::new(true),
            after_making: watch::Sender::new(true),
            retiring: watch::Sender::new(true),
            looking_up: watch::Sender::new(true),
            replenishing: watch::Sender::new(true),
            lookups: watch::Sender::new(0),
            replenishments: watch::Sender::new(0),
        })
    }

    pub(crate) fn set_behaviour(&self, behaviour: Behaviour) {
        self.state().behaviour = behaviour;
    }

    /// Orders are received, and no world is made until the release.
    pub(crate) fn hold_orders(&self) {
        self.before_making.send_replace(false);
    }

    /// Worlds are made, and no order is answered until the release.
    pub(crate) fn hold_answers(&self) {
        self.after_making.send_replace(false);
    }

    pub(crate) fn hold_retirements(&self) {
        self.retiring.send_replace(false);
    }

    /// What is asked of worlds is not answered until the release.
    pub(crate) fn hold_lookups(&self) {
        self.looking_up.send_replace(false);
    }

    /// Worlds are replenished, and it is not answered until the release.
    pub(crate) fn hold_replenishments(&self) {
        self.replenishing.send_replace(false);
    }

    pub(crate) fn release(&self) {
        let gates =
            [&self.before_making, &self.after_making, &self.retiring, &self.looking_up, &self.replenishing];
        for gate in gates {
            gate.send_replace(true);
        }
    }

    /// Whether every retirement is answered as if the map were away.
    pub(crate) fn refuse_retirements(&self, refuse: bool) {
        self.state().refuses_retirements = refuse;
    }

    /// What is answered to every replenishment from now on; None: that it is done.
    pub(crate) fn refuse_replenishments(&self, fault: Option<MapFault>) {
        self.state().replenishment_fault = fault;
    }

    /// A world that somebody else had made.
    pub(crate) fn add_world(&self, id: Uuid, replenishment: ReplenishmentMode) {
        let mut state = self.state();
        state.worlds.insert(WorldId(id), World::Active);
        if replenishment == ReplenishmentMode::Automatic {
            state.automatic.insert(WorldId(id));
        }
    }

    /// Somebody else does this to the world.
    pub(crate) fn set_world(&self, id: Uuid, world: World) {
        self.state().worlds.insert(WorldId(id), world);
    }

    /// What has become of the worlds, in the order of their ids.
    pub(crate) fn states(&self) -> Vec<World> {
        self.worlds().into_values().collect()
    }

    /// Every attempt, by its key.
    pub(crate) fn asked_to_replenish(&self) -> Vec<Uuid> {
        self.state().asked_to_replenish.iter().map(|(_, key)| *key).collect()
    }

    /// How often the world was replenished.
    pub(crate) fn replenished(&self, id: Uuid) -> usize {
        self.state().replenished.iter().filter(|(world, _)| world.0 == id).count()
    }

    /// Returns when so many lookups have arrived in all.
    pub(crate) async fn lookups_received(&self, lookups: usize) {
        self.lookups.subscribe().wait_for(|count| *count >= lookups).await.expect("the map is alive");
    }

    /// Returns when so many replenishments have arrived in all.
    pub(crate) async fn replenishments_received(&self, replenishments: usize) {
        let mut received = self.replenishments.subscribe();
        received.wait_for(|count| *count >= replenishments).await.expect("the map is alive");
    }

    /// Returns when so many orders have arrived in all.
    pub(crate) async fn orders_received(&self, orders: usize) {
        self.orders.subscribe().wait_for(|count| *count >= orders).await.expect("the map is alive");
    }

    /// Returns when so many retirements have arrived in all.
    pub(crate) async fn retirements_received(&self, retirements: usize) {
        self.retirements.subscribe().wait_for(|count| *count >= retirements).await.expect("the map is alive");
    }

    /// Returns when so many probes have been answered in all.
    pub(crate) async fn probes_answered(&self, probes: usize) {
        self.probes.subscribe().wait_for(|count| *count >= probes).await.expect("the map is alive");
    }

    pub(crate) fn orders(&self) -> Vec<WorldOrder> {
        self.state().orders.clone()
    }

    pub(crate) fn last_order(&self) -> WorldOrder {
        self.state().orders.last().cloned().expect("an order has arrived")
    }

    pub(crate) fn worlds(&self) -> BTreeMap<WorldId, World> {
        self.state().worlds.clone()
    }

    /// The state of the world; `None` if it was never made.
    pub(crate) fn world(&self, id: Uuid) -> Option<World> {
        self.state().worlds.get(&WorldId(id)).copied()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("no test panics while it holds the lock")
    }

    fn replenish_now(&self, world: WorldId, key: Uuid) -> Result<(), MapFault> {
        let mut state = self.state();
        if let Some(fault) = &state.replenishment_fault {
            return Err(fault.clone());
        }
        if state.behaviour == Behaviour::Away {
            return Err(away());
        }
        match state.worlds.get(&world) {
            Some(World::Active) => {}
            Some(World::Inactive | World::Sealed) => return Err(refused(409, "it is inactive")),
            Some(World::Deleted) | None => return Err(refused(404, "there is no such gameworld")),
        }
        if !state.replenished.contains(&(world, key)) {
            state.replenished.push((world, key));
        }
        if state.behaviour == Behaviour::LosesItsAnswer { Err(away()) } else { Ok(()) }
    }

    fn make_now(&self, id: WorldId) -> Result<MadeWorld, MapFault> {
        let made = |id| MadeWorld { id, replenishment: ReplenishmentMode::OnRequest };
        let mut state = self.state();
        if state.withdrawn.contains(&id) {
            return Err(refused(409, "that id was withdrawn before"));
        }
        match state.behaviour {
            Behaviour::Answers => {
                state.worlds.entry(id).or_insert(World::Active);
                Ok(made(id))
            }
            Behaviour::LosesItsAnswer => {
                state.worlds.entry(id).or_insert(World::Active);
                Err(away())
            }
            Behaviour::ChoosesAnotherId => {
                state.own_ids += 1;
                let own = WorldId(Uuid::from_u128((0xffff << 112) | state.own_ids));
                state.worlds.insert(own, World::Active);
                Ok(made(own))
            }
            Behaviour::Refuses => Err(refused(422, "no such world can be made")),
            Behaviour::Away => Err(away()),
        }
    }
}

impl MapGateway for FakeMap {
    fn probe(&self) -> BoxFuture<'_, Result<(), MapFault>> {
        Box::pin(async move {
            let fault = (self.state().behaviour == Behaviour::Away).then(away);
            self.state().fault.clone_from(&fault);
            self.probes.send_modify(|count| *count += 1);
            fault.map_or(Ok(()), Err)
        })
    }

    fn fault(&self) -> Option<MapFault> {
        self.state().fault.clone()
    }

    fn look_up(&self, world: WorldId) -> BoxFuture<'_, Result<Option<KnownWorld>, MapFault>> {
        Box::pin(async move {
            self.lookups.send_modify(|count| *count += 1);
            let known = {
                let state = self.state();
                let replenishment = state.replenishment_of(world);
                let known = state.worlds.get(&world).filter(|world| **world != World::Deleted);
                known.map(|known| KnownWorld { is_active: *known == World::Active, replenishment })
            };
            pass(&self.looking_up).await;
            match self.state().behaviour {
                Behaviour::Away | Behaviour::LosesItsAnswer => Err(away()),
                Behaviour::Refuses => Err(refused(500, "it is broken")),
                Behaviour::Answers | Behaviour::ChoosesAnotherId => Ok(known),
            }
        })
    }

    fn replenish(&self, world: WorldId, _round: u32, key: Uuid) -> BoxFuture<'_, Result<(), MapFault>> {
        Box::pin(async move {
            self.state().asked_to_replenish.push((world, key));
            self.replenishments.send_modify(|count| *count += 1);
            let outcome = self.replenish_now(world, key);
            pass(&self.replenishing).await;
            outcome
        })
    }

    fn make(&self, order: WorldOrder) -> BoxFuture<'_, Result<MadeWorld, MapFault>> {
        Box::pin(async move {
            let id = order.id;
            self.state().orders.push(order);
            self.orders.send_modify(|count| *count += 1);
            pass(&self.before_making).await;
            let made = self.make_now(id);
            pass(&self.after_making).await;
            made
        })
    }

    fn retire(&self, Retirement { world, how }: Retirement) -> BoxFuture<'_, Result<(), MapFault>> {
        Box::pin(async move {
            self.retirements.send_modify(|count| *count += 1);
            pass(&self.retiring).await;
            let mut state = self.state();
            if state.refuses_retirements {
                return Err(away());
            }
            if how == Retire::Delete {
                state.withdrawn.insert(world);
            }
            match (state.worlds.get_mut(&world), how) {
                (Some(known), Retire::Delete) => *known = World::Deleted,
                (Some(known @ World::Active), Retire::Deactivate) => *known = World::Inactive,
                (Some(known @ World::Active), Retire::Seal) => *known = World::Sealed,
                _ => {}
            }
            Ok(())
        })
    }
}

async fn pass(gate: &watch::Sender<bool>) {
    gate.subscribe().wait_for(|open| *open).await.expect("the map is alive");
}

pub(crate) fn away() -> MapFault {
    MapFault::Away { url: "http://map".to_owned(), reason: "nobody is there".to_owned() }
}

pub(crate) fn refused(status: u16, reason: &str) -> MapFault {
    MapFault::Refused { url: "http://map".to_owned(), status, reason: reason.to_owned() }
}
