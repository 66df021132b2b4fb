//! What happens to a simulation, drawn from a seed before it begins: what is left out of a plan changes nothing of the rest.

use std::time::Duration;

use starkeep_fault_harness::Chance;
use starkeep_selftest::{Pace, SERVICES};

use crate::cluster::{REPLICAS, Slot};
use crate::database::DatabaseFault;
use crate::network::LinkFault;

#[derive(Clone, Debug)]
pub struct Plan {
    pub seed: u64,
    /// Of the games that are played.
    pub pace: Pace,
    /// Whether the game service cannot know that its executors carry a batch out once.
    pub hides_executes_once: bool,
    pub faults: Vec<PlannedFault>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlannedFault {
    pub at: Duration,
    pub lasts: Duration,
    pub fault: Fault,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// It dies; another process is started there afterwards.
    Kill(Slot),
    /// The same, as an operator does it.
    Stop(Slot),
    Freeze(Slot),
    Database(Slot, DatabaseFault),
    Link(&'static str, &'static str, LinkFault),
    /// It does not learn by itself what others commit.
    FallBehind(Slot),
    /// Its wall clock is wrong by so many seconds.
    WallClock(Slot, i64),
}

/// Who calls whom.
const LINKS: [(&str, &str); 12] = [
    ("game", "map"),
    ("game", "robot"),
    ("game", "trading"),
    ("robot", "map"),
    ("robot", "game"),
    ("trading", "map"),
    ("trading", "robot"),
    ("trading", "game"),
    ("client", "map"),
    ("client", "robot"),
    ("client", "trading"),
    ("client", "game"),
];

impl Plan {
    pub fn draw(seed: u64) -> Self {
        let mut chance = Chance(seed);
        let pace = if chance.one_in(2) { Pace::Turbo } else { Pace::Clock };
        let hides_executes_once = chance.one_in(2);
        // While games are created and started.
        let early = PlannedFault {
            at: Duration::from_millis(chance.draw(&(0..=2_000))),
            lasts: Duration::from_millis(chance.draw(&(200..=4_000))),
            fault: Fault::Link("game", "map", link_fault(&mut chance)),
        };
        // At turbo pace a game of as many rounds is over earlier.
        let latest = if pace == Pace::Turbo { 6_000 } else { 15_000 };
        let mut faults = vec![early];
        for _ in 0..chance.draw(&(5..=8)) {
            faults.push(PlannedFault {
                at: Duration::from_millis(chance.draw(&(500..=latest))),
                lasts: Duration::from_millis(chance.draw(&(200..=4_000))),
                fault: fault(&mut chance),
            });
        }
        Self { seed, pace, hides_executes_once, faults }
    }

    /// The same without the faults at these places.
    #[must_use]
    pub fn without(mut self, places: &[usize]) -> Self {
        let mut place = 0..;
        self.faults.retain(|_| place.next().is_none_or(|place| !places.contains(&place)));
        self
    }
}

fn fault(chance: &mut Chance) -> Fault {
    let slot = slot(chance);
    match chance.draw(&(0..=9)) {
        0 | 1 => Fault::Kill(slot),
        2 => Fault::Stop(slot),
        3 | 4 => Fault::Freeze(slot),
        5 | 6 => Fault::Database(slot, database_fault(chance)),
        7 => Fault::FallBehind(slot),
        8 => {
            let seconds = i64::try_from(chance.draw(&(0..=172_800))).unwrap_or(0);
            Fault::WallClock(slot, seconds - 86_400)
        }
        _ => {
            let (from, to) = *chance.pick(&LINKS);
            Fault::Link(from, to, link_fault(chance))
        }
    }
}

/// The game service, which runs the clocks and the dispatcher, is harmed as often as the others together.
fn slot(chance: &mut Chance) -> Slot {
    let service = if chance.one_in(3) { "game" } else { *chance.pick(&SERVICES) };
    let number = usize::try_from(chance.draw(&(0..=REPLICAS as u64 - 1))).unwrap_or(0);
    Slot { service, number }
}

fn database_fault(chance: &mut Chance) -> DatabaseFault {
    match chance.draw(&(0..=3)) {
        0 => DatabaseFault::Failing,
        1 => DatabaseFault::Silent,
        2 => DatabaseFault::Slow(Duration::from_millis(chance.draw(&(20..=1_500)))),
        _ => DatabaseFault::LosingCommits,
    }
}

fn link_fault(chance: &mut Chance) -> LinkFault {
    match chance.draw(&(0..=3)) {
        0 => LinkFault::Refusing,
        1 => LinkFault::Swallowing,
        2 => LinkFault::LosingAnswers,
        _ => LinkFault::Slow(Duration::from_millis(chance.draw(&(20..=500)))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plan_is_the_same_whenever_it_is_drawn_and_harms_the_way_to_the_map_early() {
        for seed in 0..1_000 {
            let plan = Plan::draw(seed);
            assert_eq!(plan.faults, Plan::draw(seed).faults);
            assert!(plan.faults.len() > 5);
            assert!(matches!(plan.faults[0].fault, Fault::Link("game", "map", _)));
        }
    }
}
