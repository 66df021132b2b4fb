//! `/games`: creating, listing, showing, changing and deleting games.

use axum::extract::State;
use http::{Uri, header};
use serde::Deserialize;
use starkeep_contract::did_you_mean::suggestion;
use starkeep_contract::game::{
    CreateGame, Game as GameView, GameChanged, GameCreated, GameStatus, PatchDuration, PatchMaxRounds,
    PatchPace,
};
use starkeep_contract::ignored_field::IgnoredField;
use starkeep_contract::{Bounded, Code, GameId, PathId, Problem, bounded};
use starkeep_game_core::{Game, GameId as CoreGameId, Status};
use starkeep_platform::answer::Answer;
use starkeep_platform::http::documented_problems::{
    Away, BadBody, BadParameter, Conflict, HostOnly, StorageUnreadable,
};
use starkeep_platform::http::{ErrorResponse, Id, JsonNoting, Params};
use starkeep_platform::idempotency::IdempotencyContext;
use utoipa::IntoParams;
use uuid::Uuid;

use super::Shared;
use super::refusals::{NoGameCreated, UnknownGame};
use crate::app::Page;
use crate::ports::{Age, Unreadable};

/// Create a game.
///
/// In the standard dialect its gameworld is made at once, sized for `maxPlayers`. With `gameworldId` it is played in that one
/// instead, which becomes inactive when the game ends. If no `gameId` comes back, the creation failed and nothing was left behind.
#[utoipa::path(post, path = "/games", operation_id = "createGame", tag = "games", security(("admin" = [])), request_body = CreateGame, responses(
    (status = 201, body = GameCreated, description = "Created",
        headers(("Location" = String, description = "The game's address"))),
    BadBody, HostOnly, NoGameCreated, Away,
))]
pub(super) async fn create(
    State(app): State<Shared>,
    once: IdempotencyContext,
    JsonNoting(request, ignored): JsonNoting<CreateGame>,
) -> Result<Answer, ErrorResponse> {
    let ignored = ignored.of::<CreateGame>();
    let created = move |game: &Game| created(game, ignored.clone());
    let new = app.wire.new_game(CoreGameId(app.chance.uuid()), app.chance.bits(), &request)?;
    let game = app
        .create(new, once.with(created.clone()))
        .await
        .map_err(|failure| app.wire.refuse_intent(failure))?;
    Ok(created(&game))
}

fn created(game: &Game, ignored_fields: Vec<IgnoredField>) -> Answer {
    let created = GameCreated { game_id: GameId(game.id.0), ignored_fields };
    Answer::created(&created).at(&format!("/games/{}", game.id))
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct Listing {
    /// Only games in this state; `running` and `started` mean the same.
    #[param(inline, value_type = Option<GameStatus>)]
    status: Option<String>,
    /// How many at most; `Link: rel="next"` leads to more.
    #[serde(default, deserialize_with = "bounded::from_text")]
    #[param(inline)]
    limit: Option<Bounded<1, 1000>>,
    /// Where the page before ended; comes from its `Link`.
    #[param(pattern = r"^(active|ended)\.[0-9]{1,14}\.[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$")]
    after: Option<String>,
}

/// List games: active ones first, then newest first. In the msd dialect only created and running ones.
#[utoipa::path(get, path = "/games", operation_id = "listGames", tag = "games", params(Listing), responses(
    (status = 200, body = Vec<GameView>, description = "The games",
        headers(("Link" = String, description = "Leads to the next page, if there is one"))),
    BadParameter, StorageUnreadable,
))]
pub(super) async fn list(
    State(app): State<Shared>,
    Params(listing): Params<Listing>,
) -> Result<Answer, ErrorResponse> {
    let image = app.image().await.map_err(|fault| unreadable(&fault))?;
    // The whole list is what bots ask for again and again.
    let is_whole = matches!(listing, Listing { status: None, limit: None, after: None });
    if let Some(answer) = app.game_list.get(&image).filter(|_| is_whole) {
        return Ok(answer);
    }
    let limit = listing.limit.map_or(1000, Bounded::as_u32) as usize;
    let status = match listing.status.as_deref() {
        None => None,
        Some(word) => Some(app.wire.status(word).ok_or_else(|| {
            let known = ["created", "running", "started", "ended"];
            let hint = suggestion(word, known);
            bad_parameter("status", &format!("expected one of {}{hint}", known.join(", ")))
        })?),
    };
    let after = match listing.after.as_deref() {
        None => None,
        Some(text) => Some(
            parse_cursor(text)
                .ok_or_else(|| bad_parameter("after", "expected the value of a `Link` header"))?,
        ),
    };
    let page = Page { status, after, limit };
    let with_ended = app.wire.dialect.lists_ended_games();
    let mut games = app.games(&image, page, with_ended).await.map_err(|fault| unreadable(&fault))?;
    let more = games.len() > limit;
    games.truncate(limit);
    let views: Vec<_> = games.iter().map(|game| app.wire.game(game)).collect();
    let answer = Answer::ok(&views);
    let answer = match games.last().filter(|_| more) {
        None => answer,
        Some(last) => answer.with(header::LINK, &next_link(last, limit, listing.status.as_deref())),
    };
    if is_whole {
        app.game_list.put(&image, answer.clone());
    }
    Ok(answer)
}

/// The whole list, if it was asked for since the last commit.
pub(super) fn from_memory(api: &Shared, uri: &Uri) -> Option<Answer> {
    let image = api.image_at_once().filter(|_| uri.query().is_none())?;
    api.game_list.get(&image)
}

/// Show a game.
#[utoipa::path(get, path = "/games/{gameId}", operation_id = "getGame", tag = "games", params(("gameId" = Uuid, Path, description = "The game's id")), responses(
    (status = 200, body = GameView, description = "The game"),
    UnknownGame, StorageUnreadable,
))]
pub(super) async fn show(State(app): State<Shared>, Id(id): Id<GameId>) -> Result<Answer, ErrorResponse> {
    let game =
        app.game(CoreGameId(id.0)).await.map_err(|fault| unreadable(&fault))?.ok_or_else(GameId::unknown)?;
    Ok(Answer::ok(&app.wire.game(&game)))
}

/// Set the number of rounds.
///
/// On a running game a number below the current round ends it at once; the current number makes this round the last.
#[utoipa::path(patch, path = "/games/{gameId}/maxRounds", operation_id = "setMaxRounds", tag = "games", security(("admin" = [])), params(("gameId" = Uuid, Path, description = "The game's id")),
    request_body = PatchMaxRounds, responses(
    (status = 200, body = GameChanged, description = "The game as it now is"),
    BadBody, HostOnly, UnknownGame, Conflict, Away,
))]
pub(super) async fn set_max_rounds(
    State(app): State<Shared>,
    Id(id): Id<GameId>,
    JsonNoting(request, ignored): JsonNoting<PatchMaxRounds>,
) -> Result<Answer, ErrorResponse> {
    let set = app.set_max_rounds(CoreGameId(id.0), request.max_rounds.as_u32()).await;
    let game = set.map_err(|failure| app.wire.refuse(failure))?;
    Ok(changed(&app, &game, ignored.of::<PatchMaxRounds>()))
}

/// Set the round length.
///
/// It applies from the next round on: a round keeps the length it was announced with.
#[utoipa::path(patch, path = "/games/{gameId}/duration", operation_id = "setDuration", tag = "games", security(("admin" = [])), params(("gameId" = Uuid, Path, description = "The game's id")),
    request_body = PatchDuration, responses(
    (status = 200, body = GameChanged, description = "The game as it now is"),
    BadBody, HostOnly, UnknownGame, Conflict, Away,
))]
pub(super) async fn set_duration(
    State(app): State<Shared>,
    Id(id): Id<GameId>,
    JsonNoting(request, ignored): JsonNoting<PatchDuration>,
) -> Result<Answer, ErrorResponse> {
    let set = app.set_round_length(CoreGameId(id.0), request.duration.as_u32()).await;
    let game = set.map_err(|failure| app.wire.refuse(failure))?;
    Ok(changed(&app, &game, ignored.of::<PatchDuration>()))
}

/// Set what ends the phases of a round: the clock, or the players' readiness (for training and tests).
///
/// It applies at once, also to an open phase.
#[utoipa::path(patch, path = "/games/{gameId}/pace", operation_id = "setPace", tag = "games", security(("admin" = [])), params(("gameId" = Uuid, Path, description = "The game's id")),
    request_body = PatchPace, responses(
    (status = 200, body = GameChanged, description = "The game as it now is"),
    BadBody, HostOnly, UnknownGame, Conflict, Away,
))]
pub(super) async fn set_pace(
    State(app): State<Shared>,
    Id(id): Id<GameId>,
    JsonNoting(request, ignored): JsonNoting<PatchPace>,
) -> Result<Answer, ErrorResponse> {
    let set = app.set_pace(CoreGameId(id.0), app.wire.pace(request.pace)).await;
    let game = set.map_err(|failure| app.wire.refuse(failure))?;
    Ok(changed(&app, &game, ignored.of::<PatchPace>()))
}

fn changed(app: &Shared, game: &Game, ignored_fields: Vec<IgnoredField>) -> Answer {
    Answer::ok(&GameChanged { game: app.wire.game(game), ignored_fields })
}

/// Delete an ended game, with its rounds and its gameworld.
#[utoipa::path(delete, path = "/games/{gameId}", operation_id = "deleteGame", tag = "games", security(("admin" = [])), params(("gameId" = Uuid, Path, description = "The game's id")), responses(
    (status = 204, description = "Deleted"),
    HostOnly, UnknownGame, Conflict, Away,
))]
pub(super) async fn delete(State(app): State<Shared>, Id(id): Id<GameId>) -> Result<Answer, ErrorResponse> {
    app.delete(CoreGameId(id.0)).await.map_err(|failure| app.wire.refuse(failure))?;
    Ok(Answer::nothing())
}

pub(super) fn unreadable(fault: &Unreadable) -> ErrorResponse {
    ErrorResponse::unreadable(&fault.to_string())
}

fn bad_parameter(name: &str, expectation: &str) -> ErrorResponse {
    Problem::new(Code::InvalidParameter, format!("`{name}`: {expectation}")).at_field(name).into()
}

fn next_link(last: &Game, limit: usize, status: Option<&str>) -> String {
    let kind = if last.status() == Status::Ended { "ended" } else { "active" };
    let cursor = format!("{kind}.{}.{}", last.created_at.as_millisecond(), last.id);
    let status = status.map(|word| format!("&status={word}")).unwrap_or_default();
    format!("</games?limit={limit}{status}&after={cursor}>; rel=\"next\"")
}

fn parse_cursor(text: &str) -> Option<(bool, Age)> {
    let mut parts = text.splitn(3, '.');
    let active = match parts.next()? {
        "active" => true,
        "ended" => false,
        _ => return None,
    };
    let at = jiff::Timestamp::from_millisecond(parts.next()?.parse().ok()?).ok()?;
    let id = Uuid::try_parse(parts.next()?).ok()?;
    Some((active, (at, CoreGameId(id))))
}
