//! One request at a time for each world id: two that want to make the same world would write its rows at the same time.
//! Only for this process; between replicas the decision alone settles who was first.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use starkeep_map_core::WorldId;
use tokio::sync::{Mutex as AsyncMutex, OwnedMutexGuard};

#[derive(Default)]
pub(super) struct WorldLocks(Mutex<BTreeMap<WorldId, Arc<AsyncMutex<()>>>>);

/// Held while a world is being made and announced.
pub(super) struct WorldLock<'a> {
    locks: &'a WorldLocks,
    world: WorldId,
    _guard: OwnedMutexGuard<()>,
}

impl WorldLocks {
    pub(super) async fn lock(&self, world: WorldId) -> WorldLock<'_> {
        let lock = {
            let mut locks = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            locks.entry(world).or_default().clone()
        };
        WorldLock { locks: self, world, _guard: lock.lock_owned().await }
    }
}

impl Drop for WorldLock<'_> {
    fn drop(&mut self) {
        let mut locks = self.locks.0.lock().unwrap_or_else(PoisonError::into_inner);
        // The map and this guard: nobody else waits for it.
        if locks.get(&self.world).is_some_and(|lock| Arc::strong_count(lock) <= 2) {
            locks.remove(&self.world);
        }
    }
}

#[cfg(test)]
mod tests {
    use futures::poll;
    use uuid::Uuid;

    use super::*;

    #[tokio::test]
    async fn a_second_request_for_the_same_world_waits_and_others_do_not() {
        let locks = WorldLocks::default();
        let [one, other] = [1, 2].map(|number| WorldId(Uuid::from_u128(number)));
        let first = locks.lock(one).await;
        let mut second = Box::pin(locks.lock(one));
        assert!(poll!(&mut second).is_pending());
        drop(locks.lock(other).await);
        drop(first);
        drop(second.await);
        assert!(locks.0.lock().unwrap().is_empty(), "nothing is kept of what is over");
    }
}
