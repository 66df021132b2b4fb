//! What a service keeps, in the store's terms: its image, its changes, and the one function that moves an image by a change.
//! A store knows a service's data only through these types; what they mean is the service's business.

use std::fmt::Debug;

use crate::document_writes::DocumentWrites;

/// What a service keeps, and how a change moves it forward.
pub trait Domain: Send + Sync + Sized + 'static {
    /// What a decision needs to be loaded before it is made.
    type Key: Clone + Debug + PartialEq + Send + Sync;
    /// What decisions and reads see. Cheap to clone: a batch runs on a clone, which is published after the commit.
    type Image: Clone + Debug + PartialEq + Send + Sync + 'static;
    /// What is to be written.
    type Change: Clone + Debug + PartialEq + Send;
    /// Why a decision was refused.
    type Rejection: Debug + PartialEq + Send;

    /// Moves an image forward: the one function that does, whoever made the change. It depends on nothing but the change,
    /// what the change needs, and what is always in memory, so that an image that was given only the changes equals one
    /// that was loaded.
    fn absorb(image: &mut Self::Image, change: &Self::Change);

    /// What a change names instead of carrying it, because it is large or was evicted: loaded into the image before `absorb`
    /// wherever changes are followed. A decision declares keys that load at least as much.
    fn needed_by(_change: &Self::Change) -> Vec<Self::Key> {
        Vec::new()
    }

    /// Who is to look again when this change is committed.
    fn concerns(_change: &Self::Change) -> Interest {
        Interest::ALL
    }

    /// Called before an image is published: drops what need not stay in memory.
    fn evict(image: &mut Self::Image);

    /// What these changes write, which have moved the image from one to the other; nothing where it is no document. The error says
    /// which document breaks its bounds.
    fn documents(
        _before: &Self::Image,
        _after: &Self::Image,
        _changes: &[Self::Change],
    ) -> Result<DocumentWrites, String> {
        Ok(DocumentWrites::default())
    }
}

/// The serialised form of a domain's changes: what replicas and replays read. Implemented in a service's `store`.
pub trait ChangeCodec: Domain {
    fn encode(change: &Self::Change) -> Vec<u8>;

    /// Refuses a form that this version does not know.
    fn decode(bytes: &[u8]) -> Result<Self::Change, UnreadableChange>;
}

/// A change that this version cannot read: a newer one wrote it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a change cannot be read by this version: {0}")]
pub struct UnreadableChange(pub String);

/// What a task waits for, as a set of bits that a service gives its meanings to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Interest(u32);

impl Interest {
    pub const ALL: Self = Self(u32::MAX);
    pub const NONE: Self = Self(0);

    /// One of 32 bits.
    pub const fn bit(number: u32) -> Self {
        Self(1 << number)
    }

    #[must_use]
    pub const fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    pub const fn overlaps(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }
}
