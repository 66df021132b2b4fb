//! Whether a batch is carried out: which game it is for, and whether everything is known here that came before it.
//! What is refused here has had no effect, and the answer says so.

use std::sync::Arc;
use std::time::Duration;

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

    /// Has the input of this round ended, as far as it is known here?
    fn has_reached(&self, game: GameId, round: u32) -> bool {
        self.games().has_reached(game, round)
    }

    /// Are the stations of the game known? Those of a game that has not started need not be.
    fn knows_world(&self, game: GameId) -> bool;
}

/// For so long the event of a game that is not known here is waited for: who has just started one may be faster than its event.
const EVENT_DELAY: Duration = Duration::from_millis(500);

/// The game that the batch is for, once the events of its round are known here. A batch without a round is carried out at
/// once.
pub async fn admit<I: Followed>(
    headers: &BatchHeaders,
    clock: &dyn Clock,
    until: Monotonic,
    changes: Vec<watch::Receiver<()>>,
    image: impl Fn() -> Arc<I>,
) -> Result<GameId, BatchRefusal> {
    let meant = meant_game(headers.game, clock, until, changes.clone(), &image).await;
    let Some(round) = headers.round else { return meant.map_err(BatchRefusal::Game) };
    let game = match meant {
        Ok(game) | Err(GameRefusal::Unknown { game }) => game,
        Err(refusal) => return Err(BatchRefusal::Game(refusal)),
    };
    match wait_until(clock, until, changes, image, |image: &I| has_reached(image, game, round)).await {
        Some(meant) => meant.map_err(BatchRefusal::Game),
        None => Err(BatchRefusal::NotReached),
    }
}

/// The game of that name, or the only one that runs.
pub async fn meant_game<I: Followed>(
    named: Option<GameId>,
    clock: &dyn Clock,
    until: Monotonic,
    changes: Vec<watch::Receiver<()>>,
    image: impl Fn() -> Arc<I>,
) -> Result<GameId, GameRefusal> {
    let until = until.min(clock.monotonic().after(EVENT_DELAY));
    let known = |image: &I| match image.games().meant(named) {
        Err(GameRefusal::Unknown { .. } | GameRefusal::NotExactlyOneRuns { running: 0 }) => None,
        meant => Some(meant),
    };
    let meant = wait_until(clock, until, changes, &image, known).await;
    meant.unwrap_or_else(|| image().games().meant(named))
}

/// `None`: it has to wait.
fn has_reached(image: &impl Followed, game: GameId, round: u32) -> Option<Result<GameId, GameRefusal>> {
    let games = image.games();
    match games.meant(Some(game)) {
        Err(GameRefusal::Unknown { .. }) => None,
        Ok(game) if !image.has_reached(game, round) || !image.knows_world(game) => None,
        meant => Some(meant),
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
    use std::sync::Mutex;

    use starkeep_core_types::WorldId;
    use starkeep_platform::clock::ManualClock;
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

    fn started(image: &mut Image) {
        let change = GameChange::Started { world: WorldId(Uuid::from_u128(2)) };
        image.games.absorb(&GameEvent { game: GAME, change });
    }

    #[test]
    fn a_batch_waits_for_its_game_its_round_and_its_world() {
        let mut image = Image::default();
        assert_eq!(has_reached(&image, GAME, 2), None, "the game is not known yet");
        let absorb = |image: &mut Image, change| image.games.absorb(&GameEvent { game: GAME, change });
        started(&mut image);
        absorb(&mut image, GameChange::Round { number: 2, state: RoundState::Started });
        assert_eq!(has_reached(&image, GAME, 2), None, "the round is not known yet");
        absorb(&mut image, GameChange::Round { number: 2, state: RoundState::InputEnded });
        assert_eq!(has_reached(&image, GAME, 2), None, "the world is not known yet");
        image.knows_world = true;
        assert_eq!(has_reached(&image, GAME, 2), Some(Ok(GAME)));
        absorb(&mut image, GameChange::Ended);
        assert_eq!(has_reached(&image, GAME, 2), Some(Err(GameRefusal::Ended { game: GAME })));
    }

    #[tokio::test]
    async fn without_a_round_the_event_of_an_unknown_game_is_waited_for_a_short_time() {
        for named in [None, Some(GAME)] {
            let clock = ManualClock::new(jiff::Timestamp::UNIX_EPOCH);
            let until = clock.monotonic().after(Duration::from_mins(1));
            let (committed, commits) = watch::channel(());
            let commits = vec![commits];
            let image = Mutex::new(Arc::new(Image::default()));
            let batch = BatchHeaders { game: named, round: None, seed: None, timeout: Duration::ZERO };
            let ask = || admit(&batch, &*clock, until, commits.clone(), || image.lock().unwrap().clone());

            let mut asked = Box::pin(ask());
            assert!(futures::poll!(&mut asked).is_pending());
            clock.advance(Duration::from_millis(499));
            assert!(futures::poll!(&mut asked).is_pending());
            clock.advance(Duration::from_millis(1));
            let refusal = match named {
                Some(game) => GameRefusal::Unknown { game },
                None => GameRefusal::NotExactlyOneRuns { running: 0 },
            };
            assert_eq!(asked.await, Err(BatchRefusal::Game(refusal)));

            let mut asked = Box::pin(ask());
            assert!(futures::poll!(&mut asked).is_pending());
            let mut known = Image::default();
            started(&mut known);
            *image.lock().unwrap() = Arc::new(known);
            committed.send_replace(());
            assert_eq!(asked.await, Ok(GAME));
        }
    }
}
