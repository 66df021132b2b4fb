//! Which process of a service this is, where several share a store.

use uuid::Uuid;

/// A running process of a service. Drawn anew at every start.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ReplicaId(pub Uuid);
