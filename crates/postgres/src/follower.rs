//! The follower: a task that moves the image by what other replicas have committed, and tells requests that wait for a fresh image
//! when it is fresh. A notification is a hint to look, and so is time; the change log is the truth.
//!
//! A request that is to see everything that was acknowledged before it was asked waits for one look at the newest number. All
//! that wait share a look; those that come while one is under way share the next.

use std::sync::Arc;
use std::time::Duration;

use starkeep_platform::broken::Broken;
use starkeep_platform::change_log::{FollowFault, Place};
use starkeep_platform::decision::StoreFault;
use starkeep_platform::domain::Domain;
use starkeep_platform::sql::{PostgresTables, WriterStatus};
use tokio::sync::{mpsc, oneshot, watch};

use crate::connect::{Connector, Notice, Purpose};
use crate::connection::Session;
use crate::load;
use crate::replica::{CatchUpFault, Replica, newest};

/// How often it looks without a hint.
const POLL_EVERY: Duration = Duration::from_millis(100);
/// How long a fault is left alone.
const RETRY_DELAY: Duration = Duration::from_millis(200);

/// Somebody who waits for a fresh image.
pub(crate) type Waiting<D> = oneshot::Sender<Result<Arc<<D as Domain>::Image>, StoreFault>>;

pub(crate) struct Follower<D: PostgresTables> {
    pub(crate) connector: Connector,
    pub(crate) replica: Arc<Replica<D>>,
    pub(crate) waiting: mpsc::UnboundedReceiver<Waiting<D>>,
    pub(crate) status: Arc<WriterStatus>,
    pub(crate) broken: Broken,
}

impl<D: PostgresTables> Follower<D> {
    /// Ends when the store is dropped.
    pub(crate) async fn run(mut self) {
        let (notify, mut notified) = watch::channel(());
        let mut session: Option<Session> = None;
        loop {
            let mut asking = Vec::new();
            tokio::select! {
                biased;
                count = self.waiting.recv_many(&mut asking, usize::MAX) => if count == 0 { return },
                _ = notified.changed() => {}
                () = self.connector.pause(POLL_EVERY) => {}
            }
            let outcome = self.look(&mut session, &notify).await;
            if let Err(CatchUpFault::Follow(fault @ FollowFault::Unreadable(_))) = &outcome {
                self.broken.tell(format!("a newer version writes to the database: {fault}"));
            }
            if let Err(fault) = &outcome {
                tracing::debug!(%fault, "what others have committed is not known");
                // A database that cannot be read cannot be written: that shows before somebody tries.
                self.status.record(Some(fault.to_string()));
                session = None;
            }
            let image = self.replica.published.image();
            for waiting in asking {
                let fresh = outcome.as_ref().map(|()| image.clone());
                let _ = waiting.send(fresh.map_err(|fault| StoreFault::Unavailable(fault.to_string())));
            }
            if outcome.is_err() {
                self.connector.pause(RETRY_DELAY).await;
            }
        }
    }

    /// Looks at the newest number and catches up with it.
    async fn look(
        &self,
        session: &mut Option<Session>,
        notify: &watch::Sender<()>,
    ) -> Result<(), CatchUpFault> {
        let session = match session {
            Some(session) if session.is_open() => session,
            closed => {
                let notified = Some((Notice::Changes, notify.clone()));
                let opened = self.connector.open_listening(Purpose::Following, notified).await?;
                closed.insert(opened)
            }
        };
        let before = self.replica.place();
        let newest = self.connector.in_time(newest(session)).await?;
        // Of what this replica has seen nothing is gone, and what others have acknowledged it has, too.
        let has_all = |place: Place| place.number >= newest.number;
        let nothing_is_gone = newest.number > before.number || newest == before;
        if nothing_is_gone && has_all(self.replica.place()) {
            return Ok(());
        }
        // Whoever has the turn may catch up meanwhile.
        let _turn = self.replica.turn(&self.connector).await?;
        if nothing_is_gone && has_all(self.replica.place()) {
            return Ok(());
        }
        match self.catch_up(session).await {
            Err(CatchUpFault::Follow(FollowFault::Lost { place, reason })) => {
                tracing::warn!(
                    batch = place.number,
                    reason,
                    "the change log does not go on from here; loading anew"
                );
                // It may take longer than any question.
                let session = self.connector.open(Purpose::Preparing).await?;
                Ok(load::again(&session, &self.replica).await?)
            }
            outcome => outcome,
        }
    }

    /// Piece by piece, so that one that is far behind comes nearer each time.
    async fn catch_up(&self, session: &Session) -> Result<(), CatchUpFault> {
        loop {
            let piece = async {
                let news = self.replica.ask_news(session).await?;
                self.replica.absorb(session, news).await
            };
            if !self.connector.in_time(piece).await? {
                return Ok(());
            }
        }
    }
}
