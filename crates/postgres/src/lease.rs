//! The lease and the list of living replicas: a task that renews what this replica has, and takes what nobody holds.
//!
//! The lease is a row with an epoch and an instant until which it holds. It is renewed without the service's lock, so that a
//! batch that takes long does not cost it, and passed on only under the lock, so that no batch is half in one epoch. Its holder
//! counts it on its own clock from before it asked, and lets go of it in time.

use std::sync::Arc;
use std::time::Duration;

use starkeep_clock::Monotonic;
use starkeep_platform::lease::Epoch;
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

/// A lease holds for 2 s without being renewed, and so long a replica counts as living. The holder counts a little less: clocks do
/// not run alike, and what it has begun takes its time.
const HELD: Duration = Duration::from_millis(1700);
/// How often both are renewed, and how often those who do not lead look whether somebody does.
const EVERY: Duration = Duration::from_millis(400);

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

pub(crate) struct LeaseKeeper<D: PostgresTables> {
    pub(crate) connector: Connector,
    pub(crate) replica: Arc<Replica<D>>,
    pub(crate) flags: Flags,
    /// Cancelled when the lease is to be handed over, before the service stops.
    pub(crate) stop: CancellationToken,
    /// Cancelled when the store is dropped.
    pub(crate) closed: CancellationToken,
}

impl<D: PostgresTables> LeaseKeeper<D> {
    /// Ends with the store. After the stop it leads no more, but lives: requests in flight are finished.
    pub(crate) async fn run(self) {
        let (handed_over, mut is_handed_over) = watch::channel(());
        let mut session: Option<Session> = None;
        let mut holds_until: Option<Monotonic> = None;
        while !self.closed.is_cancelled() {
            if self.stop.is_cancelled() && self.replica.lease.current().is_some() {
                holds_until = None;
                self.hand_over(session.as_ref()).await;
            }
            let until = self.connector.after(HELD);
            let kept = tokio::select! {
                biased;
                kept = self.keep(&mut session, &handed_over, until) => kept,
                // An answer that comes later than that is of no use.
                () = self.connector.until(holds_until) => Err(SqlFault::Unavailable("the lease is over".to_owned())),
            };
            match kept {
                Ok(is_held) => holds_until = Some(until).filter(|_| is_held),
                Err(fault) => {
                    tracing::debug!(%fault, "the lease could not be renewed");
                    session = None;
                }
            }
            if holds_until.is_none_or(|until| self.connector.is_past(until)) {
                holds_until = None;
                self.let_go();
            }
            let next = self.connector.after(EVERY);
            let next = holds_until.map_or(next, |until| next.min(until));
            tokio::select! {
                biased;
                () = self.closed.cancelled() => {}
                () = self.stop.cancelled(), if !self.stop.is_cancelled() => {}
                _ = is_handed_over.changed() => {}
                () = self.connector.until(Some(next)) => {}
            }
        }
        self.leave(session).await;
    }

    /// Renews what this replica has; whether it leads, which it may do until then.
    async fn keep(
        &self,
        session: &mut Option<Session>,
        handed_over: &watch::Sender<()>,
        until: Monotonic,
    ) -> Result<bool, SqlFault> {
        let session = match session {
            Some(session) if session.is_open() => session,
            closed => {
                let notified = Some((Notice::Lease, handed_over.clone()));
                closed.insert(self.connector.open_listening(Purpose::Following, notified).await?)
            }
        };
        let me = Parameter::Uuid(self.replica.id.0);
        show_life(session, self.replica.id, &self.flags).await?;
        self.replica.begin_listing();
        let listed = session.rows(LIVING, Vec::new()).await?;
        let listed = listed.iter().map(|row| row.get("id").map(ReplicaId)).collect::<Result<_, _>>()?;
        self.replica.set_listed(listed);
        let log = self.replica.published.log();
        let (oldest, _) = bounds(session).await?;
        log.begins_with(oldest.max(log.oldest()));
        if let Some(epoch) = self.replica.lease.current() {
            session.run(PRUNE, Vec::new()).await?;
            let is_renewed = session.run(RENEW, vec![me, integer(epoch)]).await? == 1;
            if is_renewed {
                self.replica.lease.hold_until(epoch, until);
            }
            return Ok(is_renewed);
        }
        if self.stop.is_cancelled() || session.rows(IS_FREE, Vec::new()).await?.is_empty() {
            return Ok(false);
        }
        self.gain(session, me, until).await
    }

    /// Takes a lease that nobody holds. A leader knows everything that was committed before it led.
    async fn gain(&self, session: &Session, me: Parameter, until: Monotonic) -> Result<bool, SqlFault> {
        let _turn = self.replica.turn(&self.connector).await?;
        self.connector.in_time(self.gain_in_turn(session, me, until)).await
    }

    async fn gain_in_turn(
        &self,
        session: &Session,
        me: Parameter,
        until: Monotonic,
    ) -> Result<bool, SqlFault> {
        session.control(BEGIN).await?;
        session.lock(self.connector.schema()).await?;
        let gained = session.rows(GAIN, vec![me]).await?;
        let mut is_part = !gained.is_empty();
        while is_part {
            let news = self.replica.ask_news(session).await?;
            is_part = self.replica.absorb(session, news).await?;
        }
        session.control("COMMIT").await?;
        let Some(row) = gained.first() else { return Ok(false) };
        self.replica.lease.hold_until(Epoch(row.get("epoch")?), until);
        Ok(true)
    }

    fn let_go(&self) {
        if let Some(epoch) = self.replica.lease.current() {
            tracing::warn!(schema = self.connector.schema(), %epoch, "lease lost, tasks stop");
            self.replica.lease.set(None);
        }
    }

    /// Another replica is to lead at once.
    async fn hand_over(&self, session: Option<&Session>) {
        let Some(epoch) = self.replica.lease.current() else { return };
        self.replica.lease.set(None);
        let Some(session) = session.filter(|session| session.is_open()) else { return };
        let values = vec![Parameter::Uuid(self.replica.id.0), integer(epoch)];
        let told = async {
            session.run(HAND_OVER, values).await?;
            session.control(self.connector.notify(Notice::Lease)).await
        };
        if let Err(fault) = self.connector.in_time(told).await {
            tracing::warn!(%fault, "the lease could not be handed over; it ends by itself");
        }
    }

    async fn leave(&self, session: Option<Session>) {
        self.hand_over(session.as_ref()).await;
        if let Some(session) = session.filter(Session::is_open) {
            // One that is asked for later is not alive in any case.
            let _ = self.connector.in_time(session.run(GONE, vec![Parameter::Uuid(self.replica.id.0)])).await;
        }
    }
}

fn integer(epoch: Epoch) -> Parameter {
    Parameter::Integer(epoch.0.cast_signed())
}
