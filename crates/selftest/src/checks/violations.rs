//! What did not hold, counted by operation where something was lost or done twice, and told in sentences.

use std::collections::BTreeMap;

use crate::records::Operation;

/// Sentences that are kept; more of them tell nothing new.
const MOST_SENTENCES: usize = 20;

#[derive(Clone, Debug, Default)]
pub struct Violations {
    pub lost: BTreeMap<Operation, u64>,
    pub doubled: BTreeMap<Operation, u64>,
    /// Of all kinds.
    pub count: u64,
    pub sentences: Vec<String>,
}

impl Violations {
    /// It was acknowledged and is not there.
    pub(crate) fn lost(&mut self, operation: Operation, sentence: String) {
        *self.lost.entry(operation).or_default() += 1;
        self.add(sentence);
    }

    /// It was done more than once.
    pub(crate) fn doubled(&mut self, operation: Operation, sentence: String) {
        *self.doubled.entry(operation).or_default() += 1;
        self.add(sentence);
    }

    pub(crate) fn add(&mut self, sentence: String) {
        self.count += 1;
        if self.sentences.len() < MOST_SENTENCES {
            self.sentences.push(sentence);
        }
    }
}
