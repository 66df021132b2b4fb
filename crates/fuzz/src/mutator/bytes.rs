//! Changes of bytes that know nothing of what they mean.

use starkeep_fault_harness::Chance;

use super::{piece_of, place_in};

/// Ends of texts, of lines and of ranges, and bytes that are no UTF-8.
const ODD: &[u8] = b"\0\n\r\t \"\\/%&=?#:,.{}[]-+0\x7f\x80\xbf\xc0\xed\xf5\xff";

/// A piece that is left out, doubled or taken elsewhere is at most so long.
const LONGEST_PIECE: usize = 64;

pub(super) fn change(input: &mut Vec<u8>, chance: &mut Chance) {
    if input.is_empty() {
        input.push(*chance.pick(ODD));
        return;
    }
    let place = place_in(input.len() - 1, chance);
    match chance.draw(&(0..=6)) {
        0 => input[place] ^= 1 << chance.draw(&(0..=7)),
        1 => input[place] = *chance.pick(ODD),
        2 => input.insert(place, *chance.pick(ODD)),
        3 => drop(input.drain(piece_of(input.len(), LONGEST_PIECE, chance))),
        4 => {
            let piece = input[piece_of(input.len(), LONGEST_PIECE, chance)].to_vec();
            insert(input, &piece.repeat(place_in(20, chance)), place);
        }
        5 => {
            let piece = input[piece_of(input.len(), LONGEST_PIECE, chance)].to_vec();
            insert(input, &piece, place);
        }
        _ => input.truncate(place),
    }
}

/// Puts a piece of another input into this one, or lets it go on as the other does.
pub(super) fn put_in(input: &mut Vec<u8>, other: &[u8], chance: &mut Chance) {
    let place = place_in(input.len(), chance);
    if chance.one_in(3) {
        input.truncate(place);
        input.extend_from_slice(&other[place_in(other.len(), chance)..]);
    } else {
        insert(input, &other[piece_of(other.len(), other.len(), chance)], place);
    }
}

fn insert(input: &mut Vec<u8>, piece: &[u8], place: usize) {
    input.splice(place..place, piece.iter().copied());
}
