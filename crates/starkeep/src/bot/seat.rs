//! A bot becomes a player of the game: registers, or finds itself registered, and joins, or finds itself joined.
//! Those who cannot are left out, and the others play without them.

use std::collections::BTreeMap;
use std::sync::Arc;

use starkeep_client::ClientError;
use starkeep_contract::player::RegisterPlayer;
use starkeep_contract::{Code, GameId, PlayerId};
use starkeep_platform::chance::SystemChance;

use super::bounded_tasks::BoundedTasks;
use super::error::BotError;
use super::seated_bot::Bot;
use super::service::Service;
use super::token_file::TokenFile;
use super::{SEATS_AT_A_TIME, Wanted};

/// The bots that play, in the order of their numbers.
pub(super) struct Seated {
    pub(super) bots: Vec<Arc<Bot>>,
    /// How many others could not join: a sentence for each reason.
    pub(super) left_out: Vec<String>,
}

struct Seat {
    number: u32,
    token: String,
}

/// As many as can join; an error where none of them can.
pub(super) async fn take_seats(
    service: &Arc<Service>,
    game: GameId,
    wanted: &Wanted<'_>,
) -> Result<Seated, BotError> {
    let mut joining = BoundedTasks::new(wanted.at_a_time(SEATS_AT_A_TIME));
    joining.add((1..=wanted.count).map(|number| (number, format!("{}-{number}", wanted.name))));
    let (mut seats, mut failures) = (Vec::new(), Vec::new());
    let take = |(number, name): (u32, String)| {
        let seat = take_seat(service.clone(), game, number, name.clone(), wanted.tokens.clone());
        async move { seat.await.map_err(|fault| (name, fault)) }
    };
    while let Some(seated) = joining.next(take).await {
        match seated {
            Ok(seat) => seats.push(seat),
            // A bot after it may have its seat from before.
            Err(fault) => failures.push(fault),
        }
    }
    let left_out = left_out(&failures, wanted.count);
    if let Some((_, failure)) = failures.into_iter().next().filter(|_| seats.is_empty()) {
        return Err(failure);
    }
    seats.sort_by_key(|seat| seat.number);
    let bot = |seat: Seat| Arc::new(Bot::new(service, wanted.seed_of(seat.number), seat.token));
    let bots = seats.into_iter().map(bot).collect();
    Ok(Seated { bots, left_out })
}

/// A reason that names a bot is the same for another one.
fn left_out(failures: &[(String, BotError)], count: u32) -> Vec<String> {
    let mut reasons: BTreeMap<String, (usize, String)> = BTreeMap::new();
    for (name, failure) in failures {
        let reason = failure.to_string();
        reasons.entry(reason.replace(name, "")).or_insert((0, reason)).0 += 1;
    }
    let sentence = |(bots, reason)| format!("{bots} of {count} bots do not play: {reason}");
    reasons.into_values().map(sentence).collect()
}

async fn take_seat(
    service: Arc<Service>,
    game: GameId,
    number: u32,
    name: String,
    tokens: Arc<TokenFile>,
) -> Result<Seat, BotError> {
    let (player, token) = registered(&service, &name, &tokens).await?;
    let joined = service.until_answered(|| service.client.join(game, &token)).await;
    let Err(fault) = joined else { return Ok(Seat { number, token }) };
    let ClientError::Refused(problem) = fault else {
        let reason = fault.to_string().replace(&token, "…");
        return Err(BotError::NotSeated { name, what: "join", reason });
    };
    let kept = Seat { number, token };
    match problem.code {
        Code::AlreadyParticipating => Ok(kept),
        Code::GameFull => Err(BotError::Full(game)),
        Code::GameEnded => Err(BotError::Ended(game)),
        Code::UnknownGame => Err(BotError::Gone(game)),
        Code::GameNotCreated | Code::StartUnderWay => {
            let shown =
                service.until_answered(|| service.client.game(game)).await.map_err(BotError::service)?;
            match shown.game_status.as_str() {
                "ended" => Err(BotError::Ended(game)),
                // It joined before these bots were started again.
                _ if shown.participating_players.contains(&player) => Ok(kept),
                _ => Err(BotError::Started(game)),
            }
        }
        // Not the service's detail: it might repeat the path, and with it the token.
        code => Err(BotError::NotSeated { name, what: "join", reason: code.title().to_owned() }),
    }
}

/// Who plays under this name, and its token.
async fn registered(
    service: &Service,
    name: &str,
    tokens: &TokenFile,
) -> Result<(PlayerId, String), BotError> {
    let saved = tokens.player(name, &SystemChance);
    let player = RegisterPlayer {
        name: name.to_owned(),
        email: format!("{name}@bots.example"),
        recovery_code: Some(saved.recovery_code.clone()),
    };
    let not_seated = |what, reason: ClientError| BotError::NotSeated {
        name: name.to_owned(),
        what,
        reason: reason.to_string(),
    };
    match service.until_answered(|| service.client.register_once(&player, &saved.registration)).await {
        Ok(registered) => {
            let token = registered.bearer_token.to_string();
            tokens.keep_token(name, &token);
            return Ok((registered.player_id, token));
        }
        Err(ClientError::Refused(problem)) if [Code::NameTaken, Code::MailTaken].contains(&problem.code) => {}
        Err(fault) => return Err(not_seated("register", fault)),
    }
    let client = service.client.clone();
    let client = saved.token.iter().fold(client, |client, token| client.with_token(token));
    let not_told = || BotError::TokenNotTold { name: name.to_owned(), path: tokens.path().to_owned() };
    match service.until_answered(|| client.recover(name, &player.email, &saved.recovery_code)).await {
        Ok(found) => {
            let token = found.bearer_token.ok_or_else(not_told)?.to_string();
            tokens.keep_token(name, &token);
            Ok((found.player_id, token))
        }
        Err(ClientError::Refused(problem))
            if [Code::TokenNotRecoverable, Code::WrongRecoveryCode].contains(&problem.code) =>
        {
            Err(not_told())
        }
        Err(ClientError::Refused(problem)) if problem.code == Code::UnknownPlayer => {
            Err(BotError::NameOfAnother(name.to_owned()))
        }
        Err(fault) => Err(not_seated("look itself up", fault)),
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    #[test]
    fn those_who_are_left_out_are_counted_for_each_reason() {
        let full = |name: &str| (name.to_owned(), BotError::Full(GameId(Uuid::nil())));
        let not_seated = |name: &str| {
            let (own, reason) = (name.to_owned(), "it is late".to_owned());
            (name.to_owned(), BotError::NotSeated { name: own, what: "join", reason })
        };
        let failures =
            [full("bot-3"), not_seated("bot-4"), full("bot-12"), full("bot-5"), not_seated("bot-1")];
        let [late, none_free] = &left_out(&failures, 7)[..] else { panic!("two reasons") };
        assert_eq!(late, "2 of 7 bots do not play: `bot-4` could not join: it is late");
        assert!(none_free.starts_with("3 of 7 bots do not play: all seats of game "), "{none_free}");
        assert!(left_out(&[], 7).is_empty());
    }
}
