//! Questions to the services, each kind at most once at a time: events may come faster than answers.

use std::sync::Arc;
use std::time::Duration;

use starkeep_client::{GameClient, RobotClient};
use starkeep_contract::GameId;
use starkeep_contract::events::{Channel, PublishedEvent};
use starkeep_contract::robot_events::RobotSpawnedEvent;
use starkeep_contract::services::Services;
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

pub(super) struct Asking {
    client: GameClient,
    robots: Option<RobotClient>,
    clock: Arc<dyn Clock>,
    under_way: Vec<Ask>,
    /// To be asked once more: there was news meanwhile.
    again: Vec<Ask>,
    answers: JoinSet<(Ask, Answer)>,
}

impl Asking {
    pub(super) fn new(
        client: GameClient,
        urls: &Services,
        token: Option<&str>,
        clock: Arc<dyn Clock>,
    ) -> Self {
        let robots = urls.robot.as_ref().and_then(|url| RobotClient::new(url).ok());
        let robots = robots
            .map(|robots| token.map_or_else(|| robots.clone(), |token| robots.clone().with_token(token)));
        let (under_way, again) = (Vec::new(), Vec::new());
        Self { client, robots, clock, under_way, again, answers: JoinSet::new() }
    }

    pub(super) fn ask_all(&mut self, game: Option<&ShownGame>) {
        for ask in [Ask::Game, Ask::Time, Ask::Board, Ask::Robots, Ask::Following] {
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

    fn ask(&mut self, ask: Ask, game: Option<&ShownGame>) {
        if self.under_way.contains(&ask) {
            if !self.again.contains(&ask) {
                self.again.push(ask);
            }
            return;
        }
        let (client, clock, robots) = (self.client.clone(), self.clock.clone(), self.robots.clone());
        let game = game.map(|game| game.game_id);
        if ask != Ask::Following && game.is_none() {
            return;
        }
        self.under_way.push(ask);
        self.answers.spawn(async move { (ask, answer(ask, game, &client, robots.as_ref(), &*clock).await) });
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

async fn answer(
    ask: Ask,
    game: Option<GameId>,
    client: &GameClient,
    robots: Option<&RobotClient>,
    clock: &dyn Clock,
) -> Answer {
    let told = match (ask, game) {
        (Ask::Following, _) => return Answer::Following(newest_active(client).await.map(Box::new)),
        (_, None) => None,
        (Ask::Game, Some(id)) => {
            let game = games::show(client, id).await.ok();
            game.map(|game| (id, Message::Game(Box::new(game))))
        }
        (Ask::Time, Some(id)) => {
            let asked = clock.monotonic();
            let time = client.time(id).await.ok();
            // The service looked at its clock about half-way between the request and its answer.
            let round_trip = clock.monotonic().since(asked);
            let at = asked.after(round_trip.checked_div(2).unwrap_or(Duration::ZERO));
            time.map(|time| (id, Message::Time { time: Box::new(time), at }))
        }
        (Ask::Board, Some(id)) => client.scoreboard(id).await.ok().map(|board| (id, Message::Board(board))),
        (Ask::Robots, Some(id)) => match robots {
            None => None,
            Some(robots) => {
                let page = robots.events_after("start", id, &["spawn-notification"]).await.ok();
                page.map(|page| {
                    let payloads = page.events.into_iter().map(|event| event.payload);
                    let spawned = payloads.filter_map(|payload| serde_json::from_value(payload).ok());
                    let spawned = spawned.map(|event: RobotSpawnedEvent| (event.robot_id, event.player_id));
                    (id, Message::Spawned(spawned.collect()))
                })
            }
        },
    };
    told.map_or(Answer::Nothing, |(id, message)| Answer::OfGame(id, message))
}

/// A running game first, the newest of them.
async fn newest_active(client: &GameClient) -> Option<ShownGame> {
    games::active(client).await.ok()?.into_iter().next()
}
