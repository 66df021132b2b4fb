//! Changes of words and lines: what every format here is made of, be it a path, a header, a field or an event.

use std::ops::Range;

use starkeep_fault_harness::Chance;

use super::odd::odd_word;
use super::place_in;

/// Puts another word in the place of one, or adds one.
pub(super) fn change_word(input: &mut Vec<u8>, words: &[Vec<u8>], chance: &mut Chance) {
    let found = words_in(input);
    let other =
        if words.is_empty() || chance.one_in(2) { odd_word(chance) } else { chance.pick(words).clone() };
    let place = if found.is_empty() { 0..0 } else { chance.pick(&found).clone() };
    let place = if chance.one_in(8) { place.end..place.end } else { place };
    input.splice(place, other);
}

/// Adds a line of the dictionary, or doubles, removes or exchanges lines.
pub(super) fn change_lines(input: &mut Vec<u8>, dictionary: &[Vec<u8>], chance: &mut Chance) {
    let mut lines: Vec<Vec<u8>> = input.split(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect();
    let last = lines.len() - 1;
    let (one, other) = (place_in(last, chance), place_in(last, chance));
    match chance.draw(&(0..=5)) {
        0 => lines.insert(one, lines[other].clone()),
        1 => drop(lines.remove(one)),
        2 => lines.swap(one, other),
        // What has a head has it in its first lines.
        _ if !dictionary.is_empty() => lines.insert(last.min(1), chance.pick(dictionary).clone()),
        _ => lines.insert(one, odd_word(chance)),
    }
    *input = lines.join(&b'\n');
}

/// Letters, digits and what joins them; a name in braces stands for something, and is one word.
fn words_in(input: &[u8]) -> Vec<Range<usize>> {
    let mut words = Vec::new();
    let mut place = 0;
    while place < input.len() {
        let is_named = input[place] == b'{';
        let begin = place + usize::from(is_named);
        let length = input[begin..].iter().take_while(|byte| is_of_a_word(**byte)).count();
        let end = begin + length;
        if length == 0 {
            place += 1;
        } else if is_named && input.get(end) == Some(&b'}') {
            words.push(place..end + 1);
            place = end + 1;
        } else {
            words.push(begin..end);
            place = end;
        }
    }
    words
}

fn is_of_a_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b'+' | b'%')
}
