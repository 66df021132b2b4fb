//! Questions to the services, each kind at most once at a time: events may come faster than answers.

use std::sync::Arc;
use std::time::Duration;

use starkeep_client::{GameClient, MapClient, RobotClient};
use starkeep_contract::events::{Channel, PublishedEvent};
use starkeep_contract::robot_events::RobotSpawnedEvent;
use starkeep_contract::services::Services;
use starkeep_contract::{GameId, WorldId};
use starkeep_platform::clock::Clock;
use tokio::task::JoinSet;

use super::model::Message;
use crate::games::{self, ShownGame};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ask {
    Game,
    Time,
    Board,
    /// Whose robots there are.
    Robots,
    /// Where the planets are.
    Places,
    /// Which game to watch after this one.
    Following,
}

/// What is known from an answer.
pub(super) enum News {
    OfTheGame(Message),
    /// Which game to watch after this one; none if no game is active.
    Following(Option<Box<ShownGame>>),
}

enum Answer {
    OfGame(GameId, Message),
    Following(Option<Box<ShownGame>>),
    /// Nobody answered; it is asked again when there is news.
    Nothing,
}

#[derive(Clone)]
struct Clients {
    game: GameClient,
    robots: Option<RobotClient>,
    map: Option<MapClient>,
    clock: Arc<dyn Clock>,
}

pub(super) struct Asking {
    clients: Clients,
    /// Whose places were asked for.
    placed: Option<WorldId>,
    under_way: Vec<Ask>,
    /// To be asked once more: there was news meanwhile.
    again: Vec<Ask>,
    answers: JoinSet<(Ask, Answer)>,
}

impl Asking {
    pub(super) fn new(game: GameClient, urls: &Services, token: Option<&str>, clock: Arc<dyn Clock>) -> Self {
        let robots = urls.robot.as_ref().and_then(|url| RobotClient::new(url).ok());
        let robots = robots
            .map(|robots| token.map_or_else(|| robots.clone(), |token| robots.clone().with_token(token)));
        let map = urls.map.as_ref().and_then(|url| MapClient::new(url).ok());
        let map = map.map(|map| token.map_or_else(|| map.clone(), |token| map.clone().with_token(token)));
        let clients = Clients { game, robots, map, clock };
        let (under_way, again) = (Vec::new(), Vec::new());
        Self { clients, placed: None, under_way, again, answers: JoinSet::new() }
    }

    pub(super) fn ask_all(&mut self, game: Option<&ShownGame>) {
        for ask in [Ask::Game, Ask::Time, Ask::Board, Ask::Robots, Ask::Places, Ask::Following] {
            self.ask(ask, game);
        }
    }

    /// What an event makes worth asking.
    pub(super) fn ask_for(&mut self, event: &PublishedEvent, game: Option<&ShownGame>) {
        let asks: &[Ask] = match event.channel {
            Channel::RoundStatus | Channel::GameClock => &[Ask::Time],
            Channel::Status => &[Ask::Game, Ask::Time, Ask::Board, Ask::Following],
            Channel::Scores | Channel::PlayerStatus | Channel::GameRoster => &[Ask::Board, Ask::Game],
            _ => &[],
        };
        for ask in asks {
            self.ask(*ask, game);
        }
    }

    /// Where the planets are, if that is another world than before: the one that is played in is made at the start.
    pub(super) fn ask_for_places(&mut self, game: &ShownGame) {
        if game.gameworld_id != self.placed {
            self.ask(Ask::Places, Some(game));
        }
    }

    fn ask(&mut self, ask: Ask, game: Option<&ShownGame>) {
        if self.under_way.contains(&ask) {
            if !self.again.contains(&ask) {
                self.again.push(ask);
            }
            return;
        }
        if ask != Ask::Following && game.is_none() {
            return;
        }
        if ask == Ask::Places {
            self.placed = game.and_then(|game| game.gameworld_id);
        }
        self.under_way.push(ask);
        let (clients, place) = (self.clients.clone(), game.map(|game| (game.game_id, game.gameworld_id)));
        self.answers.spawn(async move { (ask, answer(ask, place, &clients).await) });
    }

    pub(super) fn is_idle(&self) -> bool {
        self.under_way.is_empty()
    }

    /// What the next answer tells; none if nothing is being asked.
    pub(super) async fn next(&mut self, game: Option<&ShownGame>) -> Option<News> {
        loop {
            let Ok((ask, answer)) = self.answers.join_next().await? else { continue };
            self.under_way.retain(|other| *other != ask);
            if self.again.contains(&ask) {
                self.again.retain(|other| *other != ask);
                self.ask(ask, game);
            }
            match answer {
                Answer::OfGame(id, message) if game.is_some_and(|game| game.game_id == id) => {
                    return Some(News::OfTheGame(message));
                }
                Answer::Following(following) => return Some(News::Following(following)),
                // Another game is watched by now.
                Answer::OfGame(..) | Answer::Nothing => {}
            }
        }
    }
}

async fn answer(ask: Ask, place: Option<(GameId, Option<WorldId>)>, clients: &Clients) -> Answer {
    let Clients { game: client, robots, map, clock } = clients;
    if ask == Ask::Following {
        return Answer::Following(newest_active(client).await.map(Box::new));
    }
    let Some((id, world)) = place else { return Answer::Nothing };
    let told = async {
        Some(match ask {
            Ask::Following => return None,
            Ask::Game => Message::Game(Box::new(games::show(client, id).await.ok()?)),
            Ask::Time => {
                let asked = clock.monotonic();
                let time = Box::new(client.time(id).await.ok()?);
                // The service looked at its clock about half-way between the request and its answer.
                let round_trip = clock.monotonic().since(asked);
                let at = asked.after(round_trip.checked_div(2).unwrap_or(Duration::ZERO));
                Message::Time { time, at }
            }
            Ask::Board => Message::Board(client.scoreboard(id).await.ok()?),
            Ask::Robots => {
                let page = robots.as_ref()?.events_after("start", id, &["spawn-notification"]).await.ok()?;
                let payloads = page.events.into_iter().map(|event| event.payload);
                let spawned = payloads.filter_map(|payload| serde_json::from_value(payload).ok());
                let spawned = spawned.map(|event: RobotSpawnedEvent| (event.robot_id, event.player_id));
                Message::Spawned(spawned.collect())
            }
            Ask::Places => Message::Places(map.as_ref()?.placed_planets(world?).await.ok()?),
        })
    };
    told.await.map_or(Answer::Nothing, |message| Answer::OfGame(id, message))
}

/// A running game first, the newest of them.
async fn newest_active(client: &GameClient) -> Option<ShownGame> {
    games::active(client).await.ok()?.into_iter().next()
}
