//! Which intents this process is working on. An intent that nobody works on was left by a crash or a failed write,
//! and is taken back by the reconciler.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};

use starkeep_game_core::WorldId;

#[derive(Clone, Default)]
pub(crate) struct UnderWay(Arc<Mutex<HashSet<WorldId>>>);

impl UnderWay {
    /// Works on the intent that asks for this world, until the guard is dropped.
    pub(crate) fn begin(&self, world: WorldId) -> Working {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(world);
        Working { world, under_way: self.clone() }
    }

    fn contains(&self, world: WorldId) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).contains(&world)
    }
}

impl super::App {
    pub(crate) fn works_on(&self, world: WorldId) -> bool {
        self.under_way.contains(world)
    }
}

pub(crate) struct Working {
    pub(crate) world: WorldId,
    under_way: UnderWay,
}

impl Drop for Working {
    fn drop(&mut self) {
        self.under_way.0.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.world);
    }
}
