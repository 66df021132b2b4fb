//! What one replica has in memory, and how it is moved by what is committed: by itself or by others.

use std::sync::{Arc, Mutex, PoisonError};

use futures::FutureExt as _;
use futures::future::try_join_all;
use starkeep_platform::change_log::{self, FollowFault, LoggedBatch, Place};
use starkeep_platform::domain::Interest;
use starkeep_platform::events::CommittedEvent;
use starkeep_platform::lease::Lease;
use starkeep_platform::living::LivingReplicas;
use starkeep_platform::published::Published;
use starkeep_platform::replica::ReplicaId;
use starkeep_platform::sql::{PostgresTables, Row, SqlFault};

use crate::connect::Connector;
use crate::connection::Session;
use crate::log;
use crate::values::Parameter;

/// What is read at once of a change log that has gone far ahead.
const BATCHES_AT_ONCE: u32 = 1000;

const CHANGES: &str = "SELECT number, batch, writer, changes, last_event FROM change_log WHERE number >= ?1 ORDER BY number LIMIT ?2";

const NEWEST: &str = "SELECT number, batch FROM change_log ORDER BY number DESC LIMIT 1";

pub(crate) struct Replica<D: PostgresTables> {
    pub(crate) id: ReplicaId,
    pub(crate) published: Arc<Published<D>>,
    pub(crate) cache: Arc<D::Cache>,
    pub(crate) lease: Lease,
    pub(crate) living: LivingReplicas,
    place: Mutex<Place>,
    /// Whoever moves the image has it: the writer during a batch, or the follower.
    turn: tokio::sync::Mutex<()>,
}

/// Why the image could not be moved.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CatchUpFault {
    #[error(transparent)]
    Follow(#[from] FollowFault),
    #[error(transparent)]
    Sql(#[from] SqlFault),
}

/// For who cannot load anew: the follower notices the same, and does.
impl From<CatchUpFault> for SqlFault {
    fn from(fault: CatchUpFault) -> Self {
        match fault {
            CatchUpFault::Sql(fault) => fault,
            CatchUpFault::Follow(fault) => Self::Unavailable(fault.to_string()),
        }
    }
}

/// What was committed since, by whichever replica.
pub(crate) struct News {
    batches: Vec<LoggedBatch>,
    events: Vec<Arc<CommittedEvent>>,
    /// There is more.
    is_part: bool,
}

impl<D: PostgresTables> Replica<D> {
    pub(crate) fn new(id: ReplicaId, published: Arc<Published<D>>, place: Place) -> Self {
        Self {
            id,
            published,
            cache: Arc::default(),
            lease: Lease::not_held(),
            living: LivingReplicas::new(id),
            place: Mutex::new(place),
            turn: tokio::sync::Mutex::new(()),
        }
    }

    pub(crate) fn place(&self) -> Place {
        *self.place.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// By whoever has the turn.
    pub(crate) fn move_to(&self, place: Place) {
        *self.place.lock().unwrap_or_else(PoisonError::into_inner) = place;
    }

    /// Waits for the turn, but not for long.
    pub(crate) async fn turn(
        &self,
        connector: &Connector,
    ) -> Result<tokio::sync::MutexGuard<'_, ()>, SqlFault> {
        connector.in_time(self.turn.lock().map(Ok)).await
    }

    /// Asks what was committed since. Begins to be sent with the first poll.
    pub(crate) async fn ask_news(&self, session: &Session) -> Result<News, SqlFault> {
        let (place, head) = (self.place(), self.published.log().head());
        let from = Parameter::Integer(place.number.max(1).cast_signed());
        let changes = session.rows(CHANGES, vec![from, Parameter::Integer(i64::from(BATCHES_AT_ONCE) + 1)]);
        let (changes, events) = futures::join!(changes, log::after(session, head));
        let batches = changes?.iter().map(logged).collect::<Result<Vec<_>, _>>()?;
        let is_part = batches.len() > BATCHES_AT_ONCE as usize;
        Ok(News { batches, events: events?, is_part })
    }

    /// Moves the image by what was committed, by whoever has the turn; true if there is more to be asked for.
    pub(crate) async fn absorb(&self, session: &Session, news: News) -> Result<bool, CatchUpFault> {
        let News { batches, mut events, is_part } = news;
        let following = self.place().following(&batches)?;
        let Some(newest) = following.last() else { return Ok(false) };
        self.living.heard_of(following.iter().map(|batch| batch.writer));
        let mut image = D::Image::clone(&self.published.image());
        let mut concerns = Interest::NONE;
        for batch in following {
            let changes = change_log::decode::<D>(&batch.changes).map_err(FollowFault::from)?;
            let needed: Vec<D::Key> = changes.iter().flat_map(D::needed_by).collect();
            let lacking = needed.iter().filter(|key| D::lacks(&image, key));
            let found = lacking.map(|key| D::find(session, &self.cache, key)).collect::<Vec<_>>();
            try_join_all(found).await?.into_iter().try_for_each(|load| load(&mut image))?;
            for change in &changes {
                D::absorb(&mut image, change);
                concerns = concerns.or(D::concerns(change));
            }
            D::evict(&mut image);
        }
        // Events may have been read before the batches that they belong to.
        let mut head = events.last().map_or(self.published.log().head(), |event| event.number);
        while head < newest.last_event {
            let more = log::after(session, head).await?;
            let Some(last) = more.last() else {
                let (place, reason) = (newest.place, "its events are gone");
                return Err(FollowFault::Lost { place, reason }.into());
            };
            head = last.number;
            events.extend(more);
        }
        // What was committed after these batches were read belongs to later ones.
        events.truncate(events.partition_point(|event| event.number <= newest.last_event));
        // In this order: whoever sees the place finds what belongs to it.
        self.published.follow(image, events, concerns);
        self.move_to(newest.place);
        Ok(is_part)
    }
}

fn logged(row: &Row) -> Result<LoggedBatch, SqlFault> {
    Ok(LoggedBatch {
        place: Place { number: row.get("number")?, batch: row.get("batch")? },
        writer: ReplicaId(row.get("writer")?),
        changes: row.get("changes")?,
        last_event: row.get("last_event")?,
    })
}

/// The place of the newest batch.
pub(crate) async fn newest(session: &Session) -> Result<Place, SqlFault> {
    match session.rows(NEWEST, Vec::new()).await?.first() {
        None => Ok(Place::default()),
        Some(row) => Ok(Place { number: row.get("number")?, batch: row.get("batch")? }),
    }
}
