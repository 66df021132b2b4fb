//! Minings that are sent when they are due, however long the answers take, and a reader of the stream that tells of them.
//! What is measured is by how much an event comes after the answer, which is the first that a client knows of the commit.

use std::cell::{Cell, RefCell};
use std::collections::{HashMap, VecDeque};
use std::net::SocketAddr;
use std::rc::Rc;
use std::time::{Duration, Instant};

use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::task::LocalSet;

use crate::clock;
use crate::failure::{During, Failure};
use crate::http;
use crate::load::{HANG_LIMIT, connected, receive};
use crate::prepare::mining;
use crate::sample::{Sample, Slice, nanos};

/// As many can be under way at once. What is due beyond that waits for one of them.
const CLIENTS: usize = 64;

/// The planet of an event follows this.
const PLANET: &str = r#""planet_id":""#;

/// Of events that are still on their way when everything is answered.
const PATIENCE: Duration = Duration::from_secs(10);

pub(crate) struct OpenLoop {
    pub(crate) address: SocketAddr,
    /// What is asked for, by turns, and the planet that its event names.
    pub(crate) mined: Vec<(String, String)>,
    /// Where the events are streamed as they come.
    pub(crate) stream: &'static str,
    pub(crate) per_second: f64,
}

/// When something became known of each planet, in the order in which it did.
type Known = RefCell<HashMap<String, VecDeque<Instant>>>;

/// What the clients and the reader share.
struct Seen {
    requests: Vec<Vec<u8>>,
    /// The number of the next mining.
    next: Cell<u32>,
    answered: Known,
    told: Known,
    told_count: Cell<usize>,
}

impl OpenLoop {
    pub(crate) fn run(&self, slice: Slice) -> Result<Sample, Failure> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .during("starting the load generator")?;
        let limit = slice.whole() + 2 * HANG_LIMIT;
        LocalSet::new().block_on(&runtime, clock::within(limit, self.slice(slice)))
    }

    async fn slice(&self, slice: Slice) -> Result<Sample, Failure> {
        let requests = self.mined.iter().map(|(id, _)| mining(self.address, id)).collect();
        let seen = Rc::new(Seen {
            requests,
            next: Cell::new(0),
            answered: Known::default(),
            told: Known::default(),
            told_count: Cell::new(0),
        });
        let mut stream = BufReader::new(connected(self.address).await?);
        stream
            .write_all(&http::get_stream(self.address, self.stream))
            .await
            .during("asking for the stream")?;
        let mut line = String::new();
        // From its first line on it misses nothing.
        stream.read_line(&mut line).await.during("reading the stream")?;
        let reader = tokio::task::spawn_local(read(stream, seen.clone()));

        let begin = clock::now();
        let from = begin + slice.warm_up;
        let mut clients = Vec::new();
        for _ in 0..CLIENTS {
            clients.push(tokio::task::spawn_local(self.client(begin, from + slice.counted, seen.clone())));
        }
        for client in clients {
            client.await.during("a client")??;
        }
        let sent = usize::try_from(seen.next.get()).unwrap_or(0).saturating_sub(CLIENTS);
        let patient_until = clock::now() + PATIENCE;
        while seen.told_count.get() < sent && clock::now() < patient_until && !reader.is_finished() {
            clock::sleep_until(clock::now() + Duration::from_millis(1)).await;
        }
        reader.abort();
        let latencies = seen.latencies(&self.mined, from);
        if 2 * seen.told_count.get() < sent || latencies.is_empty() {
            return Err(Failure::new(format!(
                "{sent} minings were answered and only {} of their events were read",
                seen.told_count.get()
            )));
        }
        Sample::of_latencies(latencies, slice.counted)
    }

    /// Takes the next mining, waits until it is due, and sends it.
    fn client(
        &self,
        begin: Instant,
        until: Instant,
        seen: Rc<Seen>,
    ) -> impl Future<Output = Result<(), Failure>> + use<> {
        let (address, every) = (self.address, 1.0 / self.per_second.max(1.0));
        let planets: Vec<String> = self.mined.iter().map(|(_, planet)| planet.clone()).collect();
        async move {
            let mut stream = connected(address).await?;
            let mut buffer = vec![0; 16 * 1024];
            loop {
                let number = seen.next.get();
                seen.next.set(number + 1);
                let due = begin + Duration::from_secs_f64(every * f64::from(number));
                if due >= until {
                    return Ok(());
                }
                clock::sleep_until(due).await;
                let place = number as usize % planets.len();
                stream.write_all(&seen.requests[place]).await.during("sending")?;
                receive(&mut stream, &mut buffer, |answer| answer.must_be(201)).await?;
                note(&seen.answered, &planets[place]);
            }
        }
    }
}

impl Seen {
    /// By how much each event came later than its answer, of those answered from then on.
    fn latencies(&self, mined: &[(String, String)], from: Instant) -> Vec<u32> {
        let (answered, told) = (self.answered.borrow(), self.told.borrow());
        let of_planet = |planet: &String| answered.get(planet).zip(told.get(planet));
        let pairs = mined.iter().filter_map(|(_, planet)| of_planet(planet));
        pairs
            .flat_map(|(answered, told)| answered.iter().zip(told))
            .filter(|(answered, _)| **answered >= from)
            .map(|(answered, told)| nanos(told.saturating_duration_since(*answered)))
            .collect()
    }
}

async fn read(mut stream: BufReader<tokio::net::TcpStream>, seen: Rc<Seen>) {
    let mut line = Vec::new();
    // It ends with its task, or with the stream, which then lacks events.
    while stream.read_until(b'\n', &mut line).await.is_ok_and(|count| count > 0) {
        if let Some(planet) = planet_in(&String::from_utf8_lossy(&line)) {
            note(&seen.told, planet);
            seen.told_count.set(seen.told_count.get() + 1);
        }
        line.clear();
    }
}

fn planet_in(line: &str) -> Option<&str> {
    line.strip_prefix("data: ")?.split_once(PLANET)?.1.split('"').next()
}

fn note(known: &Known, planet: &str) {
    let now = clock::now();
    let mut known = known.borrow_mut();
    match known.get_mut(planet) {
        Some(times) => times.push_back(now),
        None => drop(known.insert(planet.to_owned(), [now].into())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_planet_is_found_in_the_data_of_an_event() {
        let line = r#"data: {"headers":{},"payload":{"planet_id":"6f2a","amount_mined":1}}"#;
        assert_eq!(planet_in(line), Some("6f2a"));
        assert_eq!(planet_in("event: resource-mined"), None);
        assert_eq!(planet_in(r#"data: {"id":"7"}"#), None);
    }

    #[test]
    fn an_event_before_its_answer_is_not_late() {
        let begin = clock::now();
        let at = |millis| begin + Duration::from_millis(millis);
        let known = |times: [u64; 3]| Known::new(HashMap::from([("p".to_owned(), times.map(at).into())]));
        let seen = Seen {
            requests: Vec::new(),
            next: Cell::new(0),
            answered: known([10, 20, 30]),
            told: known([99, 19, 35]),
            told_count: Cell::new(3),
        };
        let mined = [("1".to_owned(), "p".to_owned())];
        assert_eq!(seen.latencies(&mined, at(15)), [0, 5_000_000]);
    }
}
