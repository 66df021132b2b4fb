//! Games as executors need to know them that have missed events: who plays, where, and how far the round has come.
//! It tells the same as the events, so its words are theirs.

use starkeep_contract::game_roster::{GameRoster, RosterPlayer, RosterRoundStatus, RosterStatus};
use starkeep_contract::{GameId as WireGameId, PlayerId, TransactionId, WorldId};
use starkeep_game_core::{Game, Phase, PlayerId as CorePlayerId, State};

use super::Wire;

#[expect(clippy::unused_self, reason = "which words follow the dialect is for this module to know")]
impl Wire {
    /// Of a created or running game.
    pub fn roster(self, game: &Game) -> GameRoster {
        let running = if let State::Running(running) = &game.state { Some(running) } else { None };
        let player = |player: CorePlayerId| RosterPlayer {
            player_id: PlayerId(player.0),
            transaction_id: game.roster.transaction_of(player).map(TransactionId),
            // Who left before the start is not in the game.
            left: game.roster.is_taken_out(player),
        };
        GameRoster {
            game_id: WireGameId(game.id.0),
            status: if running.is_some() { RosterStatus::Running } else { RosterStatus::Created },
            // Before the start another one may take its place.
            gameworld_id: game.world.filter(|_| running.is_some()).map(|world| WorldId(world.0)),
            start_money: game.start_money.into(),
            round_number: game.current_round(),
            round_status: match running.map(|running| running.phase) {
                None | Some(Phase::Countdown) => RosterRoundStatus::Init,
                Some(Phase::Collection) => RosterRoundStatus::Started,
                Some(Phase::Execution) => RosterRoundStatus::CommandInputEnded,
            },
            players: game.roster.iter().map(player).collect(),
        }
    }
}
