//! What a store brings into the image: at the start everything that is kept in memory, and for one batch what its decisions
//! declared.

use std::sync::Arc;

use starkeep_game_core::{Game, GameId, Player, PlayerId, Robot, RobotId};

use super::super::PlayerSearch;
use super::Image;

/// At the start, after the games.
impl Image {
    /// Somebody who takes part in a created or running game.
    pub(crate) fn insert_player(&mut self, player: Player) {
        self.residents.insert_player(player);
    }

    /// A living robot of such a player.
    pub(crate) fn insert_robot(&mut self, id: RobotId, robot: Robot) {
        self.residents.insert_robot(id, robot);
    }

    pub(crate) fn set_living_robots(&mut self, living_robots: usize) {
        self.residents.set_living_robots(living_robots);
    }

    pub(crate) fn set_games_created(&mut self, games_created: u64) {
        self.games_created = games_created;
    }

    pub(crate) fn set_position(&mut self, source: &str, position: &str) {
        self.positions.insert(source.to_owned(), position.to_owned());
    }

    /// Games are known before their commands are.
    pub(crate) fn index_executing(&mut self) {
        let games: Vec<_> = self.active.values().cloned().collect();
        for game in &games {
            self.note_work(game);
        }
    }

    /// Of a running game, whose last command may be of a round that is over.
    pub(crate) fn set_last_place(&mut self, game: GameId, place: u64) {
        self.last_places.insert(game, place);
    }

    pub(crate) fn set_commands_taken(&mut self, commands_taken: u64) {
        self.commands_taken = commands_taken;
    }
}

/// For one batch. What memory holds is never older than the database, so nothing there is replaced.
impl Image {
    /// Has the database nothing about this game that memory lacks?
    pub(crate) fn holds(&self, id: GameId) -> bool {
        self.active.contains_key(&id) || self.loaded_for_batch.contains_key(&id) || self.deleted.contains(&id)
    }

    /// The same about the player whom the search finds.
    pub(crate) fn holds_player(&self, search: &PlayerSearch) -> bool {
        self.players().find(search).is_some()
    }

    /// The same about the living robots of the player.
    pub(crate) fn holds_robots_of(&self, player: PlayerId) -> bool {
        self.residents.plays(player)
    }

    pub(crate) fn load_for_batch(&mut self, ended: Game) {
        self.loaded_for_batch.insert(ended.id, Arc::new(ended));
    }

    pub(crate) fn load_player_for_batch(&mut self, player: Player) {
        self.residents.load_player(player);
    }

    pub(crate) fn load_robot_for_batch(&mut self, id: RobotId, robot: Robot) {
        self.residents.load_robot(id, robot);
    }
}
