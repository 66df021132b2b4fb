//! The commitment to a seed: a hash that is published with the world, so that the seed that is shown at the end can be checked.
//! The nonce keeps anybody from finding the seed by trying all of them.

use std::fmt;
use std::fmt::Write as _;

use sha2::{Digest, Sha256};
use starkeep_core_types::Rng;

/// 32 hexadecimal digits, as they were written.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Nonce([u8; 32]);

impl Nonce {
    /// The digits of a random number.
    pub fn from_bits(bits: u128) -> Self {
        Self::parse(&format!("{bits:032x}")).expect("32 hexadecimal digits")
    }

    pub fn parse(text: &str) -> Option<Self> {
        let digits: [u8; 32] = text.as_bytes().try_into().ok()?;
        digits.iter().all(u8::is_ascii_hexdigit).then_some(Self(digits))
    }

    pub fn as_str(&self) -> &str {
        str::from_utf8(&self.0).expect("hexadecimal digits are ASCII")
    }
}

impl fmt::Display for Nonce {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Debug for Nonce {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Nonce({self})")
    }
}

/// SHA-256 of `<nonce>:<seed>`, in lower-case hexadecimal digits.
pub fn seed_commitment(nonce: &Nonce, seed: u64) -> String {
    Sha256::digest(format!("{nonce}:{seed}")).iter().fold(String::new(), |mut digits, byte| {
        let _ = write!(digits, "{byte:02x}");
        digits
    })
}

/// The random generator of a world's replenishments. Nobody who does not know the nonce can foresee them.
pub fn replenishment_rng(nonce: &Nonce, seed: u64) -> Rng {
    let digest = Sha256::digest(format!("replenish:{nonce}:{seed}"));
    let [first, ..] = digest.as_chunks().0 else { unreachable!("a digest has 32 bytes") };
    Rng::from_seed(u64::from_be_bytes(*first))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Computed with `printf '00112233445566778899aabbccddeeff:42' | sha256sum`.
    #[test]
    fn a_commitment_is_the_hash_of_nonce_and_seed() {
        let nonce = Nonce::parse("00112233445566778899aabbccddeeff").unwrap();
        assert_eq!(
            seed_commitment(&nonce, 42),
            "7b3b098f58012e7d32d1b88bb5c8c546db559a7456e83c682c425606378d844d"
        );
        assert_eq!(replenishment_rng(&nonce, 42), Rng::from_seed(0x3466_b78d_d722_0340));
    }

    #[test]
    fn a_nonce_is_kept_as_it_was_written() {
        let text = "00112233445566778899AABBccddeeff";
        assert_eq!(Nonce::parse(text).unwrap().as_str(), text);
        assert_eq!(Nonce::from_bits(0xAB).as_str(), "000000000000000000000000000000ab");
        for wrong in ["", "00", "0011223344556677889900112233445g", "001122334455667788990011223344556"] {
            assert_eq!(Nonce::parse(wrong), None);
        }
    }
}
