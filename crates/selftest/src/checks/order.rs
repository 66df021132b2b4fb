//! Whether answers agree with the order of the log: nobody sees what was not asked for yet, and whoever asks after an answer had come
//! sees at least what that answer had seen. Then calls can be put in the order of the log without going back in time: linearisability.

use starkeep_clock::Monotonic;

use crate::records::Span;

/// An answer, and which changes of the log it had seen.
pub(super) struct Seen {
    pub(super) span: Span,
    /// How many changes had taken place: at least, and at most.
    pub(super) after: (usize, usize),
}

/// `asked`: for each number of changes, when the last of so many was asked for.
pub(super) fn check_seen(mut seen: Vec<Seen>, asked: &[Monotonic]) -> Result<(), String> {
    if let Some(seen) = seen.iter().find(|seen| asked[seen.after.0] > seen.span.returned) {
        return Err(format!("{} changes were seen before the last of them was asked for", seen.after.0));
    }
    let mut returned: Vec<_> = seen.iter().map(|seen| (seen.span.returned, seen.after.0)).collect();
    returned.sort_unstable();
    seen.sort_unstable_by_key(|seen| seen.span.invoked);
    let (mut returned, mut newest) = (returned.into_iter().peekable(), 0);
    for Seen { span, after: (_, last) } in &seen {
        while let Some((_, place)) = returned.next_if(|(returned, _)| *returned < span.invoked) {
            newest = newest.max(place);
        }
        if *last < newest {
            return Err(format!("a client saw {last} changes after another one had been told of {newest}"));
        }
    }
    Ok(())
}
