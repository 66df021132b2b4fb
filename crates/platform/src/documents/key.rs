//! Keys of documents: a few parts whose bytes are in a useful order, so that a list is a range and all of a game is a prefix.

use uuid::Uuid;

/// A key as the database has it.
pub type KeyBytes = Vec<u8>;

/// A part of a key.
pub trait KeyPart: Sized {
    fn append(&self, bytes: &mut KeyBytes);
    fn take(bytes: &mut &[u8]) -> Option<Self>;
    /// For a person.
    fn text(&self) -> String;
    fn parse(text: &str) -> Option<Self>;
}

/// The key of a kind of documents: its parts, one behind the other.
pub trait DocumentKey: Sized {
    fn to_bytes(&self) -> KeyBytes;
    fn from_bytes(bytes: &[u8]) -> Option<Self>;
    /// The parts with `/` between them.
    fn text(&self) -> String;
    fn parse(text: &str) -> Option<Self>;
}

impl KeyPart for Uuid {
    fn append(&self, bytes: &mut KeyBytes) {
        bytes.extend_from_slice(self.as_bytes());
    }

    fn take(bytes: &mut &[u8]) -> Option<Self> {
        bytes.split_off(..16).and_then(|id| Self::from_slice(id).ok())
    }

    fn text(&self) -> String {
        self.to_string()
    }

    fn parse(text: &str) -> Option<Self> {
        Self::try_parse(text).ok()
    }
}

macro_rules! numbers {
    ($($number:ty),*) => { $(
        /// The largest byte first: in the order of the numbers.
        impl KeyPart for $number {
            fn append(&self, bytes: &mut KeyBytes) {
                bytes.extend_from_slice(&self.to_be_bytes());
            }

            fn take(bytes: &mut &[u8]) -> Option<Self> {
                bytes.split_off(..size_of::<Self>()).and_then(|number| number.try_into().ok()).map(Self::from_be_bytes)
            }

            fn text(&self) -> String {
                self.to_string()
            }

            fn parse(text: &str) -> Option<Self> {
                text.parse().ok()
            }
        }
    )* };
}
numbers!(u8, u32, u64);

/// Only as the last part: it goes to the end.
impl KeyPart for String {
    fn append(&self, bytes: &mut KeyBytes) {
        bytes.extend_from_slice(self.as_bytes());
    }

    fn take(bytes: &mut &[u8]) -> Option<Self> {
        Self::from_utf8(std::mem::take(bytes).to_vec()).ok()
    }

    fn text(&self) -> String {
        self.clone()
    }

    fn parse(text: &str) -> Option<Self> {
        Some(text.to_owned())
    }
}

macro_rules! keys {
    ($($count:literal: $($part:ident $place:tt),*;)*) => { $(
        impl<$($part: KeyPart),*> DocumentKey for ($($part,)*) {
            fn to_bytes(&self) -> KeyBytes {
                #[allow(unused_mut, reason = "of a key without parts")]
                let mut bytes = KeyBytes::new();
                $(self.$place.append(&mut bytes);)*
                bytes
            }

            #[allow(clippy::unused_unit, unused_mut, reason = "of a key without parts")]
            fn from_bytes(mut bytes: &[u8]) -> Option<Self> {
                let key = ($($part::take(&mut bytes)?,)*);
                bytes.is_empty().then_some(key)
            }

            fn text(&self) -> String {
                let parts: [String; $count] = [$(self.$place.text()),*];
                parts.join("/")
            }

            #[allow(clippy::unused_unit, unused_mut, unused_variables, reason = "of a key without parts")]
            fn parse(text: &str) -> Option<Self> {
                let mut parts = text.splitn($count, '/');
                Some(($($part::parse(parts.next()?)?,)*))
            }
        }
    )* };
}
keys! {
    1: A 0;
    2: A 0, B 1;
    3: A 0, B 1, C 2;
}

/// Of a kind that has only one document.
impl DocumentKey for () {
    fn to_bytes(&self) -> KeyBytes {
        KeyBytes::new()
    }

    fn from_bytes(bytes: &[u8]) -> Option<Self> {
        bytes.is_empty().then_some(())
    }

    fn text(&self) -> String {
        String::new()
    }

    fn parse(text: &str) -> Option<Self> {
        text.is_empty().then_some(())
    }
}

/// What comes behind every key that begins like this.
pub(crate) fn behind(prefix: &[u8]) -> KeyBytes {
    let mut next = prefix.to_vec();
    while let Some(last) = next.pop() {
        if let Some(greater) = last.checked_add(1) {
            next.push(greater);
            return next;
        }
    }
    // No key has so many of the largest byte.
    vec![u8::MAX; 64]
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn keys_are_read_as_they_were_and_are_in_the_order_of_their_parts(
            one in any::<(u128, u32, String)>(),
            other in any::<(u128, u32, String)>(),
        ) {
            let key = |(id, number, text): &(u128, u32, String)| (Uuid::from_u128(*id), *number, text.clone());
            let (one, other) = (key(&one), key(&other));
            let bytes = one.to_bytes();
            prop_assert_eq!(DocumentKey::from_bytes(&bytes), Some(one.clone()));
            prop_assert_eq!(bytes.cmp(&other.to_bytes()), one.cmp(&other));
            prop_assert_eq!(DocumentKey::parse(&one.text()), Some(one.clone()));
            let prefix = (one.0, one.1).to_bytes();
            let is_within = |key: &[u8]| key >= &prefix[..] && key < &behind(&prefix)[..];
            prop_assert!(is_within(&bytes));
            prop_assert_eq!(is_within(&other.to_bytes()), (one.0, one.1) == (other.0, other.1));
        }
    }

    #[test]
    fn what_is_cut_off_or_too_long_is_no_key() {
        let bytes = (Uuid::max(), 7_u32).to_bytes();
        assert_eq!(<(Uuid, u32)>::from_bytes(&bytes[..19]), None);
        assert_eq!(<(Uuid, u32)>::from_bytes(&[&bytes[..], &[0]].concat()), None);
        assert_eq!((Uuid::nil(), 3_u32).text(), format!("{}/3", Uuid::nil()));
    }

    #[test]
    fn the_end_of_a_prefix_of_largest_bytes_is_behind_all_keys() {
        assert_eq!(behind(&[1, 255, 255]), [2]);
        assert!(behind(&[]) > (Uuid::max(), u64::MAX).to_bytes());
    }
}
