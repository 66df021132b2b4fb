//! The players of a game in the order in which they joined, cheap to clone however many they are.
//! Whether somebody may join or leave is not decided here.

use std::fmt;

use imbl::{HashMap, HashSet, Vector};
use starkeep_core_types::PlayerId;
use uuid::Uuid;

/// Every change of a game clones it, so the players are held in structures that share their unchanged parts:
/// one for the order, one that answers `contains` without walking through 10,000 seats.
#[derive(Clone, Default)]
pub struct Roster {
    in_order: Vector<PlayerId>,
    /// With the transaction of each join, where it is known.
    members: HashMap<PlayerId, Option<Uuid>>,
    /// Members who were taken out after the start. They keep their places.
    taken_out: HashSet<PlayerId>,
}

impl Roster {
    pub fn len(&self) -> usize {
        self.in_order.len()
    }

    pub fn is_empty(&self) -> bool {
        self.in_order.is_empty()
    }

    /// Also somebody who was taken out after the start.
    pub fn contains(&self, player: PlayerId) -> bool {
        self.members.contains_key(&player)
    }

    /// Is the player in, and was not taken out?
    pub fn plays(&self, player: PlayerId) -> bool {
        self.contains(player) && !self.is_taken_out(player)
    }

    pub fn is_taken_out(&self, player: PlayerId) -> bool {
        self.taken_out.contains(&player)
    }

    /// How many were taken out after the start.
    pub fn taken_out(&self) -> usize {
        self.taken_out.len()
    }

    pub fn iter(&self) -> impl ExactSizeIterator<Item = PlayerId> + '_ {
        self.in_order.iter().copied()
    }

    /// Of the player's join.
    pub fn transaction_of(&self, player: PlayerId) -> Option<Uuid> {
        self.members.get(&player).copied().flatten()
    }

    /// Somebody who is in already keeps their place.
    #[must_use]
    pub fn with(&self, player: PlayerId, transaction: Option<Uuid>) -> Self {
        let mut roster = self.clone();
        roster.add(player, transaction);
        roster
    }

    #[must_use]
    pub fn without(&self, player: PlayerId) -> Self {
        let mut roster = self.clone();
        if roster.members.remove(&player).is_some()
            && let Some(place) = roster.in_order.index_of(&player)
        {
            roster.in_order.remove(place);
            roster.taken_out.remove(&player);
        }
        roster
    }

    /// Somebody who is not in stays out of it.
    #[must_use]
    pub fn taking_out(&self, player: PlayerId) -> Self {
        let mut roster = self.clone();
        if roster.contains(player) {
            roster.taken_out.insert(player);
        }
        roster
    }

    fn add(&mut self, player: PlayerId, transaction: Option<Uuid>) {
        if !self.contains(player) {
            self.members.insert(player, transaction);
            self.in_order.push_back(player);
        }
    }
}

impl FromIterator<(PlayerId, Option<Uuid>)> for Roster {
    fn from_iter<I: IntoIterator<Item = (PlayerId, Option<Uuid>)>>(players: I) -> Self {
        let mut roster = Self::default();
        players.into_iter().for_each(|(player, transaction)| roster.add(player, transaction));
        roster
    }
}

/// Of players of whose joins nothing more is known.
impl FromIterator<PlayerId> for Roster {
    fn from_iter<I: IntoIterator<Item = PlayerId>>(players: I) -> Self {
        players.into_iter().map(|player| (player, None)).collect()
    }
}

impl PartialEq for Roster {
    fn eq(&self, other: &Self) -> bool {
        self.in_order == other.in_order && self.members == other.members && self.taken_out == other.taken_out
    }
}

impl Eq for Roster {}

impl fmt::Debug for Roster {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(&self.in_order).finish()
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    fn players(numbers: &[u128]) -> Vec<PlayerId> {
        numbers.iter().map(|number| PlayerId(Uuid::from_u128(*number))).collect()
    }

    #[test]
    fn the_order_is_that_of_joining_and_nobody_is_in_twice() {
        let [one, two, three] = players(&[1, 2, 3])[..] else { unreachable!() };
        let roster: Roster = [three, one, three, two].into_iter().collect();
        assert_eq!(roster.iter().collect::<Vec<_>>(), [three, one, two]);
        assert_eq!(roster.with(one, Some(Uuid::max())), roster);

        let fewer = roster.without(one);
        assert_eq!(fewer.iter().collect::<Vec<_>>(), [three, two]);
        assert!(!fewer.contains(one) && roster.contains(one));
        assert_eq!(fewer.without(one), fewer);

        let again = fewer.with(one, Some(Uuid::max()));
        assert_eq!((again.transaction_of(one), again.transaction_of(two)), (Some(Uuid::max()), None));
        assert_ne!(again, fewer.with(one, None));
        assert_eq!(again.without(one).transaction_of(one), None);
        assert_eq!(fewer.with(one, None).iter().collect::<Vec<_>>(), [three, two, one]);
    }

    #[test]
    fn who_is_taken_out_keeps_the_place_and_does_not_play() {
        let [one, two, three] = players(&[1, 2, 3])[..] else { unreachable!() };
        let roster: Roster = [one, two].into_iter().collect();
        let fewer = roster.taking_out(one);
        assert_ne!(fewer, roster);
        assert_eq!(fewer.iter().collect::<Vec<_>>(), [one, two]);
        assert!(fewer.contains(one) && !fewer.plays(one) && fewer.plays(two) && !fewer.plays(three));
        assert_eq!(
            (fewer.taken_out(), fewer.taking_out(one), fewer.taking_out(three)),
            (1, fewer.clone(), fewer.clone())
        );
        assert_eq!(fewer.without(one), roster.without(one));
    }
}
