//! Where a robot goes and what it does there: to a deposit, to a station to sell, or into the unknown.
//!
//! Each plan is valued by what it brings in a round: what the robot will hold at its end, divided by the rounds until it can
//! sell it. Of the unknown it expects that the kinds it can mine are found there as often as they lie in such regions. Plans
//! are made anew in every round, which is stable: with each round the plan that is carried out comes nearer to its end.

use std::collections::BTreeSet;

use starkeep_core_types::ResourceKind;

use crate::forecast::Forecast;
use crate::heading::Heading;
use crate::known_map::{KnownMap, Place, Routes};
use crate::order::Order;
use crate::trip::Trip;
use crate::view::OwnRobot;

/// With so many rounds left what is known has to do.
const SEARCH_ENDS: u32 = 40;

/// Plans a round: what the robots of a bot know in common.
pub(crate) struct Planner<'a> {
    pub(crate) map: &'a KnownMap,
    pub(crate) forecast: &'a Forecast,
    /// By place: the way to the nearest station.
    pub(crate) to_station: Vec<Option<Trip>>,
    /// How many rounds come after this one.
    pub(crate) rounds_left: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Plan {
    Mine(Place),
    Explore(Place),
    GoToStation,
}

impl Planner<'_> {
    /// What the robot does unless it trades or fights. `taken` are the planets that other robots of the bot explore.
    pub(crate) fn next_order(
        &self,
        robot: &OwnRobot,
        heading: &mut Heading,
        taken: &mut BTreeSet<Place>,
    ) -> Order {
        let regenerate = Order::Regenerate { robot: robot.id };
        let Some(here) = self.map.place(robot.planet) else { return regenerate };
        let routes = self.map.routes_from(here);
        let target = match self.plan(robot, &routes, *heading, taken) {
            Some(Plan::Mine(place)) if place == here => return Order::Mine { robot: robot.id },
            Some(Plan::Mine(place)) => Some(place),
            Some(Plan::Explore(place)) => {
                taken.insert(place);
                Some(place)
            }
            Some(Plan::GoToStation) => self.nearest_station(&routes),
            None => None,
        };
        match target.and_then(|target| routes.first_move(target)) {
            Some(next) if self.map.difficulty(next) <= robot.energy => {
                if let Some(direction) = self.map.direction(here, next) {
                    heading.moved(direction, self.map.difficulty(next));
                }
                Order::Move { robot: robot.id, target: self.map.id(next) }
            }
            _ => regenerate,
        }
    }

    fn plan(
        &self,
        robot: &OwnRobot,
        routes: &Routes,
        heading: Heading,
        taken: &BTreeSet<Place>,
    ) -> Option<Plan> {
        let here = routes.from();
        let to_station = self.to_station[here];
        let is_away = to_station.is_some_and(|to_station| to_station.moves > 0);
        if is_away && (robot.free_storage() == 0 || robot.is_wounded()) {
            return Some(Plan::GoToStation);
        }
        let mine = self.map.deposits().filter(|(_, deposit)| robot.levels.can_mine(deposit.kind));
        let mine = mine.filter(|_| !self.is_to_search(robot)).filter_map(|(place, deposit)| {
            let (there, back) = (routes.trip(place)?, self.to_station[place]?);
            Some((self.value(robot, deposit.kind, there, back, 0)?, Plan::Mine(place)))
        });
        let explore = self.map.unexplored().filter(|place| !taken.contains(place));
        let explore = explore.filter_map(|place| {
            let there = routes.trip(place)?;
            let expected = self.expected_value(robot, place, there);
            let beside = self.map.direction(here, place).filter(|_| self.map.difficulty(place) < 2);
            let preference = beside.map_or(100, |way| heading.preference(way));
            Some((expected * preference / 100, Plan::Explore(place)))
        });
        let sale = to_station.filter(|_| is_away && !robot.cargo.is_empty()).map(|to_station| {
            let rounds = u64::from(to_station.rounds(robot) + 1);
            (self.forecast.worth(robot.cargo).saturating_mul(1000) / rounds, Plan::GoToStation)
        });
        // Of equals the first one: what is known before what is not, and what was heard of earlier.
        let plans = mine.chain(explore).chain(sale);
        let best = plans.reduce(|best, plan| if plan.0 > best.0 { plan } else { best });
        best.map(|(_, plan)| plan)
    }

    /// Coal is found first, and would be mined to the end. A robot that can mine more looks for it while there is time to make
    /// use of it.
    fn is_to_search(&self, robot: &OwnRobot) -> bool {
        robot.levels.can_mine(ResourceKind::Iron)
            && self.rounds_left > SEARCH_ENDS
            && !self.map.deposits().any(|(_, deposit)| deposit.kind != ResourceKind::Coal)
    }

    /// What a mining trip brings in a round, in thousandths; none if the robot could not sell before the game is over.
    /// `search` are rounds of looking for the deposit.
    fn value(
        &self,
        robot: &OwnRobot,
        kind: ResourceKind,
        there: Trip,
        back: Trip,
        search: u32,
    ) -> Option<u64> {
        let travel = there.and_then(back).rounds(robot) + search;
        // The sale takes a round as well.
        let time = self.rounds_left.checked_sub(travel)?;
        let speed = robot.levels.mining_speed();
        let minings = robot.free_storage().div_ceil(speed).min(time.into());
        if minings == 0 {
            return None;
        }
        let mined = (minings * speed).min(robot.free_storage());
        let worth = self.forecast.worth(robot.cargo).saturating_add(mined * self.forecast.price(kind));
        Some(worth.saturating_mul(1000) / (u64::from(travel) + minings + 1))
    }

    /// What exploring a planet may bring in a round, in thousandths.
    fn expected_value(&self, robot: &OwnRobot, place: Place, there: Trip) -> u64 {
        let difficulty = self.map.difficulty(place);
        let kinds = ResourceKind::ALL.into_iter().filter(|kind| robot.levels.can_mine(*kind));
        let of_kind = |kind| {
            let search = search_rounds(kind, difficulty)? + self.searched_in_vain(kind, difficulty);
            self.value(robot, kind, there, self.to_station[place]?, search)
        };
        let best = kinds.filter_map(of_kind).max();
        // A find is of use more than once, but what is known is sure. A robot that expects nothing explores all the same.
        best.map_or(0, |best| best / 2)
    }

    /// How many planets of such a region the bot has looked at without finding that kind anywhere: it may lie farther away
    /// than elsewhere.
    fn searched_in_vain(&self, kind: ResourceKind, difficulty: u32) -> u32 {
        if self.map.deposits().any(|(_, deposit)| deposit.kind == kind) {
            return 0;
        }
        let alike = self.map.explored_difficulties().filter(|explored| *explored == difficulty).count();
        u32::try_from(alike).unwrap_or(u32::MAX / 2)
    }

    fn nearest_station(&self, routes: &Routes) -> Option<Place> {
        let stations = (0..self.to_station.len()).filter(|place| self.map.is_station(*place));
        let trips = stations.filter_map(|place| Some((routes.trip(place)?.weight(), place)));
        trips.min().map(|(_, place)| place)
    }
}

/// How many planets of that difficulty one looks at, on average, to find that kind; none where it does not lie.
fn search_rounds(kind: ResourceKind, difficulty: u32) -> Option<u32> {
    match (kind, difficulty) {
        (ResourceKind::Coal, 0 | 1) => Some(12),
        (ResourceKind::Iron, 2..) => Some(11),
        (ResourceKind::Gem, 2..) => Some(15),
        (ResourceKind::Gold, 3..) => Some(6),
        (ResourceKind::Platin, 3..) => Some(8),
        // The richer regions lie behind the outer one.
        (ResourceKind::Iron | ResourceKind::Gem, _) => Some(20),
        _ => None,
    }
}
