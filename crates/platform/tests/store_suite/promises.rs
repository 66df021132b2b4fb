//! The port's promises, one a case.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures::FutureExt as _;
use jiff::Timestamp;
use starkeep_contract::events::Channel;
use starkeep_platform::answer::Answer;
use starkeep_platform::decision::{AfterCommit, Decided, Decision, Failure, StoreFault, apply, apply_all};
use starkeep_platform::documents::{DocumentKey as _, Question};
use starkeep_platform::events::{Batch, CommittedEvent, Filter, From, Reader};
use starkeep_platform::idempotency::{IdempotencyContext, InFlight, RequestKey};
use starkeep_platform::lease::Epoch;
use starkeep_platform::store::RetentionBounds;

use crate::backends::{Backend, REPLICA, all};
use crate::counters::{
    CLOSED, Change, Counter, Counters, Image, Key, OPEN, Rejection, add, force, look_at_closed, subject,
};

const NOW: Epoch = Epoch(1);
const KEEP_ALL: RetentionBounds = RetentionBounds { since: None, count: u64::MAX, unsent_after: None };

/// Runs a case on every store; a failure says on which.
async fn on_all<F: Future<Output = ()>>(case: impl Fn(Backend) -> F) {
    for backend in all().await {
        println!("on {}", backend.name);
        case(backend).await;
    }
}

async fn payloads(backend: &Backend) -> Vec<String> {
    let wanted = Filter { channels: vec![Channel::Status], subject: None };
    events(backend, wanted).await.iter().map(|event| event.payload.to_string()).collect()
}

/// All that are kept.
async fn events(backend: &Backend, wanted: Filter) -> Vec<Arc<CommittedEvent>> {
    let (log, pages) = backend.common.log();
    let mut reader = Reader::new(log, pages, &From::Start, wanted).await.unwrap();
    let mut found = Vec::new();
    loop {
        let Batch { gap, events } = reader.take().await.unwrap();
        if gap.is_none() && events.is_empty() {
            return found;
        }
        found.extend(events);
    }
}

#[tokio::test]
async fn what_is_handed_in_together_is_decided_in_order_each_on_what_the_one_before_left() {
    on_all(async |Backend { store, .. }| {
        let outcomes = apply_all(&*store, [add(1, 4), add(1, 5), add(1, 4), add(1, 1), add(1, 1)]).await;
        let rejected = |why| Err(Failure::Rejected(why));
        let expected = [Ok(4), Ok(9), rejected(Rejection::TooMuch), Ok(10), rejected(Rejection::IsClosed)];
        assert_eq!(outcomes, expected);
    })
    .await;
}

#[tokio::test]
async fn a_rejection_changes_nothing_and_tells_nobody() {
    on_all(async |backend| {
        apply(&*backend.store, add(1, 4)).await.unwrap();
        let (image, counts) = (backend.store.image(), backend.common.counts());
        let outcome = apply(&*backend.store, add(1, 7)).await;
        assert_eq!(outcome, Err(Failure::Rejected(Rejection::TooMuch)));
        assert_eq!((backend.store.image(), backend.common.counts()), (image, counts));
        assert_eq!(payloads(&backend).await.len(), 1);
    })
    .await;
}

#[tokio::test]
async fn what_follows_a_commit_is_done_once_and_only_if_there_was_one() {
    on_all(async |backend| {
        let done = Arc::new(Mutex::new(Vec::new()));
        let noting = |value: u32| {
            let done = done.clone();
            Decision::followed(vec![], move |_: &Image| {
                let change = Change::Set { counter: value, value: value.into() };
                let done = done.clone();
                let note: AfterCommit = Box::new(move || done.lock().unwrap().push(value));
                Ok((Decided { change, events: vec![], output: value }, Some(note)))
            })
        };
        // 21 breaks a bound, so that the batch is run again one by one.
        let outcomes = apply_all(&*backend.store, [noting(1), noting(21), noting(2)]).await;
        assert!(outcomes[0].is_ok() && outcomes[1].is_err() && outcomes[2].is_ok(), "{outcomes:?}");
        assert_eq!(*done.lock().unwrap(), [1, 2]);
        let fenced = apply(&*backend.store, noting(3).fenced_by(Epoch(7))).await;
        assert!(fenced.is_err());
        // Nobody waits for it any longer.
        drop(apply(&*backend.store, noting(4)).now_or_never());
        apply(&*backend.store, noting(5)).await.unwrap();
        assert_eq!(*done.lock().unwrap(), [1, 2, 4, 5]);
    })
    .await;
}

#[tokio::test]
async fn what_the_tables_refuse_and_what_panics_harms_no_other() {
    on_all(async |backend| {
        let panics = Decision::new(vec![], |_: &Image| -> Result<Decided<Counters, i64>, Rejection> {
            panic!("a fault")
        });
        let works = [add(1, 1), force(2, 21), add(1, 1), panics, add(3, 5)];
        let outcomes = apply_all(&*backend.store, works).await;
        let refused = |outcome| matches!(outcome, &Err(Failure::Store(StoreFault::Refused(_))));
        assert!(refused(&outcomes[1]) && refused(&outcomes[3]), "{outcomes:?}");
        assert_eq!([&outcomes[0], &outcomes[2], &outcomes[4]], [&Ok(1), &Ok(2), &Ok(5)]);
        assert_eq!(*backend.store.image(), Image::new([(1, 2), (3, 5)], 0));
        assert_eq!(payloads(&backend).await.len(), 3, "what failed is not in the log");
    })
    .await;
}

#[tokio::test]
async fn what_was_acknowledged_is_in_the_next_fresh_image() {
    on_all(async |Backend { store, .. }| {
        apply(&*store, add(1, 4)).await.unwrap();
        assert_eq!(store.fresh().await.unwrap().open.get(&1), Some(&4));
    })
    .await;
}

#[tokio::test]
async fn what_was_evicted_is_shown_to_who_declares_it_and_to_nobody_else() {
    on_all(async |Backend { store, .. }| {
        apply(&*store, add(1, 10)).await.unwrap();
        assert_eq!(*store.image(), Image::new([], 1), "a closed counter is not in memory");
        assert_eq!(apply(&*store, look_at_closed(1, vec![Key(1)])).await, Ok(10));
        let undeclared = apply(&*store, look_at_closed(1, vec![])).await;
        assert_eq!(undeclared, Err(Failure::Rejected(Rejection::Unknown)));
    })
    .await;
}

#[tokio::test]
async fn documents_are_found_by_key_and_look_up_in_order_and_only_so_many() {
    on_all(async |Backend { store, .. }| {
        for (counter, amount) in [(300, 1), (2, 10), (1, 3), (256, 4)] {
            apply(&*store, add(counter, amount)).await.unwrap();
        }
        let all = Question::all::<Counter<Counters>>;
        let open = || Question::by_beginning::<Counter<Counters>>("open", &[]);
        let key = |counter: u32| (counter,).to_bytes();
        for (question, expected) in [
            (all(), &[1, 2, 256, 300][..]),
            (all().descending(), &[300, 256, 2, 1]),
            (all().at_most(2), &[1, 2]),
            (all().descending().below(key(300)).at_most(1), &[256]),
            (Question::one::<Counter<Counters>>(&(2,)), &[2]),
            (Question::one::<Counter<Counters>>(&(3,)), &[]),
            (open(), &[1, 256, 300]),
            (open().descending().at_most(2), &[300, 256]),
            (open().below(key(256)), &[1]),
            (Question::by::<Counter<Counters>>("open", &key(256)), &[256]),
            (Question::by::<Counter<Counters>>("open", &key(2)), &[]),
        ] {
            let found = store.ask(vec![question.clone()]).await.unwrap().concat();
            let keys = found.iter().map(|document| document.read::<Counter<Counters>>().unwrap().0.0);
            assert_eq!(keys.collect::<Vec<_>>(), expected, "{question:?}");
        }
        let both = store.ask(vec![all().at_most(1), open().at_most(1)]).await.unwrap();
        assert_eq!((both.len(), &both[0]), (2, &both[1]));
    })
    .await;
}

#[tokio::test]
async fn events_are_read_in_the_order_of_their_commits_without_a_hole() {
    on_all(async |backend| {
        for counter in 0..600 {
            apply(&*backend.store, add(counter, 1)).await.unwrap();
        }
        let expected: Vec<_> =
            (0..600).map(|counter| format!(r#"{{"counter":{counter},"value":1}}"#)).collect();
        assert_eq!(payloads(&backend).await, expected);
        assert_eq!(backend.common.log().0.head(), 600);
    })
    .await;
}

#[tokio::test]
async fn events_about_a_subject_are_found_in_all_of_a_long_log() {
    on_all(async |backend| {
        let Backend { store, common, .. } = &backend;
        let mut counters = (0..400).cycle();
        // Batches that end before, on and behind the end of a page, and some that fill several: more than are in memory.
        for size in [255, 1, 256, 257, 1, 1_000, 900, 130] {
            let adds: Vec<_> = counters.by_ref().take(size).map(|counter| add(counter, 1)).collect();
            assert!(apply_all(&**store, adds).await.iter().all(Result::is_ok));
        }
        let numbers = async |counter: u32| -> Vec<u64> {
            let wanted = Filter { channels: vec![], subject: Some(subject(counter)) };
            events(&backend, wanted).await.iter().map(|event| event.number).collect()
        };
        let expected = |counter: u32, first: u64| -> Vec<u64> {
            (u64::from(counter) + 1..=2_800).step_by(400).filter(|number| *number >= first).collect()
        };
        for counter in [0, 56, 399] {
            assert_eq!(numbers(counter).await, expected(counter, 1), "{counter}");
        }
        common.remove_events(NOW, RetentionBounds { count: 2_500, ..KEEP_ALL }, 1_000).await.unwrap();
        for counter in [0, 300, 399] {
            assert_eq!(numbers(counter).await, expected(counter, 301), "{counter}");
        }
        assert!(numbers(400).await.is_empty());
    })
    .await;
}

#[tokio::test]
async fn an_answer_is_stored_with_its_effect_and_only_with_it() {
    on_all(async |Backend { store, common, .. }| {
        let in_flight = std::sync::Arc::new(InFlight::default());
        let at = Timestamp::from_second(1_000).unwrap();
        for (key, amount) in [("kept", 4), ("rejected", 40)] {
            let request_key =
                RequestKey { key: key.to_owned(), method: "POST".to_owned(), path: "/counters".to_owned() };
            let claim = in_flight.claim(request_key.clone(), [7; 32], at).await;
            let context = IdempotencyContext::with_claim(claim);
            let answer = context.with(|value: &i64| Answer::ok(value));
            let outcome = apply(&*store, add(1, amount).record_answer(answer)).await;
            let stored = common.find(&request_key).await.unwrap();
            assert_eq!(stored.map(|stored| stored.answer), outcome.ok().map(|value| Answer::ok(&value)));
        }
        for (before, removed) in [(at, 0), (at + Duration::from_secs(1), 1)] {
            assert_eq!(common.remove_answers(NOW, before).await, Ok(removed));
        }
        let kept = RequestKey { key: "kept".into(), method: "POST".into(), path: "/counters".into() };
        assert!(common.find(&kept).await.unwrap().is_none());
    })
    .await;
}

#[tokio::test]
async fn a_write_with_an_old_epoch_is_refused_and_changes_nothing() {
    on_all(async |backend| {
        let Backend { store, common, .. } = &backend;
        assert_eq!(apply(&**store, add(1, 1).fenced_by(NOW)).await, Ok(1));
        for lease in [None, Some(Epoch(2))] {
            backend.set_lease(lease);
            let late = apply(&**store, add(1, 1).fenced_by(NOW)).await;
            let passed_on = StoreFault::passed_on(NOW);
            assert_eq!(late, Err(Failure::Store(passed_on.clone())));
            assert_eq!(common.save_relayed(NOW, 1).await, Err(passed_on.clone()));
            assert_eq!(common.remove_answers(NOW, Timestamp::MAX).await, Err(passed_on.clone()));
            assert_eq!(common.remove_events(NOW, KEEP_ALL, 9).await, Err(passed_on));
        }
        assert_eq!(*store.image(), Image::new([(1, 1)], 0));
        assert_eq!(apply(&**store, add(1, 1)).await, Ok(2), "requests are not fenced");
        assert_eq!(apply(&**store, add(1, 1).fenced_by(Epoch(2))).await, Ok(3));
        assert_eq!(common.save_relayed(Epoch(2), 1).await, Ok(()));
    })
    .await;
}

#[tokio::test]
async fn a_fenced_write_harms_no_other_of_its_batch() {
    on_all(async |backend| {
        backend.set_lease(Some(Epoch(2)));
        let outcomes = apply_all(&*backend.store, [add(1, 1), add(1, 1).fenced_by(NOW), add(1, 1)]).await;
        assert_eq!([&outcomes[0], &outcomes[2]], [&Ok(1), &Ok(2)]);
        assert_eq!(outcomes[1], Err(Failure::Store(StoreFault::passed_on(NOW))));
    })
    .await;
}

#[tokio::test]
async fn a_commit_wakes_only_those_whom_it_concerns() {
    on_all(async |Backend { store, .. }| {
        let (open, closed) = (store.commits(OPEN), store.commits(CLOSED));
        apply(&*store, add(1, 1)).await.unwrap();
        assert_eq!((open.has_changed().unwrap(), closed.has_changed().unwrap()), (true, false));
        apply(&*store, add(1, 9)).await.unwrap();
        assert!(closed.has_changed().unwrap());
    })
    .await;
}

#[tokio::test]
async fn retention_removes_the_oldest_and_keeps_the_newest_and_what_is_unsent() {
    on_all(async |Backend { store, common, .. }| {
        for counter in 0..20 {
            apply(&*store, add(counter, 1 + i64::from(counter) / 4)).await.unwrap();
        }
        let remove = async |keep, at_most| common.remove_events(NOW, keep, at_most).await.unwrap();
        assert_eq!(remove(KEEP_ALL, 1_000).await, 0);
        assert_eq!(remove(RetentionBounds { count: 16, ..KEEP_ALL }, 3).await, 3, "a few at a time");
        assert_eq!(remove(RetentionBounds { count: 16, ..KEEP_ALL }, 1_000).await, 1);
        assert_eq!(common.log().0.oldest(), 5);
        let unsent = RetentionBounds { count: 1, unsent_after: Some(6), ..KEEP_ALL };
        assert_eq!(remove(unsent, 1_000).await, 2);
        // The events of the first 2 seconds are the first 8.
        let old = RetentionBounds { since: Timestamp::from_second(3).ok(), ..KEEP_ALL };
        assert_eq!(remove(old, 1_000).await, 2);
        assert_eq!(remove(RetentionBounds { count: 0, ..KEEP_ALL }, 1_000).await, 11, "the newest stays");
        assert_eq!((common.log().0.oldest(), common.log().0.head()), (20, 20));
    })
    .await;
}

#[tokio::test]
async fn the_relays_progress_is_kept() {
    on_all(async |Backend { common, .. }| {
        assert_eq!(common.relayed().await, Ok(None));
        common.save_relayed(NOW, 7).await.unwrap();
        assert_eq!(common.relayed().await, Ok(Some(7)));
    })
    .await;
}

#[tokio::test]
async fn a_replica_knows_itself_to_be_alive() {
    on_all(async |Backend { common, .. }| {
        assert_eq!(common.replica(), REPLICA);
        assert!(common.is_alive(REPLICA));
    })
    .await;
}
