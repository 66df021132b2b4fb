//! What a watcher knows of a game: a fold over messages, from the service's answers and its events.
//! Nothing here asks a service or draws.

use std::collections::{HashMap, VecDeque};
use std::time::Duration;

use starkeep_contract::events::{Channel, PublishedEvent};
use starkeep_contract::game::{GameTime, Phase};
use starkeep_contract::map::PlacedPlanet;
use starkeep_contract::scores::ScoreboardRow;
use starkeep_contract::{PlayerId, RobotId};
use starkeep_platform::clock::Monotonic;

use super::sentences;
use crate::games::ShownGame;
use crate::names::Names;

/// More than any terminal shows.
const MOST_SENTENCES: usize = 200;

#[derive(Default)]
pub(crate) struct Model {
    /// The address of the page, where it is to be shown.
    pub page: Option<String>,
    pub game: Option<ShownGame>,
    pub clock: Option<PhaseClock>,
    pub board: Vec<ScoreboardRow>,
    /// The newest last.
    pub latest: VecDeque<String>,
    pub is_away: bool,
    pub(super) names: Names,
    pub(super) robots: HashMap<RobotId, PlayerId>,
}

/// The phase of the round, and when it ends by this machine's clock.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct PhaseClock {
    pub phase: Phase,
    pub whole: Duration,
    pub ends: Ends,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Ends {
    At(Monotonic),
    /// The game is paused with so much left.
    Paused(Duration),
}

impl PhaseClock {
    pub(crate) fn left(&self, now: Monotonic) -> Duration {
        match self.ends {
            Ends::At(end) => end.since(now),
            Ends::Paused(left) => left,
        }
    }

    /// `at` is the instant in which the service looked at its clock: the middle of the request.
    fn of(time: &GameTime, at: Monotonic) -> Option<Self> {
        let (phase, left) = (time.phase?, time.phase_ends_in_millis?);
        let until_end = time.round_time_in_millis.unwrap_or(0) + left;
        // Commands are taken for 3/4 of a round and executed in the last 1/4.
        let whole = match phase {
            Phase::Collection => until_end,
            Phase::Execution => until_end / 4,
        };
        let left = Duration::from_millis(left);
        let ends = if time.paused { Ends::Paused(left) } else { Ends::At(at.after(left)) };
        Some(Self { phase, whole: Duration::from_millis(whole), ends })
    }
}

pub(crate) enum Message {
    /// Another game than before is watched from now on, or none.
    Watch(Option<Box<ShownGame>>),
    Game(Box<ShownGame>),
    Time {
        time: Box<GameTime>,
        at: Monotonic,
    },
    Board(Vec<ScoreboardRow>),
    Spawned(Vec<(RobotId, PlayerId)>),
    /// Where the planets of the game's world are.
    Places(Vec<PlacedPlanet>),
    Event(Box<PublishedEvent>),
    Reached(bool),
    /// A sentence of its own.
    Note(String),
}

impl Model {
    /// What is new in words, if it is worth a sentence.
    pub(crate) fn apply(&mut self, message: Message) -> Option<String> {
        let sentence = match message {
            Message::Watch(game) => {
                let sentence = match &game {
                    Some(game) => format!("watching {}: {}", game.label(), game.status().0),
                    None => "there is no active game; waiting for the next one".to_owned(),
                };
                *self = Self {
                    game: game.map(|game| *game),
                    page: self.page.take(),
                    latest: std::mem::take(&mut self.latest),
                    is_away: self.is_away,
                    ..Self::default()
                };
                Some(sentence)
            }
            Message::Game(game) => {
                self.game = Some(*game);
                None
            }
            Message::Time { time, at } => {
                self.clock = PhaseClock::of(&time, at);
                if let Some(game) = &mut self.game {
                    game.current_round_number = time.round_count.or(game.current_round_number);
                    game.paused = time.paused;
                }
                None
            }
            Message::Board(board) => {
                for row in &board {
                    self.names.learn_player(row.player_id, &row.name);
                }
                self.board = board;
                None
            }
            Message::Spawned(robots) => {
                self.robots.extend(robots);
                None
            }
            Message::Places(planets) => {
                self.names.learn_places(&planets);
                None
            }
            Message::Event(event) => {
                self.is_of_the_game(&event).then(|| sentences::of(self, &event)).flatten()
            }
            Message::Note(note) => Some(note),
            Message::Reached(is_reached) => (self.is_away == is_reached).then(|| {
                self.is_away = !is_reached;
                if is_reached {
                    "the game service is back"
                } else {
                    "the game service is away; connecting again"
                }
                .to_owned()
            }),
        }?;
        self.latest.push_back(sentence.clone());
        if self.latest.len() > MOST_SENTENCES {
            self.latest.pop_front();
        }
        Some(sentence)
    }

    pub(crate) fn is_of_the_game(&self, event: &PublishedEvent) -> bool {
        let Some(game) = &self.game else { return false };
        // Prices are everybody's.
        if [Channel::CurrentItemPrices, Channel::CurrentResourcePrices].contains(&event.channel) {
            return false;
        }
        event.about.game_id == Some(game.game_id)
            || (event.about.gameworld_id.is_some() && event.about.gameworld_id == game.gameworld_id)
    }
}
