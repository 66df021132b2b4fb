//! The one home of chance: ids and seeds.
//! Tests pass a `SequentialIds` source and get the same ones every time.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use uuid::Uuid;

pub trait Chance: Send + Sync + 'static {
    /// A random id.
    fn uuid(&self) -> Uuid;

    /// Random bits.
    fn bits(&self) -> u64 {
        self.uuid().as_u64_pair().1.rotate_left(32) ^ self.uuid().as_u64_pair().0
    }
}

/// The operating system's randomness.
pub struct SystemChance;

impl Chance for SystemChance {
    #[expect(clippy::disallowed_methods, reason = "this is the home of chance")]
    fn uuid(&self) -> Uuid {
        Uuid::new_v4()
    }
}

/// The same ids in the same order, for tests.
pub struct SequentialIds(AtomicU64);

impl SequentialIds {
    pub fn new() -> Arc<Self> {
        Arc::new(Self(AtomicU64::new(1)))
    }
}

impl Chance for SequentialIds {
    fn uuid(&self) -> Uuid {
        let number = self.0.fetch_add(1, Ordering::Relaxed);
        uuid::Builder::from_u128(u128::from(number)).with_version(uuid::Version::Random).into_uuid()
    }
}
