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
use super::guess_limit::GuessLimit;
use crate::domain::{PlayerSearch, Players};
use crate::wire::ParsedCommand;

type Identified = Result<Arc<Player>, Unidentified>;

/// Why it is not known who asks.
struct Unidentified {
    problem: Box<Problem>,
    wrong: Wrong,
}

/// What was wrong with what was shown.
enum Wrong {
    /// Nothing was shown that would have to be kept secret.
    Nothing,
    /// A token that nobody has, or another's: a guess, for this player or for anybody.
    Token(Option<PlayerId>),
}

impl From<Problem> for Unidentified {
    fn from(problem: Problem) -> Self {
        Self { problem: Box::new(problem), wrong: Wrong::Nothing }
    }
}

impl Unidentified {
    fn guessing(problem: Problem) -> Self {
        Self { problem: Box::new(problem), wrong: Wrong::Token(None) }
    }

    /// Whose token it would have to be.
    fn of(mut self, player: PlayerId) -> Self {
        if let Wrong::Token(whose) = &mut self.wrong {
            *whose = Some(player);
        }
        self
    }
}

/// All that is needed to tell who asks: the players whom the request may mean, and what shows a host.
pub(super) struct Identities {
    players: Players,
    admin_token: AdminToken,
    dialect: Dialect,
    guesses: Arc<GuessLimit>,
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
        Ok(Self { players, admin_token, dialect: api.wire.dialect, guesses: api.guesses.clone() })
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
    pub(super) fn named(&self, segment: &str) -> Result<Arc<Player>, Problem> {
        self.find_named(segment).ok_or_else(no_such_player)
    }

    /// The player whom the path names, who has shown to be the one: everybody knows ids, nobody else knows a token.
    pub(super) fn shown(&self, segment: &str, headers: &HeaderMap) -> Result<Arc<Player>, Problem> {
        self.limited(headers, self.shown_in_path(segment, headers))
    }

    fn shown_in_path(&self, segment: &str, headers: &HeaderMap) -> Identified {
        let player = self.find_named(segment).ok_or_else(|| Unidentified::guessing(no_such_player()))?;
        if is_token_of(&player, segment) {
            return Ok(player);
        }
        let shown = self.with_bearer(headers).map_err(|wrong| wrong.of(player.id))?;
        agreeing(player, shown, self.dialect.player_id_is_enough())
    }

    /// The player who sends a body in which these stand.
    pub(super) fn sender(
        &self,
        token: Option<&str>,
        player: Option<PlayerId>,
        headers: &HeaderMap,
    ) -> Result<Arc<Player>, Problem> {
        self.limited(headers, self.shown_by_sender(token, player, headers))
    }

    fn shown_by_sender(
        &self,
        token: Option<&str>,
        player: Option<PlayerId>,
        headers: &HeaderMap,
    ) -> Identified {
        let shown = match token {
            Some(token) => self.with_token(token).map(Some),
            None => self.with_bearer(headers),
        };
        let Some(player) = player else { return shown?.ok_or_else(|| no_token().into()) };
        let shown = shown.map_err(|wrong| wrong.of(player))?;
        let id_is_enough = self.dialect.player_id_is_enough();
        match self.players.get(player) {
            Some(player) => agreeing(player.clone(), shown, id_is_enough),
            // Who has registered is nobody's business who shows nothing.
            None if shown.is_none() && !id_is_enough => Err(no_token().into()),
            None => {
                let text = "`playerId` is no player's: register with POST /players";
                Err(Problem::new(Code::UnknownPlayer, text).into())
            }
        }
    }

    /// The player whom the path names, who has shown its token in the path, a body or the header, in every dialect.
    fn holder(
        &self,
        segment: &str,
        in_body: Option<&str>,
        headers: &HeaderMap,
    ) -> Result<Arc<Player>, Problem> {
        let player = self.named(segment)?;
        if is_token_of(&player, segment) {
            return Ok(player);
        }
        let shown = match in_body {
            Some(token) => self.with_token(token).map(Some),
            None => self.with_bearer(headers),
        };
        let shown = shown.map_err(|wrong| wrong.of(player.id));
        self.limited(headers, shown.and_then(|shown| agreeing(player, shown, false)))
    }

    /// The player whose token the header shows.
    pub(super) fn bearer(&self, headers: &HeaderMap) -> Result<Arc<Player>, Problem> {
        self.asking(headers)?.ok_or_else(no_token)
    }

    /// Whoever asks, as far as they show it.
    pub(super) fn asking(&self, headers: &HeaderMap) -> Result<Option<Arc<Player>>, Problem> {
        match self.with_bearer(headers).transpose() {
            Some(shown) => self.limited(headers, shown).map(Some),
            None => Ok(None),
        }
    }

    /// Wrong tokens are slowed down, a right one never: nobody finds one by guessing, but others may share an address with who tries.
    fn limited(&self, headers: &HeaderMap, identified: Identified) -> Result<Arc<Player>, Problem> {
        match identified {
            Ok(player) => Ok(player),
            Err(Unidentified { problem, wrong: Wrong::Nothing }) => Err(*problem),
            Err(Unidentified { problem, wrong: Wrong::Token(whose) }) => {
                self.guesses.wrong(whose, headers)?;
                Err(*problem)
            }
        }
    }

    fn find_named(&self, segment: &str) -> Option<Arc<Player>> {
        by_segment(segment).and_then(|search| self.players.find(&search).cloned())
    }

    /// A host's token says nothing about players.
    fn with_bearer(&self, headers: &HeaderMap) -> Result<Option<Arc<Player>>, Unidentified> {
        if self.is_host(headers) {
            return Ok(None);
        }
        bearer_in(headers).map(|token| self.with_token(token)).transpose()
    }

    fn with_token(&self, token: &str) -> Identified {
        let found = by_token(token).and_then(|search| self.players.find(&search).cloned());
        found.ok_or_else(|| Unidentified::guessing(unknown_token(self.dialect)))
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
    let player = identities.holder(segment, in_body.as_deref(), &parts.headers)?;
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

pub(super) fn is_token_of(player: &Player, text: &str) -> bool {
    Uuid::try_parse(text).is_ok_and(|token| Token(token) == player.token)
}

fn agreeing(player: Arc<Player>, shown: Option<Arc<Player>>, id_is_enough: bool) -> Identified {
    match shown {
        Some(shown) if shown.id == player.id => Ok(player),
        Some(_) => {
            let text = "the token that was shown is not this player's";
            Err(Unidentified::guessing(Problem::new(Code::PlayerTokenNeeded, text)).of(player.id))
        }
        None if id_is_enough => Ok(player),
        None => Err(no_token().into()),
    }
}

fn no_such_player() -> Problem {
    let text = "the path names neither a player's token nor a player's id: register with POST /players";
    Problem::new(Code::UnknownPlayer, text)
}

pub(super) fn unknown_token(dialect: Dialect) -> Problem {
    Problem::spoken(dialect, Code::UnknownToken, "the token that was shown is no player's")
}

fn no_token() -> Problem {
    let text = "a player's id does not show who asks: show its token, in the path or the body where there is a place for it, \
                or as `Authorization: Bearer <token>`";
    Problem::new(Code::PlayerTokenNeeded, text)
}
