//! Makes inputs out of others, as chance has it: bytes, words, lines and JSON are changed, and pieces of other inputs put in.
//! All chance is handed in, so that the same seed makes the same inputs.

mod bytes;
mod json;
mod odd;
mod text;

use starkeep_fault_harness::Chance;

/// Longer ones take long and say no more.
const LONGEST: usize = 64 * 1024;

/// What a target understands.
#[derive(Clone, Debug, Default)]
pub struct Dictionary {
    /// Names of fields and parameters, ids, and words of all kinds.
    pub words: Vec<Vec<u8>>,
    /// Whole lines, without their ends.
    pub lines: Vec<Vec<u8>>,
}

pub struct Mutator {
    dictionary: Dictionary,
}

impl Mutator {
    pub fn new(dictionary: Dictionary) -> Self {
        Self { dictionary }
    }

    /// The input with a few changes; `others` lend pieces of theirs.
    pub fn mutated(&self, input: &[u8], others: &[Vec<u8>], chance: &mut Chance) -> Vec<u8> {
        let mut output = input.to_vec();
        for _ in 0..chance.draw(&(1..=4)) {
            self.change(&mut output, others, chance);
        }
        output.truncate(LONGEST);
        output
    }

    fn change(&self, input: &mut Vec<u8>, others: &[Vec<u8>], chance: &mut Chance) {
        let Dictionary { words, lines } = &self.dictionary;
        match chance.draw(&(0..=9)) {
            0..=3 => {
                if !json::change(input, words, chance) {
                    text::change_word(input, words, chance);
                }
            }
            4..=6 => text::change_word(input, words, chance),
            7 => text::change_lines(input, lines, chance),
            8 => bytes::change(input, chance),
            _ if others.is_empty() => bytes::change(input, chance),
            _ => {
                let other = chance.pick(others);
                bytes::put_in(input, other, chance);
            }
        }
    }
}

/// A place in something so long: 0 to its length.
fn place_in(length: usize, chance: &mut Chance) -> usize {
    usize::try_from(chance.draw(&(0..=length as u64))).unwrap_or(length)
}

/// A piece of something so long, of at most so much.
fn piece_of(length: usize, most: usize, chance: &mut Chance) -> std::ops::Range<usize> {
    let begin = place_in(length, chance);
    begin..begin + place_in(most.min(length - begin), chance)
}
