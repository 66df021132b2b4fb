//! The log of one store: where it begins and ends, and its pages, from memory or from the database.
//! It promises its readers every kept event in order, and a reported gap where one is not kept any longer.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use futures::FutureExt as _;
use futures::future::{BoxFuture, ready};
use starkeep_contract::events::{Gap, GapReason, NewEvent};
use tokio::sync::watch;
use uuid::Uuid;

use super::event::CommittedEvent;
use super::page_cache::{Found, PAGE, Page, PageCache, page_of};
use super::position::Position;

/// Where pages come from that are not in memory.
pub trait Pages: Send + Sync + 'static {
    /// The kept events with numbers from `first` to `last`, in order.
    fn read(&self, first: u64, last: u64) -> BoxFuture<'_, Result<Vec<CommittedEvent>, String>>;

    /// Of the kept events after the number, on full pages, the first ones about the subject, in order; at most so many.
    fn read_about(
        &self,
        subject: Uuid,
        after: u64,
        most: u32,
    ) -> BoxFuture<'_, Result<Vec<CommittedEvent>, String>>;

    /// The number of the oldest kept event, where another replica may have removed events of which the log knows nothing yet.
    fn oldest(&self) -> BoxFuture<'_, Result<Option<u64>, String>> {
        ready(Ok(None)).boxed()
    }
}

/// A part of the log that a reader reads at once. It ends with a number, whether its event is wanted or not.
pub(super) struct Stretch {
    /// Greater than the reader expects where retention was faster.
    pub(super) first: u64,
    pub(super) last: u64,
    pub(super) events: Vec<Arc<CommittedEvent>>,
}

pub struct Log {
    epoch: u64,
    head: watch::Sender<u64>,
    /// Number of the oldest event that is kept; one beyond the head if none is.
    oldest: AtomicU64,
    page_cache: PageCache,
    /// How often it was replaced: whoever reads is to begin anew then.
    replaced: AtomicU64,
}

impl Log {
    /// `newest` are the events on the page of the newest one.
    pub fn open(epoch: u64, oldest: u64, head: u64, newest: Vec<CommittedEvent>) -> Self {
        let newest = newest.into_iter().map(Arc::new).collect();
        Self {
            epoch,
            head: watch::Sender::new(head),
            oldest: AtomicU64::new(oldest),
            page_cache: PageCache::new(head, newest),
            replaced: AtomicU64::new(0),
        }
    }

    /// The first number on the page of the newest event: what is to be read before the log is opened.
    pub fn first_of_newest_page(head: u64) -> u64 {
        page_of(head) * PAGE + 1
    }

    /// The last number on the full pages of a log with this head: only their events are indexed by subject.
    pub fn last_of_full_pages(head: u64) -> u64 {
        page_of(head + 1) * PAGE
    }

    pub fn epoch(&self) -> u64 {
        self.epoch
    }

    pub fn head(&self) -> u64 {
        *self.head.borrow()
    }

    pub fn oldest(&self) -> u64 {
        self.oldest.load(Ordering::Acquire)
    }

    /// Changes when something was appended; a hint, the log is the truth.
    pub fn watch_head(&self) -> watch::Receiver<u64> {
        self.head.subscribe()
    }

    /// Called by the writer after the commit, and by nobody else.
    pub fn append(&self, events: Vec<NewEvent>) {
        if events.is_empty() {
            return;
        }
        let mut number = self.head();
        self.page_cache.append(events.into_iter().map(|event| {
            number += 1;
            Arc::new(CommittedEvent::new(number, event))
        }));
        self.head.send_replace(number);
    }

    /// Called with what other replicas have committed, in order and without a gap.
    pub fn follow(&self, events: Vec<Arc<CommittedEvent>>) {
        let Some(last) = events.last().map(|event| event.number) else { return };
        self.page_cache.append(events);
        self.head.send_replace(last);
    }

    /// Called where the database lost commits: events that were read may be others now. Readers fail, and begin anew with the
    /// position that they have seen, which tells whether they have missed something.
    pub fn replace(&self, log: Self) {
        let Self { epoch: _, head, oldest, page_cache, replaced: _ } = log;
        // First, so that nobody takes what is read from now on for what came before.
        self.replaced.fetch_add(1, Ordering::AcqRel);
        self.page_cache.replace(page_cache);
        self.oldest.store(oldest.into_inner(), Ordering::Release);
        self.head.send_replace(*head.borrow());
    }

    /// How often it was replaced.
    pub fn replaced(&self) -> u64 {
        self.replaced.load(Ordering::Acquire)
    }

    /// Called after retention has removed what came before.
    pub fn begins_with(&self, oldest: u64) {
        self.oldest.store(oldest, Ordering::Release);
    }

    /// What comes after the number; nothing at the end of the log. Where the subject is given, events about others may be
    /// left out: far behind the end, where the index has all that are about it, they are not even read.
    pub(super) async fn stretch(
        &self,
        number: u64,
        subject: Option<Uuid>,
        pages: &dyn Pages,
    ) -> Result<Option<Stretch>, String> {
        match subject {
            Some(subject) if number < self.head() && !self.page_cache.holds(page_of(number + 1)) => {
                self.stretch_about(number, subject, pages).await.map(Some)
            }
            _ => {
                let events = self.after(number, pages).await?;
                let ends = events.first().zip(events.last()).map(|(first, last)| (first.number, last.number));
                Ok(ends.map(|(first, last)| Stretch { first, last, events }))
            }
        }
    }

    async fn stretch_about(&self, number: u64, subject: Uuid, pages: &dyn Pages) -> Result<Stretch, String> {
        // Asked for before: what is committed meanwhile is read the next time.
        let indexed = Self::last_of_full_pages(self.head());
        let most = u32::try_from(PAGE).unwrap_or(u32::MAX);
        let mut events = pages.read_about(subject, number, most).await?;
        let is_rest = events.len() < most as usize;
        events.truncate(events.partition_point(|event| event.number <= indexed));
        let last = events.last().map(|event| event.number).filter(|_| !is_rest).unwrap_or(indexed);
        // Asked for afterwards: what was removed meanwhile is missing among them.
        let oldest = pages.oldest().await?.unwrap_or_default().max(self.oldest());
        let first = (number + 1).max(oldest);
        events.drain(..events.partition_point(|event| event.number < first));
        Ok(Stretch { first, last, events: events.into_iter().map(Arc::new).collect() })
    }

    /// The kept events after the number that stand on one page; empty only at the end of the log.
    pub(crate) async fn after(
        &self,
        number: u64,
        pages: &dyn Pages,
    ) -> Result<Vec<Arc<CommittedEvent>>, String> {
        // What is kept begins later where retention was faster than the reader.
        let mut number = number.max(self.oldest().saturating_sub(1));
        // The newest page may hold more already. Whoever saw that and came back at once would be ahead of the head.
        let head = self.head();
        while number < head {
            let wanted = page_of(number + 1);
            let page = match self.page_cache.find(wanted) {
                Found::Here(page) => page,
                Found::Fetch(cell) => {
                    let page = cell.get_or_try_init(|| self.fetch(wanted, pages)).await?.clone();
                    // A page is cached only when it is full: a replica that is behind may fetch one that still grows.
                    if !page.reaches((wanted + 1) * PAGE) {
                        self.page_cache.forget(wanted);
                    }
                    page
                }
            };
            let mut events = page.after(number);
            events.truncate(events.partition_point(|event| event.number <= head));
            if !events.is_empty() {
                return Ok(events);
            }
            // A page that retention has emptied meanwhile.
            number = (wanted + 1) * PAGE;
        }
        Ok(Vec::new())
    }

    async fn fetch(&self, page: u64, pages: &dyn Pages) -> Result<Arc<Page>, String> {
        let events = pages.read(page * PAGE + 1, (page + 1) * PAGE).await?;
        Ok(Arc::new(Page::of(events.into_iter().map(Arc::new).collect())))
    }

    /// The number after which a reader goes on that has seen this position, and the gap if one may be between.
    pub(super) async fn resume(
        &self,
        seen: &str,
        pages: &dyn Pages,
    ) -> Result<(u64, Option<GapReason>), String> {
        let (oldest, head) = (self.oldest(), self.head());
        let kept = oldest.saturating_sub(1);
        let Ok(position) = seen.parse::<Position>() else { return Ok((kept, Some(GapReason::Unreadable))) };
        if position.epoch != self.epoch {
            return Ok((kept, Some(GapReason::Epoch)));
        }
        if position.number > head {
            return Ok((kept, Some(GapReason::Ahead)));
        }
        if position.number < kept {
            return Ok((kept, Some(GapReason::Expired)));
        }
        if position.number == kept {
            // That event itself may be gone; everything after it is here.
            return Ok((kept, None));
        }
        let seen = self.after(position.number - 1, pages).await?;
        match seen.first() {
            Some(event) if event.number == position.number && event.position(self.epoch) == position => {
                Ok((position.number, None))
            }
            _ => Ok((kept, Some(GapReason::Epoch))),
        }
    }

    /// The position of the newest event: whoever has read up to there has seen everything that is committed now.
    pub async fn head_position(&self, pages: &dyn Pages) -> Result<Position, String> {
        self.position(self.head(), pages).await
    }

    /// The position of a number, for readers: with the piece of its event where that is kept.
    pub(super) async fn position(&self, number: u64, pages: &dyn Pages) -> Result<Position, String> {
        let mut piece = 0;
        if number >= self.oldest() && number > 0 {
            let events = self.after(number - 1, pages).await?;
            piece = events
                .first()
                .filter(|event| event.number == number)
                .map_or(0, |event| Position::piece_of(event.event_id));
        }
        Ok(Position { epoch: self.epoch, number, piece })
    }

    pub(super) async fn gap(&self, reason: GapReason, number: u64, pages: &dyn Pages) -> Result<Gap, String> {
        Ok(Gap { reason, resumes_after: self.position(number, pages).await?.to_string() })
    }
}

#[cfg(test)]
mod tests {
    use futures::FutureExt as _;
    use starkeep_contract::events::{About, Channel};

    use super::*;

    struct NoPages;

    impl Pages for NoPages {
        fn read(&self, _: u64, _: u64) -> BoxFuture<'_, Result<Vec<CommittedEvent>, String>> {
            async { Ok(Vec::new()) }.boxed()
        }

        fn read_about(&self, _: Uuid, _: u64, _: u32) -> BoxFuture<'_, Result<Vec<CommittedEvent>, String>> {
            async { Ok(Vec::new()) }.boxed()
        }
    }

    fn event() -> NewEvent {
        let (id, about) = (Uuid::nil(), About::subject(Uuid::nil()));
        NewEvent::new(Channel::Status, id, about, None, jiff::Timestamp::UNIX_EPOCH, &())
    }

    #[tokio::test]
    async fn what_is_in_a_page_before_the_head_says_so_is_not_shown() {
        let log = Log::open(7, 1, 0, Vec::new());
        log.append(vec![event()]);
        log.page_cache.append([Arc::new(CommittedEvent::new(2, event()))]);
        let shown = async || -> Vec<u64> {
            log.after(0, &NoPages).await.unwrap().iter().map(|event| event.number).collect()
        };
        assert_eq!(shown().await, [1]);
        log.head.send_replace(2);
        assert_eq!(shown().await, [1, 2]);
    }
}
