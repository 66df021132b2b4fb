//! What the log guarantees its readers: nothing missing, doubled or out of order, a gap reported where one may be,
//! whatever the reader's pace, wherever it was cut, and whatever retention has removed.
#![allow(clippy::unwrap_used, reason = "what fails here fails the test")]

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use futures::FutureExt;
use futures::future::BoxFuture;
use jiff::Timestamp;
use proptest::prelude::*;
use starkeep_contract::events::{About, Channel, GapReason, NewEvent};
use starkeep_platform::events::{Audience, Batch, CommittedEvent, Filter, From, Log, Pages, Reader};
use uuid::Uuid;

const EPOCH: u64 = 7;

/// The database behind the log: every event that was ever committed, and how many another replica has removed.
#[derive(Default)]
struct Table {
    events: Mutex<Vec<NewEvent>>,
    removed: AtomicU64,
}

impl Pages for Table {
    fn read(&self, first: u64, last: u64) -> BoxFuture<'_, Result<Vec<CommittedEvent>, String>> {
        let events = self.events.lock().unwrap();
        let last = last.min(events.len() as u64);
        let rows = (first.max(self.first())..=last)
            .map(|number| CommittedEvent::new(number, event_at(&events, number)))
            .collect();
        async move { Ok(rows) }.boxed()
    }

    fn read_about(
        &self,
        subject: Uuid,
        after: u64,
        most: u32,
    ) -> BoxFuture<'_, Result<Vec<CommittedEvent>, String>> {
        let events = self.events.lock().unwrap();
        let numbered = (1..).zip(events.iter()).filter(|(number, _)| *number >= self.first());
        // The index has the full pages only.
        let indexed = after + 1..=Log::last_of_full_pages(events.len() as u64);
        let wanted =
            numbered.filter(|(number, event)| indexed.contains(number) && event.about.subject == subject);
        let rows =
            wanted.take(most as usize).map(|(number, event)| CommittedEvent::new(number, event.clone()));
        let rows = rows.collect();
        async move { Ok(rows) }.boxed()
    }

    fn oldest(&self) -> BoxFuture<'_, Result<Option<u64>, String>> {
        async { Ok(Some(self.first())) }.boxed()
    }
}

impl Table {
    fn first(&self) -> u64 {
        self.removed.load(Ordering::Relaxed) + 1
    }
}

fn event_at(events: &[NewEvent], number: u64) -> NewEvent {
    events[usize::try_from(number - 1).unwrap()].clone()
}

/// Games take turns, for shorter and longer than a page.
fn subject_of(number: u64) -> Uuid {
    Uuid::from_u128(u128::from(if number % 1000 < 700 { number % 3 } else { 3 }))
}

fn event(number: u64) -> NewEvent {
    let channel = if number.is_multiple_of(3) { Channel::Status } else { Channel::RoundStatus };
    NewEvent {
        payload: number.to_string(),
        ..NewEvent::new(
            channel,
            Uuid::from_u128(u128::from(number) << 96 | 0xabc),
            About::subject(subject_of(number)),
            None,
            Timestamp::UNIX_EPOCH,
            &(),
        )
    }
}

/// A log with its table, as a store has them.
struct Store {
    log: Arc<Log>,
    table: Arc<Table>,
}

impl Store {
    fn new() -> Self {
        Self { log: Arc::new(Log::open(EPOCH, 1, 0, Vec::new())), table: Arc::default() }
    }

    fn append(&self, count: u64) {
        let head = self.log.head();
        let events: Vec<_> = (head + 1..=head + count).map(event).collect();
        self.table.events.lock().unwrap().extend(events.clone());
        self.log.append(events);
    }

    /// A new process on the same table.
    fn restart(&mut self) {
        let (oldest, head) = (self.log.oldest(), self.log.head());
        let first = Log::first_of_newest_page(head);
        let newest = self.table.read(first, head).now_or_never().unwrap().unwrap();
        self.log = Arc::new(Log::open(EPOCH, oldest, head, newest));
    }

    fn reader(&self, from: &From) -> Reader {
        self.reader_of(from, Filter::default())
    }

    fn reader_of(&self, from: &From, filter: Filter) -> Reader {
        let reader = Reader::new(self.log.clone(), self.table.clone(), from, filter);
        reader.now_or_never().unwrap().unwrap()
    }
}

/// Reads to the end of the log: the numbers, and the gaps with the number that each resumes after.
fn drain(reader: &mut Reader) -> (Vec<u64>, Vec<(GapReason, String)>) {
    let (mut numbers, mut gaps) = (Vec::new(), Vec::new());
    loop {
        let Batch { gap, events } = reader.take().now_or_never().unwrap().unwrap();
        if gap.is_none() && events.is_empty() {
            return (numbers, gaps);
        }
        gaps.extend(gap.map(|gap| (gap.reason, gap.resumes_after)));
        numbers.extend(events.iter().map(|event| event.number));
    }
}

fn position(reader: &Reader) -> String {
    reader.position().now_or_never().unwrap().unwrap().to_string()
}

#[test]
fn a_stream_begins_now_a_page_at_the_oldest_and_both_go_on_with_what_comes() {
    let store = Store::new();
    store.append(5);
    let (mut start, mut end) = (store.reader(&From::Start), store.reader(&From::End));
    assert_eq!(drain(&mut start), (vec![1, 2, 3, 4, 5], vec![]));
    assert_eq!(drain(&mut end), (vec![], vec![]));
    store.append(2);
    assert_eq!(drain(&mut start), (vec![6, 7], vec![]));
    assert_eq!(drain(&mut end), (vec![6, 7], vec![]));
}

#[test]
fn a_position_that_is_of_no_use_is_told_as_a_gap_and_then_comes_all_that_is_kept() {
    let store = Store::new();
    store.append(1000);
    store.log.begins_with(301);
    let kept: Vec<u64> = (301..=1000).collect();
    let after_300 = "0000000000000007-300-00000000".to_owned();
    let piece = |number: u64| format!("{number:08x}");
    let cases = [
        ("nonsense".to_owned(), GapReason::Unreadable),
        (String::new(), GapReason::Unreadable),
        (format!("0000000000000008-500-{}", piece(500)), GapReason::Epoch),
        // The number is known, the event is another: a log that was restored and went another way.
        (format!("0000000000000007-500-{}", piece(501)), GapReason::Epoch),
        (format!("0000000000000007-1001-{}", piece(1001)), GapReason::Ahead),
        (format!("0000000000000007-299-{}", piece(299)), GapReason::Expired),
        ("0000000000000007-0-00000000".to_owned(), GapReason::Expired),
    ];
    for (seen, reason) in cases {
        let (numbers, gaps) = drain(&mut store.reader(&From::After(seen.clone())));
        assert_eq!(gaps, vec![(reason, after_300.clone())], "{seen}");
        assert_eq!(numbers, kept, "{seen}");
    }
    for seen in [300, 301, 640, 1000] {
        let text = format!("0000000000000007-{seen}-{}", piece(seen));
        let (numbers, gaps) = drain(&mut store.reader(&From::After(text)));
        assert_eq!((numbers, gaps), ((seen + 1..=1000).collect(), vec![]), "{seen}");
    }
}

#[test]
fn a_reader_that_retention_overtakes_is_told_so_and_goes_on() {
    let store = Store::new();
    store.append(600);
    let mut reader = store.reader(&From::Start);
    let first = reader.take().now_or_never().unwrap().unwrap();
    assert_eq!(first.events.last().unwrap().number, 256);
    store.log.begins_with(401);
    let (numbers, gaps) = drain(&mut reader);
    assert_eq!(gaps, vec![(GapReason::Expired, "0000000000000007-400-00000000".to_owned())]);
    assert_eq!(numbers, (401..=600).collect::<Vec<_>>());
}

#[test]
fn a_reader_of_one_game_is_told_what_another_replica_has_removed() {
    let mut store = Store::new();
    store.append(2_000);
    store.restart();
    store.table.removed.store(400, Ordering::Relaxed);
    let game = Filter { subject: Some(subject_of(1)), ..Filter::default() };
    let (numbers, gaps) = drain(&mut store.reader_of(&From::Start, game));
    assert_eq!(gaps, vec![(GapReason::Expired, "0000000000000007-400-00000000".to_owned())]);
    assert_eq!(
        numbers,
        (401..=2_000).filter(|number| subject_of(*number) == subject_of(1)).collect::<Vec<_>>()
    );
}

#[test]
fn only_the_wanted_channels_come_and_the_position_moves_on_all_the_same() {
    let store = Store::new();
    store.append(1000);
    let mut reader = store.reader_of(&From::Start, Filter { channels: vec![Channel::Status], subject: None });
    assert_eq!(drain(&mut reader).0, (1..=1000).filter(|number| number % 3 == 0).collect::<Vec<_>>());
    assert!(position(&reader).starts_with("0000000000000007-1000-"));
}

#[test]
fn an_event_is_rendered_once_however_many_read_it() {
    let store = Store::new();
    store.append(3);
    let frames = || {
        let batch = store.reader(&From::Start).take().now_or_never().unwrap().unwrap();
        batch.events.iter().map(|event| event.frame(EPOCH, Audience::Public)).collect::<Vec<_>>()
    };
    let (one, other) = (frames(), frames());
    for (one, other) in one.iter().zip(&other) {
        assert_eq!(one.as_ptr(), other.as_ptr(), "the same bytes, not equal ones");
    }
}

#[derive(Clone, Debug)]
enum Step {
    Append(u64),
    Read,
    /// The connection breaks and the reader comes back with what it saw last.
    Cut,
    Restart,
    Expire(u64),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        4 => (1..700_u64).prop_map(Step::Append),
        4 => Just(Step::Read),
        3 => Just(Step::Cut),
        1 => Just(Step::Restart),
        1 => (1..400_u64).prop_map(Step::Expire),
    ];
    proptest::collection::vec(step, 1..60)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// Over any history a reader's concatenation is the log, or that of its events about one game, but for reported gaps.
    #[test]
    fn the_concatenation_is_the_log(steps in steps(), game in proptest::option::of(0..5_u128)) {
        let mut store = Store::new();
        let filter = Filter { channels: Vec::new(), subject: game.map(Uuid::from_u128) };
        let is_wanted = |number: &u64| filter.subject.is_none_or(|subject| subject_of(*number) == subject);
        let mut reader = store.reader_of(&From::Start, filter.clone());
        let mut seen = 0;
        // What the client was given last: it knows nothing of what the server read for it.
        let mut named = position(&reader);
        let read = |reader: &mut Reader, seen: &mut u64, named: &mut String, all: bool| loop {
            let Batch { gap, events } = reader.take().now_or_never().unwrap().unwrap();
            let nothing = gap.is_none() && events.is_empty();
            if let Some(gap) = gap {
                assert_eq!(gap.reason, GapReason::Expired);
                let resumes: u64 = gap.resumes_after.split('-').nth(1).unwrap().parse().unwrap();
                assert!(resumes > *seen, "a gap leads on");
                *seen = resumes;
                *named = gap.resumes_after;
            }
            for event in events {
                assert_eq!((*seen + 1..=event.number).find(is_wanted), Some(event.number));
                assert_eq!(&*event.payload, event.number.to_string());
                *seen = event.number;
                *named = event.position(EPOCH).to_string();
            }
            if nothing || !all {
                break;
            }
        };
        for step in steps {
            match step {
                Step::Append(count) => store.append(count),
                Step::Read => read(&mut reader, &mut seen, &mut named, false),
                Step::Cut => reader = store.reader_of(&From::After(named.clone()), filter.clone()),
                Step::Restart => {
                    store.restart();
                    reader = store.reader_of(&From::After(named.clone()), filter.clone());
                }
                Step::Expire(count) => {
                    let oldest = (store.log.oldest() + count).min(store.log.head().max(1));
                    store.log.begins_with(oldest);
                }
            }
        }
        read(&mut reader, &mut seen, &mut named, true);
        let next = (seen.max(store.log.oldest() - 1) + 1..=store.log.head()).find(is_wanted);
        prop_assert_eq!(next, None, "everything was read");
    }
}
