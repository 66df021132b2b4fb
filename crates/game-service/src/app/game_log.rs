//! The log lines of games: created, started, ended, deleted, and who joins and leaves.
//! They are written after the commit, by the process that decided: a change that is read again is not logged again.

use starkeep_game_core::{Change, EndReason, Event, Game, GameId, PlayerId, RosterChange};
use starkeep_platform::decision::AfterCommit;

use crate::domain::Image;

/// What a change of a game tells a host who reads the log.
struct GameLines {
    game: GameId,
    name: String,
    lines: Vec<Line>,
}

enum Line {
    Created { rounds: u32, seats: u32 },
    Started { rounds: u32, round_millis: u32, players: usize },
    Ended { round: u32, reason: Option<EndReason> },
    Deleted,
    Joined(PlayerId, String),
    Left(PlayerId, String),
    TakenOut(PlayerId, String),
}

/// Writes the lines once the change is committed; most changes have none. `joining` is the name of a player who joins.
pub(super) fn after_commit(change: &Change, image: &Image, joining: Option<&str>) -> Option<AfterCommit> {
    let game = change.after.as_ref().or(change.before.as_ref())?;
    let named = |player: PlayerId| {
        let known = image.players().get(player).map(|player| player.name.clone());
        joining.map(ToOwned::to_owned).or(known).unwrap_or_default()
    };
    let lines: Vec<_> = change.events.iter().filter_map(|event| line(event, change, game, named)).collect();
    if lines.is_empty() {
        return None;
    }
    let lines = GameLines { game: game.id, name: game.name.clone(), lines };
    Some(Box::new(move || lines.write()))
}

fn line(event: &Event, change: &Change, game: &Game, named: impl Fn(PlayerId) -> String) -> Option<Line> {
    Some(match *event {
        Event::Created(_) => Line::Created { rounds: game.max_rounds, seats: game.max_players },
        Event::Started(_) => Line::Started {
            rounds: game.max_rounds,
            round_millis: game.round_length,
            players: game.roster.len(),
        },
        Event::Ended(_) => Line::Ended { round: game.current_round(), reason: change.end },
        Event::Deleted(_) => Line::Deleted,
        Event::PlayerJoined { player, .. } => Line::Joined(player, named(player)),
        Event::PlayerLeft { player, .. } => match change.roster {
            Some(RosterChange::TakenOut(_)) => Line::TakenOut(player, named(player)),
            _ => Line::Left(player, named(player)),
        },
        Event::RoundStarted { .. }
        | Event::InputEnded { .. }
        | Event::RoundEnded { .. }
        | Event::Clock { .. } => return None,
    })
}

impl GameLines {
    fn write(self) {
        let Self { game, name, lines } = self;
        for line in lines {
            match line {
                Line::Created { rounds, seats } => {
                    tracing::info!(%game, name, rounds, seats, "a game was created");
                }
                Line::Started { rounds, round_millis, players } => {
                    tracing::info!(%game, name, rounds, round_millis, players, "a game has started");
                }
                Line::Ended { round, reason } => {
                    tracing::info!(%game, name, round, why = why(reason), "a game has ended");
                }
                Line::Deleted => tracing::info!(%game, name, "a game was deleted"),
                Line::Joined(player, player_name) => {
                    tracing::info!(%game, name, %player, player_name, "a player has joined a game");
                }
                Line::Left(player, player_name) => {
                    tracing::info!(%game, name, %player, player_name, "a player has left a game");
                }
                Line::TakenOut(player, player_name) => {
                    tracing::info!(%game, name, %player, player_name, "a player was taken out of a game");
                }
            }
        }
    }
}

fn why(reason: Option<EndReason>) -> &'static str {
    match reason {
        Some(EndReason::RoundsOver) => "all rounds are over",
        Some(EndReason::MaxRoundsLowered) => "maxRounds was set below the current round",
        Some(EndReason::ByHost) | None => "the host has ended it",
    }
}
