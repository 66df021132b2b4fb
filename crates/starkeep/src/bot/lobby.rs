//! Which game the bots join: the one that was asked for, the newest that has not started, or the next one that is created.
//! Whether there are seats for them is seen when they take them.

use std::io::Write;

use starkeep_client::{ClientError, EventStream, Item};
use starkeep_contract::events::{Channel, GameStatusChanged, GameStatusWord};
use starkeep_contract::{Code, GameId};

use super::error::BotError;
use super::print_line;
use super::service::Service;

/// The stream must have been connected before, so that no creation falls between the list and the events.
pub(super) async fn find(
    service: &Service,
    stream: &mut EventStream,
    wanted: Option<GameId>,
    output: &mut impl Write,
) -> Result<GameId, BotError> {
    match wanted {
        Some(game) => joinable(service, game).await,
        None => newest_or_next(service, stream, output).await,
    }
}

async fn joinable(service: &Service, id: GameId) -> Result<GameId, BotError> {
    match service.until_answered(|| service.client.game(id)).await {
        Ok(game) if game.game_status == "ended" => Err(BotError::Ended(id)),
        Ok(_) => Ok(id),
        Err(ClientError::Refused(problem)) if problem.code == Code::UnknownGame => {
            Err(BotError::UnknownGame(id))
        }
        Err(fault) => Err(BotError::service(fault)),
    }
}

async fn newest_or_next(
    service: &Service,
    stream: &mut EventStream,
    output: &mut impl Write,
) -> Result<GameId, BotError> {
    let mut announced = false;
    loop {
        let created = service.until_answered(|| service.client.games_that_are("created")).await;
        // The newest stands first.
        if let Some(game) = created.map_err(BotError::service)?.first() {
            return Ok(game.game_id);
        }
        if !std::mem::replace(&mut announced, true) {
            print_line(output, "There is no game that has not started; waiting until one is created.");
        }
        loop {
            match stream.next().await.map_err(BotError::service)? {
                Item::Event(event) if event.channel == Channel::Status => {
                    let change = serde_json::from_value::<GameStatusChanged>(event.payload);
                    if let Ok(GameStatusChanged { game_id, status: GameStatusWord::Created }) = change {
                        return Ok(game_id);
                    }
                }
                Item::Event(_) => {}
                // A creation may be among what is missing: the list knows.
                Item::Gap(_) => break,
            }
        }
    }
}
