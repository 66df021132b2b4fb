//! Kills under load: the real program is killed and started again while every acknowledgement is written to a journal.
//! The load, what counts as an acknowledgement, and what the state must be in the end, are up to the test.

use std::collections::BTreeSet;
use std::fmt::Debug;
use std::ops::RangeInclusive;

use serde_json::Value;
use starkeep_test_http::{Caller, within_limit};
use tokio::sync::watch;
use tokio::task::JoinSet;

use crate::program::Program;
use starkeep_fault_harness::{Chance, Journal};

/// How the program is run and killed.
pub(crate) struct KillLoop<'a> {
    /// `map`, `game` or `all`.
    pub(crate) service: &'a str,
    /// Among them a data directory: what is acknowledged must be found there again.
    pub(crate) flags: &'a [&'a str],
    pub(crate) kills: usize,
    /// A process is killed after so many acknowledgements, drawn for each. They come one by one while others are under
    /// way, so that each of them is another instant of what the program does.
    pub(crate) acknowledged: RangeInclusive<u64>,
    pub(crate) seed: u64,
}

/// One process from its start to its kill, for the tasks that put the load on it.
#[derive(Clone)]
pub(crate) struct ProcessRun<A> {
    /// From 0 on.
    pub(crate) number: usize,
    pub(crate) journal: Journal<A>,
    killed: watch::Receiver<bool>,
}

impl KillLoop<'_> {
    /// Kills one process after the other. `drive` puts a load on each: tasks that end when the process has ended, which they notice
    /// by an answer that does not come or by `ProcessRun::ended`. Returns a last process, without load, and the journal.
    pub(crate) async fn run<A: Clone + Send + Sync + 'static>(
        &self,
        mut drive: impl AsyncFnMut(&Program, ProcessRun<A>) -> JoinSet<()>,
    ) -> (Program, Vec<A>) {
        let journal = Journal::default();
        let mut chance = Chance(self.seed);
        for number in 0..self.kills {
            let program = Program::serve(self.service, self.flags).await;
            let (kill, killed) = watch::channel(false);
            let mut load = drive(&program, ProcessRun { number, journal: journal.clone(), killed }).await;
            let enough = journal.len() + usize::try_from(chance.draw(&self.acknowledged)).unwrap();
            within_limit("the load to be acknowledged", load_reaches(&journal, enough, &mut load)).await;
            program.kill().await;
            kill.send_replace(true);
            while let Some(ended) = within_limit("the load to notice the kill", load.join_next()).await {
                ended.unwrap();
            }
        }
        let last = Program::serve(self.service, self.flags).await;
        (last, journal.entries())
    }
}

impl<A> ProcessRun<A> {
    /// Returns when the process has been killed.
    pub(crate) async fn ended(&mut self) {
        self.killed.wait_for(|killed| *killed).await.unwrap();
    }
}

/// Returns when the journal has so many entries. Fails with the load, if that does.
pub(crate) async fn load_reaches<A>(journal: &Journal<A>, length: usize, load: &mut JoinSet<()>) {
    let mut reached = std::pin::pin!(journal.reaches(length));
    loop {
        tokio::select! {
            () = &mut reached => return,
            Some(ended) = load.join_next() => ended.unwrap(),
        }
    }
}

/// The whole log of a service, read over its API.
pub(crate) async fn whole_log(service: &Caller) -> Vec<Value> {
    let mut log = Vec::new();
    let mut after = "start".to_owned();
    loop {
        let mut page =
            service.wanting_json().get(&format!("/events?limit=1000&after={after}")).await.expect(200);
        assert_eq!(page["gap"], Value::Null);
        let Value::Array(events) = page["events"].take() else { panic!("{page}") };
        if events.is_empty() {
            return log;
        }
        log.extend(events);
        page["next"].as_str().unwrap().clone_into(&mut after);
    }
}

/// Everything that was acknowledged is in the log once. What else is there was under way when a process was killed, so that its
/// answer was lost: no more than `unanswered`.
#[track_caller]
pub(crate) fn assert_kept<K: Ord + Debug>(acknowledged: &[K], logged: &[K], unanswered: usize) {
    let distinct: BTreeSet<_> = logged.iter().collect();
    assert_eq!(distinct.len(), logged.len(), "nothing is in the log twice");
    for key in acknowledged {
        assert!(distinct.contains(key), "{key:?} was acknowledged and is not in the log");
    }
    let more = logged.len() - acknowledged.len();
    assert!(
        more <= unanswered,
        "{more} more in the log than acknowledged, and {unanswered} at most were under way"
    );
}
