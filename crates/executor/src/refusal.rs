//! Why a batch is not taken, as problems: its game cannot be told or has ended, or its round is not known here yet.
//! In every case nothing was executed. Their status codes are the same in both dialects: only services see them.

use starkeep_contract::{Code, Problem};
use starkeep_core_types::GameId;

use crate::games::GameRefusal;

impl From<GameRefusal> for Problem {
    fn from(refusal: GameRefusal) -> Self {
        match refusal {
            GameRefusal::Ended { game } => Self::new(
                Code::GameEnded,
                format!("game {game} has ended: its robots and accounts take no orders"),
            ),
            GameRefusal::Unknown { game } => Self::new(
                Code::GameNotNamed,
                format!("game {game} is not known here: its events have not been read, or it was deleted"),
            ),
            GameRefusal::NotExactlyOneRuns { running } => Self::new(
                Code::GameNotNamed,
                format!(
                    "{running} games run, so the only running one cannot be meant: name the game in the header `Starkeep-Game`"
                ),
            ),
        }
    }
}

/// The news of the round did not come in time.
pub fn round_not_reached(game: GameId, round: u32) -> Problem {
    let text = format!(
        "the end of the input of round {round} of game {game} has not been read yet; nothing was executed"
    );
    Problem::new(Code::RoundNotReached, text)
}
