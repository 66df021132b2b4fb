//! A game without its players: what a change carries, so that it stays small however many have joined.
//! Who joined, who left and who is ready stands beside it.

use imbl::HashSet;
use starkeep_game_core::{Game, GameId, PlayerId, Roster, State};

/// The roster and the ready marks of the game within are empty.
#[derive(Clone, Debug, PartialEq)]
pub struct GameHeader(Game);

impl GameHeader {
    pub fn of(mut game: Game) -> Self {
        game.roster = Roster::default();
        if let State::Running(running) = &mut game.state {
            running.ready = HashSet::new();
        }
        Self(game)
    }

    pub fn id(&self) -> GameId {
        self.0.id
    }

    /// The game as if nobody had joined.
    pub fn without_players(&self) -> &Game {
        &self.0
    }

    /// The whole game; `ready` means something only while it runs.
    pub fn with_players(&self, roster: Roster, ready: HashSet<PlayerId>) -> Game {
        let mut game = Game { roster, ..self.0.clone() };
        if let State::Running(running) = &mut game.state {
            running.ready = ready;
        }
        game
    }
}
