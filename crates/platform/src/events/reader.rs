//! One reader of the log: reads after its own position, waits for new events, and misses nothing.
//! A slow one reads on from the log; nobody waits for it and nothing is dropped.

use std::sync::Arc;

use starkeep_contract::events::{Channel, Gap, GapReason};
use uuid::Uuid;

use super::event::CommittedEvent;
use super::log::{Log, Pages, Stretch};
use super::position::Position;

/// Where a reader begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum From {
    /// Before the oldest kept event.
    Start,
    /// With what is appended from now on.
    End,
    /// After the position that this text is, if it is one.
    After(String),
}

/// Which events a reader wants.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    /// Empty: of all channels.
    pub channels: Vec<Channel>,
    /// Only those about this, a game or a gameworld.
    pub subject: Option<Uuid>,
}

impl Filter {
    fn is_all(&self) -> bool {
        self.channels.is_empty() && self.subject.is_none()
    }

    fn wants(&self, event: &CommittedEvent) -> bool {
        (self.channels.is_empty() || self.channels.contains(&event.channel))
            && self.subject.is_none_or(|subject| event.about.subject == subject)
    }
}

pub struct Reader {
    log: Arc<Log>,
    pages: Arc<dyn Pages>,
    filter: Filter,
    /// Number of the last event that was read, whether it was wanted or not.
    seen: u64,
    gap: Option<Gap>,
    /// How often the log had been replaced when it began.
    replaced: u64,
}

/// What a reader gets at once.
#[derive(Default)]
pub struct Batch {
    /// Comes before the events.
    pub gap: Option<Gap>,
    pub events: Vec<Arc<CommittedEvent>>,
}

impl Reader {
    pub async fn new(
        log: Arc<Log>,
        pages: Arc<dyn Pages>,
        from: &From,
        filter: Filter,
    ) -> Result<Self, String> {
        let replaced = log.replaced();
        let (seen, gap) = match from {
            From::Start => (log.oldest().saturating_sub(1), None),
            From::End => (log.head(), None),
            From::After(text) => log.resume(text, &*pages).await?,
        };
        let gap = match gap {
            None => None,
            Some(reason) => Some(log.gap(reason, seen, &*pages).await?),
        };
        Ok(Self { log, pages, filter, seen, gap, replaced })
    }

    /// What there is now, read page by page until at least one wanted event was found; nothing at the end of the log.
    pub async fn take(&mut self) -> Result<Batch, String> {
        let mut batch = Batch { gap: self.gap.take(), events: Vec::new() };
        loop {
            let stretch = self.log.stretch(self.seen, self.filter.subject, &*self.pages).await?;
            if self.log.replaced() != self.replaced {
                return Err(
                    "the log went another way; begin anew after the last event that was seen".to_owned()
                );
            }
            let Some(Stretch { first, last, events }) = stretch else { return Ok(batch) };
            if first > self.seen + 1 {
                // Retention was faster; a gap that is reported anyway leads there as well.
                let reason = batch.gap.map_or(GapReason::Expired, |gap| gap.reason);
                batch.gap = Some(self.log.gap(reason, first - 1, &*self.pages).await?);
            }
            self.seen = last;
            batch.events = if self.filter.is_all() {
                events
            } else {
                events.into_iter().filter(|event| self.filter.wants(event)).collect()
            };
            if batch.gap.is_some() || !batch.events.is_empty() {
                return Ok(batch);
            }
        }
    }

    /// Waits until there is something that it has not read yet.
    pub async fn new_events(&self) {
        let mut head = self.log.watch_head();
        // The log lives as long as this reader.
        let is_replaced = || self.log.replaced() != self.replaced;
        let _ = head.wait_for(|head| *head > self.seen || is_replaced()).await;
    }

    /// Goes back to the event with this number: what came after it is read again.
    pub fn back_to(&mut self, number: u64) {
        self.seen = number;
    }

    /// What a reader that stops here names to go on.
    pub async fn position(&self) -> Result<Position, String> {
        self.log.position(self.seen, &*self.pages).await
    }

    pub fn epoch(&self) -> u64 {
        self.log.epoch()
    }
}
