//! What the map forgets after a while: ids that were withdrawn long ago, beside the answers that every service forgets.
//! Worlds are never cleaned up; whoever made them withdraws them.

use std::sync::Arc;

use jiff::SignedDuration;
use starkeep_platform::cleanup::Cleanup;
use starkeep_platform::clock::Clock;

use crate::ports::Store;

/// A request for a withdrawn world that was under way for longer than this does not arrive any more.
const WITHDRAWN_KEPT: SignedDuration = SignedDuration::from_hours(7 * 24);

pub(crate) fn clean_up(store: Arc<dyn Store>, clock: Arc<dyn Clock>) -> Cleanup {
    Cleanup::new(store.common_store(), clock).also(WITHDRAWN_KEPT, move |before| {
        let store = store.clone();
        Box::pin(async move { store.forget_withdrawn(before).await })
    })
}
