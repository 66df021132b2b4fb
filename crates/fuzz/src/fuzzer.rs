//! Tries one target with one input after the other, drawn from a seed: the same seed tries the same inputs.
//! An input that goes wrong is tried again by itself; if it needs those before it, they become a part of it.

use std::collections::HashSet;

use starkeep_fault_harness::Chance;

use crate::judged::judged;
use crate::mutator::Mutator;
use crate::shrink::smallest;
use crate::target::{SEPARATOR, Subject, Target, Verdict};

/// After so many inputs a target is opened anew: what goes wrong because of those before it stays small.
const INPUTS_PER_SESSION: usize = 64;

/// So many inputs are kept to be changed further.
const MOST_KEPT: usize = 2_000;

pub struct Fuzzer<'t> {
    target: &'t Target,
    mutator: Mutator,
    chance: Chance,
    /// What inputs are made of. Those of the target come first.
    kept: Vec<Vec<u8>>,
    outcomes: HashSet<String>,
    session: Session,
    tried: u64,
}

/// An opened target, and what it was given.
struct Session {
    subject: Box<dyn Subject>,
    inputs: Vec<Vec<u8>>,
}

/// Something that goes wrong.
#[derive(Debug)]
pub struct Found {
    pub fault: String,
    /// As small as it could be made.
    pub input: Vec<u8>,
}

impl Session {
    fn open(target: &Target) -> Self {
        Self { subject: (target.open)(), inputs: Vec::new() }
    }
}

/// The verdict of a target that was given nothing else.
pub fn try_alone(target: &Target, input: &[u8]) -> Verdict {
    judged(&mut *(target.open)(), input)
}

impl<'t> Fuzzer<'t> {
    pub fn new(target: &'t Target, corpus: impl IntoIterator<Item = Vec<u8>>, seed: u64) -> Self {
        let session = Session::open(target);
        let mut kept = session.subject.seeds();
        kept.extend(corpus);
        let mutator = Mutator::new(session.subject.dictionary());
        Self { target, mutator, chance: Chance(seed), kept, outcomes: HashSet::new(), session, tried: 0 }
    }

    /// So many inputs so far.
    pub fn tried(&self) -> u64 {
        self.tried
    }

    /// Tries what the target knows and what is in the corpus, as it is.
    pub fn try_known(&mut self) -> Result<(), Found> {
        self.kept.clone().into_iter().try_for_each(|input| self.try_input(input).map(drop))
    }

    /// Tries what chance makes of a kept input.
    pub fn try_next(&mut self) -> Result<(), Found> {
        let nothing = Vec::new();
        let base = if self.kept.is_empty() { &nothing } else { self.chance.pick(&self.kept) };
        let input = self.mutator.mutated(base, &self.kept, &mut self.chance);
        if self.try_input(input.clone())? && self.kept.len() < MOST_KEPT {
            self.kept.push(input);
        }
        Ok(())
    }

    /// Whether it came to something new.
    fn try_input(&mut self, input: Vec<u8>) -> Result<bool, Found> {
        if self.session.inputs.len() == INPUTS_PER_SESSION {
            self.session = Session::open(self.target);
        }
        self.tried += 1;
        match judged(&mut *self.session.subject, &input) {
            Ok(outcome) => {
                self.session.inputs.push(input);
                let new = outcome.lines().filter(|line| self.outcomes.insert((*line).to_owned())).count();
                Ok(new > 0)
            }
            Err(fault) => Err(self.found(fault, input)),
        }
    }

    fn found(&mut self, fault: String, input: Vec<u8>) -> Found {
        let mut before = std::mem::replace(&mut self.session, Session::open(self.target)).inputs;
        before.push(input.clone());
        let with_those_before = before.join(SEPARATOR);
        let whole = [input, with_those_before].into_iter().find(|input| self.goes_wrong(input));
        let Some(whole) = whole else {
            let fault = format!("{fault} (not again, with the same inputs)");
            return Found { fault, input: before.join(SEPARATOR) };
        };
        let input = smallest(&whole, |input| self.goes_wrong(input));
        // The smaller one may go wrong in another way.
        let fault = try_alone(self.target, &input).err().unwrap_or(fault);
        Found { fault, input }
    }

    fn goes_wrong(&self, input: &[u8]) -> bool {
        try_alone(self.target, input).is_err()
    }
}
