//! `/players` and `/games/{gameId}/players`: registering, looking oneself up, joining, leaving, being ready.

use axum::Extension;
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, State};
use http::HeaderMap;
use serde::Deserialize;
use starkeep_contract::game::Readiness;
use starkeep_contract::player::{
    FoundPlayer, Joined, NewToken, ParticipatingPlayers, PublicPlayer, RECOVERY_CODE, RecoveryCode,
    RegisterPlayer, RegisteredPlayer, RenewToken,
};
use starkeep_contract::{Code, GameId, PathId, PlayerId, Problem, TransactionId};
use starkeep_game_core::{Game, GameId as CoreGameId, Player, PlayerId as CorePlayerId};
use starkeep_platform::answer::Answer;
use starkeep_platform::decision::Failure;
use starkeep_platform::http::auth::bearer_in;
use starkeep_platform::http::documented_problems::{
    Away, BadBody, BadParameter, Conflict, StorageUnreadable, TokenNeeded,
};
use starkeep_platform::http::path::IdAnd;
use starkeep_platform::http::{ErrorResponse, Id, Json, Params};
use starkeep_platform::idempotency::IdempotencyContext;
use utoipa::IntoParams;
use uuid::Uuid;

use super::Shared;
use super::games::unreadable;
use super::identity::{Holder, Identities, is_token_of, unknown_token};
use super::refusals::{
    NotRecoverable, TooManyGuesses, UnknownGame, UnknownGameOrPlayer, UnknownPlayer, UnknownPlayerOrToken,
    WrongRecoveryCode,
};
use crate::TokenRecovery;
use crate::domain::{JoinRequest, PlayerSearch};
use crate::wire::Wire;

/// Register a player. The answer has the player's token, which is its secret.
#[utoipa::path(post, path = "/players", operation_id = "registerPlayer", tag = "players", request_body = RegisterPlayer, responses(
    (status = 201, body = RegisteredPlayer, description = "The player, with its token"),
    BadBody, Conflict, Away,
))]
pub(super) async fn register(
    State(app): State<Shared>,
    once: IdempotencyContext,
    Json(request): Json<RegisterPlayer>,
) -> Result<Answer, ErrorResponse> {
    let answer = answer_in(app.wire);
    let code = request.recovery_code.as_ref().map(RecoveryCode::as_str);
    let registered = app.register(request.name, request.email, code, once.with(answer)).await;
    Ok(answer(&registered.map_err(|failure| app.wire.refuse(failure))?))
}

fn answer_in(wire: Wire) -> impl Fn(&Player) -> Answer + Copy + Send + Sync + 'static {
    move |player| Answer::created(&wire.player(player))
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct LookUp {
    /// As it was registered, in any case.
    #[param(required = true)]
    name: Option<String>,
    /// As it was registered.
    #[param(required = true)]
    mail: Option<String>,
}

/// Look a player up by its name and mail address.
///
/// The token is in the answer for who shows it as `Authorization: Bearer`; where the service was started with `--token-recovery on`, also
/// for who shows the `recoveryCode` with which the player registered; and in the msd dialect for everybody, unless it was started with
/// `--token-recovery off`. Who has tried too many mail addresses or codes for a name has to wait.
#[utoipa::path(get, path = "/players", operation_id = "lookUpPlayer", tag = "players", security((), ("player" = [])),
    params(LookUp, ("Starkeep-Recovery-Code" = Option<String>, Header, description = "The `recoveryCode` with which the player registered.")),
    responses(
    (status = 200, body = FoundPlayer, description = "The player, with its token if that may be told"),
    BadParameter, WrongRecoveryCode, UnknownPlayer, NotRecoverable, TooManyGuesses, StorageUnreadable,
))]
pub(super) async fn look_up(
    State(app): State<Shared>,
    headers: HeaderMap,
    Params(asked): Params<LookUp>,
) -> Result<Answer, ErrorResponse> {
    let (name, mail) = (needed("name", asked.name)?, needed("mail", asked.mail)?);
    let unknown =
        || Problem::new(Code::UnknownPlayer, "nobody has registered with this name and this mail address");
    let found = app.look_up(&name).await.map_err(|fault| unreadable(&fault))?;
    let player = found.ok_or_else(unknown)?;
    let shows_token = bearer_in(&headers).is_some_and(|token| is_token_of(&player, token));
    match (player.has_mail(&mail), shows_token) {
        (true, true) => {}
        (true, false) => app.guesses.right(player.id, &headers)?,
        (false, _) => {
            app.guesses.wrong(Some(player.id), &headers)?;
            return Err(unknown().into());
        }
    }
    let is_told = shows_token || may_recover(&app, &player, &headers)?;
    Ok(Answer::ok(&app.wire.found_player(&player, is_told)))
}

/// Is whoever knows the player's name and mail address told its token? Who shows a code for nothing is told why.
fn may_recover(app: &Shared, player: &Player, headers: &HeaderMap) -> Result<bool, Problem> {
    let impossible = |why| Problem::spoken(app.wire.dialect, Code::TokenNotRecoverable, why);
    match (app.token_recovery, headers.get(RECOVERY_CODE), player.recovery_code) {
        (TokenRecovery::ByNameAndMail, ..) => Ok(true),
        (_, None, _) => Ok(false),
        (TokenRecovery::Off, Some(_), _) => {
            Err(impossible("this service tells nobody a token again (--token-recovery off)"))
        }
        (TokenRecovery::ByCode, Some(_), None) => {
            Err(impossible("the player chose no recovery code when it registered"))
        }
        (TokenRecovery::ByCode, Some(shown), Some(kept)) => {
            if shown.to_str().is_ok_and(|shown| kept.is_of(shown)) {
                return Ok(true);
            }
            app.guesses.wrong(Some(player.id), headers)?;
            Err(Problem::new(Code::WrongRecoveryCode, "the player chose another recovery code"))
        }
    }
}

pub(super) fn needed<T>(name: &str, value: Option<T>) -> Result<T, ErrorResponse> {
    value.ok_or_else(|| {
        Problem::new(Code::InvalidParameter, format!("`{name}`: expected a value")).at_field(name).into()
    })
}

/// Show what everybody may know of a player: its name. `participatingPlayers` links to it.
#[utoipa::path(get, path = "/players/{playerId}", operation_id = "getPlayer", tag = "players",
    params(("playerId" = Uuid, Path, description = "The player's id")), responses(
    (status = 200, body = PublicPlayer, description = "The player"),
    UnknownPlayer, StorageUnreadable,
))]
pub(super) async fn show(
    State(app): State<Shared>,
    id: Result<Path<Uuid>, PathRejection>,
) -> Result<Answer, ErrorResponse> {
    // A token names nobody here: who asks by token would learn nothing, and others could try tokens.
    let search = id.ok().map(|Path(id)| PlayerSearch::Id(CorePlayerId(id)));
    let players = app.players(search.clone()).await.map_err(|fault| unreadable(&fault))?;
    let player = search.and_then(|search| players.find(&search).cloned());
    let player =
        player.ok_or_else(|| Problem::new(Code::UnknownPlayer, "there is no player with this id"))?;
    Ok(Answer::ok(&app.wire.public_player(&player)))
}

/// Show whose token it is. The robot service asks this before it shows a robot to somebody.
#[utoipa::path(get, path = "/players/me", operation_id = "getMyself", tag = "players", security(("player" = [])), responses(
    (status = 200, body = PublicPlayer, description = "The player who has the token"),
    TokenNeeded, TooManyGuesses, UnknownPlayerOrToken, StorageUnreadable,
))]
pub(super) async fn me(State(app): State<Shared>, headers: HeaderMap) -> Result<Answer, ErrorResponse> {
    let player = Identities::of(&app, &headers, []).await?.bearer(&headers)?;
    Ok(Answer::ok(&app.wire.public_player(&player)))
}

/// Give a player a new token. The old one is worth nothing from then on.
///
/// It is shown as `Authorization: Bearer`, or as `playerToken` in the body.
#[utoipa::path(post, path = "/players/{playerId}/token", operation_id = "renewToken", tag = "players", security((), ("player" = [])),
    params(("playerId" = Uuid, Path, description = "The player's id, or its token")), request_body = Option<RenewToken>, responses(
    (status = 201, body = NewToken, description = "The player's token from now on"),
    TokenNeeded, TooManyGuesses, UnknownPlayerOrToken, Away,
))]
pub(super) async fn renew_token(
    State(app): State<Shared>,
    Extension(Holder(token)): Extension<Holder>,
    once: IdempotencyContext,
) -> Result<Answer, ErrorResponse> {
    match app.renew_token(token, once.with(new_token)).await {
        Ok(player) => Ok(new_token(&player)),
        // Somebody who showed it as well was quicker.
        Err(Failure::Rejected(_)) => Err(unknown_token(app.wire.dialect).into()),
        Err(failure) => Err(app.wire.refuse(failure).into()),
    }
}

fn new_token(player: &Player) -> Answer {
    let player_id = PlayerId(player.id.0);
    Answer::created(&NewToken { player_id, bearer_token: player.token.0 })
}

/// Join a game that has not started.
#[utoipa::path(put, path = "/games/{gameId}/players/{player}", operation_id = "joinGame", tag = "players", security((), ("player" = [])),
    params(("gameId" = Uuid, Path, description = "The game's id"), ("player" = Uuid, Path, description = "The player's token; or its id, with the token as `Authorization: Bearer` (msd: the id is enough)")),
    responses(
    (status = 200, body = Joined, description = "The player takes part"),
    TokenNeeded, TooManyGuesses, UnknownGameOrPlayer, Conflict, Away,
))]
pub(super) async fn join(
    State(app): State<Shared>,
    IdAnd(game, player): IdAnd<GameId>,
    headers: HeaderMap,
) -> Result<Answer, ErrorResponse> {
    let player = Identities::of_path(&app, &headers, &player).await?.shown(&player, &headers)?;
    let joining = JoinRequest { player: player.id, name: player.name.clone() };
    let joined = app.join(CoreGameId(game.0), joining).await;
    let transaction = joined.map_err(|failure| app.wire.refuse(failure))?;
    Ok(Answer::ok(&Joined { transaction_id: TransactionId(transaction) }))
}

/// Leave a game that has not started. A host that shows the admin token may take any player out, also of a running game.
///
/// Who is taken out of a running game sends no more commands there, and nobody waits for it. What it was accepted for is
/// carried out; its account and its robots stay, and so does its row in the scoreboard, with `left`.
#[utoipa::path(delete, path = "/games/{gameId}/players/{player}", operation_id = "leaveGame", tag = "players",
    security((), ("player" = []), ("admin" = [])),
    params(("gameId" = Uuid, Path, description = "The game's id"), ("player" = Uuid, Path, description = "As for joining")),
    responses(
    (status = 204, description = "The player does not play any longer"),
    TokenNeeded, TooManyGuesses, UnknownGameOrPlayer, Conflict, Away,
))]
pub(super) async fn leave(
    State(app): State<Shared>,
    IdAnd(game, player): IdAnd<GameId>,
    headers: HeaderMap,
) -> Result<Answer, ErrorResponse> {
    let identities = Identities::of_path(&app, &headers, &player).await?;
    let game = CoreGameId(game.0);
    let left = if identities.is_host(&headers) {
        app.take_out(game, identities.named(&player)?.id).await
    } else {
        app.leave(game, identities.shown(&player, &headers)?.id).await
    };
    left.map_err(|failure| app.wire.refuse(failure))?;
    Ok(Answer::nothing())
}

/// Say that a player needs no more of the open round's collection phase.
///
/// In a game at turbo pace the phase ends as soon as every joined player has said so; who was taken out of the game is not waited
/// for. Valid for the open round; saying it again changes nothing. At clock pace it is counted and has no effect.
#[utoipa::path(put, path = "/games/{gameId}/players/{player}/ready", operation_id = "sayReady", tag = "players", security((), ("player" = [])),
    params(("gameId" = Uuid, Path, description = "The game's id"), ("player" = Uuid, Path, description = "As for joining")),
    responses(
    (status = 200, body = Readiness, description = "How many are ready, and how many play"),
    TokenNeeded, TooManyGuesses, UnknownGameOrPlayer, Conflict, Away,
))]
pub(super) async fn ready(
    State(app): State<Shared>,
    IdAnd(game, player): IdAnd<GameId>,
    headers: HeaderMap,
) -> Result<Answer, ErrorResponse> {
    let player = Identities::of_path(&app, &headers, &player).await?.shown(&player, &headers)?;
    let ready = app.ready(CoreGameId(game.0), player.id).await;
    let game = ready.map_err(|failure| app.wire.refuse(failure))?;
    Ok(Answer::ok(&readiness(&game)))
}

fn readiness(game: &Game) -> Readiness {
    let count = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
    // Who was taken out is neither.
    let (ready, players) = (game.ready_players(), game.roster.len());
    let taken_out = game.roster.taken_out();
    Readiness { ready: count(ready.saturating_sub(taken_out)), players: count(players - taken_out) }
}

/// Show who takes part in a game, by name.
#[utoipa::path(get, path = "/games/{gameId}/participatingPlayers", operation_id = "listParticipatingPlayers", tag = "players",
    params(("gameId" = Uuid, Path, description = "The game's id")), responses(
    (status = 200, body = ParticipatingPlayers, description = "The players in the order in which they joined"),
    UnknownGame, StorageUnreadable,
))]
pub(super) async fn participating(
    State(app): State<Shared>,
    Id(id): Id<GameId>,
    headers: HeaderMap,
) -> Result<Answer, ErrorResponse> {
    let game = app.game(CoreGameId(id.0)).await.map_err(|fault| unreadable(&fault))?;
    let game = game.ok_or_else(GameId::unknown)?;
    let host = headers.get(http::header::HOST).and_then(|host| host.to_str().ok()).unwrap_or("localhost");
    let players = app.players(game.roster.iter().map(PlayerSearch::Id)).await;
    let players = players.map_err(|fault| unreadable(&fault))?;
    let participants = game.roster.iter().filter_map(|player| players.get(player));
    Ok(Answer::ok(&app.wire.participants(&game, participants, host)))
}
