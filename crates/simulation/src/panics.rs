//! Panics of the thread that simulates: a service starts a task again that has panicked, so that nobody else would notice.

use std::cell::RefCell;
use std::sync::Once;

thread_local! {
    static PANICS: RefCell<Vec<String>> = const { RefCell::new(Vec::new()) };
}

/// What has panicked in this thread since this was last asked.
pub(crate) fn take() -> Vec<String> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            PANICS.with_borrow_mut(|panics| panics.push(format!("something panicked: {panic}")));
            before(panic);
        }));
    });
    PANICS.take()
}
