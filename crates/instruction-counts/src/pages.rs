//! How many pages the commits of a store on a file add to its write-ahead log: what is synced, and copied at the next checkpoint.

use axum::body::Body;
use futures::FutureExt as _;
use futures::future::{join, join_all, ready};
use http::Request;
use starkeep_platform::sql::{SqlStore, SqlTables};

use crate::serving::Served;
use crate::write_ahead_log::WriteAheadLog;

/// How often a task that has been started lets others run until all of them wait for the writer. The number of commits shows
/// that it is enough.
const TURNS: usize = 1000;

/// Of a hundred commits, each of which is everything that a wave of requests writes. The first wave is not counted.
pub(crate) fn of_a_hundred<D: SqlTables>(
    served: &Served,
    store: &SqlStore<D>,
    waves: impl Iterator<Item = Vec<Request<Body>>>,
) -> u64 {
    let mut log = WriteAheadLog::of(&served.file());
    let (mut sent, mut pages, mut commits) = (0, 0, 0);
    for wave in waves {
        served.block_on(at_once(store, served, wave));
        let added = log.added();
        if sent > 0 {
            pages += added.pages;
            commits += added.commits;
        }
        sent += 1;
    }
    assert_eq!(commits + 1, sent, "a wave is a commit");
    (100 * pages).div_ceil(commits)
}

/// Holds the store's writer until all of them wait for it.
async fn at_once<D: SqlTables>(store: &SqlStore<D>, served: &Served, wave: Vec<Request<Body>>) {
    let (release, held) = std::sync::mpsc::channel::<()>();
    let held = store.maintain(None, move |_| {
        // It is released by being dropped.
        let _ = held.recv();
        ready(Ok(())).boxed()
    });
    let answers = join_all(wave.into_iter().map(|request| served.answer(request)));
    let releasing = async move {
        for _ in 0..TURNS {
            tokio::task::yield_now().await;
        }
        drop(release);
    };
    let ((maintained, _), ()) = join(join(held, answers), releasing).await;
    maintained.expect("the writer was held");
}
