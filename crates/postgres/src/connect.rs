//! Opening sessions: with durable commits, in the service's schema, and on a server that can be written.

use std::future::poll_fn;
use std::sync::Arc;
use std::time::Duration;

use starkeep_clock::{Clock, Monotonic};
use starkeep_platform::error_chain::error_chain;
use starkeep_platform::sql::SqlFault;
use tokio::sync::watch;
use tokio_postgres::AsyncMessage;
use tokio_postgres_rustls::MakeRustlsConnect;

use crate::connection::Session;
use crate::fault::sql_fault;
use crate::url::DatabaseUrl;

/// A server that has not answered a statement by then does not answer: requests are to be told within 3 s.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(2);

/// At a start nobody waits for a request, and the server may have just been started, too.
const PREPARING_TIMEOUT: Duration = Duration::from_secs(10);

/// A replica that freezes in the middle of a transaction blocks the others for a second. They wait a little longer, so that they
/// get their turn then, and less than `ANSWER_TIMEOUT`.
const WRITER_TIMEOUTS: &str = "SET lock_timeout = '1800ms'; SET statement_timeout = '1800ms'; SET idle_in_transaction_session_timeout = '1s';";

/// See `connection::BEGIN`.
const READ_ONLY: &str = "SET default_transaction_read_only = on;";

/// A question that takes longer than this is not worth its answer.
const READER_TIMEOUTS: &str = "SET statement_timeout = '10s';";

/// Makes changes durable before they are acknowledged, whatever the server's default is; more than that stays.
const DURABLE: &str = "SELECT set_config('synchronous_commit',
    CASE current_setting('synchronous_commit') WHEN 'remote_apply' THEN 'remote_apply' ELSE 'on' END, false);";

/// The same few statements again and again, all of which find their rows by an index: planned once. PostgreSQL would otherwise plan those
/// with a range anew each time, which takes longer than they do. A plan that was made while a table was small must not read all of it
/// when it has grown.
const PLANNED_ONCE: &str = "SET plan_cache_mode = force_generic_plan; SET enable_seqscan = off;";

/// What a session is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    Writing,
    Reading,
    /// Lease, replicas, and learning what others have committed.
    Following,
    /// Making the tables, and loading: both may take their time.
    Preparing,
}

/// What replicas tell each other: only hints to look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Notice {
    /// Something was committed.
    Changes,
    /// The lease was handed over.
    Lease,
}

impl Notice {
    fn channel(self, schema: &str) -> String {
        match self {
            Self::Changes => schema.to_owned(),
            Self::Lease => format!("{schema}_lease"),
        }
    }
}

/// Opens sessions of one service. Clones are the same.
#[derive(Clone)]
pub(crate) struct Connector(Arc<Inner>);

struct Inner {
    url: DatabaseUrl,
    tls: MakeRustlsConnect,
    /// The service's own, within the database. Its name needs no quotes.
    schema: String,
    notify_changes: String,
    notify_lease: String,
    clock: Arc<dyn Clock>,
}

impl Connector {
    pub(crate) fn new(url: DatabaseUrl, schema: String, clock: Arc<dyn Clock>) -> Result<Self, String> {
        let tls = crate::tls::connector(&url.certificates)?;
        // Only a hint: it is a transaction of its own, of which nobody needs to know that it is on the disk.
        let notify = |notice: Notice| {
            format!("SET LOCAL synchronous_commit = off; NOTIFY {}", notice.channel(&schema))
        };
        let (notify_changes, notify_lease) = (notify(Notice::Changes), notify(Notice::Lease));
        Ok(Self(Arc::new(Inner { url, tls, schema, notify_changes, notify_lease, clock })))
    }

    pub(crate) fn schema(&self) -> &str {
        &self.0.schema
    }

    pub(crate) fn clock(&self) -> Arc<dyn Clock> {
        self.0.clock.clone()
    }

    pub(crate) fn place(&self) -> String {
        self.0.url.place()
    }

    pub(crate) async fn open(&self, purpose: Purpose) -> Result<Session, SqlFault> {
        self.open_listening(purpose, None).await
    }

    /// With a signal that changes with every notification of this kind.
    pub(crate) async fn open_listening(
        &self,
        purpose: Purpose,
        notified: Option<(Notice, watch::Sender<()>)>,
    ) -> Result<Session, SqlFault> {
        let limit = if purpose == Purpose::Preparing { PREPARING_TIMEOUT } else { ANSWER_TIMEOUT };
        self.within(limit, Box::pin(self.connect(purpose, notified))).await
    }

    async fn connect(
        &self,
        purpose: Purpose,
        notified: Option<(Notice, watch::Sender<()>)>,
    ) -> Result<Session, SqlFault> {
        let config = self.0.url.config(&self.0.schema);
        let (client, mut connection) = config.connect(self.0.tls.clone()).await.map_err(|fault| {
            SqlFault::Unavailable(format!("{} cannot be reached: {}", self.place(), error_chain(&fault)))
        })?;
        let (notice, notified) = notified.unzip();
        // Ends when the session is dropped, or the connection is lost, which the session's next statement tells.
        tokio::spawn(async move {
            while let Some(Ok(message)) = poll_fn(|context| connection.poll_message(context)).await {
                if let (AsyncMessage::Notification(_), Some(notified)) = (message, &notified) {
                    notified.send_replace(());
                }
            }
        });
        let own = match purpose {
            Purpose::Writing => [WRITER_TIMEOUTS, PLANNED_ONCE, READ_ONLY].concat(),
            Purpose::Following => [READER_TIMEOUTS, PLANNED_ONCE].concat(),
            Purpose::Reading => READER_TIMEOUTS.to_owned(),
            Purpose::Preparing => String::new(),
        };
        let schema = &self.0.schema;
        let listen = notice.map(|notice| format!("LISTEN {};", notice.channel(schema))).unwrap_or_default();
        let settings = format!("SET search_path TO {schema}; SET jit = off; {DURABLE} {own} {listen}");
        client.batch_execute(&settings).await.map_err(|fault| sql_fault(&fault))?;
        Ok(Session::new(client))
    }

    /// A pooler that gives the same backend to two sessions, one after the other, breaks what a session means: its settings, its
    /// prepared statements and its notifications.
    pub(crate) async fn refuse_pooler(&self) -> Result<(), SqlFault> {
        let (one, other) = (self.open(Purpose::Preparing).await?, self.open(Purpose::Preparing).await?);
        // The first one is idle, so that a pooler may give its backend away, and the other one keeps what it has been given.
        let first = backend(&one).await?;
        other.control("BEGIN").await?;
        let second = backend(&other).await?;
        if first == second {
            return Err(SqlFault::Unavailable(
                "a connection pooler in transaction mode stands in front of PostgreSQL; sessions have to be real ones \
                 (pgbouncer: pool_mode = session, or another port)"
                    .to_owned(),
            ));
        }
        Ok(())
    }

    /// The statement that tells the other replicas. Written once: it is sent after every batch.
    pub(crate) fn notify(&self, notice: Notice) -> &str {
        match notice {
            Notice::Changes => &self.0.notify_changes,
            Notice::Lease => &self.0.notify_lease,
        }
    }

    /// Waits so long, for what has to be tried again.
    pub(crate) async fn pause(&self, span: Duration) {
        self.0.clock.sleep_until(self.after(span)).await;
    }

    pub(crate) fn after(&self, span: Duration) -> Monotonic {
        self.0.clock.monotonic().after(span)
    }

    pub(crate) fn is_past(&self, instant: Monotonic) -> bool {
        self.0.clock.monotonic() >= instant
    }

    /// A server that does not answer at all is not waited for.
    pub(crate) async fn in_time<T, E: From<SqlFault>>(
        &self,
        answer: impl Future<Output = Result<T, E>>,
    ) -> Result<T, E> {
        self.within(ANSWER_TIMEOUT, answer).await
    }

    async fn within<T, E: From<SqlFault>>(
        &self,
        limit: Duration,
        answer: impl Future<Output = Result<T, E>>,
    ) -> Result<T, E> {
        tokio::select! {
            biased;
            answer = answer => answer,
            () = self.pause(limit) => {
                Err(SqlFault::Unavailable(format!("{} does not answer", self.place())).into())
            }
        }
    }
}

async fn backend(session: &Session) -> Result<i64, SqlFault> {
    let rows = session.rows("SELECT pg_backend_pid() AS backend", Vec::new()).await?;
    rows.first().map_or(Ok(0), |row| row.get("backend"))
}
