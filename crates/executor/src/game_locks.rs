//! One batch of a game at a time, in the order in which they came; batches of different games do not wait for each other.
//! Only for this process: between replicas the decisions settle who was first.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use starkeep_core_types::GameId;
use tokio::sync::{Mutex as AsyncMutex, OwnedMutexGuard};

#[derive(Default)]
pub struct GameLocks(Mutex<BTreeMap<GameId, Arc<AsyncMutex<()>>>>);

/// Held while a batch of the game is executed.
pub struct GameLock<'a> {
    locks: &'a GameLocks,
    game: GameId,
    /// Given back before the map is looked at, so that only those who wait are counted.
    guard: Option<OwnedMutexGuard<()>>,
}

impl GameLocks {
    pub async fn lock(&self, game: GameId) -> GameLock<'_> {
        let lock = {
            let mut locks = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            locks.entry(game).or_default().clone()
        };
        GameLock { locks: self, game, guard: Some(lock.lock_owned().await) }
    }
}

impl Drop for GameLock<'_> {
    fn drop(&mut self) {
        let mut locks = self.locks.0.lock().unwrap_or_else(PoisonError::into_inner);
        drop(self.guard.take());
        // Only the map has it: nobody holds it or waits for it.
        if locks.get(&self.game).is_some_and(|lock| Arc::strong_count(lock) == 1) {
            locks.remove(&self.game);
        }
    }
}

#[cfg(test)]
mod tests {
    use futures::poll;
    use uuid::Uuid;

    use super::*;

    #[tokio::test]
    async fn batches_of_a_game_go_in_their_order_and_other_games_do_not_wait() {
        let locks = GameLocks::default();
        let [one, other] = [1, 2].map(|number| GameId(Uuid::from_u128(number)));
        let first = locks.lock(one).await;
        let (mut second, mut third) = (Box::pin(locks.lock(one)), Box::pin(locks.lock(one)));
        assert!(poll!(&mut second).is_pending() && poll!(&mut third).is_pending());
        drop(locks.lock(other).await);
        drop(first);
        assert!(poll!(&mut third).is_pending(), "the second came before");
        drop(second.await);
        drop(third.await);
        assert!(locks.0.lock().unwrap().is_empty(), "nothing is kept of what is over");
    }

    #[tokio::test]
    async fn who_gives_up_waiting_holds_up_nobody() {
        let locks = GameLocks::default();
        let game = GameId(Uuid::nil());
        let first = locks.lock(game).await;
        let mut second = Box::pin(locks.lock(game));
        assert!(poll!(&mut second).is_pending());
        drop(second);
        drop(first);
        drop(locks.lock(game).await);
    }
}
