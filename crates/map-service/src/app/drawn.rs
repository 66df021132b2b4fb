//! Random ids for a decision that cannot know beforehand how many it needs.
//! A decision may run more than once, and must come to the same each time: what was drawn stays drawn.

use std::cell::RefCell;
use std::sync::Arc;

use starkeep_platform::chance::Chance;
use uuid::Uuid;

pub(super) struct Drawn {
    chance: Arc<dyn Chance>,
    ids: RefCell<Vec<Uuid>>,
}

impl Drawn {
    pub(super) fn from(chance: Arc<dyn Chance>) -> Self {
        Self { chance, ids: RefCell::default() }
    }

    /// The ids from the first on.
    pub(super) fn again(&self) -> impl FnMut() -> Uuid {
        let mut next = 0;
        move || {
            let mut ids = self.ids.borrow_mut();
            if next == ids.len() {
                ids.push(self.chance.uuid());
            }
            next += 1;
            ids[next - 1]
        }
    }
}

#[cfg(test)]
mod tests {
    use starkeep_platform::chance::SequentialIds;

    use super::*;

    #[test]
    fn a_second_run_draws_the_same_ids_and_goes_on_with_new_ones() {
        let drawn = Drawn::from(SequentialIds::new());
        let mut ids = drawn.again();
        let first = [ids(), ids()];
        let mut ids = drawn.again();
        assert_eq!([ids(), ids()], first);
        assert!(!first.contains(&ids()));
    }
}
