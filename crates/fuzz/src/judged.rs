//! A verdict whatever happens: a panic becomes a sentence, also one that somebody else has caught before.
//! While an input is judged nothing is printed of panics; those of other threads are, as usual.

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::sync::Once;

use crate::target::{SEPARATOR, Subject, Verdict};

thread_local! {
    /// None while nothing is judged on this thread.
    static PANICS: RefCell<Option<Vec<String>>> = const { RefCell::new(None) };
}

/// What each part of the input has come to, a line each; or about the first part that goes wrong.
pub(crate) fn judged(subject: &mut dyn Subject, input: &[u8]) -> Verdict {
    note_panics();
    PANICS.set(Some(Vec::new()));
    let outcome = catch_unwind(AssertUnwindSafe(|| {
        let outcomes = parts(input).into_iter().map(|part| subject.judge(part));
        outcomes.collect::<Result<Vec<_>, _>>().map(|outcomes| outcomes.join("\n"))
    }));
    let panics = PANICS.take().unwrap_or_default();
    match (outcome, panics.is_empty()) {
        (Ok(verdict), true) => verdict,
        (Ok(Ok(_)), false) => Err(format!("there was a panic, and no sign of it: {}", panics.join("; "))),
        (Ok(Err(fault)), false) => Err(format!("{fault}; there was a panic: {}", panics.join("; "))),
        (Err(_), _) => Err(format!("there was a panic: {}", panics.join("; "))),
    }
}

pub(crate) fn parts(input: &[u8]) -> Vec<&[u8]> {
    let mut parts = Vec::new();
    let mut rest = input;
    while let Some(end) = rest.windows(SEPARATOR.len()).position(|window| window == SEPARATOR) {
        parts.push(&rest[..end]);
        rest = &rest[end + SEPARATOR.len()..];
    }
    parts.push(rest);
    parts
}

fn note_panics() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let usual = take_hook();
        set_hook(Box::new(move |panic| {
            let is_noted = PANICS.with_borrow_mut(|panics| match panics {
                Some(panics) => {
                    panics.push(panic.to_string().replace('\n', " "));
                    true
                }
                None => false,
            });
            if !is_noted {
                usual(panic);
            }
        }));
    });
}
