//! A bot becomes a player of the game: registers, or finds itself registered, and joins, or finds itself joined.
//! Its token is kept here and shown to nobody but the service.

use std::sync::Arc;

use starkeep_client::ClientError;
use starkeep_contract::player::{RegisterPlayer, RegisteredPlayer};
use starkeep_contract::{Code, GameId};

use super::bounded_tasks::BoundedTasks;
use super::error::BotError;
use super::service::Service;
use super::{SEATS_AT_A_TIME, Wanted};

/// A player of the game. It cannot be printed: its token is its secret.
pub(super) struct Bot {
    token: String,
}

impl Bot {
    pub(super) fn new(token: String) -> Self {
        Self { token }
    }

    /// For requests alone.
    pub(super) fn token(&self) -> &str {
        &self.token
    }
}

/// All of them, or the first failure.
pub(super) async fn take_seats(
    service: &Arc<Service>,
    game: GameId,
    wanted: &Wanted<'_>,
) -> Result<Vec<Arc<Bot>>, BotError> {
    let mut joining = BoundedTasks::new(SEATS_AT_A_TIME);
    joining.add((1..=wanted.count).map(|number| format!("{}-{number}", wanted.name)));
    let mut bots = Vec::new();
    while let Some(seated) = joining.next(|name| take_seat(service.clone(), game, name)).await {
        bots.push(Arc::new(seated?));
    }
    Ok(bots)
}

async fn take_seat(service: Arc<Service>, game: GameId, name: String) -> Result<Bot, BotError> {
    let player = registered(&service, &name).await?;
    let bot = Bot::new(player.bearer_token.to_string());
    let joined = service.until_answered(|| service.client.join(game, &bot.token)).await;
    let Err(fault) = joined else { return Ok(bot) };
    let ClientError::Refused(problem) = fault else {
        let reason = fault.to_string().replace(&bot.token, "…");
        return Err(BotError::NotSeated { name, what: "join", reason });
    };
    match problem.code {
        Code::AlreadyParticipating => Ok(bot),
        Code::GameFull => Err(BotError::Full { name, game }),
        Code::GameEnded => Err(BotError::Ended(game)),
        Code::UnknownGame => Err(BotError::Gone(game)),
        Code::GameNotCreated | Code::StartUnderWay => {
            let shown =
                service.until_answered(|| service.client.game(game)).await.map_err(BotError::service)?;
            match shown.game_status.as_str() {
                "ended" => Err(BotError::Ended(game)),
                // It joined before these bots were started again.
                _ if shown.participating_players.contains(&player.player_id) => Ok(bot),
                _ => Err(BotError::Started { name, game }),
            }
        }
        // Not the service's detail: it might repeat the path, and with it the token.
        code => Err(BotError::NotSeated { name, what: "join", reason: code.title().to_owned() }),
    }
}

async fn registered(service: &Service, name: &str) -> Result<RegisteredPlayer, BotError> {
    let player = RegisterPlayer { name: name.to_owned(), email: format!("{name}@bots.example") };
    let not_seated = |what, reason: ClientError| BotError::NotSeated {
        name: name.to_owned(),
        what,
        reason: reason.to_string(),
    };
    match service.until_answered(|| service.client.register(&player)).await {
        Err(ClientError::Refused(problem)) if [Code::NameTaken, Code::MailTaken].contains(&problem.code) => {}
        outcome => return outcome.map_err(|fault| not_seated("register", fault)),
    }
    match service.until_answered(|| service.client.look_up(name, &player.email)).await {
        Err(ClientError::Refused(problem)) if problem.code == Code::UnknownPlayer => {
            Err(BotError::NameOfAnother(name.to_owned()))
        }
        outcome => outcome.map_err(|fault| not_seated("look itself up", fault)),
    }
}
