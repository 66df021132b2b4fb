//! What a bot buys: robots and upgrades that are expected to bring more than they cost before the game is over, and
//! restorations for robots that cannot go on.
//!
//! What a robot brings is estimated by its round trips between a station and the best deposit that it can mine. The
//! estimate takes prices as they were lately, so bots stop to grow when there are too many of them for the market.

use starkeep_core_types::{Levels, ResourceKind, Upgrade};

use crate::forecast::HUNDRED;
use crate::order::Item;
use crate::plan::Planner;
use crate::rules::{ROBOT_PRICE, upgrade_price};
use crate::trip::Trip;
use crate::view::OwnRobot;

/// More would take the fun from watching them.
const MOST_ROBOTS: usize = 6;
/// What may bring money: the other upgrades are for fights.
const USEFUL: [Upgrade; 4] = [Upgrade::Mining, Upgrade::MiningSpeed, Upgrade::Storage, Upgrade::EnergyRegen];
/// Levels of health and damage are bought up to this one.
const HIGHEST_OF_FIGHTS: u8 = 2;
/// Who has so much money buys weapons.
const WEAPONS_FROM: u64 = 700;
/// A robot with fewer upgrades gets them from the last of the money.
const BASIC_UPGRADES: u32 = 2;
/// Nothing that has to pay for itself is bought in so many last rounds.
const LAST_ROUNDS: u32 = 12;

impl Planner<'_> {
    /// Whether the end of the game is far away.
    pub(crate) fn has_time(&self) -> bool {
        self.rounds_left >= LAST_ROUNDS
    }

    /// Whether one more robot pays.
    pub(crate) fn wants_robot(&self, robots: usize, budget: u64) -> bool {
        if robots == 0 {
            return budget >= ROBOT_PRICE;
        }
        if robots >= MOST_ROBOTS || !self.has_time() {
            return false;
        }
        // Such as it will be soon: with the first levels of what brings money.
        let first = [Upgrade::Mining, Upgrade::MiningSpeed, Upgrade::Storage];
        let Some(soon) = first.into_iter().try_fold(Levels::default(), Levels::raised) else { return false };
        let upgrades = first.len() as u64 * upgrade_price(1);
        let brings = self.income(soon) * u64::from(self.rounds_left - LAST_ROUNDS / 2) / 1000;
        budget >= ROBOT_PRICE + upgrades && brings > 2 * (ROBOT_PRICE + upgrades)
    }

    /// What is bought for a robot on a station.
    pub(crate) fn item(&self, robot: &OwnRobot, budget: u64) -> Option<Item> {
        if robot.is_wounded() && self.rounds_left > 0 {
            // A level more heals, too, and lasts.
            let level = robot.levels.of(Upgrade::Health) + 1;
            let upgrade = Item::Upgrade { of: Upgrade::Health, level };
            let rich = level <= HIGHEST_OF_FIGHTS && budget >= 3 * upgrade.price();
            let item = if rich && robot.health.saturating_mul(4) > robot.levels.max_health() {
                upgrade
            } else {
                Item::Health
            };
            return (budget >= item.price()).then_some(item);
        }
        if !self.has_time() {
            return None;
        }
        let is_tired = robot.energy.saturating_mul(4) <= robot.levels.max_energy();
        if is_tired && budget >= 3 * Item::Energy.price() {
            return Some(Item::Energy);
        }
        let level = robot.levels.of(Upgrade::Damage) + 1;
        let weapon = Item::Upgrade { of: Upgrade::Damage, level };
        if level <= HIGHEST_OF_FIGHTS && budget >= weapon.price() + WEAPONS_FROM {
            return Some(weapon);
        }
        self.upgrade(robot.levels, budget)
    }

    /// The upgrade that brings most for its price, if it brings enough.
    fn upgrade(&self, levels: Levels, budget: u64) -> Option<Item> {
        let reserve = if levels.total() < BASIC_UPGRADES { 0 } else { ROBOT_PRICE };
        let rounds = u64::from(self.rounds_left - LAST_ROUNDS / 2);
        let now = self.income(levels);
        // A storage is of use to who fills it quickly, and the first sale is to come soon.
        let useful = USEFUL
            .into_iter()
            .filter(|of| *of != Upgrade::Storage || levels.of(*of) < levels.of(Upgrade::MiningSpeed));
        let offers = useful.filter_map(|of| {
            let raised = levels.raised(of)?;
            let item = Item::Upgrade { of, level: raised.of(of) };
            let brings = self.income(raised).saturating_sub(now) * rounds / 1000;
            // It has paid for itself when half of the time is left.
            let pays = brings > 2 * item.price() && budget >= item.price() + reserve;
            pays.then_some((1000 * brings / item.price(), item))
        });
        let best = offers.reduce(|best, offer| if offer.0 > best.0 { offer } else { best });
        best.map(|(_, item)| item)
    }

    /// What a robot with these levels brings in a round, in thousandths.
    fn income(&self, levels: Levels) -> u64 {
        let kinds = ResourceKind::ALL.into_iter().filter(|kind| levels.can_mine(*kind));
        kinds.map(|kind| self.income_of(kind, levels)).max().unwrap_or(0)
    }

    fn income_of(&self, kind: ResourceKind, levels: Levels) -> u64 {
        let known = self.map.deposits().filter(|(_, deposit)| deposit.kind == kind);
        let known = known.filter_map(|(place, _)| self.to_station[place]).min_by_key(|trip| trip.weight());
        let way = known.unwrap_or_else(|| usual_way(kind));
        let travel = way.and_then(way).rounds_with(0, levels.energy_regen());
        let minings = levels.max_storage().div_ceil(levels.mining_speed());
        let worth = levels.max_storage() * self.forecast.price(kind) / HUNDRED;
        1000 * worth / (u64::from(travel) + minings + 1)
    }
}

/// To a deposit that is yet to be found; the search is spread over the first trips.
fn usual_way(kind: ResourceKind) -> Trip {
    match kind {
        ResourceKind::Coal => Trip { moves: 6, energy: 6 },
        ResourceKind::Iron => Trip { moves: 9, energy: 14 },
        ResourceKind::Gem => Trip { moves: 10, energy: 16 },
        ResourceKind::Gold | ResourceKind::Platin => Trip { moves: 11, energy: 22 },
    }
}
