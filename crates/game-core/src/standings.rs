//! How the players of a game stand, as far as the events of the robot and trading services have told: a fold over deeds.
//! The deeds of a round come in the order in which they were done: those of trading first, then those of robots.

use imbl::OrdMap;
use imbl::ordmap::DiffItem;
use starkeep_core_types::{Amounts, PlayerId, ResourceKind, RobotId};

/// What a robot costs: who has no robot and less than this cannot go on.
const ROBOT_PRICE: u64 = 100;

/// Cheap to clone.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Standings {
    players: OrdMap<PlayerId, Standing>,
    /// Robots that live.
    robots: OrdMap<RobotId, TrackedRobot>,
}

/// How a player stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Standing {
    /// None while nobody has told of an account.
    pub money: Option<u64>,
    pub robots_alive: u32,
    /// What the player's robots took in by mining.
    pub mined: Amounts,
    /// Destroyed robots of others whose last hit was this player's.
    pub fights_won: u32,
}

impl Standing {
    /// No robot left, and less than one costs.
    pub fn is_out(&self) -> bool {
        self.robots_alive == 0 && self.money.is_some_and(|money| money < ROBOT_PRICE)
    }
}

/// What deeds have changed, as it is afterwards.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StandingChanges {
    pub players: Vec<(PlayerId, Standing)>,
    pub robots: Vec<(RobotId, Option<TrackedRobot>)>,
}

/// What has to be known of a robot to understand what is told of it next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TrackedRobot {
    pub owner: PlayerId,
    pub cargo: Amounts,
    pub last_hit_by: Option<PlayerId>,
}

/// What an event tells. Events name what a robot holds, not what it gained.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Deed {
    AccountOpened {
        player: PlayerId,
        money: u64,
    },
    /// A purchase or a sale.
    Traded {
        player: PlayerId,
        change: i64,
    },
    Unloaded {
        robot: RobotId,
    },
    Spawned {
        robot: RobotId,
        owner: PlayerId,
    },
    Destroyed {
        robot: RobotId,
    },
    /// How much of the resource it holds now.
    Mined {
        robot: RobotId,
        kind: ResourceKind,
        holds: u64,
    },
    /// What it holds after it got its share.
    Looted {
        robot: RobotId,
        holds: Amounts,
    },
    Hit {
        by: PlayerId,
        defender: RobotId,
    },
}

impl Standings {
    pub fn of(&self, player: PlayerId) -> Standing {
        self.players.get(&player).copied().unwrap_or_default()
    }

    pub fn players(&self) -> impl Iterator<Item = (PlayerId, &Standing)> {
        self.players.iter().map(|(player, standing)| (*player, standing))
    }

    pub fn robot(&self, robot: RobotId) -> Option<&TrackedRobot> {
        self.robots.get(&robot)
    }

    /// Those that live, as far as the deeds have told.
    pub fn robots(&self) -> impl Iterator<Item = RobotId> {
        self.robots.keys().copied()
    }

    /// As a store has kept it.
    pub fn restore_player(&mut self, player: PlayerId, standing: Standing) {
        self.players.insert(player, standing);
    }

    /// As a store has kept it; none for one that lives no longer.
    pub fn restore_robot(&mut self, id: RobotId, robot: Option<TrackedRobot>) {
        match robot {
            Some(robot) => self.robots.insert(id, robot),
            None => self.robots.remove(&id),
        };
    }

    /// What is not as it was. A robot that lives no longer has nothing beside its id.
    pub fn changes_since(&self, before: &Self) -> StandingChanges {
        let players = before.players.diff(&self.players).filter_map(|item| match item {
            DiffItem::Add(player, standing) | DiffItem::Update { new: (player, standing), .. } => {
                Some((*player, *standing))
            }
            // Nobody is forgotten.
            DiffItem::Remove(..) => None,
        });
        let robots = before.robots.diff(&self.robots).map(|item| match item {
            DiffItem::Add(id, robot) | DiffItem::Update { new: (id, robot), .. } => (*id, Some(*robot)),
            DiffItem::Remove(id, _) => (*id, None),
        });
        StandingChanges { players: players.collect(), robots: robots.collect() }
    }

    /// Deeds of robots that nobody told of change nothing.
    pub fn absorb(&mut self, deed: &Deed) {
        match *deed {
            Deed::AccountOpened { player, money } => {
                self.players.entry(player).or_default().money.get_or_insert(money);
            }
            Deed::Traded { player, change } => {
                let standing = self.players.entry(player).or_default();
                standing.money = standing.money.map(|money| money.saturating_add_signed(change));
            }
            Deed::Unloaded { robot } => {
                self.change_robot(robot, |robot| robot.cargo = Amounts::NONE);
            }
            Deed::Spawned { robot, owner } => {
                // Two services tell of a robot that was bought.
                if !self.robots.contains_key(&robot) {
                    let tracked = TrackedRobot { owner, cargo: Amounts::NONE, last_hit_by: None };
                    self.robots.insert(robot, tracked);
                    self.players.entry(owner).or_default().robots_alive += 1;
                }
            }
            Deed::Destroyed { robot } => self.destroy(robot),
            Deed::Mined { robot, kind, holds } => {
                let Some(tracked) = self.robots.get_mut(&robot) else { return };
                let gained = holds.saturating_sub(tracked.cargo.of(kind));
                tracked.cargo.add(kind, gained);
                let owner = tracked.owner;
                self.players.entry(owner).or_default().mined.add(kind, gained);
            }
            Deed::Looted { robot, holds } => self.change_robot(robot, |robot| robot.cargo = holds),
            Deed::Hit { by, defender } => {
                self.change_robot(defender, |robot| robot.last_hit_by = Some(by));
            }
        }
    }

    fn change_robot(&mut self, robot: RobotId, change: impl FnOnce(&mut TrackedRobot)) {
        if let Some(robot) = self.robots.get_mut(&robot) {
            change(robot);
        }
    }

    fn destroy(&mut self, robot: RobotId) {
        let Some(TrackedRobot { owner, last_hit_by, .. }) = self.robots.remove(&robot) else { return };
        let loser = self.players.entry(owner).or_default();
        loser.robots_alive = loser.robots_alive.saturating_sub(1);
        if let Some(winner) = last_hit_by.filter(|winner| *winner != owner) {
            self.players.entry(winner).or_default().fights_won += 1;
        }
    }
}

/// The players by money, then robots, then fights won, best first, each with its rank; equal ones share a rank and stay in
/// the order in which they were given.
pub fn ranked(players: impl IntoIterator<Item = (PlayerId, Standing)>) -> Vec<(u32, PlayerId, Standing)> {
    let score = |standing: &Standing| (standing.money, standing.robots_alive, standing.fights_won);
    let mut players: Vec<_> = players.into_iter().collect();
    players.sort_by_key(|(_, standing)| std::cmp::Reverse(score(standing)));
    let mut rows: Vec<(u32, PlayerId, Standing)> = Vec::with_capacity(players.len());
    for (place, (player, standing)) in (1..).zip(players) {
        let rank = match rows.last() {
            Some((rank, _, before)) if score(before) == score(&standing) => *rank,
            _ => place,
        };
        rows.push((rank, player, standing));
    }
    rows
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    const ANN: PlayerId = PlayerId(Uuid::from_u128(1));
    const BOB: PlayerId = PlayerId(Uuid::from_u128(2));

    fn robot(number: u128) -> RobotId {
        RobotId(Uuid::from_u128(number))
    }

    fn after(deeds: &[Deed]) -> Standings {
        let mut standings = Standings::default();
        for deed in deeds {
            standings.absorb(deed);
        }
        standings
    }

    #[test]
    fn money_is_what_the_account_had_and_what_was_traded() {
        let deeds = [
            Deed::AccountOpened { player: ANN, money: 200 },
            Deed::Traded { player: ANN, change: -100 },
            Deed::Traded { player: ANN, change: 15 },
            // Told again after a gap.
            Deed::AccountOpened { player: ANN, money: 200 },
        ];
        assert_eq!(after(&deeds).of(ANN).money, Some(115));
        assert_eq!(after(&[Deed::Traded { player: ANN, change: 15 }]).of(ANN).money, None);
    }

    #[test]
    fn what_was_mined_is_counted_over_sales_and_loot_is_not() {
        let (r, kind) = (robot(7), ResourceKind::Coal);
        let deeds = [
            Deed::Spawned { robot: r, owner: ANN },
            Deed::Mined { robot: r, kind, holds: 4 },
            Deed::Unloaded { robot: r },
            Deed::Mined { robot: r, kind, holds: 4 },
            Deed::Looted { robot: r, holds: Amounts::new([9, 1, 0, 0, 0]) },
            Deed::Mined { robot: r, kind, holds: 11 },
            Deed::Mined { robot: robot(99), kind, holds: 5 },
        ];
        assert_eq!(after(&deeds).of(ANN).mined, Amounts::new([10, 0, 0, 0, 0]));
    }

    #[test]
    fn a_fight_is_won_by_whose_hit_was_the_last_unless_it_is_the_own_robot() {
        let spawned = Deed::Spawned { robot: robot(1), owner: ANN };
        let (hit, own) =
            (Deed::Hit { by: BOB, defender: robot(1) }, Deed::Hit { by: ANN, defender: robot(1) });
        let destroyed = Deed::Destroyed { robot: robot(1) };
        for (hits, won) in [(vec![own, hit], 1), (vec![hit, own], 0), (vec![], 0)] {
            let standings = after(&[vec![spawned], hits, vec![destroyed, destroyed]].concat());
            assert_eq!((standings.of(ANN).robots_alive, standings.of(BOB).fights_won), (0, won));
            assert_eq!(standings.of(ANN).fights_won, 0);
        }
    }

    #[test]
    fn a_robot_that_is_told_of_twice_is_one_and_keeps_what_it_holds() {
        let (r, kind) = (robot(7), ResourceKind::Iron);
        let spawned = Deed::Spawned { robot: r, owner: ANN };
        let standings = after(&[spawned, Deed::Mined { robot: r, kind, holds: 2 }, spawned]);
        assert_eq!(standings.of(ANN).robots_alive, 1);
        assert_eq!(standings.robot(r).unwrap().cargo, Amounts::new([0, 2, 0, 0, 0]));
    }

    #[test]
    fn what_has_changed_makes_the_standings_before_those_after() {
        let spawned = |number, owner| Deed::Spawned { robot: robot(number), owner };
        let before =
            after(&[spawned(1, ANN), spawned(2, ANN), Deed::AccountOpened { player: BOB, money: 7 }]);
        let mut now = before.clone();
        let deeds = [
            Deed::Mined { robot: robot(1), kind: ResourceKind::Gold, holds: 2 },
            Deed::Destroyed { robot: robot(2) },
        ];
        for deed in &deeds {
            now.absorb(deed);
        }
        let changes = now.changes_since(&before);
        let robots: Vec<_> = changes.robots.iter().map(|(id, robot)| (*id, robot.is_some())).collect();
        assert_eq!(robots, [(robot(1), true), (robot(2), false)]);
        assert_eq!(changes.players, [(ANN, now.of(ANN))], "nothing happened to the other");
        let mut again = before;
        for (player, standing) in changes.players {
            again.restore_player(player, standing);
        }
        for (id, robot) in changes.robots {
            again.restore_robot(id, robot);
        }
        assert_eq!(again, now);
    }

    #[test]
    fn who_has_no_robot_and_cannot_buy_one_is_out() {
        let standing = |money, robots_alive| Standing { money, robots_alive, ..Standing::default() };
        assert!(standing(Some(99), 0).is_out());
        for on in [standing(Some(100), 0), standing(Some(0), 1), standing(None, 0)] {
            assert!(!on.is_out());
        }
    }

    #[test]
    fn equal_players_share_a_rank() {
        let standing = |money, robots_alive, fights_won| Standing {
            money: Some(money),
            robots_alive,
            fights_won,
            ..Standing::default()
        };
        let player = |number| PlayerId(Uuid::from_u128(number));
        let standings = [
            (1, standing(10, 0, 0)),
            (2, standing(20, 1, 3)),
            (3, standing(20, 2, 0)),
            (4, standing(20, 1, 3)),
            (5, standing(9, 9, 9)),
        ];
        let rows = ranked(standings.map(|(number, standing)| (player(number), standing)));
        let ranks: Vec<_> = rows.iter().map(|(rank, player, _)| (*rank, player.0.as_u128())).collect();
        assert_eq!(ranks, [(1, 3), (2, 2), (2, 4), (4, 1), (5, 5)]);
    }
}
