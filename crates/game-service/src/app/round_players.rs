//! What the players of a game have done in its open round: counts, for everybody.
//! Commands and readiness are durable; what was refused is counted in memory.

use starkeep_game_core::{GameId, State};

use super::App;
use crate::domain::{RoundBatches, RoundPlayer};
use crate::ports::{PlayerSearch, Unreadable};

impl App {
    /// In the order in which they joined, without those who were taken out; None if there is no such game.
    pub(crate) async fn round_players(&self, id: GameId) -> Result<Option<Vec<RoundPlayer>>, Unreadable> {
        let Some(game) = self.game(id).await? else { return Ok(None) };
        let playing = || game.roster.iter().filter(|player| game.roster.plays(*player));
        let players = self.players(playing().map(PlayerSearch::Id)).await?;
        let running = if let State::Running(running) = &game.state { Some(running) } else { None };
        let image = self.store.image();
        let collected = image.collected(id).filter(|collected| collected.round() == game.current_round());
        let commands =
            collected.filter(|_| running.is_some()).map(RoundBatches::of_players).unwrap_or_default();
        let shown = playing().filter_map(|player| players.get(player)).map(|player| RoundPlayer {
            player: player.clone(),
            is_ready: running.is_some_and(|running| running.ready.contains(&player.id)),
            commands: commands.get(&player.id).copied().unwrap_or_default(),
            refused: running.map(|_| self.refusals.count(&game, player.id)).unwrap_or_default(),
        });
        Ok(Some(shown.collect()))
    }
}
