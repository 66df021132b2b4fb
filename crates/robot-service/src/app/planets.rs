//! Planets as the map tells of them, read before a decision is made: several at a time. A planet that the map did not tell of
//! is asked for again, since another replica of the map may.

use std::collections::BTreeMap;
use std::time::Duration;

use futures::stream::{self, StreamExt as _};
use starkeep_executor::Reachability;
use starkeep_platform::clock::{Clock, Monotonic, within};
use starkeep_robot_core::{Planet, PlanetFault, PlanetId};

use super::{App, CALLS_AT_A_TIME};
use crate::ports::{Map, PlanetFailure};

/// So much of the time that is left may be used to ask: what the map does not tell in it fails, and the rest is done in time.
const SHARE_OF_TIME: f64 = 0.75;

/// However much time is left: a planet that is not told of in several attempts will not be.
const LONGEST: Duration = Duration::from_secs(2);

/// How long the map is left alone after it gave no answer.
const RETRY_DELAY: Duration = Duration::from_millis(100);

const NOT_IN_TIME: PlanetFailure = PlanetFailure { fault: PlanetFault::NoAnswer, may_pass: true };

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
    /// For who has to be done by that instant, and has something to do afterwards.
    pub(super) async fn planets(
        &self,
        planets: impl IntoIterator<Item = PlanetId> + Send,
        until: Monotonic,
    ) -> Planets {
        let now = self.clock.monotonic();
        let until = now.after(until.since(now).mul_f64(SHARE_OF_TIME).min(LONGEST));
        let questions: Vec<_> = planets
            .into_iter()
            .map(|planet| {
                let (map, clock, reachability) =
                    (self.map.clone(), self.clock.clone(), self.map_reachability.clone());
                async move { (planet, ask(&*map, &*clock, &reachability, planet, until).await) }
            })
            .collect();
        Planets(stream::iter(questions).buffer_unordered(CALLS_AT_A_TIME).collect().await)
    }
}

async fn ask(
    map: &dyn Map,
    clock: &dyn Clock,
    reachability: &Reachability,
    planet: PlanetId,
    until: Monotonic,
) -> Result<Planet, PlanetFault> {
    loop {
        let left = until.since(clock.monotonic());
        let told = within(clock, left, map.planet(planet)).await;
        let now = clock.monotonic();
        let again = now.after(RETRY_DELAY);
        match told.unwrap_or(Err(NOT_IN_TIME)) {
            Err(failure) if failure.may_pass => {
                if !reachability.note_failure(now) || again >= until {
                    return Err(failure.fault);
                }
            }
            told => {
                reachability.note_answer();
                return told.map_err(|failure| failure.fault);
            }
        }
        clock.sleep_until(again).await;
    }
}
