//! The relay: sends the log's events on to a broker's topics, each once and in the log's order, whatever dies meanwhile.
//! How it learns what has arrived: the topics themselves tell, by the event ids at their ends.

mod standing;
mod topics;

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use starkeep_contract::events::Channel;
use uuid::Uuid;

pub use self::standing::{Figures, Standing};
pub use self::topics::{BrokerFault, Topics};
use crate::background::{Duty, Leader};
use crate::clock::{Clock, Monotonic};
use crate::events::{Committed, Log, Pages};
use crate::groundwork::Groundwork;

/// After a fault the next attempt waits so long.
const AFTER_A_FAULT: Duration = Duration::from_millis(500);
/// How often a relay with nothing to send asks whether the broker is there.
const LOOK_EVERY: Duration = Duration::from_secs(1);
/// What was sent is made durable at most this often, so that the writer is not kept busy with it,
const NOTE_EVERY: Duration = Duration::from_millis(250);
/// and at the latest after so many events: a crash leaves no more in doubt.
const NOTE_AFTER: u64 = 4096;
/// How far back a topic is read to learn what has arrived: all that may be in doubt, and what others have sent meanwhile.
const LOOKED_BACK: usize = 3 * 4096;
/// What a dead process had handed to the network arrives within this time, or never.
const SETTLES_WITHIN: Duration = Duration::from_millis(200);

/// Where a relay begins that has never sent anything.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Beginning {
    /// With the next event.
    #[default]
    Next,
    /// With the oldest that is kept.
    Start,
}

pub struct Relay {
    store: Arc<dyn Groundwork>,
    log: Arc<Log>,
    pages: Arc<dyn Pages>,
    topics: Arc<dyn Topics>,
    channels: &'static [Channel],
    clock: Arc<dyn Clock>,
    standing: Arc<Standing>,
}

/// What a running relay knows; a new process, or one after a fault, has to learn it anew.
pub struct Progress {
    /// Have the topics been seen or made?
    topics_are_there: bool,
    /// Is everything known that has arrived?
    certain: bool,
    /// What has arrived of the events that are yet to come to.
    arrived: HashSet<Uuid>,
    noted_at: Monotonic,
}

impl Relay {
    /// Where nothing was ever sent, this decides where to begin, before anything new is told.
    pub async fn open(
        store: Arc<dyn Groundwork>,
        topics: Arc<dyn Topics>,
        channels: &'static [Channel],
        clock: Arc<dyn Clock>,
        beginning: Beginning,
    ) -> Result<Self, String> {
        let (log, pages) = store.log();
        let position = match (store.relayed().await?, beginning) {
            (Some(position), _) => position,
            (None, beginning) => {
                let position = if beginning == Beginning::Start { 0 } else { log.head() };
                store.note_relayed(position).await?;
                position
            }
        };
        let standing = Arc::new(Standing::new(log.clone(), position));
        Ok(Self { store, log, pages, topics, channels, clock, standing })
    }

    pub fn standing(&self) -> Arc<Standing> {
        self.standing.clone()
    }

    pub fn start(self: Arc<Self>, leader: &Leader) {
        leader.run("relay", move |duty| self.clone().run(duty));
    }

    async fn run(self: Arc<Self>, duty: Duty) {
        let mut progress = self.begin();
        let mut news = self.log.news();
        loop {
            news.mark_unchanged();
            let outcome = tokio::select! {
                () = duty.stopped() => break,
                outcome = self.go_on(&mut progress) => outcome,
            };
            self.standing.heard(outcome.as_ref().err().cloned(), self.clock.wall());
            let wait = match &outcome {
                Ok(()) if self.standing.sent() > self.standing.noted() => NOTE_EVERY,
                Ok(()) => LOOK_EVERY,
                Err(_) => AFTER_A_FAULT,
            };
            let next = self.clock.monotonic().after(wait);
            let failed = outcome.is_err();
            duty.ran(outcome, Some(next));
            tokio::select! {
                () = duty.stopped() => break,
                () = self.clock.sleep_until(next) => {}
                changed = news.changed(), if !failed => if changed.is_err() { break },
            }
        }
        // What is not noted is learned from the topics by the next process, only slower.
        let _ = self.note().await;
    }

    /// For tests, which step it by hand; the task begins like this as well.
    pub fn begin(&self) -> Progress {
        // Everything that was ever told has been sent and noted: nothing can be in doubt.
        let certain = self.standing.noted() >= self.log.head();
        Progress {
            topics_are_there: false,
            certain,
            arrived: HashSet::new(),
            noted_at: self.clock.monotonic(),
        }
    }

    /// Sends what there is; the reason if it could not.
    pub async fn go_on(&self, progress: &mut Progress) -> Result<(), String> {
        if !progress.topics_are_there {
            self.topics.ensure(self.channels).await.map_err(|fault| fault.to_string())?;
            progress.topics_are_there = true;
        }
        let mut idle = true;
        loop {
            // First, so that a store which cannot be written leaves no more in doubt than the topics' ends can tell.
            self.note_now_and_then(progress).await?;
            let events = self.log.after(self.standing.sent(), &*self.pages).await?;
            if let (Some(first), Some(last)) = (events.first(), events.last()) {
                idle = false;
                self.tell_of_a_gap(first.number);
                let last = last.number;
                if !progress.certain {
                    self.learn_what_has_arrived(progress).await.map_err(|fault| fault.to_string())?;
                }
                self.send(events, last, progress).await.map_err(|fault| fault.to_string())?;
            }
            if self.standing.sent() >= self.log.head() {
                break;
            }
        }
        if idle { self.topics.look().await.map_err(|fault| fault.to_string()) } else { Ok(()) }
    }

    /// Events that have not arrived yet, each after all before it: a topic change waits for the one before, so that what
    /// follows in another topic is never there first.
    async fn send(
        &self,
        mut events: Vec<Arc<Committed>>,
        last: u64,
        progress: &mut Progress,
    ) -> Result<(), BrokerFault> {
        events.retain(|event| !progress.arrived.contains(&event.event_id));
        // Until all have been acknowledged nobody knows.
        (progress.certain, progress.topics_are_there) = (false, false);
        for run in events.chunk_by(|one, next| one.channel == next.channel) {
            self.topics.send(run[0].channel, run).await?;
            progress.arrived.extend(run.iter().map(|event| event.event_id));
        }
        (progress.certain, progress.topics_are_there) = (true, true);
        for event in &events {
            progress.arrived.remove(&event.event_id);
        }
        self.standing.came_to(last, events.len());
        Ok(())
    }

    async fn learn_what_has_arrived(&self, progress: &mut Progress) -> Result<(), BrokerFault> {
        self.clock.sleep_until(self.clock.monotonic().after(SETTLES_WITHIN)).await;
        let mut arrived = HashSet::new();
        for channel in self.channels {
            arrived.extend(self.topics.tail(*channel, LOOKED_BACK).await?);
        }
        progress.arrived = arrived;
        Ok(())
    }

    async fn note_now_and_then(&self, progress: &mut Progress) -> Result<(), String> {
        let unnoted = self.standing.sent() - self.standing.noted();
        let now = self.clock.monotonic();
        if unnoted >= NOTE_AFTER || (unnoted > 0 && now.since(progress.noted_at) >= NOTE_EVERY) {
            self.note().await?;
            progress.noted_at = now;
        }
        Ok(())
    }

    async fn note(&self) -> Result<(), String> {
        let sent = self.standing.sent();
        if sent > self.standing.noted() {
            self.store.note_relayed(sent).await?;
            self.standing.has_noted(sent);
        }
        Ok(())
    }

    /// Only where the relay was off for a while: retention waits for one that is on.
    fn tell_of_a_gap(&self, first: u64) {
        let missing = first - 1 - self.standing.sent();
        if missing > 0 {
            tracing::error!(missing, "events were removed from the log before they were ever sent on");
        }
    }
}
