//! Planets as the map tells of them, read before a decision is made: several at a time, each once.

use std::collections::BTreeMap;

use futures::stream::{self, StreamExt as _};
use starkeep_robot_core::{Planet, PlanetFault, PlanetId};

use super::{App, CALLS_AT_A_TIME};

/// What the map told.
#[derive(Clone, Debug, Default)]
pub(super) struct Planets(BTreeMap<PlanetId, Result<Planet, PlanetFault>>);

impl Planets {
    /// A planet that was not asked for counts as one that the map told nothing of.
    pub(super) fn get(&self, planet: PlanetId) -> Result<&Planet, PlanetFault> {
        self.0.get(&planet).map_or(Err(PlanetFault::NoAnswer), |told| told.as_ref().map_err(|fault| *fault))
    }

    /// The first planet that the map could not tell of.
    pub(super) fn first_fault(&self) -> Option<(PlanetId, PlanetFault)> {
        self.0.iter().find_map(|(planet, told)| Some((*planet, told.as_ref().err().copied()?)))
    }
}

impl App {
    pub(super) async fn planets(&self, planets: impl IntoIterator<Item = PlanetId> + Send) -> Planets {
        let questions: Vec<_> = planets
            .into_iter()
            .map(|planet| {
                let map = self.map.clone();
                async move { (planet, map.planet(planet).await) }
            })
            .collect();
        Planets(stream::iter(questions).buffer_unordered(CALLS_AT_A_TIME).collect().await)
    }
}
