//! Who a player is who asks: by the token or the id in the path or the body, and by the token in the `Authorization` header.
//! Tokens are secrets; nothing here is logged, and no refusal repeats what was shown.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::Response;
use http::HeaderMap;
use starkeep_contract::player::RenewToken;
use starkeep_contract::{Code, Dialect, Problem};
use starkeep_game_core::{Player, PlayerId, Token};
use starkeep_platform::http::auth::{AdminToken, bearer_in};
use starkeep_platform::http::idempotency::{self, IdempotencyLayer};
use starkeep_platform::http::{ErrorResponse, body};
use uuid::Uuid;

use super::Shared;
use super::games::unreadable;
use crate::domain::{PlayerSearch, Players};
use crate::wire::ParsedCommand;

type Identified = Result<Arc<Player>, Problem>;

/// All that is needed to tell who asks: the players whom the request may mean, and what shows a host.
pub(super) struct Identities {
    players: Players,
    admin_token: AdminToken,
    dialect: Dialect,
}

impl Identities {
    /// `named` are the players whom the request names beside the bearer of its token.
    pub(super) async fn of(
        api: &Shared,
        headers: &HeaderMap,
        named: impl IntoIterator<Item = PlayerSearch>,
    ) -> Result<Self, ErrorResponse> {
        let admin_token = api.admin_token.clone();
        let is_host = admin_token.is_shown_in(headers);
        let bearer = bearer_in(headers).filter(|_| !is_host).and_then(by_token);
        let players = api.players(named.into_iter().chain(bearer)).await;
        let players = players.map_err(|fault| unreadable(&fault))?;
        Ok(Self { players, admin_token, dialect: api.wire.dialect })
    }

    /// Of a request whose path names a player.
    pub(super) async fn of_path(
        api: &Shared,
        headers: &HeaderMap,
        segment: &str,
    ) -> Result<Self, ErrorResponse> {
        Self::of(api, headers, by_segment(segment)).await
    }

    pub(super) fn is_host(&self, headers: &HeaderMap) -> bool {
        self.admin_token.is_shown_in(headers)
    }

    /// The player whom the path names, whoever asks.
    pub(super) fn named(&self, segment: &str) -> Identified {
        let found = by_segment(segment).and_then(|search| self.players.find(&search).cloned());
        found.ok_or_else(|| {
            let text =
                "the path names neither a player's token nor a player's id: register with POST /players";
            Problem::new(Code::UnknownPlayer, text)
        })
    }

    /// The player whom the path names, who has shown to be the one: everybody knows ids, nobody else knows a token.
    pub(super) fn shown(&self, segment: &str, headers: &HeaderMap) -> Identified {
        let player = self.named(segment)?;
        if is_token_of(&player, segment) {
            return Ok(player);
        }
        agreeing(player, self.with_bearer(headers)?, self.dialect.player_id_is_enough())
    }

    /// The player who sends a body in which these stand.
    pub(super) fn sender(
        &self,
        token: Option<&str>,
        player: Option<PlayerId>,
        headers: &HeaderMap,
    ) -> Identified {
        let shown = match token {
            Some(token) => Some(self.with_token(token)?),
            None => self.with_bearer(headers)?,
        };
        let Some(player) = player else { return shown.ok_or_else(no_token) };
        let id_is_enough = self.dialect.player_id_is_enough();
        match self.players.get(player) {
            Some(player) => agreeing(player.clone(), shown, id_is_enough),
            // Who has registered is nobody's business who shows nothing.
            None if shown.is_none() && !id_is_enough => Err(no_token()),
            None => {
                let text = "`playerId` is no player's: register with POST /players";
                Err(Problem::new(Code::UnknownPlayer, text))
            }
        }
    }

    /// The player whose token the header shows.
    pub(super) fn bearer(&self, headers: &HeaderMap) -> Identified {
        self.with_bearer(headers)?.ok_or_else(no_token)
    }

    /// Whoever asks, as far as they show it.
    pub(super) fn asking(&self, headers: &HeaderMap) -> Result<Option<PlayerId>, Problem> {
        Ok(self.with_bearer(headers)?.map(|player| player.id))
    }

    /// A host's token says nothing about players.
    fn with_bearer(&self, headers: &HeaderMap) -> Result<Option<Arc<Player>>, Problem> {
        if self.is_host(headers) {
            return Ok(None);
        }
        bearer_in(headers).map(|token| self.with_token(token)).transpose()
    }

    fn with_token(&self, token: &str) -> Identified {
        let found = by_token(token).and_then(|search| self.players.find(&search).cloned());
        found.ok_or_else(|| unknown_token(self.dialect))
    }
}

/// Middleware of what nobody may ask for, or ask for again, without the player's token, in any dialect.
pub(super) async fn token_holder(
    State(app): State<Shared>,
    request: Request,
    next: Next,
) -> Result<Response, ErrorResponse> {
    let (mut parts, body) = request.into_parts();
    let body = body::read_up_to(body, body::LARGEST_BODY).await?;
    let segment = parts.uri.path().split('/').nth(2).unwrap_or_default();
    let in_body = serde_json::from_slice(&body).ok().and_then(|RenewToken { player_token }| player_token);
    let named = by_segment(segment).into_iter().chain(in_body.as_deref().and_then(by_token));
    let identities = Identities::of(&app, &parts.headers, named).await?;
    let player = identities.named(segment)?;
    if !is_token_of(&player, segment) {
        let shown = match &in_body {
            Some(token) => Some(identities.with_token(token)?),
            None => identities.with_bearer(&parts.headers)?,
        };
        agreeing(player.clone(), shown, false)?;
    }
    parts.extensions.insert(Holder(player.token));
    Ok(next.run(Request::from_parts(parts, Body::from(body))).await)
}

/// Middleware of commands: who repeats one shows who it is before its kept answer is looked up. All else that may be wrong with a
/// request is told by its handler. One layer, not two: each costs as much as the rest of what it does.
pub(super) async fn sender_once(
    State((app, repeats)): State<(Shared, IdempotencyLayer)>,
    request: Request,
    next: Next,
) -> Result<Response, ErrorResponse> {
    if !request.headers().contains_key(idempotency::KEY) {
        return Ok(next.run(request).await);
    }
    let (parts, body) = request.into_parts();
    let body = body::read_up_to(body, body::LARGEST_BODY).await?;
    let command = serde_json::from_slice(&body).ok().and_then(|command| ParsedCommand::read(&command).ok());
    if let Some(command) = command {
        let identities = Identities::of(&app, &parts.headers, senders(&command)).await?;
        identities.sender(command.token.as_deref(), command.player, &parts.headers)?;
    }
    idempotency::once(State(repeats), Request::from_parts(parts, Body::from(body)), next).await
}

/// The token that was shown to get past `token_holder`.
#[derive(Clone, Copy)]
pub(super) struct Holder(pub(super) Token);

/// Whom a command names as its sender.
pub(super) fn senders(command: &ParsedCommand) -> impl Iterator<Item = PlayerSearch> + use<> {
    let token = command.token.as_deref().and_then(by_token);
    token.into_iter().chain(command.player.map(PlayerSearch::Id))
}

fn by_token(text: &str) -> Option<PlayerSearch> {
    Uuid::try_parse(text).ok().map(|token| PlayerSearch::Token(Token(token)))
}

fn by_segment(text: &str) -> Option<PlayerSearch> {
    Uuid::try_parse(text).ok().map(|either| PlayerSearch::TokenOrId(Token(either)))
}

fn is_token_of(player: &Player, text: &str) -> bool {
    Uuid::try_parse(text).is_ok_and(|token| Token(token) == player.token)
}

fn agreeing(player: Arc<Player>, shown: Option<Arc<Player>>, id_is_enough: bool) -> Identified {
    match shown {
        Some(shown) if shown.id == player.id => Ok(player),
        Some(_) => {
            Err(Problem::new(Code::PlayerTokenNeeded, "the token that was shown is not this player's"))
        }
        None if id_is_enough => Ok(player),
        None => Err(no_token()),
    }
}

pub(super) fn unknown_token(dialect: Dialect) -> Problem {
    Problem::spoken(dialect, Code::UnknownToken, "the token that was shown is no player's")
}

fn no_token() -> Problem {
    let text = "a player's id does not show who asks: show its token, in the path or the body where there is a place for it, \
                or as `Authorization: Bearer <token>`";
    Problem::new(Code::PlayerTokenNeeded, text)
}
