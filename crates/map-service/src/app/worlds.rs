//! Worlds as wholes: made, looked at, made inactive, withdrawn.
//! A world is drawn before the store hears of it, so that no commit waits for a generator.

use std::sync::Arc;

use starkeep_map_core::{NewWorld, SEEDS, Style, World, WorldId};
use starkeep_platform::decision::{Decided, Decision, Failure, StoreFault};
use starkeep_platform::idempotency::AnswerRecorder;

use super::{App, Outcome, found};
use crate::domain::{Change, Image, Key, Overview, Rejection, WorldState};
use crate::ports::Cursor;
use crate::wire;

/// A world that somebody wants; what is left open is drawn.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WorldRequest {
    pub(crate) id: Option<WorldId>,
    pub(crate) player_amount: u32,
    pub(crate) round_amount: Option<u32>,
    pub(crate) seed: Option<u64>,
    pub(crate) style: Style,
}

impl App {
    pub(crate) async fn make_world(
        &self,
        world_request: WorldRequest,
        answer: AnswerRecorder<Overview>,
    ) -> Outcome<Overview> {
        let new = NewWorld {
            id: world_request.id.unwrap_or_else(|| WorldId(self.chance.uuid())),
            player_amount: world_request.player_amount,
            round_amount: world_request.round_amount,
            seed: world_request.seed.unwrap_or_else(|| self.chance.bits() & SEEDS.end()),
            style: world_request.style,
        };
        let (chance, now) = (self.chance.clone(), self.clock.wall());
        let draw = tokio::task::spawn_blocking(move || {
            let mut ids = || chance.uuid();
            let world = World::create(new, &mut ids, now);
            let overview = Overview::from(&world);
            let events = wire::events::world_made(&overview, &mut ids, now);
            (Arc::new(world), overview, events)
        });
        let (world, overview, events) = draw
            .await
            .map_err(|fault| StoreFault::Refused(format!("the gameworld could not be drawn: {fault}")))?;

        let work =
            Decision::new(vec![Key::World(new.id)], move |image: &Image| match image.state_of(new.id) {
                WorldState::Unknown => Ok(Decided {
                    change: Change::WorldMade(world.clone()),
                    events: events.clone(),
                    output: overview.clone(),
                }),
                WorldState::Active(_) | WorldState::Inactive => Err(Rejection::WorldExists { world: new.id }),
                WorldState::Withdrawn => Err(Rejection::WorldWithdrawn { world: new.id }),
            });
        self.apply(work.record_answer(answer)).await
    }

    /// A world that is inactive already stays as it is.
    pub(crate) async fn deactivate_world(&self, id: WorldId) -> Outcome<Overview> {
        let now = self.clock.wall();
        let work = Decision::new(vec![Key::World(id)], move |image: &Image| match image.state_of(id) {
            WorldState::Active(world) => {
                let deactivated = world.deactivate(now).ok_or(Rejection::NothingToDo)?;
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

    /// Also of a world that nobody has made yet: whoever asks for it later is refused.
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
            Err(Failure::Rejected(Rejection::NothingToDo)) => Ok(()),
            outcome => outcome,
        }
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

    async fn stored_overview(&self, id: WorldId) -> Outcome<Overview> {
        found(self.store.overview(id).await, Rejection::UnknownWorld { world: id })
    }
}
