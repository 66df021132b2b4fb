//! Intents: a call to another service that has an effect is written down first, made with an idempotency key, and settled.
//! Owner and state are in the store, not in a process: an intent that is in the store is open, and its owner calls.
//!
//! Example, creating a game: one commit writes down that replica r asks for a world under the id w. Then r calls the map with
//! w as idempotency key. Then one commit creates the game and removes the intent. That last decision first asks for the
//! intent with [`Intents::owned`]: if r was thought dead meanwhile, the leader has withdrawn it, listed w for removal, and r
//! must not create the game any longer.
//!
//! Who cleans up: the owner, as long as it lives, withdraws what it could not finish, and tries until that is written. What
//! belongs to no living replica is withdrawn by the leader, when it gains the lease and afterwards. A kind of call that must
//! not be lost is finished instead, under the same key: by whoever leads (a game's replenishments, ADR 23), or by the leader
//! that has taken the intent over and is its owner from then on (minings and trades, ADR 20).

use imbl::OrdMap;
use uuid::Uuid;

use crate::replica::ReplicaId;

/// Names an intent; also the idempotency key of its call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct IntentId(pub Uuid);

/// A call that is to be made, and the replica that makes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Intent<C> {
    pub id: IntentId,
    pub owner: ReplicaId,
    pub call: C,
}

/// The open intents of a service, as a part of its image. Cheap to clone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Intents<C: Clone>(OrdMap<IntentId, Intent<C>>);

impl<C: Clone> Default for Intents<C> {
    fn default() -> Self {
        Self(OrdMap::new())
    }
}

impl<C: Clone> Intents<C> {
    pub fn begin(&mut self, intent: Intent<C>) {
        self.0.insert(intent.id, intent);
    }

    /// Settled or withdrawn.
    pub fn remove(&mut self, id: IntentId) {
        self.0.remove(&id);
    }

    /// It belongs to this replica from now on.
    pub fn take_over(&mut self, id: IntentId, by: ReplicaId) {
        if let Some(intent) = self.0.get_mut(&id) {
            intent.owner = by;
        }
    }

    pub fn contains(&self, id: IntentId) -> bool {
        self.0.contains_key(&id)
    }

    /// The intent, if it is still there and still this replica's: what every decision asks that settles one.
    pub fn owned(&self, id: IntentId, owner: ReplicaId) -> Option<&Intent<C>> {
        self.0.get(&id).filter(|intent| intent.owner == owner)
    }

    /// In the order of their ids.
    pub fn iter(&self) -> impl Iterator<Item = &Intent<C>> {
        self.0.values()
    }
}

impl<C: Clone> FromIterator<Intent<C>> for Intents<C> {
    fn from_iter<I: IntoIterator<Item = Intent<C>>>(intents: I) -> Self {
        Self(intents.into_iter().map(|intent| (intent.id, intent)).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_intent_is_settled_only_while_it_is_there_and_only_by_its_owner() {
        let id = |number| Uuid::from_u128(number);
        let (mine, theirs) = (ReplicaId(id(1)), ReplicaId(id(2)));
        let intent = Intent { id: IntentId(id(3)), owner: mine, call: "make a world" };
        let mut intents = Intents::default();
        intents.begin(intent);
        assert_eq!(intents.owned(intent.id, mine), Some(&intent));
        assert_eq!(intents.owned(intent.id, theirs), None);
        assert_eq!(intents.owned(IntentId(id(4)), mine), None);
        intents.take_over(intent.id, theirs);
        let taken_over = Intent { owner: theirs, ..intent };
        assert_eq!(intents.owned(intent.id, mine), None);
        assert_eq!(intents.owned(intent.id, theirs), Some(&taken_over));
        intents.remove(intent.id);
        assert_eq!(intents.owned(intent.id, theirs), None);
    }
}
