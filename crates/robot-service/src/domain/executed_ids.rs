//! The transactions of a game that were executed: a command that comes again is not executed again.
//!
//! A game may have a million of them, so they are kept as sorted runs of 16 bytes each. A new run is merged with those
//! before it that are less than twice as long: there are never more than a few, and each id is moved only a few times.

use std::sync::Arc;

use starkeep_robot_core::CommandId;

/// Cheap to clone.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ExecutedIds {
    /// Each is more than twice as long as the next one.
    runs: Vec<Arc<[CommandId]>>,
}

impl ExecutedIds {
    pub(crate) fn contains(&self, id: CommandId) -> bool {
        self.runs.iter().any(|run| run.binary_search(&id).is_ok())
    }

    /// They are new, and none of them comes twice.
    pub(crate) fn add(&mut self, ids: &[CommandId]) {
        if ids.is_empty() {
            return;
        }
        let mut run = ids.to_vec();
        while self.runs.last().is_some_and(|last| last.len() < 2 * run.len()) {
            run.extend(self.runs.pop().iter().flat_map(|last| last.iter()));
        }
        run.sort_unstable();
        self.runs.push(run.into());
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    fn id(number: u128) -> CommandId {
        // Scattered, as random ids are.
        CommandId(Uuid::from_u128(number.wrapping_mul(0x9E37_79B9_7F4A_7C15_F39C_C060_5CED_C835)))
    }

    #[test]
    fn whatever_was_added_is_found_and_nothing_else() {
        let mut executed = ExecutedIds::default();
        let mut added = 0;
        for size in [1, 1, 3, 200, 7, 1, 1, 1, 50, 1000, 2].into_iter().cycle().take(60) {
            let ids: Vec<_> = (added..added + size).map(id).collect();
            assert!(!ids.iter().any(|id| executed.contains(*id)));
            executed.add(&ids);
            added += size;
            assert!(executed.runs.len() <= 16, "{:?}", executed.runs.iter().map(|run| run.len()));
        }
        assert!((0..added).all(|number| executed.contains(id(number))));
        assert!(!(added..added + 1000).any(|number| executed.contains(id(number))));
    }
}
