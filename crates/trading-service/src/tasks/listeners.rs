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
    pub(crate) service_token: AdminToken,
    /// The map may be somebody else's: it is shown nothing that opens our services only.
    pub(crate) admin_token: AdminToken,
}

impl Listeners {
    pub(crate) fn start(self, app: Arc<App>, leader: &Leader) {
        let (listeners, listening) = (self.clone(), app.clone());
        leader.run("follow-game", move |task| {
            let (app, epoch) = (listening.clone(), task.epoch());
            let token = &listeners.service_token;
            let stream = stream_of(&app, &listeners.game, token, Stream::Game, &GAME_CHANNELS);
            app.follows_game(stream.is_reached());
            follow(task, app.clock.clone(), stream, move |items, position| {
                let app = app.clone();
                async move { app.record_game_items(epoch, &items, position).await }
            })
        });
        leader.run("follow-map", move |task| {
            let (app, epoch) = (app.clone(), task.epoch());
            let stream = stream_of(&app, &self.map, &self.admin_token, Stream::Map, &MAP_CHANNELS);
            follow(task, app.clock.clone(), stream, move |items, position| {
                let app = app.clone();
                async move { app.record_map_items(epoch, &items, position).await }
            })
        });
    }
}

fn stream_of(
    app: &App,
    url: &ServiceUrl,
    token: &AdminToken,
    stream: Stream,
    channels: &[&str],
) -> EventStream {
    let from = StartFrom::After(app.position(stream).unwrap_or_else(|| NOWHERE.to_owned()));
    let events = EventStream::open(url.clone(), app.clock.clone(), from, channels);
    match token.secret() {
        Some(secret) => events.with_token(Token::new(secret)),
        None => events,
    }
}
