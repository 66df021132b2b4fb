//! A batch that a dead process was sending may have arrived, whatever the next process learns when it sends it again.
//! Only an answer that it was carried out says more than `unknown`.

use std::time::Duration;

use starkeep_game_service::ports::BatchFault;
use starkeep_platform::tasks::{Leader, Stop};
use uuid::Uuid;

use crate::fake_executor::Reaction;
use crate::harness::Setup;
use crate::playing::Match;
use crate::resending::{not_now, not_reached, unclear, with_built_in};

/// A mining whose sender died before the answer came, and the process after that.
async fn left_behind(pace: Option<&str>) -> (Match, Uuid) {
    let mut it = with_built_in(Setup::default()).await;
    if let Some(pace) = pace {
        it.bench.set_pace(it.game, pace).await.is(200);
    }
    it.bench.robots.then(Reaction::Hang);
    let id = it.mine().await;
    let mut sending = Box::pin(it.bench.dispatch());
    it.settle(&mut sending).await;
    drop(sending);
    it.bench.restart().await;
    assert_eq!(it.states(&[id]).await, ["pending"]);
    (it, id)
}

#[tokio::test]
async fn it_is_unknown_if_it_is_refused_or_does_not_arrive_again() {
    let refused = || Reaction::Fail(BatchFault::TurnedDown("409".into()));
    for reaction in [not_reached as fn() -> Reaction, not_now, refused] {
        for pace in [None, Some("turbo")] {
            let (it, id) = left_behind(pace).await;
            for _ in 0..40 {
                it.bench.robots.then(reaction());
            }
            it.execute().await;
            assert_eq!((it.states(&[id]).await, pace), (vec!["unknown".to_owned()], pace));
            assert!(it.bench.robots.attempts().len() > 1, "it was sent again");
            it.bench.compare_replica().await;
        }
    }
}

#[tokio::test]
async fn it_is_unknown_if_no_time_is_left_to_send_it_again() {
    let (it, id) = left_behind(None).await;
    it.bench.writer.hold();
    let mut sending = Box::pin(it.bench.dispatch());
    assert!(futures::poll!(&mut sending).is_pending());
    it.bench.writer.is_held().await;
    it.bench.clock.advance(Duration::from_millis(960));
    it.bench.writer.release();
    sending.await;
    assert_eq!((it.states(&[id]).await, it.bench.robots.attempts().len()), (vec!["unknown".to_owned()], 1));
}

#[tokio::test]
async fn it_is_sent_as_it_was_before_also_if_its_executor_cannot_say_what_it_is() {
    let (it, id) = left_behind(None).await;
    it.bench.robots.set_health(Err("refused".to_owned()));
    it.bench.robots.then(unclear());
    it.execute().await;
    assert_eq!(it.states(&[id]).await, ["dispatched"]);
    assert_eq!(it.bench.robots.attempts().len(), 3, "the second one was lost");
}

#[tokio::test]
async fn it_is_unknown_as_soon_as_the_host_ends_the_game_before_it_is_sent_again() {
    for is_ended_first in [true, false] {
        let (it, id) = left_behind(None).await;
        // Too little for a batch.
        it.bench.advance_alone(960).await;
        if is_ended_first {
            it.bench.end(it.game).await.is(201);
        }
        let stop = Stop::new();
        let leader = Leader::always(it.bench.clock.clone(), stop.clone());
        it.bench.service().dispatcher(stop.clone()).start(&leader);
        for _ in 0..32 {
            it.ping().await;
            tokio::task::yield_now().await;
        }
        if !is_ended_first {
            assert_eq!(it.states(&[id]).await, ["pending"]);
            it.bench.end(it.game).await.is(201);
        }
        for _ in 0..1_000 {
            if it.states(&[id]).await != ["pending"] {
                break;
            }
            tokio::task::yield_now().await;
        }
        assert_eq!((it.states(&[id]).await, is_ended_first), (vec!["unknown".to_owned()], is_ended_first));
        assert_eq!(it.bench.robots.attempts().len(), 1, "it was not sent again");
        it.bench.compare_replica().await;
        stop.cancel();
        leader.finished().await;
    }
}
