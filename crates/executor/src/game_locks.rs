//! One batch of a game at a time: the next one waits until the one before it is done.
//! Only for this process; between replicas it is settled by who owns what the one before has left open.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use starkeep_core_types::GameId;
use tokio::sync::{Mutex as AsyncMutex, OwnedMutexGuard};

#[derive(Default)]
pub struct GameLocks(Mutex<BTreeMap<GameId, Arc<AsyncMutex<()>>>>);

/// Held while a batch of the game is carried out.
pub struct GameLock<'a> {
    locks: &'a GameLocks,
    game: GameId,
    _guard: OwnedMutexGuard<()>,
}

impl GameLocks {
    pub async fn lock(&self, game: GameId) -> GameLock<'_> {
        let guard = self.of(game).lock_owned().await;
        GameLock { locks: self, game, _guard: guard }
    }

    /// Only if nobody holds it.
    pub fn try_lock(&self, game: GameId) -> Option<GameLock<'_>> {
        let guard = self.of(game).try_lock_owned().ok()?;
        Some(GameLock { locks: self, game, _guard: guard })
    }

    fn of(&self, game: GameId) -> Arc<AsyncMutex<()>> {
        let mut locks = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        locks.entry(game).or_default().clone()
    }
}

impl Drop for GameLock<'_> {
    fn drop(&mut self) {
        let mut locks = self.locks.0.lock().unwrap_or_else(PoisonError::into_inner);
        // The map and this guard: nobody else waits for it.
        if locks.get(&self.game).is_some_and(|lock| Arc::strong_count(lock) <= 2) {
            locks.remove(&self.game);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::pin::pin;
    use std::task::{Context, Waker};

    use uuid::Uuid;

    use super::*;

    #[tokio::test]
    async fn a_second_batch_of_the_same_game_waits_and_others_do_not() {
        let locks = GameLocks::default();
        let [one, other] = [1, 2].map(|number| GameId(Uuid::from_u128(number)));
        let first = locks.lock(one).await;
        let mut second = pin!(locks.lock(one));
        assert!(second.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
        assert!(locks.try_lock(one).is_none());
        drop(locks.lock(other).await);
        drop(first);
        drop(second.await);
        assert!(locks.try_lock(one).is_some());
        assert!(locks.0.lock().unwrap().is_empty(), "nothing is kept of what is over");
    }
}
