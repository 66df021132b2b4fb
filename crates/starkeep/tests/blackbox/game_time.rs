//! A game's time as a caller reads it, between two instants of the test's own clock: the machine's clock is the same for both,
//! so what the game may have gained meanwhile is known exactly, however late an answer comes.

use std::time::Duration;

use serde_json::Value;
use starkeep_contract::game::{GameTime, Phase};
use starkeep_platform::clock::{Clock, Monotonic, SystemClock};
use starkeep_test_http::{Caller, within_limit};

use crate::two_services::path;

/// What is shown is cut to the millisecond.
const CUT: Duration = Duration::from_millis(1);

#[derive(Clone, Debug)]
pub(crate) struct Sighting {
    asked: Monotonic,
    answered: Monotonic,
    pub(crate) game_time: Duration,
    pub(crate) round: u32,
    pub(crate) phase: Phase,
    /// The phase is over and its boundary not committed yet: until then game time stands, and nothing follows from it about the clock.
    pub(crate) waiting: bool,
    pub(crate) shifts: Shifts,
}

/// How often the process has shifted the schedule until then because it could not keep time, and by how much in all.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Shifts {
    pub(crate) count: u32,
    pub(crate) by: Duration,
}

impl Shifts {
    fn told_in(metrics: &str) -> Self {
        let figure = |name: &str| {
            let start = format!("starkeep_schedule_{name}_total{{cause=\"freeze\"}} ");
            metrics.lines().find_map(|line| line.strip_prefix(&start))
        };
        Self {
            count: figure("shifts").map_or(0, |count| count.parse().unwrap()),
            by: figure("shifted_seconds")
                .map_or(Duration::ZERO, |seconds| Duration::from_secs_f64(seconds.parse().unwrap())),
        }
    }
}

impl Sighting {
    /// None where the service is gone. The game runs.
    pub(crate) async fn of(game: &Value, service: &Caller, clock: &SystemClock) -> Option<Self> {
        let asked = clock.monotonic();
        let answer = service.get_unless_gone(&path(game, "/time")).await?;
        let answered = clock.monotonic();
        let metrics = service.get_unless_gone("/metrics").await?.expect_text(200);
        let shown: GameTime = serde_json::from_value(answer.expect(200)).unwrap();
        Some(Self {
            asked,
            answered,
            game_time: Duration::from_millis(shown.game_time_in_millis.unwrap()),
            round: shown.round_count.unwrap(),
            phase: shown.phase.unwrap(),
            waiting: shown.phase_ends_in_millis == Some(0),
            shifts: Shifts::told_in(&metrics),
        })
    }

    /// One that does not wait.
    pub(crate) async fn within_a_phase(game: &Value, service: &Caller, clock: &SystemClock) -> Self {
        let sighting = async {
            loop {
                match Self::of(game, service, clock).await {
                    Some(sighting) if !sighting.waiting => return sighting,
                    Some(_) => {}
                    None => panic!("the service is gone"),
                }
            }
        };
        within_limit("a phase that is not over", sighting).await
    }

    pub(crate) fn gained_since(&self, earlier: &Self) -> Duration {
        self.game_time.saturating_sub(earlier.game_time)
    }

    /// As much as a clock that runs can have gained.
    pub(crate) fn most_since(&self, earlier: &Self) -> Duration {
        self.answered.since(earlier.asked) + CUT
    }

    /// As little as a clock that runs can have gained.
    pub(crate) fn least_since(&self, earlier: &Self) -> Duration {
        self.asked.since(earlier.answered).saturating_sub(CUT)
    }
}
