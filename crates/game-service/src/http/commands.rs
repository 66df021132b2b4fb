//! `/commands`: what players want their robots and traders to do, and what became of it.

use axum::extract::State;
use http::HeaderMap;
use serde::Deserialize;
use starkeep_contract::command::{CommandRequest, LARGEST_BATCH, Receipt, RoundCommands};
use starkeep_contract::schema::{BatchAnswer, CommandBatch};
use starkeep_contract::{Bounded, Code, GameId, PathId, Problem, TransactionId, bounded};
use starkeep_game_core::{CommandId, GameId as CoreGameId};
use starkeep_platform::answer::Answer;
use starkeep_platform::http::documented_problems::{
    Away, BadBody, BadParameter, Conflict, StorageUnreadable, TokenNeeded,
};
use starkeep_platform::http::{ErrorResponse, Id, Json, JsonArray, Params};
use starkeep_platform::idempotency::IdempotencyContext;
use utoipa::IntoParams;
use uuid::Uuid;

use super::Shared;
use super::games::unreadable;
use super::identity::{Identities, senders};
use super::players::needed;
use super::refusals::{BadToken, TooManyGuesses, UnknownCommand, UnknownInCommand, UnknownRound};
use crate::domain::{AcceptedCommand, BatchResults, CommandInput};
use crate::wire::{ParsedCommand, Wire};

/// Send a command, in the collection phase of a running game.
///
/// `movement` needs `robotId` and `planetId`; `battle` `robotId` and `targetId`; `mining`, `regeneration` and `selling`
/// `robotId`; `buying` `itemName`, and `robotId` unless the item is `ROBOT`. The last command for a robot in a round wins;
/// purchases of robots all count. It is durable when the answer comes.
#[utoipa::path(post, path = "/commands", operation_id = "sendCommand", tag = "commands", security((), ("player" = [])),
    request_body = CommandRequest, responses(
    (status = 201, body = Receipt, description = "Taken",
        headers(("Location" = String, description = "The receipt's address"))),
    BadBody, TokenNeeded, TooManyGuesses, UnknownInCommand, Conflict, Away,
))]
pub(super) async fn send(
    State(app): State<Shared>,
    headers: HeaderMap,
    once: IdempotencyContext,
    Json(request): Json<CommandRequest>,
) -> Result<Answer, ErrorResponse> {
    let parsed = ParsedCommand::read(&request)?;
    let identities = Identities::of(&app, &headers, senders(&parsed)).await?;
    let input = input(&identities, parsed, &headers)?;
    let answer = answer_in(app.wire);
    let taken = app.command(input, once.with(answer)).await;
    Ok(answer(&taken.map_err(|failure| app.wire.refuse(failure))?))
}

fn answer_in(wire: Wire) -> impl Fn(&AcceptedCommand) -> Answer + Copy + Send + Sync + 'static {
    move |accepted| {
        let path = format!("/commands/{}", accepted.command.id);
        Answer::created(&wire.accepted(accepted)).at(&path)
    }
}

/// Send up to 1000 commands at once. Each is taken or refused by itself; the answers come in the same order.
#[utoipa::path(post, path = "/commands/batch", operation_id = "sendCommands", tag = "commands", security((), ("player" = [])),
    request_body = CommandBatch, responses(
    (status = 200, body = BatchAnswer, description = "What each was answered with: 201 and its receipt, or its problem"),
    BadBody, Away,
))]
pub(super) async fn send_many(
    State(app): State<Shared>,
    headers: HeaderMap,
    once: IdempotencyContext,
    JsonArray(elements): JsonArray,
) -> Result<Answer, ErrorResponse> {
    if elements.len() > LARGEST_BATCH {
        let text =
            format!("{} commands in one request are too many: at most {LARGEST_BATCH}", elements.len());
        return Err(Problem::new(Code::InvalidField, text).at_field("body").into());
    }
    let parsed: Vec<_> = elements.into_iter().map(ParsedCommand::read_one).collect();
    let named: Vec<_> = parsed.iter().flatten().flat_map(senders).collect();
    let identities = Identities::of(&app, &headers, named).await?;
    let inputs = parsed.into_iter().map(|parsed| input(&identities, parsed?, &headers));
    let (inputs, refused): (Vec<_>, Vec<_>) = inputs.map(split).unzip();
    let answer = answers_in(app.wire, refused);
    let inputs: Vec<_> = inputs.into_iter().flatten().collect();
    // What nobody has signed, or nobody can read, is not worth a commit.
    if inputs.is_empty() {
        return Ok(answer(&Vec::new()));
    }
    let taken = app.commands(inputs, once.with(answer.clone())).await;
    Ok(answer(&taken.map_err(|failure| app.wire.refuse(failure))?))
}

fn split(input: Result<CommandInput, Problem>) -> (Option<CommandInput>, Option<Problem>) {
    match input {
        Ok(input) => (Some(input), None),
        Err(problem) => (None, Some(problem)),
    }
}

/// What was refused before keeps its place among what was decided.
fn answers_in(
    wire: Wire,
    refused: Vec<Option<Problem>>,
) -> impl Fn(&BatchResults) -> Answer + Clone + Send + Sync + 'static {
    move |each| {
        let mut decided = each.iter();
        let outcome = |refused: &Option<Problem>| match refused {
            Some(problem) => Some(Err(problem.clone())),
            None => decided.next().map(|outcome| match outcome {
                Ok(accepted) => Ok(wire.accepted(accepted)),
                Err(rejection) => Err(wire.explain(*rejection)),
            }),
        };
        let items: Vec<_> =
            refused.iter().filter_map(outcome).map(|outcome| wire.batch_item(outcome)).collect();
        Answer::ok(&items)
    }
}

fn input(
    identities: &Identities,
    parsed: ParsedCommand,
    headers: &HeaderMap,
) -> Result<CommandInput, Problem> {
    let player = identities.sender(parsed.token.as_deref(), parsed.player, headers)?;
    Ok(CommandInput { game: parsed.game, player: player.id, order: parsed.order })
}

/// Show what became of a command.
///
/// Its player (who shows its token as `Authorization: Bearer`) sees it at once, everybody else when its round is over.
#[utoipa::path(get, path = "/commands/{transactionId}", operation_id = "getCommand", tag = "commands", security((), ("player" = [])),
    params(("transactionId" = Uuid, Path, description = "As in the receipt")), responses(
    (status = 200, body = Receipt, description = "The receipt as it now is"),
    BadToken, TooManyGuesses, UnknownCommand, StorageUnreadable,
))]
pub(super) async fn receipt(
    State(app): State<Shared>,
    Id(id): Id<TransactionId>,
    headers: HeaderMap,
) -> Result<Answer, ErrorResponse> {
    let asking = Identities::of(&app, &headers, None).await?.asking(&headers)?.map(|player| player.id);
    let found = app.receipt(CommandId(id.0), asking).await.map_err(|fault| unreadable(&fault))?;
    let (kept, left) = found.ok_or_else(TransactionId::unknown)?;
    Ok(Answer::ok(&app.wire.receipt(&kept, left)))
}

#[derive(Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query, rename_all = "camelCase")]
pub(super) struct OfRound {
    /// The game that is meant.
    #[param(value_type = Uuid)]
    game_id: Option<String>,
    /// The round that is meant.
    #[serde(default, deserialize_with = "bounded::from_text")]
    #[param(inline, required = true)]
    round_number: Option<Bounded<0, 1_000_000>>,
}

/// Show the commands of a round.
///
/// While it is open, those of the player who shows its token as `Authorization: Bearer`, and nobody else's.
#[utoipa::path(get, path = "/commands", operation_id = "listCommands", tag = "commands", security((), ("player" = [])),
    params(OfRound), responses(
    (status = 200, body = RoundCommands, description = "The round's commands in the order in which they were taken"),
    BadParameter, BadToken, TooManyGuesses, UnknownRound, StorageUnreadable,
))]
pub(super) async fn of_round(
    State(app): State<Shared>,
    headers: HeaderMap,
    Params(asked): Params<OfRound>,
) -> Result<Answer, ErrorResponse> {
    let game = needed("gameId", asked.game_id)?;
    let game = Uuid::try_parse(&game)
        .map_err(|_| Problem::new(Code::InvalidParameter, "`gameId`: expected a UUID").at_field("gameId"))?;
    let (game, round) = (CoreGameId(game), needed("roundNumber", asked.round_number)?.as_u32());
    let asking = Identities::of(&app, &headers, None).await?.asking(&headers)?.map(|player| player.id);
    let kept = app.round_commands(game, round, asking).await.map_err(|fault| unreadable(&fault))?;
    if let Some(kept) = kept {
        return Ok(Answer::ok(&app.wire.round_commands(game, round, &kept)));
    }
    let known = app.game(game).await.map_err(|fault| unreadable(&fault))?;
    Err(match known {
        Some(_) => {
            Problem::new(Code::UnknownRound, format!("game {game} has not had a round {round}")).into()
        }
        None => GameId::unknown().into(),
    })
}
