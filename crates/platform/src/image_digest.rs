//! A digest of an image: two replicas of the same version whose images are equal have the same one.
//!
//! It is taken from what `Debug` writes, with the entries of everything in braces sorted: a hash map writes them in an order that
//! differs from process to process. The fields of a structure are sorted as well, which changes nothing.

use std::fmt::{Debug, Write as _};

use sha2::{Digest as _, Sha256};

/// In hexadecimal digits.
pub fn digest_of(image: &impl Debug) -> String {
    let text = format!("{image:?}");
    let hash = Sha256::digest(Parser { rest: &text }.group(None).as_bytes());
    hash.iter().fold(String::new(), |mut digits, byte| {
        let _ = write!(digits, "{byte:02x}");
        digits
    })
}

struct Parser<'a> {
    rest: &'a str,
}

impl Parser<'_> {
    /// Everything up to the closing bracket, or to the end.
    fn group(&mut self, closing: Option<char>) -> String {
        let mut entries = Vec::new();
        let mut entry = String::new();
        while let Some(next) = self.take() {
            match next {
                _ if Some(next) == closing => break,
                ',' => entries.push(std::mem::take(&mut entry)),
                '"' => self.text(&mut entry),
                '{' | '[' | '(' => {
                    let closing = match next {
                        '{' => '}',
                        '[' => ']',
                        _ => ')',
                    };
                    entry.push(next);
                    entry.push_str(&self.group(Some(closing)));
                    entry.push(closing);
                }
                // Between entries; within one it separates nothing that would not be told apart without it.
                ' ' => {}
                other => entry.push(other),
            }
        }
        entries.push(entry);
        if closing == Some('}') {
            entries.sort_unstable();
        }
        entries.join(",")
    }

    /// A text in quotes, of which the first was taken.
    fn text(&mut self, entry: &mut String) {
        entry.push('"');
        while let Some(next) = self.take() {
            entry.push(next);
            match next {
                '\\' => entry.extend(self.take()),
                '"' => return,
                _ => {}
            }
        }
    }

    fn take(&mut self) -> Option<char> {
        let next = self.rest.chars().next()?;
        self.rest = &self.rest[next.len_utf8()..];
        Some(next)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;

    #[derive(Debug, Clone)]
    #[expect(dead_code, reason = "read by Debug")]
    struct Image {
        names: HashMap<u32, String>,
        order: Vec<u32>,
    }

    fn image(names: &[(u32, &str)], order: &[u32]) -> Image {
        let names = names.iter().map(|(number, name)| (*number, (*name).to_owned())).collect();
        Image { names, order: order.to_vec() }
    }

    #[test]
    fn the_order_of_a_hash_map_makes_no_difference_and_everything_else_does() {
        let names: Vec<(u32, &str)> = (0..100).map(|number| (number, "}, \"{")).collect();
        let reversed: Vec<(u32, &str)> = names.iter().rev().copied().collect();
        let one = digest_of(&image(&names, &[1, 2]));
        assert_eq!(one.len(), 64);
        assert_eq!(digest_of(&image(&reversed, &[1, 2])), one);
        assert_ne!(digest_of(&image(&names, &[2, 1])), one);
        assert_ne!(digest_of(&image(&names[1..], &[1, 2])), one);
        assert_ne!(
            digest_of(&image(&[(1, "a"), (2, "b")], &[])),
            digest_of(&image(&[(1, "b"), (2, "a")], &[]))
        );
    }
}
