//! The in-memory store catches what would go wrong only with several replicas: each kind of fault, planted.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use starkeep_platform::decision::{Decided, Decision, Failure, StoreFault, apply};
use starkeep_platform::documents::{DocumentWrites, Documents, Kind, Question, Touched, writes};
use starkeep_platform::domain::{ChangeCodec, Domain, UnreadableChange};
use starkeep_platform::memory::Memory;
use starkeep_platform::store::Store as _;

use crate::backends::REPLICA;
use crate::counters::{
    Change, Counter, Counters, Image, Key, Rejection, Totals, add, event, look_at_closed, start, touched,
};

fn refused<T: std::fmt::Debug, R: std::fmt::Debug>(outcome: Result<T, Failure<R>>, reason: &str) {
    match outcome {
        Err(Failure::Store(StoreFault::Refused(text))) if text.contains(reason) => {}
        other => panic!("expected a refusal that says `{reason}`, got {other:?}"),
    }
}

#[tokio::test]
async fn a_decision_that_draws_an_id_is_caught() {
    let memory = Memory::<Counters>::new(REPLICA, Arc::new(|_| {}));
    let drawn = AtomicI64::new(1);
    let impure = Decision::new(vec![], move |_: &Image| {
        let id = drawn.fetch_add(1, Ordering::Relaxed);
        let events = vec![event(1, id)];
        Ok(Decided { change: Change::Set { counter: 1, value: 1 }, events, output: () })
    });
    refused(apply(&*memory, impure).await, "when it was made again");
    assert_eq!(*memory.image(), Image::default(), "and nothing of it is kept");
}

#[tokio::test]
async fn a_decision_that_reads_the_clock_is_caught() {
    let clock = Arc::new(AtomicI64::new(1));
    let moved = clock.clone();
    let memory = Memory::<Counters>::new(
        REPLICA,
        Arc::new(move |on| moved.store(if on { 2 } else { 1 }, Ordering::Relaxed)),
    );
    let impure = Decision::new(vec![], move |_: &Image| {
        let value = clock.load(Ordering::Relaxed);
        Ok(Decided { change: Change::Set { counter: 1, value }, events: vec![], output: () })
    });
    refused(apply(&*memory, impure).await, "when it was made again");
}

#[tokio::test]
async fn an_undeclared_key_is_not_seen_even_beside_one_who_declared_it() {
    let memory = Memory::<Counters>::new(REPLICA, Arc::new(|_| {}));
    apply(&*memory, add(1, 10)).await.unwrap();
    let works = [look_at_closed(1, vec![Key(1)]), look_at_closed(1, vec![])];
    let outcomes = starkeep_platform::decision::apply_all(&*memory, works).await;
    assert_eq!(outcomes, [Ok(10), Err(Failure::Rejected(Rejection::Unknown))]);
}

/// Counters with one planted fault each: which, is the parameter.
struct Faulty<const FAULT: u8>;

/// `absorb` forgets to count what was closed, unless the counter happens to be in memory.
const DEPENDS_ON_MEMORY: u8 = 0;
/// The serialised form forgets the value.
const CODEC_FORGETS: u8 = 1;
/// A change touches a document and does not say so.
const TOUCHED_FORGETS: u8 = 2;

impl<const FAULT: u8> Domain for Faulty<FAULT> {
    type Key = Key;
    type Image = Image;
    type Change = Change;
    type Rejection = Rejection;

    fn absorb(image: &mut Image, change: &Change) {
        let Change::Closed { counter, .. } = *change else { return Counters::absorb(image, change) };
        let before = image.closed;
        let was_loaded = image.closed_counter(counter).is_some();
        Counters::absorb(image, change);
        if FAULT == DEPENDS_ON_MEMORY && was_loaded {
            image.closed = before;
        }
    }

    fn evict(image: &mut Image) {
        Counters::evict(image);
    }

    fn documents(before: &Image, after: &Image, changes: &[Change]) -> Result<DocumentWrites, String> {
        writes::<Self>(before, after, changes)
    }
}

impl<const FAULT: u8> ChangeCodec for Faulty<FAULT> {
    fn encode(change: &Change) -> Vec<u8> {
        match *change {
            Change::Set { counter, .. } if FAULT == CODEC_FORGETS => {
                Counters::encode(&Change::Set { counter, value: 0 })
            }
            _ => Counters::encode(change),
        }
    }

    fn decode(bytes: &[u8]) -> Result<Change, UnreadableChange> {
        Counters::decode(bytes)
    }
}

impl<const FAULT: u8> Documents for Faulty<FAULT> {
    const KINDS: &'static [Kind<Self>] = &[Kind::of::<Counter<Self>>(), Kind::of::<Totals<Self>>()];

    fn touched(change: &Change, all: &mut Touched<Self>) {
        match *change {
            Change::Closed { counter, .. } if FAULT == TOUCHED_FORGETS => {
                all.one::<Counter<Self>>(&(counter,));
            }
            _ => touched(change, all),
        }
    }

    fn start(_: &Image, step: u32) -> Vec<Question> {
        start::<Self>(step)
    }

    fn lacks(image: &Image, key: &Key) -> bool {
        Counters::lacks(image, key)
    }

    fn wanted(key: &Key) -> Vec<Question> {
        vec![Question::one::<Counter<Self>>(&(key.0,))]
    }
}

fn set<const FAULT: u8>(change: Change, keys: Vec<Key>) -> Decision<Faulty<FAULT>, ()> {
    Decision::new(keys, move |_: &Image| Ok(Decided { change: change.clone(), events: vec![], output: () }))
}

#[tokio::test]
async fn a_codec_that_forgets_a_field_is_caught() {
    let memory = Memory::<Faulty<CODEC_FORGETS>>::new(REPLICA, Arc::new(|_| {}));
    let change = Change::Set { counter: 1, value: 3 };
    refused(apply(&*memory, set(change, vec![])).await, "follows the changes differs");
}

#[tokio::test]
async fn an_absorb_that_depends_on_what_is_in_memory_is_caught() {
    let memory = Memory::<Faulty<DEPENDS_ON_MEMORY>>::new(REPLICA, Arc::new(|_| {}));
    let closed = Change::Closed { counter: 1, value: 10 };
    apply(&*memory, set(closed.clone(), vec![])).await.unwrap();
    refused(apply(&*memory, set(closed, vec![Key(1)])).await, "follows the changes differs");
}

#[tokio::test]
async fn a_document_that_is_forgotten_is_caught() {
    let memory = Memory::<Faulty<TOUCHED_FORGETS>>::new(REPLICA, Arc::new(|_| {}));
    apply(&*memory, set(Change::Closed { counter: 1, value: 10 }, vec![])).await.unwrap();
    let found = memory.verify().unwrap_err().to_string();
    assert!(found.contains("the loaded image differs"), "{found}");
}
