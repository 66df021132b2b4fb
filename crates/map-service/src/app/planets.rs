//! Reading planets: one by its id, or a page of those of active worlds.
//! Planets of active worlds are in memory; others are read from the storage, in the dialect that still knows them.

use std::sync::Arc;

use starkeep_map_core::{PlanetId, PlanetKind, Slot, World};
use starkeep_platform::decision::Failure;

use super::{App, Outcome, found};
use crate::domain::{Image, Rejection};

/// A planet and its world.
#[derive(Clone, Debug)]
pub(crate) struct PlanetView {
    pub(crate) world: Arc<World>,
    pub(crate) slot: Slot,
}

pub(crate) struct Page {
    pub(crate) planets: Vec<PlanetView>,
    pub(crate) is_last: bool,
}

impl App {
    /// Of an active world, without waiting for anything.
    pub(crate) fn planet_in_memory(&self, id: PlanetId) -> Option<PlanetView> {
        active_planet(&*self.store.fresh().at_once()?, id)
    }

    pub(crate) async fn planet(&self, id: PlanetId) -> Outcome<PlanetView> {
        let image = self.store.fresh().await?;
        if let Some(seen) = active_planet(&image, id) {
            return Ok(seen);
        }
        let unknown = Rejection::UnknownPlanet { planet: id };
        if self.dialect.forgets_inactive_planets() {
            return Err(Failure::Rejected(unknown));
        }
        let (world, slot) = found(self.store.planet(id).await, unknown)?;
        Ok(PlanetView { world, slot })
    }

    /// Planets of active worlds, by id.
    pub(crate) async fn planets(&self, kind: Option<PlanetKind>, skip: usize, most: usize) -> Outcome<Page> {
        let image = self.store.fresh().await?;
        let mut planets: Vec<PlanetView> = image
            .planets()
            .filter(|(world, slot)| kind.is_none_or(|kind| world.terrain.planet(*slot).kind == kind))
            .skip(skip)
            // One more than is shown, to know whether there is a next page.
            .take(most + 1)
            .map(|(world, slot)| PlanetView { world: world.clone(), slot })
            .collect();
        let is_last = planets.len() <= most;
        planets.truncate(most);
        Ok(Page { planets, is_last })
    }
}

fn active_planet(image: &Image, id: PlanetId) -> Option<PlanetView> {
    image.planet(id).map(|(world, slot)| PlanetView { world: world.clone(), slot })
}
