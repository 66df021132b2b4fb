//! Documents: how a service keeps its entities, in whatever store. A service declares for each entity its key, its form and its bounds
//! (`entity`), and for each change which documents it touches. A batch writes those in its own transaction, as they are in the image after
//! its last change. What is asked of the documents is a key, a range of keys, or a look-up (`question`).
//!
//! Example: two purchases of a player in one batch touch the same account. It is written once, with what both have cost.

mod entity;
mod key;
mod position;
mod question;
mod touched;

pub use self::entity::{Entity, Kind, Unreadable};
pub use self::key::{DocumentKey, KeyBytes, KeyPart};
pub use self::position::StoredPosition;
pub use self::question::{Document, Question};
pub use self::touched::{Touched, writes};
pub use crate::document_writes::{DocumentWrites, Lookup};
use crate::domain::{ChangeCodec, Domain};

/// A domain whose image is kept as documents.
pub trait Documents: Domain<Image: Default> + ChangeCodec {
    const KINDS: &'static [Kind<Self>];

    /// Which documents a change touches.
    fn touched(change: &Self::Change, touched: &mut Touched<Self>);

    /// What a new process loads: asked with 0, 1 and so on until nothing is wanted, each time with the image as it is loaded so far.
    fn start(image: &Self::Image, step: u32) -> Vec<Question>;

    /// Is what the key names to be asked for, because memory does not hold it? Never where everything is in memory.
    fn lacks(_image: &Self::Image, _key: &Self::Key) -> bool {
        false
    }

    /// What is to be asked for then.
    fn wanted(_key: &Self::Key) -> Vec<Question> {
        Vec::new()
    }

    /// Brings what was found into the image. What the running batch knows already goes before it: that is written later.
    fn found(image: &mut Self::Image, _key: &Self::Key, found: &[Document]) -> Result<(), Unreadable> {
        found.iter().try_for_each(|document| put::<Self>(image, document))
    }
}

/// Brings a document into the image.
pub fn put<D: Documents>(image: &mut D::Image, document: &Document) -> Result<(), Unreadable> {
    (kind_of::<D>(document.kind).put)(image, document)
}

fn kind_of<D: Documents>(name: &str) -> &'static Kind<D> {
    D::KINDS.iter().find(|kind| kind.name == name).expect("a kind that the domain declares")
}
