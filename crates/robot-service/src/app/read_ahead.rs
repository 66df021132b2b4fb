//! What was read of the game service's events and is not committed yet: rounds, and what says nothing to robots. A batch only
//! needs to know that its round was read, and a restart reads it again: a commit for every round of every game would bring
//! nothing. Where replicas share the store only one of them reads, so that rounds are committed for the others.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use starkeep_executor::{GameChange, GameEvent, RoundState};
use starkeep_robot_core::GameId;
use tokio::sync::watch;

/// After so many events the position is committed all the same, so that a restart reads few again.
const MOST_EVENTS: usize = 1000;

#[derive(Default)]
pub(super) struct ReadAhead {
    state: Mutex<State>,
    changes: watch::Sender<()>,
}

#[derive(Default)]
struct State {
    /// The last round of each game.
    rounds: BTreeMap<GameId, (u32, RoundState)>,
    /// How many events were read since the last commit.
    events: usize,
}

impl ReadAhead {
    /// Notes what was read, if it can wait for a later commit: rounds, and what says nothing to robots. `read`: how many
    /// events that were.
    pub(super) fn add(&self, events: &[GameEvent], read: usize) -> bool {
        let rounds: Option<Vec<_>> = events.iter().map(round_of).collect();
        let mut state = self.state();
        let Some(rounds) = rounds.filter(|_| state.events + read < MOST_EVENTS) else { return false };
        state.events += read;
        for (game, round) in rounds {
            let last = state.rounds.entry(game).or_insert(round);
            *last = round.max(*last);
        }
        drop(state);
        self.changes.send_replace(());
        true
    }

    /// What has to be part of the next commit, before what was read later.
    pub(super) fn events(&self) -> Vec<GameEvent> {
        let event = |(&game, &(number, state)): (&GameId, &(u32, RoundState))| GameEvent {
            game,
            change: GameChange::Round { number, state },
        };
        self.state().rounds.iter().map(event).collect()
    }

    /// Everything was committed, or is read again.
    pub(super) fn clear(&self) {
        *self.state() = State::default();
    }

    /// The last round of the game that was read and is not committed.
    pub(super) fn round_of(&self, game: GameId) -> Option<(u32, RoundState)> {
        self.state().rounds.get(&game).copied()
    }

    pub(super) fn changes(&self) -> watch::Receiver<()> {
        self.changes.subscribe()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn round_of(event: &GameEvent) -> Option<(GameId, (u32, RoundState))> {
    match event.change {
        GameChange::Round { number, state } => Some((event.game, (number, state))),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    const GAME: GameId = GameId(Uuid::from_u128(1));

    fn round(number: u32, state: RoundState) -> GameEvent {
        GameEvent { game: GAME, change: GameChange::Round { number, state } }
    }

    #[test]
    fn only_rounds_wait_for_a_later_commit_and_not_for_ever() {
        let ahead = ReadAhead::default();
        let ended = round(3, RoundState::InputEnded);
        let game_ended = GameEvent { game: GAME, change: GameChange::Ended };
        assert!(!ahead.add(&[ended, game_ended], 2));
        assert_eq!(ahead.round_of(GAME), None);
        assert!(ahead.add(&[ended], MOST_EVENTS - 1));
        assert!(!ahead.add(&[], 1), "a restart would read too much again");
        assert_eq!(ahead.events(), [ended]);
        ahead.clear();
        assert!(ahead.add(&[], 1) && ahead.events().is_empty());
    }

    #[test]
    fn rounds_do_not_go_backwards() {
        let ahead = ReadAhead::default();
        ahead.add(&[round(3, RoundState::InputEnded), round(2, RoundState::InputEnded)], 2);
        ahead.add(&[round(3, RoundState::Started)], 1);
        assert_eq!(ahead.round_of(GAME), Some((3, RoundState::InputEnded)));
    }
}
