//! The log as readers see it: positions, committed events rendered once, and pages of them shared by all who read.
//! Appending is the store's business; what a payload means is nobody's here.

mod event;
mod log;
mod page_cache;
mod position;
mod reader;

pub use self::event::{Audience, CommittedEvent};
pub use self::log::{Log, Pages};
pub use self::position::Position;
pub use self::reader::{Batch, Filter, From, Reader};
