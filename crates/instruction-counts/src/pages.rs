//! How many pages the commits of a store on a file add to its write-ahead log: what is synced, and copied at the next checkpoint.

use axum::body::Body;
use futures::FutureExt as _;
use futures::future::{join, join_all, ready};
use http::Request;
use starkeep_platform::sql::{SqlStore, SqlTables};

use crate::serving::Served;
use crate::write_ahead_log::WriteAheadLog;

/// The pages of a hundred commits, as so many commits have them. In each the store's writer takes `at_once` requests together.
/// One more comes first and is not counted.
pub(crate) fn of_a_hundred<D: SqlTables>(
    served: &Served,
    store: &SqlStore<D>,
    times: u32,
    at_once: u32,
    request: impl Fn(u32) -> Request<Body>,
) -> u64 {
    let commit = |number: u32| {
        let requests = (number * at_once..(number + 1) * at_once).map(&request).collect();
        served.block_on(send_together(store, served, requests));
    };
    commit(0);
    let mut log = WriteAheadLog::of(&served.file());
    let mut pages = 0;
    for number in 1..=times {
        commit(number);
        let added = log.added();
        assert_eq!(added.commits, 1, "the requests share a commit");
        pages += added.pages;
    }
    (100 * pages).div_ceil(times.into())
}

/// Holds the store's writer until all requests wait for it.
async fn send_together<D: SqlTables>(store: &SqlStore<D>, served: &Served, requests: Vec<Request<Body>>) {
    let (release, held) = std::sync::mpsc::channel::<()>();
    let held = store.maintain(None, move |_| {
        // Ends when the other side is dropped.
        let _ = held.recv();
        ready(Ok(())).boxed()
    });
    let answers = join_all(requests.into_iter().map(|request| served.answer(request)));
    // Polled last, when each request has been polled once, which takes it to the writer. The number of commits shows it.
    let releasing = async move { drop(release) };
    let ((maintained, _), ()) = join(join(held, answers), releasing).await;
    maintained.expect("the writer was held");
}
