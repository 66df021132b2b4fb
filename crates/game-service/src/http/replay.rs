//! `/games/{gameId}/replay`: a whole game as one file.

use axum::body::Body;
use axum::extract::State;
use axum::response::Response;
use futures::stream;
use http::{HeaderMap, HeaderValue, header};
use starkeep_contract::{Code, GameId, PathId, Problem};
use starkeep_game_core::{GameId as CoreGameId, Status};
use starkeep_platform::http::documented_problems::{Away, HostOnly};
use starkeep_platform::http::{ErrorResponse, Id};

use super::Shared;
use super::games::unreadable;
use super::refusals::UnknownGame;
use crate::app::{Replay, ReplayFault};

/// Get a game as one file of JSON lines.
///
/// The first line is the game with its gameworld as it was made (`ReplayHeader`), every other one an event of any of the services
/// (`ReplayEvent`): by round, and within a round those of a service in the order of its log. An event's `id` is the position after which that
/// service's `GET /events` goes on. What the logs do not keep any longer is missing. For the host; once the game has ended, for
/// everybody.
#[utoipa::path(get, path = "/games/{gameId}/replay", operation_id = "getReplay", tag = "games", security((), ("admin" = [])),
    params(("gameId" = uuid::Uuid, Path, description = "The game's id")), responses(
    (status = 200, description = "The game", content(
        (String = "application/x-ndjson",
            example = "{\"format\":\"starkeep-replay\",\"version\":1,…}\n{\"service\":\"game\",\"id\":\"…\",\"channel\":\"status\",…}\n"),
    ), headers(("Content-Disposition" = String, description = "A name for the file"))),
    HostOnly, UnknownGame, Away,
))]
pub(super) async fn show(
    State(api): State<Shared>,
    Id(id): Id<GameId>,
    headers: HeaderMap,
) -> Result<Response, ErrorResponse> {
    let game = api.game(CoreGameId(id.0)).await.map_err(|fault| unreadable(&fault))?;
    let game = game.ok_or_else(GameId::unknown)?;
    if game.status() != Status::Ended {
        api.admin_token.admits(&headers)?;
    }
    let replay = api.replay(&game).await.map_err(|fault| match fault {
        ReplayFault::Lookup(fault) => Problem::new(Code::ExecutorUnavailable, fault.to_string()).into(),
        ReplayFault::Unreadable(fault) => unreadable(&fault),
    })?;
    let mut response = Response::new(body(replay));
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/x-ndjson"));
    let name = format!("attachment; filename=\"starkeep-{}.jsonl\"", game.id);
    headers.extend(HeaderValue::from_str(&name).ok().map(|name| (header::CONTENT_DISPOSITION, name)));
    Ok(response)
}

/// One that breaks off shows it: its end is missing.
fn body(replay: Replay) -> Body {
    let pieces = stream::try_unfold(replay, |mut replay| async move {
        let piece =
            replay.next_piece().await.inspect_err(|fault| tracing::warn!(%fault, "a replay broke off"))?;
        Ok::<_, ReplayFault>(piece.map(|piece| (piece, replay)))
    });
    Body::from_stream(pieces)
}
