//! The relay: sends the log's events to a broker's topics, each once and in the log's order, whatever dies meanwhile.
//!
//! It reads the log after the last event that is known to have arrived and sends some pages at a time. How far it has come is saved
//! now and then, not with every event; so after a crash, or a fault of the broker, some events are in doubt: sent or not?
//! It asks the topics themselves: the relay reads the event ids at their ends and skips what is there. Example: events 1 to 10
//! are sent, "up to 4" is saved, the process dies. The next one begins after 4, reads the ends of all topics, finds 5 to 10
//! there, and goes on with 11.
//!
//! `Progress` is what one run knows and the next has to learn anew: `certain` means that nothing is in doubt. It is given
//! up before anything is sent and regained when all of it was acknowledged. Between two topics the relay waits for the
//! acknowledgement of the first, so that an event is never there before one that precedes it in another topic.
//!
//! Where replicas share the log, only the leader sends. Each record carries the time at which its sender was certain to lead, and the
//! broker refuses one that is older than a while: what a leader had queued that was frozen does not arrive after the next one has
//! read the ends. The others look how far the leader has come.
//!
//! Spaced events (`Spacing`) have a gap before and after them. A gap counts from the last acknowledgement. What an earlier
//! process sent, and what arrived in spite of a fault, arrived at an unknown time; it counts as sent when that is learned.

mod spacing;
mod status;
mod topics;

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use futures::future::join;
use starkeep_contract::events::Channel;
use uuid::Uuid;

pub use self::spacing::Spacing;
pub use self::status::{BrokerSilent, RelayMetrics, RelayStatus};
pub use self::topics::{BrokerFault, Topics};
use crate::clock::{Clock, Monotonic};
use crate::decision::StoreFault;
use crate::events::{CommittedEvent, Log, Pages};
use crate::lease::Epoch;
use crate::store::CommonStore;
use crate::tasks::{Leader, ReplicaTask, TaskHandle};

/// After a fault the next attempt waits so long.
const RETRY_DELAY: Duration = Duration::from_millis(500);
/// How often a relay with nothing to send asks whether the broker is there.
const PING_EVERY: Duration = Duration::from_secs(1);
/// What was sent is made durable at most this often, so that the writer is not kept busy with it,
const SAVE_EVERY: Duration = Duration::from_millis(250);
/// and at the latest after so many events: a crash leaves these in doubt, and what was on its way.
const SAVE_AFTER: u64 = 4096;
/// How many are on their way before their acknowledgements are waited for, or a few more. Together with what is not saved these
/// are fewer than are read back in a topic.
const SENT_TOGETHER: usize = 2048;
/// How far back a topic is read to learn what has arrived: all that may be in doubt, and what others have sent meanwhile.
const TAIL_LENGTH: usize = 3 * 4096;
/// The text for a store that fails. What is wrong with it is logged by the store and never told to clients.
const STORE_FAULT: &str = "the position of the relay cannot be read or written";
/// How often a replica that does not lead looks how far the leader has come.
const FOLLOW_EVERY: Duration = Duration::from_millis(250);

/// Where a relay begins that has never sent anything.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RelayStart {
    /// With the next event.
    #[default]
    Next,
    /// With the oldest that is kept.
    Start,
}

pub struct Relay {
    store: Arc<dyn CommonStore>,
    log: Arc<Log>,
    pages: Arc<dyn Pages>,
    topics: Arc<dyn Topics>,
    channels: &'static [Channel],
    clock: Arc<dyn Clock>,
    spacing: Spacing,
    status: Arc<RelayStatus>,
}

/// What a running relay knows; a new process, or one after a fault, has to learn it anew.
pub struct Progress {
    epoch: Epoch,
    /// How often the log was replaced: its numbers may mean other events now.
    log_replaced: u64,
    /// Has it looked how far the leader before it has come?
    resumed: bool,
    /// Have the topics been seen or made?
    topics_exist: bool,
    /// Is everything known that has arrived?
    certain: bool,
    /// What has arrived of the events that are yet to come to.
    arrived: HashSet<Uuid>,
    saved_at: Monotonic,
}

impl Relay {
    /// Where nothing was ever sent, this decides where to begin, before any new event is committed.
    pub async fn open(
        service: &'static str,
        store: Arc<dyn CommonStore>,
        topics: Arc<dyn Topics>,
        channels: &'static [Channel],
        clock: Arc<dyn Clock>,
        beginning: RelayStart,
        spacing: Spacing,
    ) -> Result<Self, StoreFault> {
        let (log, pages) = store.log();
        let position = match (store.relayed().await?, beginning) {
            (Some(position), _) => position,
            (None, beginning) => {
                let position = if beginning == RelayStart::Start { 0 } else { log.head() };
                // Where the lease is gained later, whoever gains it writes down where it begins.
                if let Some(epoch) = store.lease().current() {
                    store.save_relayed(epoch, position).await?;
                }
                position
            }
        };
        let status = Arc::new(RelayStatus::new(service, log.clone(), clock.clone(), spacing.gap, position));
        let relay = Self { store, log, pages, topics, channels, clock, spacing, status };
        let is_spaced = relay.is_spaced(position).await.map_err(StoreFault::Unavailable)?;
        relay.status.resume_at(position, is_spaced);
        Ok(relay)
    }

    pub fn status(&self) -> Arc<RelayStatus> {
        self.status.clone()
    }

    pub fn start(self: Arc<Self>, leader: &Leader) {
        if self.store.is_shared() {
            let relay = self.clone();
            leader.run_on_every_replica("relay-follower", move |task| relay.clone().follow(task));
        }
        leader.run("relay", move |task| self.clone().run(task));
    }

    /// Looks how far the leader has come, as long as this replica does not lead: for `/health`, and for requests that wait until
    /// events were sent.
    async fn follow(self: Arc<Self>, task: ReplicaTask) {
        let mut log_replaced = self.log.replaced();
        loop {
            if self.store.lease().current().is_none() && log_replaced != self.log.replaced() {
                log_replaced = self.log.replaced();
                self.status.forget();
            }
            if self.store.lease().current().is_none()
                && let Ok(Some(saved)) = self.store.relayed().await
                && let Ok(is_spaced) = self.is_spaced(saved).await
                && self.store.lease().current().is_none()
            {
                self.status.follow(saved, is_spaced);
            }
            let next = self.clock.monotonic().after(FOLLOW_EVERY);
            tokio::select! {
                biased;
                () = task.stopped() => return,
                () = self.clock.sleep_until(next) => {}
            }
        }
    }

    async fn run(self: Arc<Self>, task: TaskHandle) {
        let mut progress = self.new_progress(task.epoch());
        let mut head = self.log.watch_head();
        loop {
            head.mark_unchanged();
            let outcome = tokio::select! {
                biased;
                () = task.stopped() => break,
                outcome = self.step(&mut progress) => outcome,
            };
            let wait = match &outcome {
                Ok(_) if self.status.sent() > self.status.saved() => SAVE_EVERY,
                Ok(_) => PING_EVERY,
                Err(_) => RETRY_DELAY,
            };
            let mut next = self.clock.monotonic().after(wait);
            if let Ok(Some(gap_end)) = outcome {
                next = next.min(gap_end);
            }
            // After a fault, and in a gap, a new event changes nothing.
            let sends_new_events = matches!(outcome, Ok(None));
            task.ran(outcome.map(drop), Some(next));
            tokio::select! {
                biased;
                () = task.stopped() => break,
                () = self.clock.sleep_until(next) => {}
                changed = head.changed(), if sends_new_events => if changed.is_err() { break },
            }
        }
        // What is not saved is learned from the topics by the next run, only slower.
        let _ = self.save_progress(task.epoch()).await;
    }

    /// For tests, which step it by hand; the task begins like this as well.
    pub fn new_progress(&self, epoch: Epoch) -> Progress {
        // Everything that was ever logged has been sent and saved: nothing can be in doubt.
        let certain = self.status.saved() >= self.log.head();
        Progress {
            epoch,
            log_replaced: self.log.replaced(),
            resumed: false,
            topics_exist: false,
            certain,
            arrived: HashSet::new(),
            saved_at: self.clock.monotonic(),
        }
    }

    /// Sends what may be sent now: the end of the gap that the rest waits for, or the reason if it could not send.
    pub async fn step(&self, progress: &mut Progress) -> Result<Option<Monotonic>, String> {
        let outcome = self.send_what_is_due(progress).await;
        self.status.record_result(outcome.as_ref().err().cloned(), self.clock.wall());
        outcome
    }

    async fn send_what_is_due(&self, progress: &mut Progress) -> Result<Option<Monotonic>, String> {
        if progress.log_replaced != self.log.replaced() {
            *progress = Progress { certain: false, ..self.new_progress(progress.epoch) };
            self.status.forget();
        }
        if !progress.resumed {
            self.resume(progress).await?;
        }
        if !progress.topics_exist {
            self.topics.ensure(self.channels).await.map_err(|fault| fault.to_string())?;
            progress.topics_exist = true;
        }
        let before = self.status.sent();
        let mut events = self.events_after(before).await?;
        let gap_end = loop {
            // First, so that a store which cannot be written leaves no more in doubt than the topics' ends can settle.
            self.save_progress_if_due(progress).await?;
            let (Some(first), Some(last)) = (events.first(), events.last()) else { break None };
            self.log_gap(first.number);
            if !progress.certain {
                self.learn_what_arrived(progress).await.map_err(|fault| fault.to_string())?;
            }
            // What comes next is read while these are on their way.
            let (sent, next) =
                join(self.send_events(&events, progress), self.events_after(last.number)).await;
            if let Some(gap_end) = sent? {
                break Some(gap_end);
            }
            events = next?;
        };
        if self.status.sent() == before {
            self.topics.ping().await.map_err(|fault| fault.to_string())?;
        }
        Ok(gap_end)
    }

    /// Those that are sent together. None only at the end of the log.
    async fn events_after(&self, mut number: u64) -> Result<Vec<Arc<CommittedEvent>>, String> {
        // Where gaps are kept most of them would wait, and be read again.
        let together = if self.spacing.is_off() { SENT_TOGETHER } else { 1 };
        let mut events = Vec::new();
        while events.len() < together {
            let page = self.log.after(number, &*self.pages).await?;
            let Some(last) = page.last() else { break };
            number = last.number;
            events.extend(page);
        }
        Ok(events)
    }

    /// Sends the events up to the first that has to wait for a gap, and returns when that is over.
    async fn send_events(
        &self,
        mut events: &[Arc<CommittedEvent>],
        progress: &mut Progress,
    ) -> Result<Option<Monotonic>, String> {
        while let Some(first) = events.first() {
            let is_spaced = self.spacing.applies(first);
            // One that has arrived may wait, too: all that was found counts from the same moment.
            if let Some(gap_end) = self.status.gap_before(is_spaced) {
                return Ok(Some(gap_end));
            }
            let (stretch, rest) = events.split_at(self.spacing.stretch(events));
            // A topic waits for the one before, so that what follows in another topic is never there first.
            for run in stretch.chunk_by(|one, next| one.channel == next.channel) {
                let missing = |event: &&Arc<CommittedEvent>| !progress.arrived.contains(&event.event_id);
                let unsent: Vec<_> = run.iter().filter(missing).cloned().collect();
                self.send(run[0].channel, &unsent, progress).await?;
                let last = run.last().map_or(first.number, |last| last.number);
                self.status.record_sent(last, unsent.len(), is_spaced);
                self.save_progress_if_due(progress).await?;
            }
            events = rest;
        }
        Ok(None)
    }

    /// Events of one topic that have not arrived yet.
    async fn send(
        &self,
        topic: Channel,
        events: &[Arc<CommittedEvent>],
        progress: &mut Progress,
    ) -> Result<(), String> {
        if events.is_empty() {
            return Ok(());
        }
        // In this order: whatever happens from here on, it was sent at a time at which this replica led.
        let sent_at = self.clock.wall();
        if self.store.lease().current_at(self.clock.monotonic()) != Some(progress.epoch) {
            return Err("this replica does not lead any longer".to_owned());
        }
        // Until all have been acknowledged nobody knows.
        (progress.certain, progress.topics_exist) = (false, false);
        self.topics.send(topic, events, sent_at).await.map_err(|fault| fault.to_string())?;
        (progress.certain, progress.topics_exist) = (true, true);
        Ok(())
    }

    async fn learn_what_arrived(&self, progress: &mut Progress) -> Result<(), BrokerFault> {
        self.clock.sleep_until(self.clock.monotonic().after(self.topics.in_flight_limit())).await;
        let mut arrived = HashSet::new();
        for channel in self.channels {
            arrived.extend(self.topics.tail(*channel, TAIL_LENGTH).await?);
        }
        progress.arrived = arrived;
        progress.certain = true;
        self.status.record_learned();
        Ok(())
    }

    /// Whether a gap follows the event of this number. One that is no longer kept counts as spaced.
    async fn is_spaced(&self, number: u64) -> Result<bool, String> {
        if self.spacing.is_off() || number == 0 {
            return Ok(false);
        }
        let events = self.log.after(number - 1, &*self.pages).await?;
        let found = events.first().filter(|event| event.number == number);
        Ok(found.is_none_or(|event| self.spacing.applies(event)))
    }

    /// Another replica may have led meanwhile, and sent more than this one knows of.
    async fn resume(&self, progress: &mut Progress) -> Result<(), String> {
        match self.store.relayed().await.map_err(|_| STORE_FAULT)? {
            Some(saved) if saved != self.status.sent() => {
                let is_spaced = self.is_spaced(saved).await?;
                self.status.resume_at(saved, is_spaced);
                progress.certain = false;
            }
            Some(_) => {}
            // Before anything is sent: another leader would begin elsewhere.
            None => {
                let beginning = self.status.sent();
                self.store.save_relayed(progress.epoch, beginning).await.map_err(|_| STORE_FAULT)?;
            }
        }
        progress.resumed = true;
        Ok(())
    }

    async fn save_progress_if_due(&self, progress: &mut Progress) -> Result<(), String> {
        let unsaved = self.status.sent() - self.status.saved();
        let now = self.clock.monotonic();
        if unsaved >= SAVE_AFTER || (unsaved > 0 && now.since(progress.saved_at) >= SAVE_EVERY) {
            self.save_progress(progress.epoch).await?;
            progress.saved_at = now;
        }
        Ok(())
    }

    async fn save_progress(&self, epoch: Epoch) -> Result<(), String> {
        let sent = self.status.sent();
        if sent > self.status.saved() {
            self.store.save_relayed(epoch, sent).await.map_err(|_| STORE_FAULT)?;
            self.status.record_saved(sent);
        }
        Ok(())
    }

    /// Only where the relay was off for a while: retention waits for one that is on.
    fn log_gap(&self, first: u64) {
        let missing = first - 1 - self.status.sent();
        if missing > 0 {
            let service = self.status.service;
            tracing::error!(service, missing, "events were removed from the log before they were sent");
        }
    }
}
