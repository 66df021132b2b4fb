//! A game as lines, for whoever looks at it afterwards: first what it was played in, then the events of all services by round.
//! Logs are read twice, page by page: what is late in them has to be known before its round is told, and a long game is to take
//! no more memory than a short one.

use std::collections::{BTreeMap, VecDeque};
use std::fmt::Write as _;
use std::sync::Arc;

use bytes::Bytes;
use futures::stream::{BoxStream, StreamExt as _};
use starkeep_contract::PlayerId as WirePlayerId;
use starkeep_contract::events::Publisher;
use starkeep_contract::replay::{FORMAT, ReplayPlayer, VERSION};
use starkeep_game_core::Game;
use starkeep_platform::events::{Audience, Filter, From, Reader};
use uuid::Uuid;

use super::App;
use crate::ports::{LookupFault, RecordedEvent, RecordedEvents, Records, Unreadable};

/// Within a round in this order: a robot is bought before it moves, and moves before it mines.
const ORDER: [Publisher; 4] = [Publisher::Game, Publisher::Trading, Publisher::Robot, Publisher::Map];

/// A piece of the text is about so long.
const PIECE: usize = 64 * 1024;

/// Why a game cannot be told.
#[derive(Debug, thiserror::Error)]
pub enum ReplayFault {
    #[error(transparent)]
    Lookup(#[from] LookupFault),
    #[error(transparent)]
    Unreadable(#[from] Unreadable),
}

impl App {
    /// All logs are read once before it is returned: a service that is away is noticed in time.
    pub async fn replay(&self, game: &Game) -> Result<Replay, ReplayFault> {
        let records = &self.other_services.records;
        let world = match game.world {
            None => None,
            Some(world) => records.world(world).await?,
        };
        let (gameworld, planets) = match world {
            None => ("null".to_owned(), None),
            Some(world) => (world.gameworld, Some(world.planets)),
        };
        let players = self.names(game).await?.into_iter();
        let players = players.map(|(id, name)| ReplayPlayer { player_id: WirePlayerId(id.0), name });
        let head = format!(
            r#"{{"format":"{FORMAT}","version":{VERSION},"game":{},"players":{},"gameworld":{gameworld},"planets":"#,
            json(&self.wire.game(game)),
            json(&players.collect::<Vec<_>>()),
        );
        let mut sources = Vec::new();
        for of in ORDER {
            let subject =
                if of == Publisher::Map { game.world.map(|world| world.0) } else { Some(game.id.0) };
            if let Some(subject) = subject {
                let (scanned, log) = (self.open_log(of, subject).await?, self.open_log(of, subject).await?);
                sources.push(Source::open(of, scanned, log).await?);
            }
        }
        Ok(Replay { head: Some(head), planets, sources })
    }

    async fn open_log(&self, of: Publisher, subject: Uuid) -> Result<RecordedLog, ReplayFault> {
        if of != Publisher::Game {
            let records = self.other_services.records.clone();
            return Ok(RecordedLog::Other { records, of, subject, after: Some("start".to_owned()) });
        }
        let (log, pages) = self.replicas.log();
        let filter = Filter { channels: Vec::new(), subject: Some(subject) };
        let reader = Reader::new(log, pages, &From::Start, filter).await.map_err(Unreadable)?;
        Ok(RecordedLog::Own(reader))
    }
}

/// What is still to be told of a game.
pub struct Replay {
    /// The first line up to its planets.
    head: Option<String>,
    planets: Option<BoxStream<'static, Result<Bytes, LookupFault>>>,
    sources: Vec<Source>,
}

impl Replay {
    /// A piece of the text; none at its end.
    pub async fn next_piece(&mut self) -> Result<Option<Bytes>, ReplayFault> {
        if let Some(mut head) = self.head.take() {
            if self.planets.is_none() {
                head.push_str("[]}\n");
            }
            return Ok(Some(head.into()));
        }
        if let Some(planets) = &mut self.planets {
            let piece = planets.next().await.transpose()?;
            if piece.is_none() {
                self.planets = None;
                return Ok(Some(Bytes::from_static(b"}\n")));
            }
            return Ok(piece);
        }
        let mut lines = String::new();
        while lines.len() < PIECE && self.write_line(&mut lines).await? {}
        Ok((!lines.is_empty()).then(|| lines.into()))
    }

    /// The earliest round's event, if there is one.
    async fn write_line(&mut self, lines: &mut String) -> Result<bool, ReplayFault> {
        for source in &mut self.sources {
            source.fill().await?;
        }
        let round = |source: &Source| source.next_round().map(|(round, _)| round);
        let waiting = self.sources.iter_mut().filter(|source| round(source).is_some());
        let Some(source) = waiting.min_by_key(|source| round(source)) else { return Ok(false) };
        let Some(event) = source.take() else { return Ok(false) };
        let fields = event.strip_prefix('{').unwrap_or_default();
        let _ = writeln!(lines, r#"{{"service":"{}",{fields}"#, source.of.name());
        Ok(true)
    }
}

/// The events of one service, up to where its log ended when the replay was asked for.
struct Source {
    of: Publisher,
    log: RecordedLog,
    /// Not read yet.
    left: usize,
    /// Read and not told yet, each with its round; without the late ones.
    events: VecDeque<(u32, String)>,
    /// Of the last one that was read: one without a round belongs to the same.
    round: u32,
    /// Those that stand in the log behind a later round's, by their own: scores, and what an outage has delayed.
    late: BTreeMap<u32, VecDeque<String>>,
}

impl Source {
    /// Reads all of it once, so that late events are known before their round is told.
    async fn open(of: Publisher, mut scanned: RecordedLog, log: RecordedLog) -> Result<Self, ReplayFault> {
        let mut source = Self { of, log, left: 0, events: VecDeque::new(), round: 0, late: BTreeMap::new() };
        let mut newest = 0;
        loop {
            let (events, is_at_end) = scanned.read().await?;
            source.left += events.len();
            for event in events {
                match event.round {
                    Some(round) if round < newest => {
                        source.late.entry(round).or_default().push_back(event.json);
                    }
                    round => newest = round.unwrap_or(newest),
                }
            }
            if is_at_end {
                return Ok(source);
            }
        }
    }

    /// Afterwards there is a next event, unless only late ones are left.
    async fn fill(&mut self) -> Result<(), ReplayFault> {
        while self.events.is_empty() && self.left > 0 {
            let (mut events, is_at_end) = self.log.read().await?;
            events.truncate(self.left);
            self.left = if is_at_end { 0 } else { self.left - events.len() };
            for event in events {
                let round = event.round.unwrap_or(self.round);
                if round >= self.round {
                    self.round = round;
                    self.events.push_back((round, event.json));
                }
            }
        }
        Ok(())
    }

    /// The round of the next event, and whether that is a late one: those come last in their round, as in the log.
    fn next_round(&self) -> Option<(u32, bool)> {
        let in_order = self.events.front().map(|(round, _)| (*round, false));
        let late = self.late.keys().next().map(|round| (*round, true));
        in_order.into_iter().chain(late).min()
    }

    fn take(&mut self) -> Option<String> {
        match self.next_round()? {
            (_, false) => self.events.pop_front().map(|(_, event)| event),
            (round, true) => {
                let late = self.late.get_mut(&round)?;
                let event = late.pop_front();
                if late.is_empty() {
                    self.late.remove(&round);
                }
                event
            }
        }
    }
}

enum RecordedLog {
    /// This service's own.
    Own(Reader),
    /// Without a position at its end.
    Other { records: Arc<dyn Records>, of: Publisher, subject: Uuid, after: Option<String> },
}

impl RecordedLog {
    /// The next events, and whether there are no more.
    async fn read(&mut self) -> Result<(Vec<RecordedEvent>, bool), ReplayFault> {
        match self {
            Self::Own(reader) => {
                let epoch = reader.epoch();
                let events = reader.take().await.map_err(Unreadable)?.events;
                let recorded = events.iter().map(|event| {
                    let mut json = String::new();
                    event.write_item(epoch, Audience::Host, &mut json);
                    RecordedEvent { round: event.about.round, json }
                });
                Ok((recorded.collect(), events.is_empty()))
            }
            Self::Other { records, of, subject, after } => {
                let Some(position) = after.take() else { return Ok((Vec::new(), true)) };
                let RecordedEvents { events, next } = records.events(*of, *subject, &position).await?;
                *after = next;
                Ok((events, after.is_none()))
            }
        }
    }
}

fn json(value: &impl serde::Serialize) -> String {
    serde_json::to_string(value).expect("the contract's types are plain data")
}
