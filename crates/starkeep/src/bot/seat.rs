//! A bot becomes a player of the game: registers, or finds itself registered, and joins, or finds itself joined.
//! If one of them cannot, none of them can play, and those who have just joined leave their seats to others.

use std::sync::Arc;

use starkeep_client::ClientError;
use starkeep_contract::player::RegisterPlayer;
use starkeep_contract::{Code, GameId, PlayerId};

use super::bounded_tasks::BoundedTasks;
use super::error::BotError;
use super::seated_bot::Bot;
use super::service::Service;
use super::{SEATS_AT_A_TIME, Wanted};

/// A seat, and whether it was free until now.
struct Seat {
    number: u32,
    token: String,
    is_new: bool,
}

/// All of them, in the order of their numbers, or the first failure.
pub(super) async fn take_seats(
    service: &Arc<Service>,
    game: GameId,
    wanted: &Wanted<'_>,
) -> Result<Vec<Arc<Bot>>, BotError> {
    let mut joining = BoundedTasks::new(wanted.at_a_time(SEATS_AT_A_TIME));
    joining.add((1..=wanted.count).map(|number| (number, format!("{}-{number}", wanted.name))));
    let (mut seats, mut failure) = (Vec::new(), None);
    let take = |(number, name)| take_seat(service.clone(), game, number, name);
    while let Some(seated) = joining.next(take).await {
        match seated {
            Ok(seat) => seats.push(seat),
            Err(fault) => {
                joining.cancel_waiting();
                failure.get_or_insert(fault);
            }
        }
    }
    if let Some(failure) = failure {
        leave(service, game, seats).await;
        return Err(failure);
    }
    seats.sort_by_key(|seat| seat.number);
    Ok(seats
        .into_iter()
        .map(|seat| Arc::new(Bot::new(service, wanted.seed_of(seat.number), seat.token)))
        .collect())
}

/// The seats that were taken just now. What cannot be left is kept: there is nobody left to tell.
async fn leave(service: &Arc<Service>, game: GameId, seats: Vec<Seat>) {
    let mut leaving = BoundedTasks::new(SEATS_AT_A_TIME);
    leaving.add(seats.into_iter().filter(|seat| seat.is_new));
    let leave = |seat: Seat| {
        let service = service.clone();
        async move { service.client.leave(game, &seat.token).await }
    };
    while leaving.next(leave).await.is_some() {}
}

async fn take_seat(service: Arc<Service>, game: GameId, number: u32, name: String) -> Result<Seat, BotError> {
    let (player, token) = registered(&service, &name).await?;
    let joined = service.until_answered(|| service.client.join(game, &token)).await;
    let Err(fault) = joined else { return Ok(Seat { number, token, is_new: true }) };
    let ClientError::Refused(problem) = fault else {
        let reason = fault.to_string().replace(&token, "…");
        return Err(BotError::NotSeated { name, what: "join", reason });
    };
    let kept = Seat { number, token, is_new: false };
    match problem.code {
        Code::AlreadyParticipating => Ok(kept),
        Code::GameFull => Err(BotError::Full { name, game }),
        Code::GameEnded => Err(BotError::Ended(game)),
        Code::UnknownGame => Err(BotError::Gone(game)),
        Code::GameNotCreated | Code::StartUnderWay => {
            let shown =
                service.until_answered(|| service.client.game(game)).await.map_err(BotError::service)?;
            match shown.game_status.as_str() {
                "ended" => Err(BotError::Ended(game)),
                // It joined before these bots were started again.
                _ if shown.participating_players.contains(&player) => Ok(kept),
                _ => Err(BotError::Started { name, game }),
            }
        }
        // Not the service's detail: it might repeat the path, and with it the token.
        code => Err(BotError::NotSeated { name, what: "join", reason: code.title().to_owned() }),
    }
}

/// Who plays under this name, and its token.
async fn registered(service: &Service, name: &str) -> Result<(PlayerId, String), BotError> {
    let player = RegisterPlayer { name: name.to_owned(), email: format!("{name}@bots.example") };
    let not_seated = |what, reason: ClientError| BotError::NotSeated {
        name: name.to_owned(),
        what,
        reason: reason.to_string(),
    };
    match service.until_answered(|| service.client.register(&player)).await {
        Ok(registered) => return Ok((registered.player_id, registered.bearer_token.to_string())),
        Err(ClientError::Refused(problem)) if [Code::NameTaken, Code::MailTaken].contains(&problem.code) => {}
        Err(fault) => return Err(not_seated("register", fault)),
    }
    match service.until_answered(|| service.client.look_up(name, &player.email)).await {
        Ok(found) => match found.bearer_token {
            Some(token) => Ok((found.player_id, token.to_string())),
            None => Err(BotError::TokenNotTold(name.to_owned())),
        },
        Err(ClientError::Refused(problem)) if problem.code == Code::UnknownPlayer => {
            Err(BotError::NameOfAnother(name.to_owned()))
        }
        Err(fault) => Err(not_seated("look itself up", fault)),
    }
}
