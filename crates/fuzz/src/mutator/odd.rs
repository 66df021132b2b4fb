//! Words and values that readers like to stumble over.

use starkeep_fault_harness::Chance;

/// As they stand in a text.
const WORDS: &[&str] = &[
    "",
    "0",
    "1",
    "-1",
    "-0",
    "00",
    "1.0",
    "1e0",
    "1e999",
    "255",
    "256",
    "65536",
    "1000001",
    "2147483648",
    "4294967295",
    "4294967296",
    "9007199254740993",
    "9223372036854775807",
    "9223372036854775808",
    "18446744073709551615",
    "18446744073709551616",
    "99999999999999999999999999",
    "-9223372036854775809",
    "NaN",
    "null",
    "true",
    "start",
    "end",
    "..",
    "%00",
    "%ff",
    "%2e%2e",
    "%C3%28",
    "+",
    "00000000-0000-0000-0000-000000000000",
    "ffffffff-ffff-ffff-ffff-ffffffffffff",
    "5EED0000-0000-4000-8000-00000000000A",
    "\0",
    "\u{feff}",
    "\u{202e}",
    "\u{1f680}",
    "\r",
];

/// As they stand in JSON; the last ones are none.
const JSON: &[&str] = &[
    "null",
    "true",
    "[]",
    "{}",
    "[{}]",
    "[null]",
    "\"\"",
    "\" \"",
    "\"\\u0000\"",
    "\"\\ud800\"",
    "\"\\ud83d\\ude80\"",
    "\"a\\nb\"",
    "{\"\":{}}",
    "0.5",
    "1E400",
    "-",
    "nul",
    "\"open",
    "{\"a\":1,\"a\":2}",
    "[1,]",
];

/// A reader of JSON goes 128 levels deep.
const DEPTHS: [usize; 4] = [20, 127, 129, 5_000];

pub(super) fn odd_word(chance: &mut Chance) -> Vec<u8> {
    match chance.draw(&(0..=9)) {
        0 => b"a".repeat(usize::try_from(chance.draw(&(1..=300))).unwrap_or(1)),
        1 => chance.draw(&(0..=u64::MAX - 1)).to_string().into_bytes(),
        2 => chance.draw(&(0..=20)).to_string().into_bytes(),
        3 => vec![0xff, 0xc3, 0x28],
        _ => chance.pick(WORDS).as_bytes().to_vec(),
    }
}

/// A text that stands where a value is expected.
pub(super) fn odd_json(words: &[Vec<u8>], chance: &mut Chance) -> Vec<u8> {
    match chance.draw(&(0..=9)) {
        0..=2 => chance.pick(JSON).as_bytes().to_vec(),
        3 => deep(*chance.pick(&DEPTHS)).into_bytes(),
        4 => chance.draw(&(0..=30)).to_string().into_bytes(),
        5 if !words.is_empty() => quoted(chance.pick::<Vec<u8>>(words)),
        6 => quoted(&odd_word(chance)),
        // Most of these are numbers.
        _ => odd_word(chance),
    }
}

pub(super) fn quoted(word: &[u8]) -> Vec<u8> {
    [b"\"", word, b"\""].concat()
}

fn deep(levels: usize) -> String {
    format!("{}{}", "[".repeat(levels), "]".repeat(levels))
}
