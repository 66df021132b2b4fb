//! A few sessions that only read, each used by one question at a time. They see the last commit and wait for no writer.

use std::sync::{Arc, Mutex, PoisonError};

use futures::future::BoxFuture;
use starkeep_platform::sql::{Isolation, SqlFault, Work};
use tokio::sync::{AcquireError, Semaphore};

use crate::connect::{Connector, Purpose};
use crate::connection::{BEGIN_SNAPSHOT, Session};

/// So many questions are asked at the same time.
const SESSIONS: usize = 8;

#[derive(Clone)]
pub(crate) struct Readers {
    connector: Connector,
    idle: Arc<Mutex<Vec<Session>>>,
    places: Arc<Semaphore>,
}

impl Readers {
    pub(crate) fn new(connector: Connector) -> Self {
        Self { connector, idle: Arc::default(), places: Arc::new(Semaphore::new(SESSIONS)) }
    }

    /// Asks in the row code's terms.
    pub(crate) async fn read(&self, isolation: Isolation, question: Work) -> Result<(), String> {
        self.ask(move |session| {
            Box::pin(async move {
                if isolation == Isolation::Statement {
                    return question(session).await;
                }
                session.control(BEGIN_SNAPSHOT).await?;
                let answer = question(session).await;
                session.control("COMMIT").await?;
                answer
            })
        })
        .await
    }

    /// A session that failed is not used again.
    pub(crate) async fn ask<T>(
        &self,
        question: impl for<'a> FnOnce(&'a Session) -> BoxFuture<'a, Result<T, SqlFault>>,
    ) -> Result<T, String> {
        let asked = async {
            let closed = |fault: AcquireError| SqlFault::Unavailable(fault.to_string());
            let _place = self.places.acquire().await.map_err(closed)?;
            let session = self.session().await?;
            let answer = question(&session).await?;
            self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(session);
            Ok(answer)
        };
        let asked = self.connector.in_time(asked).await;
        asked.map_err(|fault: SqlFault| format!("the database cannot be read: {fault}"))
    }

    async fn session(&self) -> Result<Session, SqlFault> {
        loop {
            let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
            match idle {
                Some(session) if session.is_open() => return Ok(session),
                // Lost while nobody used it.
                Some(_) => {}
                None => return self.connector.open(Purpose::Reading).await,
            }
        }
    }
}
