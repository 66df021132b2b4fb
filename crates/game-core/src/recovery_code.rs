//! A player's recovery code as it is kept: a salted hash, so that nobody reads a code there that its player uses elsewhere, too.
//! How long a code has to be, and when it helps, is the service's business.

use std::fmt;

use sha2::{Digest as _, Sha256};
use subtle::ConstantTimeEq as _;

/// The salt, and the SHA-256 hash of the salt and the code.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct RecoveryCodeHash([u8; Self::LENGTH]);

impl RecoveryCodeHash {
    pub const LENGTH: usize = SALT + 32;

    pub fn of(code: &str, salt: [u8; SALT]) -> Self {
        let mut kept = [0; Self::LENGTH];
        kept[..SALT].copy_from_slice(&salt);
        kept[SALT..].copy_from_slice(&Sha256::new().chain_update(salt).chain_update(code).finalize());
        Self(kept)
    }

    /// In constant time.
    pub fn is_of(&self, code: &str) -> bool {
        let salt = self.0.first_chunk().copied().unwrap_or_default();
        Self::of(code, salt).0.ct_eq(&self.0).into()
    }

    /// As it is stored.
    pub fn to_bytes(self) -> [u8; Self::LENGTH] {
        self.0
    }

    pub fn from_bytes(kept: [u8; Self::LENGTH]) -> Self {
        Self(kept)
    }
}

const SALT: usize = 16;

/// Never shown by accident.
impl fmt::Debug for RecoveryCodeHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("RecoveryCodeHash")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_code_itself_is_recognised_and_equal_codes_look_different() {
        let hash = RecoveryCodeHash::of("three blind mice", [1; SALT]);
        assert!(hash.is_of("three blind mice"));
        for wrong in ["", "three blind mic", "three blind micE", "three blind mice "] {
            assert!(!hash.is_of(wrong), "{wrong}");
        }
        assert_ne!(hash, RecoveryCodeHash::of("three blind mice", [2; SALT]));
        assert_eq!(RecoveryCodeHash::from_bytes(hash.to_bytes()), hash);
        assert!(!hash.to_bytes().windows(5).any(|bytes| bytes == b"three"));
        assert_eq!(format!("{hash:?}"), "RecoveryCodeHash");
    }
}
