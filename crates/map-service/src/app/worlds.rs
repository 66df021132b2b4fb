//! Worlds as wholes: made, shown, made inactive, withdrawn.
//! A world is generated and written before the decision that makes it, so that no commit waits for 122,500 planets.

use std::sync::Arc;

use starkeep_map_core::{
    GENERATOR_VERSION, IdGenerator, Layout, NewWorld, Nonce, Origin, SEEDS, Spec, World, WorldId,
    custom_layout, generate,
};
use starkeep_platform::blocking::run_blocking;
use starkeep_platform::decision::{Decided, Decision, Failure, StoreFault};
use starkeep_platform::idempotency::AnswerRecorder;

use super::announcing::{STATIONS_PER_COMMIT, unannounced_from};
use super::world_locks::WorldLock;
use super::{App, Outcome, found};
use crate::domain::{Change, Image, Key, LayoutRequest, Maps, Overview, Rejection, WorldRequest, WorldState};
use crate::ports::Cursor;
use crate::wire;

impl App {
    pub(crate) async fn make_world(
        &self,
        request: WorldRequest,
        answer: AnswerRecorder<Overview>,
    ) -> Outcome<Overview> {
        let (made, _lock) = self.begin_world(request, answer).await?;
        if made.stations.len() > STATIONS_PER_COMMIT
            && let Err(failure) = self.announce_stations(None, made.id).await
        {
            // The world is made all the same; the announcer goes on.
            tracing::warn!(?failure, world = %made.id, "not all stations of a gameworld were announced");
        }
        Ok(made)
    }

    /// Makes a world, of which only the first stations are announced.
    pub(super) async fn begin_world(
        &self,
        request: WorldRequest,
        answer: AnswerRecorder<Overview>,
    ) -> Outcome<(Overview, WorldLock<'_>)> {
        let new = NewWorld {
            id: request.id.unwrap_or_else(|| WorldId(self.chance.uuid())),
            player_amount: request.player_amount,
            round_amount: request.round_amount,
            origin: origin(&request.layout),
            replenishment: request.replenishment,
            seed: request.seed.unwrap_or_else(|| self.chance.bits() & SEEDS.end()),
            nonce: request.nonce.unwrap_or_else(|| self.nonce()),
            id_seed: self.chance.bits(),
            created_at: self.clock.wall(),
        };
        let event_seed = self.chance.bits();
        let created = move || Ok(Arc::new(World::create(&new, laid_out(&new, request.layout)?)));
        let world = run_blocking(&*self.blocking, created)
            .await
            .map_err(|fault| StoreFault::Refused(format!("the gameworld could not be drawn: {fault}")))?
            .map_err(Failure::Rejected)?;

        let lock = self.world_locks.lock(new.id).await;
        // The world stays in memory until the end of this function: the store need not read it back.
        let is_staged = self.store.stage(world.clone()).await?;
        let outcome = self.apply(make(&new, is_staged, event_seed).record_answer(answer)).await;
        if is_staged && outcome.is_err() {
            self.discard_staged(new.id).await;
        }
        match outcome {
            Err(Failure::Rejected(Rejection::NotStaged { world })) => {
                let replaced = format!("gameworld {world} was replaced while it was written");
                Err(StoreFault::Unavailable(replaced).into())
            }
            outcome => outcome.map(|made| (made, lock)),
        }
    }

    fn nonce(&self) -> Nonce {
        let [high, low] = [self.chance.bits(), self.chance.bits()].map(u128::from);
        Nonce::from_bits(high << 64 | low)
    }

    /// What cannot be removed now is removed by the clean-up.
    async fn discard_staged(&self, world: WorldId) {
        if let Err(fault) = self.store.discard_staged(world).await {
            tracing::warn!(%fault, %world, "a staged gameworld was not removed");
        }
    }

    /// A world that is inactive already stays as it is.
    pub(crate) async fn deactivate_world(&self, id: WorldId, is_sealed: bool) -> Outcome<Overview> {
        let now = self.clock.wall();
        let work = Decision::new(vec![Key::World(id)], move |image: &Image| match image.state_of(id) {
            WorldState::Active(world) => {
                let deactivated = world.deactivate(is_sealed, now).ok_or(Rejection::NothingToDo)?;
                let mut after = World::clone(world);
                after.apply_deactivated(&deactivated);
                let output = Overview::from(&after);
                Ok(Decided { change: Change::Deactivated(deactivated), events: Vec::new(), output })
            }
            WorldState::Inactive => Err(Rejection::NothingToDo),
            WorldState::Withdrawn | WorldState::Unknown => Err(Rejection::UnknownWorld { world: id }),
        });
        match self.apply(work).await {
            Err(Failure::Rejected(Rejection::NothingToDo)) => self.stored_overview(id).await,
            outcome => outcome,
        }
    }

    /// Also of a world that was not made yet: a request for it that comes later is refused.
    pub(crate) async fn withdraw_world(&self, id: WorldId) -> Outcome<()> {
        let at = self.clock.wall();
        let work = Decision::new(vec![Key::World(id)], move |image: &Image| match image.state_of(id) {
            WorldState::Withdrawn => Err(Rejection::NothingToDo),
            WorldState::Active(_) | WorldState::Inactive | WorldState::Unknown => {
                let change = Change::Withdrawn { world: id, at };
                Ok(Decided { change, events: Vec::new(), output: () })
            }
        });
        match self.apply(work).await {
            Err(Failure::Rejected(Rejection::NothingToDo)) => {}
            outcome => outcome?,
        }
        if let Err(fault) = self.store.clear_withdrawn(id).await {
            // The clean-up tries again.
            tracing::warn!(%fault, world = %id, "something of a withdrawn gameworld is left");
        }
        Ok(())
    }

    pub(crate) async fn overview(&self, id: WorldId) -> Outcome<Overview> {
        match self.store.fresh().await?.world(id) {
            Some(world) => Ok(Overview::from(&**world)),
            None => self.stored_overview(id).await,
        }
    }

    pub(crate) async fn overviews(&self, after: Option<Cursor>, most: usize) -> Outcome<Vec<Overview>> {
        self.store.fresh().await?;
        let read = self.store.overviews(after, most).await;
        read.map_err(|fault| Failure::Rejected(Rejection::Unreadable { fault }))
    }

    pub(crate) async fn world(&self, id: WorldId) -> Outcome<Arc<World>> {
        let active = self.store.fresh().await?.world(id).cloned();
        match active {
            Some(world) => Ok(world),
            None => found(self.store.world(id).await, Rejection::UnknownWorld { world: id }),
        }
    }

    pub(crate) async fn world_as_made(&self, id: WorldId) -> Outcome<Arc<World>> {
        self.store.fresh().await?;
        found(self.store.world_as_made(id).await, Rejection::UnknownWorld { world: id })
    }

    async fn stored_overview(&self, id: WorldId) -> Outcome<Overview> {
        found(self.store.overview(id).await, Rejection::UnknownWorld { world: id })
    }
}

fn origin(layout: &LayoutRequest) -> Origin {
    match layout {
        LayoutRequest::Generated(style) => Origin::Generated { style: *style, version: GENERATOR_VERSION },
        LayoutRequest::Custom(_) => Origin::Custom,
    }
}

/// Takes long for large worlds.
fn laid_out(new: &NewWorld, layout: LayoutRequest) -> Result<Layout, Rejection> {
    let players = new.player_amount;
    match layout {
        LayoutRequest::Generated(style) => Ok(generate(new.seed, &Spec { players, style })),
        LayoutRequest::Custom(planets) => custom_layout(&planets, players).map_err(Rejection::BadPlanets),
    }
}

/// Makes the staged world an active one, and announces it and its first stations. Where nothing was staged, because the id is in
/// use, it only says so.
fn make(new: &NewWorld, is_staged: bool, event_seed: u64) -> Decision<Maps, Overview> {
    let (id, at) = (new.id, new.created_at);
    let mut keys = vec![Key::World(id)];
    if is_staged {
        keys.push(Key::StagedWorld(id));
    }
    Decision::new(keys, move |image: &Image| match image.state_of(id) {
        WorldState::Unknown => {
            let staged = if is_staged { image.staged(id) } else { None };
            let output = Overview::from(&**staged.ok_or(Rejection::NotStaged { world: id })?);
            let announced = output.stations.len().min(STATIONS_PER_COMMIT);
            let mut ids = IdGenerator::from_seed(event_seed);
            let mut events = vec![wire::events::world_made(&output, &mut ids, at)];
            events.extend(wire::events::stations_made(id, &output.stations[..announced], &mut ids, at));
            let unannounced_from = unannounced_from(announced, output.stations.len());
            Ok(Decided { change: Change::WorldMade { world: id, unannounced_from }, events, output })
        }
        WorldState::Active(_) | WorldState::Inactive => Err(Rejection::WorldExists { world: id }),
        WorldState::Withdrawn => Err(Rejection::WorldWithdrawn { world: id }),
    })
}
