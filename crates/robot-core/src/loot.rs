//! How what destroyed robots held is given to those that still stand on the planet: the most valuable kind first, evenly.
//! What cannot be shared evenly goes out unit by unit, in an order that is drawn.

use starkeep_core_types::{Amounts, ResourceKind, Rng};

use crate::robot::Robot;

/// The robots afterwards, in the same order, and what nobody had room for.
pub(crate) fn share_out(mut robots: Vec<Robot>, pool: Amounts, rng: &mut Rng) -> (Vec<Robot>, Amounts) {
    let mut lost = Amounts::NONE;
    for kind in ResourceKind::ALL.into_iter().rev() {
        lost.add(kind, share_out_kind(&mut robots, kind, pool.of(kind), rng));
    }
    (robots, lost)
}

/// What is left over when all are full.
fn share_out_kind(robots: &mut [Robot], kind: ResourceKind, amount: u64, rng: &mut Rng) -> u64 {
    let mut rest = amount;
    loop {
        let mut open: Vec<usize> =
            (0..robots.len()).filter(|robot| robots[*robot].free_storage() > 0).collect();
        if rest == 0 || open.is_empty() {
            return rest;
        }
        let share = rest / open.len() as u64;
        if share == 0 {
            rng.shuffle(&mut open);
        }
        for robot in open {
            rest -= robots[robot].take_in(kind, share.max(1).min(rest));
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use starkeep_core_types::{PlanetId, PlayerId, Rng, RobotId};
    use uuid::Uuid;

    use super::*;

    /// New robots that hold so much coal.
    fn robots(held: &[u64]) -> Vec<Robot> {
        let robot = |held: &u64| Robot {
            cargo: Amounts::new([*held, 0, 0, 0, 0]),
            ..Robot::new(RobotId(Uuid::nil()), 1, PlayerId(Uuid::nil()), PlanetId(Uuid::nil()))
        };
        held.iter().map(robot).collect()
    }

    fn gains(held: &[u64], pool: u64) -> Vec<u64> {
        let pool = Amounts::new([pool, 0, 0, 0, 0]);
        let (after, _) = share_out(robots(held), pool, &mut Rng::from_seed(7));
        held.iter().zip(after).map(|(before, after)| after.cargo.total() - before).collect()
    }

    #[test]
    fn a_pool_is_shared_as_in_the_original() {
        assert_eq!(gains(&[0, 0, 19], 7), [3, 3, 1]);
        let mut uneven = gains(&[0, 0, 0], 5);
        uneven.sort_unstable();
        assert_eq!(uneven, [1, 2, 2]);
    }

    #[test]
    fn the_most_valuable_kind_goes_first() {
        let pool = Amounts::new([5, 0, 0, 0, 3]);
        let (after, lost) = share_out(robots(&[16]), pool, &mut Rng::from_seed(7));
        assert_eq!(after[0].cargo, Amounts::new([17, 0, 0, 0, 3]));
        assert_eq!(lost, Amounts::new([4, 0, 0, 0, 0]));
    }

    #[test]
    fn nobody_left_means_that_all_is_lost() {
        let pool = Amounts::new([1, 2, 3, 4, 5]);
        assert_eq!(share_out(vec![], pool, &mut Rng::from_seed(7)), (vec![], pool));
    }

    proptest! {
        #[test]
        fn nothing_is_lost_while_somebody_has_room(
            held in prop::collection::vec(0..=20_u64, 0..8), pool in prop::array::uniform5(0..60_u64), seed: u64,
        ) {
            let pool = Amounts::new(pool);
            let (after, lost) = share_out(robots(&held), pool, &mut Rng::from_seed(seed));
            let total: u64 = after.iter().map(|robot| robot.cargo.total()).sum();
            prop_assert_eq!(total + lost.total(), held.iter().sum::<u64>() + pool.total());
            prop_assert!(after.iter().all(|robot| robot.cargo.total() <= 20));
            prop_assert!(lost.is_empty() || after.iter().all(|robot| robot.free_storage() == 0));
        }
    }
}
