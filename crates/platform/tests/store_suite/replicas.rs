//! Several replicas of one store, each with its own image: what one has acknowledged every other one shows and decides on.

use std::sync::Arc;

use jiff::Timestamp;
use proptest::prelude::*;
use starkeep_platform::answer::Answer;
use starkeep_platform::change_log;
use starkeep_platform::decision::{Failure, StoreFault, apply};
use starkeep_platform::events::{Filter, From, Reader};
use starkeep_platform::idempotency::{AnswerRecorder, IdempotencyContext, InFlight, RequestKey};
use starkeep_platform::lease::Epoch;
use starkeep_platform::memory::Memory;
use starkeep_platform::replica::ReplicaId;
use starkeep_platform::store::{CommonStore, Store};
use uuid::Uuid;

use crate::backends::{Backend, REPLICA, postgres_replica};
use crate::counters::{Change, Counters, Image, Rejection, add};

fn replicas(count: u128) -> Vec<Arc<Memory<Counters>>> {
    let first = Memory::<Counters>::new(REPLICA, Arc::new(|_| {}));
    let others =
        (1..count).map(|number| first.another(ReplicaId(Uuid::from_u128(number)))).collect::<Vec<_>>();
    std::iter::once(first).chain(others).collect()
}

/// The payloads of all events, in the order of their numbers.
async fn events(replica: &dyn CommonStore) -> Vec<(u64, String)> {
    let (log, pages) = replica.log();
    let mut reader = Reader::new(log, pages, &From::Start, Filter::default()).await.unwrap();
    let mut found = Vec::new();
    loop {
        let events = reader.take().await.unwrap().events;
        if events.is_empty() {
            return found;
        }
        found.extend(events.iter().map(|event| (event.number, event.payload.to_string())));
    }
}

#[tokio::test]
async fn a_replica_that_lags_decides_on_what_the_others_have_committed() {
    let replicas = replicas(2);
    replicas[1].lag();
    apply(&*replicas[0], add(1, 6)).await.unwrap();
    assert_eq!(replicas[1].image().open.get(&1), None, "it lags");
    assert_eq!(apply(&*replicas[1], add(1, 6)).await, Err(Failure::Rejected(Rejection::TooMuch)));
    assert_eq!(apply(&*replicas[1], add(1, 4)).await, Ok(10));
    // The first one follows by itself.
    assert_eq!((replicas[0].image().open.get(&1), replicas[0].image().closed), (None, 1));
    assert_eq!(apply(&*replicas[0], add(1, 1)).await, Err(Failure::Rejected(Rejection::IsClosed)));
}

#[tokio::test]
async fn a_replica_that_lags_is_fresh_when_it_is_asked_to_be() {
    let replicas = replicas(2);
    replicas[1].lag();
    apply(&*replicas[0], add(1, 6)).await.unwrap();
    assert_eq!(replicas[1].fresh().await.unwrap().open.get(&1), Some(&6));
    assert_eq!(events(&*replicas[1]).await, events(&*replicas[0]).await);
}

#[tokio::test]
async fn a_write_of_an_epoch_that_has_passed_on_is_refused_by_every_replica() {
    let replicas = replicas(2);
    replicas[0].take_lease_away();
    replicas[1].give_lease(Epoch(2));
    assert!(apply(&*replicas[0], add(1, 1).fenced_by(Epoch(1))).await.is_err());
    assert!(apply(&*replicas[1], add(1, 1).fenced_by(Epoch(1))).await.is_err());
    assert_eq!(apply(&*replicas[1], add(1, 1).fenced_by(Epoch(2))).await, Ok(1));
}

/// A request of its own, with the same idempotency key as the others.
async fn keyed() -> AnswerRecorder<i64> {
    let key = RequestKey { key: "k".to_owned(), method: "POST".to_owned(), path: "/counters".to_owned() };
    let claim = Arc::new(InFlight::default()).claim(key, [7; 32], Timestamp::UNIX_EPOCH).await;
    IdempotencyContext::with_claim(claim).with(|value: &i64| Answer::ok(value))
}

async fn assert_decided_once(first: &dyn Store<Counters>, second: &dyn Store<Counters>) {
    assert_eq!(apply(first, add(1, 3).record_answer(keyed().await)).await, Ok(3));
    for replica in [second, first] {
        let again = apply(replica, add(1, 3).record_answer(keyed().await)).await;
        assert_eq!(again, Err(Failure::AnsweredElsewhere));
        assert_eq!(replica.fresh().await.unwrap().open.get(&1), Some(&3));
    }
}

#[tokio::test]
async fn a_request_that_another_replica_has_answered_is_not_decided_again() {
    let in_memory = replicas(2);
    assert_decided_once(&*in_memory[0], &*in_memory[1]).await;
    let on_postgres = on_postgres().await;
    assert_decided_once(&*on_postgres[0].store, &*on_postgres[1].store).await;
}

proptest! {
    #[test]
    fn any_replica_answers_as_one_store_would_and_all_logs_are_the_same(
        steps in prop::collection::vec((0_usize..3, 0_u32..4, 1_i64..6, any::<bool>()), 1..60),
        lagging in prop::collection::vec(any::<bool>(), 3),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(async {
            let (replicas, alone) = (replicas(3), replicas(1));
            for (replica, lags) in replicas.iter().zip(lagging) {
                if lags {
                    replica.lag();
                }
            }
            for (number, counter, amount, is_read) in steps {
                if is_read {
                    assert_eq!(replicas[number].fresh().await.unwrap(), alone[0].fresh().await.unwrap());
                } else {
                    let expected = apply(&*alone[0], add(counter, amount)).await;
                    assert_eq!(apply(&*replicas[number], add(counter, amount)).await, expected);
                }
            }
            let expected = events(&*alone[0]).await;
            for replica in &replicas {
                replica.follow().unwrap();
                assert_eq!(replica.image(), alone[0].image());
                assert_eq!(events(&**replica).await, expected);
                replica.verify().unwrap();
            }
        });
    }
}

/// Three replicas on one schema of a real server.
async fn on_postgres() -> Vec<Backend> {
    let schema = starkeep_test_postgres::unique_schema("replicas");
    let mut replicas = Vec::new();
    for number in 1..=3 {
        replicas.push(postgres_replica(&schema, ReplicaId(Uuid::from_u128(number))).await);
    }
    replicas
}

#[tokio::test(flavor = "multi_thread")]
async fn on_postgresql_any_replica_answers_as_one_store_would() {
    let (replicas, alone) = (on_postgres().await, replicas(1));
    for step in 0_u32..120 {
        let (writer, reader) = (&replicas[step as usize % 3], &replicas[(step as usize * 7 + 1) % 3]);
        let (counter, amount) = (step * 5 % 11, i64::from(step % 4) + 1);
        let expected = apply(&*alone[0], add(counter, amount)).await;
        assert_eq!(apply(&*writer.store, add(counter, amount)).await, expected, "{step}");
        assert_eq!(*reader.store.fresh().await.unwrap(), *alone[0].image(), "{step}");
    }
    let expected = events(&*alone[0]).await;
    for replica in &replicas {
        assert_eq!(*replica.store.fresh().await.unwrap(), *alone[0].image());
        assert_eq!(events(&*replica.common).await, expected);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn on_postgresql_replicas_that_write_at_the_same_time_leave_one_log_without_a_hole() {
    const EACH: u32 = 100;
    let replicas = on_postgres().await;
    let writing = (1..).zip(&replicas).map(|(amount, replica)| {
        let store = replica.store.clone();
        tokio::spawn(async move {
            for counter in 0..EACH {
                apply(&*store, add(counter, amount)).await.unwrap();
            }
        })
    });
    for writer in writing.collect::<Vec<_>>() {
        writer.await.unwrap();
    }
    let expected = Image::new((0..EACH).map(|counter| (counter, 6)), 0);
    let log = {
        replicas[0].store.fresh().await.unwrap();
        events(&*replicas[0].common).await
    };
    assert_eq!(log.iter().map(|(number, _)| *number).collect::<Vec<_>>(), (1..=300).collect::<Vec<_>>());
    for replica in &replicas {
        assert_eq!(*replica.store.fresh().await.unwrap(), expected);
        assert_eq!(events(&*replica.common).await, log);
    }
}

/// The replica knows of nobody else: it decides before it has the lock, and must notice.
#[tokio::test(flavor = "multi_thread")]
async fn on_postgresql_a_replica_that_takes_itself_for_alone_notices_what_another_has_committed() {
    let schema = starkeep_test_postgres::unique_schema("alone");
    let replica = postgres_replica(&schema, REPLICA).await;
    let (store, server) = (&*replica.store, starkeep_test_postgres::shared());
    for value in 1..=3 {
        assert_eq!(apply(store, add(1, 1)).await, Ok(value));
    }
    let change = change_log::encode::<Counters>(&[Change::Set { counter: 1, value: 7 }]);
    server.psql(&format!(
        "UPDATE {schema}.document SET body = '{{\"value\":7,\"closed\":false}}';
         INSERT INTO {schema}.event_log (position, event_id, channel, subject, about, at_millis, payload)
             SELECT 4, gen_random_uuid(), channel, subject, about, at_millis, 'of another' FROM {schema}.event_log WHERE position = 3;
         INSERT INTO {schema}.change_log (number, batch, writer, changes, last_event)
             SELECT max(number) + 1, gen_random_uuid(), gen_random_uuid(), '{change}', 4 FROM {schema}.change_log"
    ));
    assert_eq!(apply(store, add(1, 1)).await, Ok(8));
    let log = events(&*replica.common).await;
    assert_eq!(log.iter().map(|(number, _)| *number).collect::<Vec<_>>(), [1, 2, 3, 4, 5]);
    assert_eq!(log[3].1, "of another");
}

/// The server that took over did not have the last commit, and another replica has used its number.
#[tokio::test(flavor = "multi_thread")]
async fn on_postgresql_a_replica_whose_last_batch_was_lost_loads_anew() {
    let schema = starkeep_test_postgres::unique_schema("lost");
    let replica = postgres_replica(&schema, REPLICA).await;
    for value in 1..=3 {
        assert_eq!(apply(&*replica.store, add(1, 1)).await, Ok(value));
    }
    starkeep_test_postgres::shared().psql(&format!(
        "UPDATE {schema}.document SET body = '{{\"value\":6,\"closed\":false}}';
         UPDATE {schema}.change_log SET batch = gen_random_uuid() WHERE number = (SELECT max(number) FROM {schema}.change_log)"
    ));
    // Turned away until it has loaded; never decided on what was lost.
    let outcome = loop {
        match apply(&*replica.store, add(1, 1)).await {
            Err(Failure::Store(StoreFault::Unavailable(_))) => tokio::task::yield_now().await,
            outcome => break outcome,
        }
    };
    assert_eq!(outcome, Ok(7));
}

#[tokio::test(flavor = "multi_thread")]
async fn on_postgresql_the_truth_is_told_wherever_a_connection_is_cut() {
    let schema = starkeep_test_postgres::unique_schema("cut");
    let replica = postgres_replica(&schema, REPLICA).await;
    let cutting = {
        let cut = format!(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = '{schema}'"
        );
        let (stop, is_stopped) = std::sync::mpsc::channel::<()>();
        let cutter = std::thread::spawn(move || {
            let mut cuts = 0;
            while is_stopped.try_recv() == Err(std::sync::mpsc::TryRecvError::Empty) {
                starkeep_test_postgres::shared().psql(&cut);
                cuts += 1;
            }
            cuts
        });
        (stop, cutter)
    };
    let (mut made, mut undone, mut unknown) = (Vec::new(), Vec::new(), Vec::new());
    for counter in 0..600 {
        match apply(&*replica.store, add(counter, 1)).await {
            Ok(_) => made.push(counter),
            Err(Failure::Store(StoreFault::Unavailable(_))) => undone.push(counter),
            Err(Failure::Store(StoreFault::Unknown(_))) => unknown.push(counter),
            other => panic!("{other:?}"),
        }
    }
    drop(cutting.0);
    let cuts = cutting.1.join().unwrap();
    assert!(cuts > 3 && !made.is_empty() && !undone.is_empty(), "{cuts} cuts, {} made", made.len());
    // A replica that begins now has what is in the database, and the one that was cut off has the same.
    let another = postgres_replica(&schema, ReplicaId(Uuid::from_u128(9))).await;
    let image = another.store.image();
    assert!(made.iter().all(|counter| image.open.get(counter) == Some(&1)), "acknowledged and lost");
    assert!(undone.iter().all(|counter| !image.open.contains_key(counter)), "called undone and made");
    let followed = async {
        loop {
            match replica.store.fresh().await {
                Ok(fresh) => break fresh,
                Err(_) => tokio::task::yield_now().await,
            }
        }
    };
    assert_eq!(followed.await, image);
    let log = events(&*replica.common).await;
    assert_eq!(log, events(&*another.common).await);
    assert!((1..).zip(&log).all(|(expected, (number, _))| *number == expected), "a hole in the log");
    assert_eq!(log.len(), image.open.len());
}
