//! The lease and the list of living replicas as rows: what the keeper of the lease reads and writes.
//!
//! The lease is a row with an epoch and an instant until which it holds. It is renewed without the service's lock, so that a
//! batch that takes long does not cost it, and passed on only under the lock, so that no batch is half in one epoch.

use std::sync::Arc;

use starkeep_clock::Monotonic;
use starkeep_platform::lease::{Epoch, Lease};
use starkeep_platform::lease_keeper::{LeaseKeeper, LeaseRow};
use starkeep_platform::replica::ReplicaId;
use starkeep_platform::sql::log::bounds;
use starkeep_platform::sql::{PostgresTables, SqlFault};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use crate::connect::{Connector, Notice, Purpose};
use crate::connection::Session;
use crate::register::{Flags, show_life};
use crate::replica::Replica;
use crate::values::Parameter;

// Two seconds, as the keeper of a lease counts on.
const LIVING: &str = "SELECT id FROM replica WHERE seen_at > clock_timestamp() - interval '2 s'";
const RENEW: &str =
    "UPDATE lease SET until = clock_timestamp() + interval '2 s' WHERE holder = ?1 AND epoch = ?2";
const GAIN: &str =
    "UPDATE lease SET epoch = epoch + 1, holder = ?1, until = clock_timestamp() + interval '2 s'
    WHERE until < clock_timestamp() RETURNING epoch";
const IS_FREE: &str = "SELECT 1 FROM lease WHERE until < clock_timestamp()";
const HAND_OVER: &str = "UPDATE lease SET until = '-infinity' WHERE holder = ?1 AND epoch = ?2";
const GONE: &str = "DELETE FROM replica WHERE id = ?1 OR seen_at < clock_timestamp() - interval '1 hour'";
/// A replica that freezes here blocks nobody for long.
const BEGIN: &str = "BEGIN; SET LOCAL lock_timeout = '1s'; SET LOCAL statement_timeout = '1s';
    SET LOCAL idle_in_transaction_session_timeout = '1s'";
/// What replicas read that have not followed for so long; whoever comes later loads anew.
const PRUNE: &str = "DELETE FROM change_log WHERE number IN (
    SELECT number FROM change_log WHERE at < clock_timestamp() - interval '10 min'
    AND number < (SELECT max(number) FROM change_log) ORDER BY number LIMIT 1000)";

/// The row of the lease and the list of replicas, as this replica reads and writes them.
pub(crate) struct PostgresLease<D: PostgresTables> {
    connector: Connector,
    replica: Arc<Replica<D>>,
    flags: Flags,
    session: Option<Session>,
    /// Told by whoever hands the lease over.
    handed_over: watch::Sender<()>,
}

/// Keeps the lease until the store is closed.
pub(crate) fn keeper<D: PostgresTables>(
    connector: Connector,
    replica: Arc<Replica<D>>,
    flags: Flags,
    stop: CancellationToken,
    closed: CancellationToken,
) -> LeaseKeeper<PostgresLease<D>> {
    let handed_over = watch::Sender::default();
    let (service, clock) = (connector.schema().to_owned(), connector.clock());
    let row = PostgresLease { connector, replica, flags, session: None, handed_over: handed_over.clone() };
    LeaseKeeper { row, service, clock, handed_over, stop, closed }
}

impl<D: PostgresTables> LeaseRow for PostgresLease<D> {
    fn lease(&self) -> &Lease {
        &self.replica.lease
    }

    async fn keep(&mut self, until: Monotonic, wanted: bool) -> Result<bool, String> {
        self.keep_row(until, wanted).await.map_err(|fault| fault.to_string())
    }

    fn disconnect(&mut self) {
        self.session = None;
    }

    async fn hand_over(&mut self, epoch: Epoch) {
        let Some(session) = self.open_session() else { return };
        let values = vec![Parameter::Uuid(self.replica.id.0), integer(epoch)];
        let told = async {
            session.run(HAND_OVER, values).await?;
            session.control(self.connector.notify(Notice::Lease)).await
        };
        if let Err(fault) = self.connector.in_time(told).await {
            tracing::warn!(%fault, "the lease could not be handed over; it ends by itself");
        }
    }

    async fn leave(&mut self) {
        if let Some(session) = self.open_session() {
            // One that is asked for later is not alive in any case.
            let _ = self.connector.in_time(session.run(GONE, vec![Parameter::Uuid(self.replica.id.0)])).await;
        }
    }
}

impl<D: PostgresTables> PostgresLease<D> {
    fn open_session(&self) -> Option<&Session> {
        self.session.as_ref().filter(|session| session.is_open())
    }

    async fn keep_row(&mut self, until: Monotonic, wanted: bool) -> Result<bool, SqlFault> {
        let Self { connector, replica, flags, session, handed_over } = self;
        let session = match session {
            Some(session) if session.is_open() => &*session,
            closed => {
                let notified = Some((Notice::Lease, handed_over.clone()));
                closed.insert(connector.open_listening(Purpose::Following, notified).await?)
            }
        };
        let me = Parameter::Uuid(replica.id.0);
        show_life(session, replica.id, flags).await?;
        replica.living.begin_listing();
        let listed = session.rows(LIVING, Vec::new()).await?;
        let listed = listed.iter().map(|row| row.get("id").map(ReplicaId)).collect::<Result<_, _>>()?;
        replica.living.set_listed(listed);
        let log = replica.published.log();
        let (oldest, _) = bounds(session).await?;
        log.begins_with(oldest.max(log.oldest()));
        if let Some(epoch) = replica.lease.current() {
            session.run(PRUNE, Vec::new()).await?;
            let is_renewed = session.run(RENEW, vec![me, integer(epoch)]).await? == 1;
            if is_renewed {
                replica.lease.hold_until(epoch, until);
            }
            return Ok(is_renewed);
        }
        if !wanted || session.rows(IS_FREE, Vec::new()).await?.is_empty() {
            return Ok(false);
        }
        gain(connector, replica, session, until).await
    }
}

/// Takes a lease that nobody holds. A leader knows everything that was committed before it led.
async fn gain<D: PostgresTables>(
    connector: &Connector,
    replica: &Replica<D>,
    session: &Session,
    until: Monotonic,
) -> Result<bool, SqlFault> {
    let _turn = replica.turn(connector).await?;
    let gained = async {
        session.control(BEGIN).await?;
        session.lock(connector.schema()).await?;
        let gained = session.rows(GAIN, vec![Parameter::Uuid(replica.id.0)]).await?;
        let mut is_part = !gained.is_empty();
        while is_part {
            let news = replica.ask_news(session).await?;
            is_part = replica.absorb(session, news).await?;
        }
        session.control("COMMIT").await?;
        let Some(row) = gained.first() else { return Ok(false) };
        replica.lease.hold_until(Epoch(row.get("epoch")?), until);
        Ok(true)
    };
    connector.in_time(gained).await
}

fn integer(epoch: Epoch) -> Parameter {
    Parameter::Integer(epoch.0.cast_signed())
}
