//! Who is to look again after a commit: what each background task waits for, and which of it a change concerns.
//! An unnecessary wake-up costs little; a missing one would leave work undone.

use starkeep_game_core::State;
use starkeep_platform::domain::Interest;

use super::{Change, GameMove};

/// The next boundary of some game may be another one: the round clock.
pub(crate) const SCHEDULE: Interest = Interest::bit(0);
/// An execution phase has begun or ended, or a batch has been begun or settled: the dispatcher, and who waits for it.
pub(crate) const EXECUTION: Interest = Interest::bit(1);
/// A world is to be retired, or an intent may have been abandoned: the reconciler.
pub(crate) const CLEANUP: Interest = Interest::bit(2);
/// More is known of robots: commands that wait for it.
pub(crate) const ROBOTS: Interest = Interest::bit(3);
/// A game has come, gone or changed: who waits for a round to end.
pub(crate) const GAMES: Interest = Interest::bit(4);
/// More is known of what executors did: who scores rounds, and who waits for that.
pub(crate) const SCORES: Interest = Interest::bit(5);
/// A world is to be replenished, or has been: who asks the map for it, and who waits for the answer.
pub(crate) const REPLENISHMENTS: Interest = Interest::bit(6);

pub(super) fn concerns(change: &Change) -> Interest {
    match change {
        Change::GameCreated { .. } => GAMES,
        Change::GameMoved(moved) => concerns_of_move(moved),
        Change::GameDeleted { .. } => GAMES.or(CLEANUP),
        Change::CreationBegun(_) | Change::CreationWithdrawn { .. } | Change::WorldAbandoned(_) => CLEANUP,
        // Its world may have waited for it to be retired.
        Change::ReplenishmentSettled(_) => REPLENISHMENTS.or(CLEANUP),
        Change::Heartbeat { shifted, .. } if shifted.is_empty() => Interest::NONE,
        Change::Heartbeat { .. } => GAMES.or(SCHEDULE),
        Change::RobotsReported { robots, .. } if robots.is_empty() => Interest::NONE,
        Change::RobotsReported { .. } => ROBOTS,
        // Commands are carried out when the input ends, which is a move of the game.
        Change::PlayerRegistered(_)
        | Change::TokenRenewed { .. }
        | Change::CommandsTaken(_)
        | Change::WorldRetired(_) => Interest::NONE,
        Change::BatchBegun { .. }
        | Change::BatchResumed { .. }
        | Change::BatchSettled { .. }
        | Change::BatchesInterrupted(_) => EXECUTION,
        Change::ExecutorNewsRecorded(_) | Change::RoundScored { .. } => SCORES,
    }
}

fn concerns_of_move(moved: &GameMove) -> Interest {
    let game = moved.game.without_players();
    let cleanup = if moved.retire.is_empty() { Interest::NONE } else { CLEANUP };
    match &game.state {
        State::Created { start: None } => GAMES.or(cleanup),
        State::Created { start: Some(_) } => GAMES.or(CLEANUP),
        State::Running(_) | State::Ended(_) => {
            let replenishments = if moved.intents.is_empty() { Interest::NONE } else { REPLENISHMENTS };
            GAMES.or(SCHEDULE).or(EXECUTION).or(cleanup).or(replenishments)
        }
    }
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;
    use starkeep_game_core::{GameId, Moment, Player, PlayerId, Token};
    use uuid::Uuid;

    use super::*;

    #[test]
    fn a_heartbeat_without_shifts_and_a_registration_concern_nobody() {
        let beat = |shifted| Change::Heartbeat { at: Moment(1), wall: Timestamp::UNIX_EPOCH, shifted };
        assert_eq!(concerns(&beat(vec![])), Interest::NONE);
        assert!(concerns(&beat(vec![(GameId(Uuid::nil()), Moment(1))])).overlaps(SCHEDULE));
        let player = Player {
            id: PlayerId(Uuid::nil()),
            name: "ada".to_owned(),
            mail: "ada@example.org".to_owned(),
            token: Token(Uuid::nil()),
            recovery_code: None,
        };
        assert_eq!(concerns(&Change::PlayerRegistered(player)), Interest::NONE);
    }
}
