//! A transaction that has been begun: the lock is held, the image has caught up, and what the jobs need is asked for.

use futures::future::try_join_all;
use starkeep_platform::decision::Job;
use starkeep_platform::idempotency::RequestKey;
use starkeep_platform::lease::Epoch;
use starkeep_platform::replica::ReplicaId;
use starkeep_platform::sql::{Load, PostgresTables, SqlFault, answers};
use uuid::Uuid;

use super::Writer;
use crate::connection::{BEGIN, LOCK, Session};
use crate::replica::Replica;

const LEASE: &str = "SELECT epoch, holder FROM lease";

pub(crate) struct Begun<D: PostgresTables> {
    epoch: Epoch,
    holder: Option<Uuid>,
    found: Found<D>,
}

/// What jobs need beside the image.
pub(crate) struct Wanted<D: PostgresTables> {
    keys: Vec<D::Key>,
    /// Requests that another replica may have answered.
    requests: Vec<RequestKey>,
}

/// What was asked for, and what came of it.
struct Found<D: PostgresTables> {
    keys: Vec<D::Key>,
    loads: Vec<Load<D::Image>>,
    /// The requests, and whether they were answered.
    requests: Vec<(RequestKey, bool)>,
}

impl<D: PostgresTables> Writer<D> {
    /// Begins a transaction for these jobs, and others that may join them. By whoever has the turn.
    pub(super) async fn begin(&mut self, wanted: Wanted<D>) -> Result<Begun<D>, SqlFault> {
        let connector = self.connector.clone();
        let replica = self.replica.clone();
        self.connect().await?;
        let was_open = std::mem::replace(&mut self.in_transaction, true);
        let control = if was_open { "ROLLBACK; BEGIN READ WRITE" } else { BEGIN };
        let session = self.session()?;
        let begun = connector
            .in_time(begin_transaction(session, &replica, connector.schema(), control, wanted))
            .await?;
        self.leading = Some((begun.epoch, begun.holder));
        Ok(begun)
    }
}

async fn begin_transaction<D: PostgresTables>(
    session: &Session,
    replica: &Replica<D>,
    schema: &str,
    begin: &str,
    wanted: Wanted<D>,
) -> Result<Begun<D>, SqlFault> {
    // A statement that is prepared is sent with its first poll: the lock comes before all that is behind it.
    session.prepare(LOCK).await?;
    let (is_begun, locked, lease, news, found) = futures::join!(
        session.control(begin),
        session.lock(schema),
        session.rows(LEASE, Vec::new()),
        replica.ask_news(session),
        wanted.find(session, replica),
    );
    is_begun?;
    locked?;
    let lease = lease?.pop().ok_or_else(|| SqlFault::unreadable("there is no lease"))?;
    let mut is_part = replica.absorb(session, news?).await?;
    while is_part {
        let news = replica.ask_news(session).await?;
        is_part = replica.absorb(session, news).await?;
    }
    Ok(Begun { epoch: Epoch(lease.get("epoch")?), holder: lease.get("holder")?, found: found? })
}

impl<D: PostgresTables> Begun<D> {
    /// The epoch in which this replica leads now, if it does.
    pub(super) fn lease_of(&self, replica: ReplicaId) -> Option<Epoch> {
        Some(self.epoch).filter(|_| self.holder == Some(replica.0))
    }

    /// What these jobs need and was not asked for: of those that have arrived since, or what the others' changes have evicted.
    pub(super) fn still_wanted(&self, image: &D::Image, jobs: &[Box<dyn Job<D>>]) -> Wanted<D> {
        let Wanted { mut keys, mut requests } = Wanted::of(image, jobs);
        keys.retain(|key| !self.found.keys.contains(key));
        requests.retain(|request| !self.found.requests.iter().any(|(asked, _)| asked == request));
        Wanted { keys, requests }
    }

    /// Asks for it.
    pub(super) async fn find(
        &mut self,
        session: &Session,
        replica: &Replica<D>,
        wanted: Wanted<D>,
    ) -> Result<(), SqlFault> {
        if wanted.is_nothing() {
            return Ok(());
        }
        let Found { keys, loads, requests } = wanted.find(session, replica).await?;
        self.found.keys.extend(keys);
        self.found.loads.extend(loads);
        self.found.requests.extend(requests);
        Ok(())
    }

    /// The image that the jobs are decided on. Those whose requests were answered by another replica are told so.
    pub(super) fn image_for(
        self,
        replica: &Replica<D>,
        jobs: &mut [Box<dyn Job<D>>],
    ) -> Result<D::Image, SqlFault> {
        let mut image = D::Image::clone(&replica.published.image());
        self.found.loads.into_iter().try_for_each(|load| load(&mut image))?;
        for job in jobs {
            let Some(claim) = job.claim() else { continue };
            let asked = self.found.requests.iter().find(|(request, _)| *request == claim.request_key);
            if asked.is_some_and(|(_, is_answered)| *is_answered) {
                job.answered_elsewhere();
            }
        }
        Ok(image)
    }
}

impl<D: PostgresTables> Wanted<D> {
    pub(super) fn is_nothing(&self) -> bool {
        self.keys.is_empty() && self.requests.is_empty()
    }

    pub(super) fn nothing() -> Self {
        Self { keys: Vec::new(), requests: Vec::new() }
    }

    pub(super) fn of(image: &D::Image, jobs: &[Box<dyn Job<D>>]) -> Self {
        let mut wanted = Self::nothing();
        for job in jobs {
            for key in job.keys() {
                if D::lacks(image, key) && !wanted.keys.contains(key) {
                    wanted.keys.push(key.clone());
                }
            }
            wanted.requests.extend(job.claim().map(|claim| claim.request_key.clone()));
        }
        wanted
    }

    async fn find(self, session: &Session, replica: &Replica<D>) -> Result<Found<D>, SqlFault> {
        let finds: Vec<_> = self.keys.iter().map(|key| D::find(session, &replica.cache, key)).collect();
        let answered = self.requests.iter().map(|request| answers::exists(session, request));
        let (loads, answered) = futures::join!(try_join_all(finds), try_join_all(answered));
        let requests = answered?;
        let requests = self.requests.into_iter().zip(requests).collect();
        Ok(Found { loads: loads?, requests, keys: self.keys })
    }
}
