//! The games that an executor follows: which there are, which of them run, and how far their rounds have come.
//! The same event twice changes nothing, and nothing goes backwards: after a gap a stream may repeat what is known already.

use imbl::OrdMap;
use starkeep_core_types::{GameId, WorldId};

use crate::events::{GameChange, GameEvent};
use crate::round_state::RoundState;

/// Cheap to clone.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Games {
    games: OrdMap<GameId, FollowedGame>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FollowedGame {
    pub status: GameStatus,
    /// The world that is played, once it has started.
    pub world: Option<WorldId>,
    /// 0 before the first.
    pub round: u32,
    pub round_state: RoundState,
    /// A larger number: received later.
    pub created: u64,
    /// A larger number: started later.
    pub started: Option<u64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum GameStatus {
    Created,
    Running,
    Ended,
}

/// Why no game can be given commands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GameRefusal {
    Unknown {
        game: GameId,
    },
    Ended {
        game: GameId,
    },
    /// No game was named, and not exactly one runs.
    NotExactlyOneRuns {
        running: usize,
    },
}

impl Games {
    pub fn get(&self, game: GameId) -> Option<&FollowedGame> {
        self.games.get(&game)
    }

    pub fn iter(&self) -> impl Iterator<Item = (GameId, &FollowedGame)> {
        self.games.iter().map(|(id, game)| (*id, game))
    }

    /// The game that a batch is for. Commands are taken before the start, too: the caller knows what it does.
    pub fn meant(&self, named: Option<GameId>) -> Result<GameId, GameRefusal> {
        if let Some(game) = named {
            return match self.games.get(&game).map(|game| game.status) {
                None => Err(GameRefusal::Unknown { game }),
                Some(GameStatus::Ended) => Err(GameRefusal::Ended { game }),
                Some(GameStatus::Created | GameStatus::Running) => Ok(game),
            };
        }
        let running: Vec<_> = self.running().collect();
        match running[..] {
            [only] => Ok(only),
            _ => Err(GameRefusal::NotExactlyOneRuns { running: running.len() }),
        }
    }

    /// The game whose prices, players and stations are shown where none is named: the running one that started last,
    /// otherwise the newest.
    pub fn current(&self) -> Option<GameId> {
        let started_last = self.running().max_by_key(|game| self.games[game].started);
        started_last.or_else(|| self.games.iter().max_by_key(|(_, game)| game.created).map(|(game, _)| *game))
    }

    /// Has the input of this round ended, as far as it is known here?
    pub fn has_reached(&self, game: GameId, round: u32) -> bool {
        self.games.get(&game).is_some_and(|game| {
            game.status == GameStatus::Ended
                || (game.round, game.round_state) >= (round, RoundState::InputEnded)
        })
    }

    fn running(&self) -> impl Iterator<Item = GameId> {
        self.games.iter().filter(|(_, game)| game.status == GameStatus::Running).map(|(id, _)| *id)
    }

    /// Whether it changed anything.
    pub fn absorb(&mut self, event: &GameEvent) -> bool {
        if event.change == GameChange::Deleted {
            return self.games.remove(&event.game).is_some();
        }
        let known = self.games.get(&event.game).copied();
        let mut game = known.unwrap_or_else(|| FollowedGame::new(self.next_number()));
        match event.change {
            GameChange::Started { world } if game.status == GameStatus::Created => {
                game.status = GameStatus::Running;
                game.world = Some(world);
                game.started = Some(self.next_number().max(game.created + 1));
            }
            GameChange::Created
            | GameChange::Started { .. }
            | GameChange::Joined { .. }
            | GameChange::Left { .. }
            | GameChange::Deleted => {}
            GameChange::Ended => game.status = GameStatus::Ended,
            GameChange::Round { number, state } => {
                if (number, state) > (game.round, game.round_state) {
                    (game.round, game.round_state) = (number, state);
                }
            }
        }
        self.games.insert(event.game, game);
        known != Some(game)
    }

    /// As a store has kept it, or as a change says that it is now.
    pub fn restore(&mut self, id: GameId, game: FollowedGame) {
        self.games.insert(id, game);
    }

    pub fn remove(&mut self, game: GameId) {
        self.games.remove(&game);
    }

    /// Larger than that of any game that is known: it orders them.
    fn next_number(&self) -> u64 {
        let newest = self.games.values().map(|game| game.started.unwrap_or(0).max(game.created)).max();
        newest.unwrap_or(0) + 1
    }
}

impl FollowedGame {
    fn new(created: u64) -> Self {
        Self {
            status: GameStatus::Created,
            world: None,
            round: 0,
            round_state: RoundState::Init,
            created,
            started: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    fn game(number: u128) -> GameId {
        GameId(Uuid::from_u128(number))
    }

    fn started(number: u128) -> GameEvent {
        GameEvent {
            game: game(number),
            change: GameChange::Started { world: WorldId(Uuid::from_u128(number)) },
        }
    }

    #[test]
    fn nothing_goes_backwards() {
        let mut games = Games::default();
        let round = |number, state| GameEvent { game: game(1), change: GameChange::Round { number, state } };
        assert!(games.absorb(&started(1)));
        assert!(games.absorb(&round(2, RoundState::InputEnded)));
        let before = games.clone();
        for old in [started(1), round(1, RoundState::Ended), round(2, RoundState::Started)] {
            assert!(!games.absorb(&old));
            assert_eq!(games, before);
        }
        assert!(games.has_reached(game(1), 2) && !games.has_reached(game(1), 3));
    }

    #[test]
    fn a_batch_that_names_no_game_is_for_the_only_one_that_runs() {
        let mut games = Games::default();
        assert_eq!(games.meant(None), Err(GameRefusal::NotExactlyOneRuns { running: 0 }));
        assert_eq!(games.meant(Some(game(1))), Err(GameRefusal::Unknown { game: game(1) }));
        games.absorb(&started(1));
        assert_eq!(games.meant(None), Ok(game(1)));
        games.absorb(&started(2));
        assert_eq!(games.meant(None), Err(GameRefusal::NotExactlyOneRuns { running: 2 }));
        games.absorb(&GameEvent { game: game(1), change: GameChange::Ended });
        assert_eq!((games.meant(None), games.current()), (Ok(game(2)), Some(game(2))));
        assert_eq!(games.meant(Some(game(1))), Err(GameRefusal::Ended { game: game(1) }));
    }

    #[test]
    fn the_current_game_is_the_running_one_that_started_last_or_the_newest() {
        let mut games = Games::default();
        for number in [3, 1, 2] {
            games.absorb(&GameEvent { game: game(number), change: GameChange::Created });
        }
        assert_eq!(games.current(), Some(game(2)));
        games.absorb(&started(1));
        games.absorb(&started(3));
        assert_eq!(games.current(), Some(game(3)));
        games.absorb(&GameEvent { game: game(3), change: GameChange::Ended });
        assert_eq!(games.current(), Some(game(1)));
    }
}
