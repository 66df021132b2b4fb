//! What a target is: something that takes bytes, and says in a few words what came of them or what went wrong.
//! Which ones there are is in `targets`.

use crate::mutator::Dictionary;

/// What came of an input: an input that comes to something new is changed further. Or a sentence about what went wrong.
pub type Verdict = Result<String, String>;

/// Stands between inputs that are tried one after the other, where it takes several to go wrong.
pub const SEPARATOR: &[u8] = b"\n=====\n";

/// One opened target. What an input does to it stays for the next ones.
pub trait Subject {
    /// A panic counts as something that went wrong.
    fn judge(&mut self, input: &[u8]) -> Verdict;

    /// Inputs that it knows by itself, beside those of the corpus.
    fn seeds(&self) -> Vec<Vec<u8>> {
        Vec::new()
    }

    fn dictionary(&self) -> Dictionary {
        Dictionary::default()
    }
}

pub struct Target {
    /// Also of its folder in the corpus.
    pub name: &'static str,
    /// What is tried, and what must hold.
    pub about: &'static str,
    pub open: fn() -> Box<dyn Subject>,
}
