//! Intents: a call to another service that has an effect is written down first, made with its idempotency key, and settled.
//! Owner and state are in the store, not in a process: whoever finds one that no living replica owns takes it back.
//!
//! Example, creating a game: `begin` commits the intent (game g wants world w, owned by replica r); then the map is called
//! with w as idempotency key; then `settle` commits the game and removes the intent, if it is still there and still r's.
//! A crash in between leaves an intent whose owner no longer lives, and the reconciler withdraws it.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};

use imbl::OrdMap;
use uuid::Uuid;

/// A running process of a service. Drawn anew at every start.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ReplicaId(pub Uuid);

/// Names an intent; also the idempotency key of its call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct IntentId(pub Uuid);

/// What is to be called, who calls, and under which id.
#[derive(Clone, Debug, PartialEq, Eq)]
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

    pub fn remove(&mut self, id: IntentId) {
        self.0.remove(&id);
    }

    pub fn get(&self, id: IntentId) -> Option<&Intent<C>> {
        self.0.get(&id)
    }

    /// The intent, if it is still there and still this replica's: what a settling decision asks first.
    pub fn owned(&self, id: IntentId, owner: ReplicaId) -> Option<&Intent<C>> {
        self.get(id).filter(|intent| intent.owner == owner)
    }

    pub fn iter(&self) -> impl Iterator<Item = &Intent<C>> {
        self.0.values()
    }
}

/// Which intents this process is carrying out. One of its own that it is not, was left by a failed write.
#[derive(Clone, Default)]
pub struct InHand(Arc<Mutex<HashSet<IntentId>>>);

impl InHand {
    /// Carries the intent out until the guard is dropped.
    pub fn hold(&self, id: IntentId) -> IntentGuard {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(id);
        IntentGuard { id, in_hand: self.clone() }
    }

    pub fn contains(&self, id: IntentId) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).contains(&id)
    }
}

pub struct IntentGuard {
    pub id: IntentId,
    in_hand: InHand,
}

impl Drop for IntentGuard {
    fn drop(&mut self) {
        self.in_hand.0.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.id);
    }
}
