//! A few connections that only read, each used by one question at a time.
//! They see the last commit and never wait for the writer.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use rusqlite::Connection;
use tokio::sync::Semaphore;

use super::connection::SqliteConnection;
use super::open;
use crate::sql::{Isolation, Work, at_once};

/// So many questions are asked at the same time: what they read is mostly in memory, so that more would not be quicker, and each
/// connection has a cache of its own.
const CONNECTIONS: usize = 4;

#[derive(Clone)]
pub(super) struct Readers {
    path: PathBuf,
    idle: Arc<Mutex<Vec<SqliteConnection>>>,
    places: Arc<Semaphore>,
}

impl Readers {
    pub(super) fn new(path: &Path) -> Self {
        Self { path: path.to_owned(), idle: Arc::default(), places: Arc::new(Semaphore::new(CONNECTIONS)) }
    }

    /// Asks in the row code's terms.
    pub(super) async fn read(&self, isolation: Isolation, question: Work) -> Result<(), String> {
        let asked = self.ask(move |connection| {
            if isolation == Isolation::Snapshot {
                connection.lock().execute_batch("BEGIN")?;
            }
            let answer = at_once(question(connection));
            if isolation == Isolation::Snapshot {
                connection.lock().execute_batch("COMMIT")?;
            }
            Ok(answer)
        });
        asked.await?.map_err(unreadable)
    }

    /// Asks SQLite itself.
    pub(super) async fn ask_sqlite<T: Send + 'static>(
        &self,
        question: impl FnOnce(&Connection) -> rusqlite::Result<T> + Send + 'static,
    ) -> Result<T, String> {
        self.ask(move |connection| question(&connection.lock())).await
    }

    async fn ask<T: Send + 'static>(
        &self,
        question: impl FnOnce(&SqliteConnection) -> rusqlite::Result<T> + Send + 'static,
    ) -> Result<T, String> {
        let readers = self.clone();
        let place = self.places.clone().acquire_owned().await.map_err(|fault| fault.to_string())?;
        let ask = move || {
            let answer = readers.ask_here(question);
            drop(place);
            answer
        };
        tokio::task::spawn_blocking(ask).await.map_err(|fault| fault.to_string())?.map_err(unreadable)
    }

    pub(super) fn close(&self) {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    fn ask_here<T>(
        &self,
        question: impl FnOnce(&SqliteConnection) -> rusqlite::Result<T>,
    ) -> rusqlite::Result<T> {
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let connection = match idle {
            Some(connection) => connection,
            None => SqliteConnection::new(open::reader(&self.path)?),
        };
        let answer = question(&connection)?;
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(connection);
        Ok(answer)
    }
}

fn unreadable(fault: impl fmt::Display) -> String {
    format!("the database cannot be read: {fault}")
}
