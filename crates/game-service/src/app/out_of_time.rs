//! Batches that nobody had begun to send when their phase was over: their commands are undelivered. They are counted, and told in
//! one log line for each phase, after the commit and by the process that decided.

use starkeep_game_core::{Change, Kind};
use starkeep_platform::decision::AfterCommit;

use crate::batch_metrics::BatchMetrics;
use crate::domain::{BatchState, Image};

/// None if the change ends no round, or leaves nothing undelivered.
pub(super) fn after_commit(change: &Change, image: &Image, metrics: &BatchMetrics) -> Option<AfterCommit> {
    let before = change.before.as_ref()?;
    let collected = image.collected(before.id)?;
    let open = collected.when_round_ends(change.unsent?).into_iter();
    // Of those that are being sent the sender learns what becomes of them.
    let undelivered = open.filter(|(_, state)| *state == BatchState::Undelivered);
    let batches: Vec<Kind> = undelivered.map(|(kind, _)| kind).collect();
    if batches.is_empty() {
        return None;
    }
    let (game, round, metrics) = (before.id, before.current_round(), metrics.clone());
    let commands: usize = batches.iter().map(|kind| collected.batch(*kind).len()).sum();
    Some(Box::new(move || {
        for kind in &batches {
            metrics.count(kind.executor(), BatchState::Undelivered);
        }
        let kinds = &batches;
        tracing::warn!(
            %game, round, batches = kinds.len(), commands, ?kinds,
            "the execution phase was over before these batches could be sent; their receipts say undelivered"
        );
    }))
}
