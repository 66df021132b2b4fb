//! The domain that the suite keeps: counters that are added to, and closed when they reach ten. Closed ones are evicted.

use std::marker::PhantomData;

use imbl::OrdMap;
use serde::{Deserialize, Serialize};
use starkeep_contract::events::{About, Channel, NewEvent};
use starkeep_platform::decision::{Decided, Decision};
use starkeep_platform::documents::{
    DocumentKey, DocumentWrites, Documents, Entity, Kind, Lookup, Question, Touched, writes,
};
use starkeep_platform::domain::{ChangeCodec, Domain, Interest, UnreadableChange};
use uuid::Uuid;

pub(crate) const OPEN: Interest = Interest::bit(0);
pub(crate) const CLOSED: Interest = Interest::bit(1);

/// The documents know a limit of their own, past the rule's.
const BOUND: i64 = 20;

pub(crate) enum Counters {}

/// A counter that may have been evicted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Key(pub(crate) u32);

#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Image {
    pub(crate) open: OrdMap<u32, i64>,
    /// How many are closed; not which.
    pub(crate) closed: u64,
    loaded: OrdMap<u32, i64>,
}

impl Image {
    pub(crate) fn new(open: impl IntoIterator<Item = (u32, i64)>, closed: u64) -> Self {
        Self { open: open.into_iter().collect(), closed, loaded: OrdMap::new() }
    }

    pub(crate) fn load_for_batch(&mut self, counter: u32, value: i64) {
        if !self.open.contains_key(&counter) {
            self.loaded.insert(counter, value);
        }
    }

    pub(crate) fn closed_counter(&self, counter: u32) -> Option<i64> {
        self.loaded.get(&counter).copied()
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) enum Change {
    Set { counter: u32, value: i64 },
    Closed { counter: u32, value: i64 },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rejection {
    TooMuch,
    IsClosed,
    Unknown,
}

impl Domain for Counters {
    type Key = Key;
    type Image = Image;
    type Change = Change;
    type Rejection = Rejection;

    fn absorb(image: &mut Image, change: &Change) {
        match *change {
            Change::Set { counter, value } => {
                image.open.insert(counter, value);
            }
            Change::Closed { counter, value } => {
                image.open.remove(&counter);
                image.loaded.insert(counter, value);
                image.closed += 1;
            }
        }
    }

    fn concerns(change: &Change) -> Interest {
        match change {
            Change::Set { .. } => OPEN,
            Change::Closed { .. } => OPEN.or(CLOSED),
        }
    }

    fn evict(image: &mut Image) {
        image.loaded = OrdMap::new();
    }

    fn documents(before: &Image, after: &Image, changes: &[Change]) -> Result<DocumentWrites, String> {
        writes::<Self>(before, after, changes)
    }
}

/// Each counter is a document. Those that are open are found by a look-up.
pub(crate) struct Counter<D>(PhantomData<D>);

#[derive(Serialize, Deserialize)]
pub(crate) struct CounterForm {
    value: i64,
    closed: bool,
}

impl<D: Domain<Image = Image>> Entity for Counter<D> {
    type Of = D;
    const NAME: &'static str = "counter";
    const LOOKUPS: &'static [&'static str] = &["open"];
    type Key = (u32,);
    type Form = CounterForm;

    fn form(image: &Image, (counter,): &(u32,)) -> Option<CounterForm> {
        let open = image.open.get(counter).map(|value| CounterForm { value: *value, closed: false });
        open.or_else(|| Some(CounterForm { value: image.closed_counter(*counter)?, closed: true }))
    }

    fn put(
        image: &mut Image,
        (counter,): (u32,),
        CounterForm { value, closed }: CounterForm,
    ) -> Result<(), String> {
        if closed {
            image.load_for_batch(counter, value);
        } else {
            image.open.insert(counter, value);
        }
        Ok(())
    }

    fn check(_: &(u32,), form: &CounterForm) -> Result<(), String> {
        if form.value > BOUND { Err(format!("{} is more than {BOUND}", form.value)) } else { Ok(()) }
    }

    fn lookups(key: &(u32,), form: &CounterForm) -> Vec<Lookup> {
        if form.closed { Vec::new() } else { vec![Lookup { name: "open", value: key.to_bytes() }] }
    }
}

/// How many are closed.
pub(crate) struct Totals<D>(PhantomData<D>);

impl<D: Domain<Image = Image>> Entity for Totals<D> {
    type Of = D;
    const NAME: &'static str = "totals";
    type Key = ();
    type Form = u64;

    fn form(image: &Image, (): &()) -> Option<u64> {
        Some(image.closed)
    }

    fn put(image: &mut Image, (): (), closed: u64) -> Result<(), String> {
        image.closed = closed;
        Ok(())
    }
}

pub(crate) fn touched<D: Domain<Image = Image>>(change: &Change, touched: &mut Touched<D>) {
    match *change {
        Change::Set { counter, .. } => touched.one::<Counter<D>>(&(counter,)),
        Change::Closed { counter, .. } => {
            touched.one::<Counter<D>>(&(counter,));
            touched.one::<Totals<D>>(&());
        }
    }
}

pub(crate) fn start<D: Domain<Image = Image>>(step: u32) -> Vec<Question> {
    match step {
        0 => vec![Question::by_beginning::<Counter<D>>("open", &[]), Question::all::<Totals<D>>()],
        _ => Vec::new(),
    }
}

impl Documents for Counters {
    const KINDS: &'static [Kind<Self>] = &[Kind::of::<Counter<Self>>(), Kind::of::<Totals<Self>>()];

    fn touched(change: &Change, all: &mut Touched<Self>) {
        touched(change, all);
    }

    fn start(_: &Image, step: u32) -> Vec<Question> {
        start::<Self>(step)
    }

    fn lacks(image: &Image, key: &Key) -> bool {
        !image.open.contains_key(&key.0)
    }

    fn wanted(key: &Key) -> Vec<Question> {
        vec![Question::one::<Counter<Self>>(&(key.0,))]
    }
}

impl ChangeCodec for Counters {
    fn encode(change: &Change) -> Vec<u8> {
        serde_json::to_vec(change).unwrap()
    }

    fn decode(bytes: &[u8]) -> Result<Change, UnreadableChange> {
        serde_json::from_slice(bytes).map_err(|fault| UnreadableChange(fault.to_string()))
    }
}

pub(crate) fn event(counter: u32, value: i64) -> NewEvent {
    NewEvent {
        payload: format!(r#"{{"counter":{counter},"value":{value}}}"#),
        ..NewEvent::new(
            Channel::Status,
            Uuid::from_u64_pair(counter.into(), value.unsigned_abs()),
            About::subject(subject(counter)),
            None,
            jiff::Timestamp::from_second(value).unwrap(),
            &(),
        )
    }
}

/// What the events of a counter are about.
pub(crate) fn subject(counter: u32) -> Uuid {
    Uuid::from_u128(counter.into())
}

/// Adds to a counter: to ten at the most, at which it is closed.
pub(crate) fn add(counter: u32, amount: i64) -> Decision<Counters, i64> {
    Decision::new(vec![Key(counter)], move |image: &Image| {
        if image.closed_counter(counter).is_some() {
            return Err(Rejection::IsClosed);
        }
        let value = image.open.get(&counter).copied().unwrap_or_default() + amount;
        if value > 10 {
            return Err(Rejection::TooMuch);
        }
        let change =
            if value == 10 { Change::Closed { counter, value } } else { Change::Set { counter, value } };
        Ok(Decided { change, events: vec![event(counter, value)], output: value })
    })
}

/// Writes any value, past the rule.
pub(crate) fn force(counter: u32, value: i64) -> Decision<Counters, i64> {
    Decision::new(vec![Key(counter)], move |_: &Image| {
        let change = Change::Set { counter, value };
        Ok(Decided { change, events: vec![event(counter, value)], output: value })
    })
}

/// What a closed counter came to, for whoever declares it or does not.
pub(crate) fn look_at_closed(counter: u32, keys: Vec<Key>) -> Decision<Counters, i64> {
    Decision::new(keys, move |image: &Image| {
        let value = image.closed_counter(counter).ok_or(Rejection::Unknown)?;
        // Written to a counter of its own, so that there is something to commit.
        let change = Change::Set { counter: counter + 1_000, value: 1 };
        Ok(Decided { change, events: vec![], output: value })
    })
}
