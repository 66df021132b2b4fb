//! The tasks that follow the event streams of the game and map services, each from the place up to which it was read.

use std::sync::Arc;

use starkeep_executor::{GAME_CHANNELS, MAP_CHANNELS};
use starkeep_http_client::{EventStream, ServiceUrl, StartFrom, Token};
use starkeep_platform::follow::follow;
use starkeep_platform::http::auth::AdminToken;
use starkeep_platform::tasks::Leader;

use crate::app::App;
use crate::domain::Stream;

/// A position that no log has: it is answered with a gap and everything that is kept, and what is no longer kept is asked
/// for.
const NOWHERE: &str = "nowhere";

#[derive(Clone)]
pub(crate) struct Listeners {
    pub(crate) game: ServiceUrl,
    pub(crate) map: ServiceUrl,
    pub(crate) token: AdminToken,
}

impl Listeners {
    pub(crate) fn start(self, app: Arc<App>, leader: &Leader) {
        let (listeners, listening) = (self.clone(), app.clone());
        leader.run("follow-game", move |task| {
            let (app, epoch) = (listening.clone(), task.epoch());
            let stream = listeners.stream(&app, &listeners.game, Stream::Game, &GAME_CHANNELS);
            follow(task, app.clock.clone(), stream, move |item, position| {
                let app = app.clone();
                async move { app.hear_game(epoch, item, position).await }
            })
        });
        leader.run("follow-map", move |task| {
            let (app, epoch) = (app.clone(), task.epoch());
            let stream = self.stream(&app, &self.map, Stream::Map, &MAP_CHANNELS);
            follow(task, app.clock.clone(), stream, move |item, position| {
                let app = app.clone();
                async move { app.hear_map(epoch, item, position).await }
            })
        });
    }

    fn stream(&self, app: &App, url: &ServiceUrl, stream: Stream, channels: &[&str]) -> EventStream {
        let from = StartFrom::After(app.position(stream).unwrap_or_else(|| NOWHERE.to_owned()));
        let events = EventStream::open(url.clone(), app.clock.clone(), from, channels);
        match self.token.secret() {
            Some(secret) => events.with_token(Token::new(secret)),
            None => events,
        }
    }
}
