//! Whether a batch is carried out: which game it is for, and whether everything is known here that came before it.
//! What is refused here has had no effect, and the answer says so.

use std::sync::Arc;

use starkeep_contract::{Code, Dialect, Problem};
use starkeep_core_types::GameId;
use starkeep_platform::clock::{Clock, Monotonic};
use tokio::sync::watch;

use crate::batch::BatchHeaders;
use crate::games::{GameRefusal, Games};
use crate::waiting::wait_until;

/// Why nothing of a batch is carried out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BatchRefusal {
    Game(GameRefusal),
    /// The events of its round, or of its gameworld, did not arrive in time.
    NotReached,
}

/// What an image knows of a game that a batch is for.
pub trait Followed {
    fn games(&self) -> &Games;

    /// Are the stations of the game known? Those of a game that has not started need not be.
    fn knows_world(&self, game: GameId) -> bool;
}

/// The game that the batch is for, once the events of its round are recorded here. A batch without a round is carried out at
/// once.
pub async fn admit<I: Followed>(
    headers: &BatchHeaders,
    clock: &dyn Clock,
    until: Monotonic,
    commits: watch::Receiver<()>,
    image: impl Fn() -> Arc<I>,
) -> Result<GameId, BatchRefusal> {
    match wait_until(clock, until, commits, image, |image: &I| admitted(headers, image)).await {
        Some(meant) => meant.map_err(BatchRefusal::Game),
        None => Err(BatchRefusal::NotReached),
    }
}

/// `None`: it has to wait.
fn admitted(headers: &BatchHeaders, image: &impl Followed) -> Option<Result<GameId, GameRefusal>> {
    let games = image.games();
    match (games.meant(headers.game), headers.round) {
        (Err(GameRefusal::Unknown { .. }), Some(_)) => None,
        (Ok(game), Some(round)) if !games.has_reached(game, round) || !image.knows_world(game) => None,
        (meant, _) => Some(meant),
    }
}

impl BatchRefusal {
    pub fn problem(self, dialect: Dialect) -> Problem {
        let (code, text) = match self {
            Self::Game(GameRefusal::Unknown { .. }) => {
                (Code::UnknownGame, "there is no game with this id; nothing was executed".to_owned())
            }
            Self::Game(GameRefusal::Ended { game }) => {
                (Code::GameEnded, format!("game {game} has ended; nothing was executed"))
            }
            Self::Game(GameRefusal::NotExactlyOneRuns { running }) => (
                Code::NotOneRunningGame,
                format!("a batch that names no game is for the only one that runs, and {running} run; nothing was executed"),
            ),
            Self::NotReached => (
                Code::RoundNotReached,
                "the game's and the map's events were not read up to this round in time; nothing was executed"
                    .to_owned(),
            ),
        };
        Problem::spoken(dialect, code, text)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use starkeep_core_types::WorldId;
    use uuid::Uuid;

    use super::*;
    use crate::events::{GameChange, GameEvent};
    use crate::round_state::RoundState;

    #[derive(Default)]
    struct Image {
        games: Games,
        knows_world: bool,
    }

    impl Followed for Image {
        fn games(&self) -> &Games {
            &self.games
        }

        fn knows_world(&self, _: GameId) -> bool {
            self.knows_world
        }
    }

    const GAME: GameId = GameId(Uuid::from_u128(1));

    fn headers(game: Option<GameId>, round: Option<u32>) -> BatchHeaders {
        BatchHeaders { game, round, seed: None, timeout: Duration::ZERO }
    }

    #[test]
    fn a_batch_waits_for_its_game_its_round_and_its_world() {
        let mut image = Image::default();
        let batch = headers(Some(GAME), Some(2));
        assert_eq!(admitted(&batch, &image), None, "the game is not known yet");
        let absorb = |image: &mut Image, change| image.games.absorb(&GameEvent { game: GAME, change });
        absorb(&mut image, GameChange::Started { world: WorldId(Uuid::from_u128(2)) });
        absorb(&mut image, GameChange::Round { number: 2, state: RoundState::Started });
        assert_eq!(admitted(&batch, &image), None, "the round is not known yet");
        absorb(&mut image, GameChange::Round { number: 2, state: RoundState::InputEnded });
        assert_eq!(admitted(&batch, &image), None, "the world is not known yet");
        image.knows_world = true;
        assert_eq!(admitted(&batch, &image), Some(Ok(GAME)));
        absorb(&mut image, GameChange::Ended);
        assert_eq!(admitted(&batch, &image), Some(Err(GameRefusal::Ended { game: GAME })));
    }

    #[test]
    fn a_batch_without_a_round_waits_for_nothing() {
        let image = Image::default();
        let unknown = Some(Err(GameRefusal::Unknown { game: GAME }));
        assert_eq!(admitted(&headers(Some(GAME), None), &image), unknown);
        let none = Some(Err(GameRefusal::NotExactlyOneRuns { running: 0 }));
        assert_eq!(admitted(&headers(None, None), &image), none);
    }
}
