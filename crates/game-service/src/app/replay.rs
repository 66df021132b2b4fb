//! A game as lines, for whoever looks at it afterwards: first what it was played in, then the events of all services by round.
//! Pages are read when they are needed, so that a long game takes no more memory than a short one.

use std::collections::VecDeque;
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
    /// The first events of all services are read before it is returned: one that is away is noticed in time.
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
                let mut source = Source::new(of, self.open_log(of, subject).await?);
                source.fill().await?;
                sources.push(source);
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
        let waiting = self.sources.iter_mut().filter(|source| !source.events.is_empty());
        let Some(next) = waiting.min_by_key(|source| source.round_of_next()) else { return Ok(false) };
        if let Some((_, event)) = next.events.pop_front() {
            let fields = event.strip_prefix('{').unwrap_or_default();
            let _ = writeln!(lines, r#"{{"service":"{}",{fields}"#, next.of.name());
        }
        Ok(true)
    }
}

/// The events of one service.
struct Source {
    of: Publisher,
    log: RecordedLog,
    /// Read and not told yet, each with its round.
    events: VecDeque<(u32, String)>,
    /// Of the last one that was read: one without a round belongs to the same.
    round: u32,
    is_at_end: bool,
}

impl Source {
    fn new(of: Publisher, log: RecordedLog) -> Self {
        Self { of, log, events: VecDeque::new(), round: 0, is_at_end: false }
    }

    fn round_of_next(&self) -> u32 {
        self.events.front().map_or(u32::MAX, |(round, _)| *round)
    }

    /// Afterwards there is a next event, unless there is none any more.
    async fn fill(&mut self) -> Result<(), ReplayFault> {
        while self.events.is_empty() && !self.is_at_end {
            let (events, is_at_end) = self.log.read().await?;
            self.is_at_end = is_at_end;
            for event in events {
                // The log's order counts: what was late in it stays behind what came before.
                self.round = self.round.max(event.round.unwrap_or(0));
                self.events.push_back((self.round, event.json));
            }
        }
        Ok(())
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
