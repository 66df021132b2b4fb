//! A few connections that only read, each used by one question at a time.
//! They see the last commit and never wait for the writer.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use rusqlite::Connection;
use tokio::sync::Semaphore;

use super::open;

/// So many questions are asked at the same time: what they read is mostly in memory, so that more would not be quicker, and each
/// connection has a cache of its own.
const CONNECTIONS: usize = 4;

#[derive(Clone)]
pub(super) struct Readers {
    path: PathBuf,
    idle: Arc<Mutex<Vec<Connection>>>,
    places: Arc<Semaphore>,
}

impl Readers {
    pub(super) fn new(path: &Path) -> Self {
        Self { path: path.to_owned(), idle: Arc::default(), places: Arc::new(Semaphore::new(CONNECTIONS)) }
    }

    pub(super) async fn ask<T: Send + 'static>(
        &self,
        question: impl FnOnce(&Connection) -> rusqlite::Result<T> + Send + 'static,
    ) -> Result<T, String> {
        let readers = self.clone();
        let place = self.places.clone().acquire_owned().await.map_err(|fault| fault.to_string())?;
        let ask = move || {
            let answer = readers.ask_here(question);
            drop(place);
            answer
        };
        tokio::task::spawn_blocking(ask)
            .await
            .map_err(|fault| fault.to_string())?
            .map_err(|fault| format!("the database cannot be read: {fault}"))
    }

    pub(super) fn close(&self) {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    fn ask_here<T>(&self, question: impl FnOnce(&Connection) -> rusqlite::Result<T>) -> rusqlite::Result<T> {
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let connection = match idle {
            Some(connection) => connection,
            None => open::reader(&self.path)?,
        };
        let answer = question(&connection)?;
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(connection);
        Ok(answer)
    }
}
