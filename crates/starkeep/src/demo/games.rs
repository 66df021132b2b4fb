//! The games of a demo, one after the other, each in another world; first the one that an earlier demo has left.

use std::sync::Arc;

use serde_json::json;
use starkeep_client::{ClientError, GameClient};
use starkeep_contract::{Code, GameId};
use starkeep_platform::chance::{Chance, SystemChance};
use tokio::sync::{oneshot, watch};

use super::DemoError;
use super::world::lively_seed;
use crate::bot::{self, BotError, TokenFile};
use crate::failure::CommandError;
use crate::games::{self, ShownGame};
use crate::watch::Played;

const BOTS: u32 = 4;
const ROUNDS: u32 = 60;
const ROUND_MILLIS: u32 = 2000;
/// For some robots each, so that there is something to see.
const START_MONEY: u32 = 600;

/// `played` is told of each game before the bots join it.
pub(super) async fn play_for_ever(
    url: &str,
    client: &GameClient,
    tokens: &Arc<TokenFile>,
    played: &watch::Sender<Option<Played>>,
) -> Result<(), DemoError> {
    let earlier = games::list(client, "/games").await?;
    let mut number = earlier.iter().filter_map(number_of).max().unwrap_or(0);
    if let Some(game) = unfinished(&earlier) {
        let note = format!("{} of an earlier demo is not over: it goes on", game.label());
        played.send_replace(Some(Played { game: game.clone(), note: Some(note) }));
        play(url, client, tokens, game.game_id).await?;
    }
    loop {
        number += 1;
        let game = create(client, number).await?;
        played.send_replace(Some(Played { game: games::show(client, game).await?, note: None }));
        play(url, client, tokens, game).await?;
    }
}

/// To its end, whoever ends it.
async fn play(
    url: &str,
    client: &GameClient,
    tokens: &Arc<TokenFile>,
    game: GameId,
) -> Result<(), DemoError> {
    let (seated, are_seated) = oneshot::channel();
    let start = async {
        // Without an answer the bots have failed, which is told below.
        if are_seated.await.is_ok() {
            start(client, game).await?;
        }
        Ok::<_, DemoError>(())
    };
    let bots = async {
        match bot::fill(url, game, BOTS, SystemChance.bits(), tokens.clone(), seated).await {
            // A host has ended it on the page.
            Err(BotError::Ended(_) | BotError::Gone(_)) => Ok(()),
            // Others have taken the seats: it is not for these bots any longer.
            Err(BotError::Full(_) | BotError::Started(_)) => {
                client.end(game).await.map(|_| ()).map_err(|fault| CommandError::from(fault).into())
            }
            Err(BotError::TokenNotTold { path, .. }) => {
                Err(DemoError::TokensLost(path.display().to_string()))
            }
            outcome => outcome.map_err(DemoError::from),
        }
    };
    tokio::try_join!(start, bots)?;
    Ok(())
}

/// A host may have done so, or ended it.
async fn start(client: &GameClient, game: GameId) -> Result<(), DemoError> {
    if games::show(client, game).await?.is_running() {
        return Ok(());
    }
    match client.start(game).await {
        Err(ClientError::Refused(problem)) if problem.code == Code::AnotherGameRuns => {
            Err(DemoError::NoSlot(problem.detail))
        }
        Err(ClientError::Refused(_)) if games::show(client, game).await?.game_status != "created" => Ok(()),
        outcome => Ok(outcome.map(|_| ()).map_err(CommandError::from)?),
    }
}

async fn create(client: &GameClient, number: u64) -> Result<GameId, DemoError> {
    let game = json!({
        "name": format!("Demo {number}"), "maxRounds": ROUNDS, "maxPlayers": BOTS, "duration": ROUND_MILLIS,
        "seed": lively_seed(BOTS, &SystemChance), "startMoney": START_MONEY,
    });
    let answer = client.send_raw(http::Method::POST, "/games", &game).await.map_err(CommandError::from)?;
    let answer: serde_json::Value = serde_json::from_str(answer.get()).unwrap_or_default();
    let id = serde_json::from_value(answer["gameId"].clone());
    Ok(id.map_err(|fault| {
        CommandError::Stopped(format!("the game service's answer names no game: {fault}"))
    })?)
}

/// The number of a demo's game; none of any other game.
fn number_of(game: &ShownGame) -> Option<u64> {
    game.name.as_deref()?.strip_prefix("Demo ")?.parse().ok()
}

/// What an earlier demo has left, where the data was kept: a running game rather than one that has not begun, and a newer
/// one rather than an older.
fn unfinished(games: &[ShownGame]) -> Option<&ShownGame> {
    let is_ours = |game: &&ShownGame| !game.has_ended() && game.max_players == BOTS;
    let ours = games.iter().filter(is_ours).filter_map(|game| Some((number_of(game)?, game)));
    ours.max_by_key(|(number, game)| (game.is_running(), *number)).map(|(_, game)| game)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::test_game as game;

    const ID: &str = "aaaa1111-0000-4000-8000-000000000000";

    #[test]
    fn only_a_demo_s_game_has_a_number() {
        for (name, number) in
            [("Demo 1", Some(1)), ("Demo 12", Some(12)), ("Demo", None), ("Demo x", None), ("Game 3", None)]
        {
            assert_eq!(number_of(&game(ID, Some(name), "running")), number, "{name}");
        }
        assert_eq!(number_of(&game(ID, None, "running")), None);
    }

    #[test]
    fn a_running_game_goes_on_before_one_that_has_not_begun_and_none_that_is_over_or_another_s() {
        let mut class = game(ID, Some("Demo 9"), "running");
        class.max_players = 30;
        let games = [
            game(ID, Some("Demo 4"), "created"),
            game(ID, Some("Demo 3"), "running"),
            game(ID, Some("Demo 5"), "ended"),
            game(ID, Some("Lecture"), "running"),
            class,
        ];
        let name = |games: &[ShownGame]| unfinished(games).and_then(|game| game.name.clone());
        assert_eq!(name(&games).as_deref(), Some("Demo 3"));
        assert_eq!(name(&games[..1]).as_deref(), Some("Demo 4"));
        assert_eq!(name(&games[2..]), None);
    }
}
