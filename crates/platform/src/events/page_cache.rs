//! Pages of the log in memory: the newest, which the writer fills, and a few older ones that somebody reads just now.
//! A page covers a fixed range of numbers, so that all readers share it; the cache never grows beyond its size.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use tokio::sync::OnceCell;

use super::event::CommittedEvent;

/// Numbers on one page.
pub(super) const PAGE: u64 = 256;
/// How many of the newest pages stay in memory.
const NEWEST: usize = 8;
/// How many older pages stay while others are read.
const OLDER: usize = 16;

/// A page of the log. Only the newest one still grows.
#[derive(Default)]
pub(super) struct Page(RwLock<Vec<Arc<CommittedEvent>>>);

impl Page {
    pub(super) fn of(events: Vec<Arc<CommittedEvent>>) -> Self {
        Self(RwLock::new(events))
    }

    /// What comes after the number.
    pub(super) fn after(&self, number: u64) -> Vec<Arc<CommittedEvent>> {
        let events = self.0.read().unwrap_or_else(PoisonError::into_inner);
        let first_after = events.partition_point(|event| event.number <= number);
        events[first_after..].to_vec()
    }

    /// Does the event with this number, or a later one, stand on it?
    pub(super) fn reaches(&self, number: u64) -> bool {
        let events = self.0.read().unwrap_or_else(PoisonError::into_inner);
        events.last().is_some_and(|event| event.number >= number)
    }

    fn push(&self, event: Arc<CommittedEvent>) {
        self.0.write().unwrap_or_else(PoisonError::into_inner).push(event);
    }
}

/// A page that is being fetched, or has been: whoever comes second waits for the first.
pub(super) type Fetched = Arc<OnceCell<Arc<Page>>>;

pub(super) struct PageCache(Mutex<Pages>);

struct Pages {
    /// Contiguous; the last one grows. Never empty.
    newest: VecDeque<(u64, Arc<Page>)>,
    /// The most recently asked for is last.
    older: VecDeque<(u64, Fetched)>,
}

/// Where a page is.
pub(super) enum Found {
    Here(Arc<Page>),
    Fetch(Fetched),
}

/// The page on which the event with this number stands.
pub(super) fn page_of(number: u64) -> u64 {
    number.saturating_sub(1) / PAGE
}

impl PageCache {
    /// `newest` is the page of `head`, as far as it is written.
    pub(super) fn new(head: u64, newest: Vec<Arc<CommittedEvent>>) -> Self {
        let newest = VecDeque::from([(page_of(head), Arc::new(Page::of(newest)))]);
        Self(Mutex::new(Pages { newest, older: VecDeque::new() }))
    }

    /// Puts down what has been committed, in order.
    pub(super) fn append(&self, events: impl IntoIterator<Item = Arc<CommittedEvent>>) {
        let mut pages = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        for event in events {
            let wanted = page_of(event.number);
            if pages.newest.back().is_none_or(|(number, _)| *number != wanted) {
                pages.newest.push_back((wanted, Arc::default()));
                if pages.newest.len() > NEWEST {
                    pages.newest.pop_front();
                }
            }
            if let Some((_, page)) = pages.newest.back() {
                page.push(event);
            }
        }
    }

    /// What is in memory is no longer what is in the log.
    pub(super) fn replace(&self, other: Self) {
        let pages = other.0.into_inner().unwrap_or_else(PoisonError::into_inner);
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = pages;
    }

    /// Drops a page that was fetched before it was full: it would go on without what is appended to it.
    pub(super) fn forget(&self, unwanted: u64) {
        let mut pages = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        pages.older.retain(|(number, _)| *number != unwanted);
    }

    /// Is it one of the newest, which need not be fetched?
    pub(super) fn holds(&self, wanted: u64) -> bool {
        let pages = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        pages.newest.front().is_some_and(|(oldest, _)| *oldest <= wanted)
    }

    pub(super) fn find(&self, wanted: u64) -> Found {
        let mut pages = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, page)) = pages.newest.iter().rev().find(|(number, _)| *number == wanted) {
            return Found::Here(page.clone());
        }
        let known = pages.older.iter().position(|(number, _)| *number == wanted);
        let cell = match known.and_then(|index| pages.older.remove(index)) {
            Some((_, cell)) => cell,
            None => Fetched::default(),
        };
        if pages.older.len() >= OLDER {
            pages.older.pop_front();
        }
        pages.older.push_back((wanted, cell.clone()));
        Found::Fetch(cell)
    }
}
