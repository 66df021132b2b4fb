//! The game service over HTTP: whose token it is, and what was missed of its events.
//! A player who reads every round asks with the same token again and again, so answers are kept for a moment.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures::future::BoxFuture;
use http::{HeaderValue, StatusCode, header};
use serde::Deserialize;
use starkeep_executor::{GameEvent, Games, rebuild};
use starkeep_http_client::{Call, Caller, Connections, ServiceUrl, Timeout, Token};
use starkeep_platform::clock::{Clock, Monotonic};
use starkeep_platform::http::auth::AdminToken;
use starkeep_robot_core::PlayerId;
use uuid::Uuid;

use crate::ports::GameService;

/// A request waits for the answer, and no longer than this.
const TIMEOUT: Duration = Duration::from_secs(2);

/// A token that was renewed is known for so long at most: hardly longer than a request to renew it takes.
const KEPT: Duration = Duration::from_millis(200);

/// Tokens that are kept at most.
const MOST_KEPT: usize = 1024;

/// All games with all their players, and the ids of those that have ended.
const LARGEST_ANSWER: usize = 64 * 1024 * 1024;

pub(crate) struct HttpGame {
    caller: Caller,
    clock: Arc<dyn Clock>,
    kept: Mutex<HashMap<String, (PlayerId, Monotonic)>>,
}

impl HttpGame {
    /// `token` is shown for what only services may ask.
    pub(crate) fn new(url: ServiceUrl, token: &AdminToken, clock: Arc<dyn Clock>) -> Self {
        let timeout = Timeout { clock: clock.clone(), after: TIMEOUT };
        let caller = Caller::new(url, Connections::Pooled)
            .with_token(token.secret().map(Token::new))
            .with_timeout(timeout);
        Self { caller, clock, kept: Mutex::default() }
    }

    async fn ask_player(&self, token: &str) -> Result<Option<PlayerId>, String> {
        if let Some(player) = self.kept_player(token) {
            return Ok(Some(player));
        }
        // A token that cannot stand in a header is nobody's.
        let Ok(mut shown) = HeaderValue::from_str(&format!("Bearer {token}")) else { return Ok(None) };
        shown.set_sensitive(true);
        let caller = self.caller.clone().with_token(None);
        let call = Call::get("/players/me").header(header::AUTHORIZATION, shown);
        let answer = caller.exchange(&call).await.map_err(|failure| failure.to_string())?;
        match answer.status {
            StatusCode::OK => {
                let me: Me = answer.json().map_err(|failure| failure.to_string())?;
                let player = PlayerId(me.player_id);
                self.keep(token, player);
                Ok(Some(player))
            }
            status if status.is_client_error() => Ok(None),
            status => Err(format!("it answers {status}")),
        }
    }

    fn kept_player(&self, token: &str) -> Option<PlayerId> {
        let now = self.clock.monotonic();
        self.kept().get(token).filter(|(_, until)| now < *until).map(|(player, _)| *player)
    }

    fn keep(&self, token: &str, player: PlayerId) {
        let now = self.clock.monotonic();
        let mut kept = self.kept();
        if kept.len() >= MOST_KEPT {
            kept.retain(|_, (_, until)| now < *until);
        }
        if kept.len() < MOST_KEPT {
            kept.insert(token.to_owned(), (player, now.after(KEPT)));
        }
    }

    fn kept(&self) -> MutexGuard<'_, HashMap<String, (PlayerId, Monotonic)>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn ask_rosters(&self, known: &Games) -> Result<Vec<GameEvent>, String> {
        let call = Call::get("/rosters").largest_answer(LARGEST_ANSWER);
        let answer = self.caller.send(&call).await.map_err(|failure| failure.to_string())?;
        rebuild(&answer.body, known).map_err(|fault| format!("its rosters cannot be read: {fault}"))
    }
}

impl GameService for HttpGame {
    fn player_of<'a>(&'a self, token: &'a str) -> BoxFuture<'a, Result<Option<PlayerId>, String>> {
        Box::pin(self.ask_player(token))
    }

    fn missed_events<'a>(&'a self, known: &'a Games) -> BoxFuture<'a, Result<Vec<GameEvent>, String>> {
        Box::pin(self.ask_rosters(known))
    }
}

/// Who asks, as the game service answers.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Me {
    player_id: Uuid,
}
