//! Reading robots: one by its id, those of a player, those of a game. Robots of ended games are read from the storage.
//! Who may see them is decided by the routes.

use starkeep_executor::GameStatus;
use starkeep_platform::decision::Failure;
use starkeep_robot_core::{GameId, PlayerId, Robot, RobotId};

use super::{App, Outcome, rejected};
use crate::domain::Rejection;

/// How the service is, as far as its own data say it.
pub(crate) struct Audit {
    /// The first game whose books do not balance.
    pub(crate) books: Result<(), String>,
    pub(crate) games: usize,
    pub(crate) running: usize,
    /// Minings that the map has not answered.
    pub(crate) open_minings: usize,
}

impl App {
    /// With its game.
    pub(crate) async fn robot(&self, robot: RobotId) -> Outcome<(GameId, Robot)> {
        let image = self.store.fresh().await?;
        if let Some((game, found)) = image.find(robot) {
            return Ok((game, *found));
        }
        match self.store.robot(robot).await {
            Ok(Some(found)) => Ok(found),
            Ok(None) => rejected(Rejection::UnknownRobot { robot }),
            Err(fault) => rejected(Rejection::Unreadable { fault }),
        }
    }

    /// In games that have not ended.
    pub(crate) async fn robots_of_player(&self, player: PlayerId) -> Outcome<Vec<Robot>> {
        let image = self.store.fresh().await?;
        let active = image.fleets().filter(|(game, _)| image.taking_orders(*game).is_ok());
        let robots = active.flat_map(|(_, robots)| {
            in_order(robots.fleet.iter().copied().filter(|robot| robot.player == player).collect())
        });
        Ok(robots.collect())
    }

    /// Of an unknown game there are none.
    pub(crate) async fn robots_of_game(&self, game: GameId, player: Option<PlayerId>) -> Outcome<Vec<Robot>> {
        let image = self.store.fresh().await?;
        let robots = match image.robots_of(game) {
            Some(robots) => in_order(robots.fleet.iter().copied().collect()),
            None => self.store.robots_of(game).await.map_err(unreadable)?,
        };
        Ok(robots.into_iter().filter(|robot| player.is_none_or(|player| robot.player == player)).collect())
    }

    /// Whose token it is; none if it is nobody's.
    pub(crate) async fn player_of(&self, token: &str) -> Outcome<Option<PlayerId>> {
        let asked = self.game_service.player_of(token).await;
        asked.map_err(|fault| Failure::Rejected(Rejection::GameServiceAway { fault }))
    }

    /// A game that is not known here was deleted.
    pub(crate) fn has_ended(&self, game: GameId) -> bool {
        self.store.image().games.get(game).is_none_or(|game| game.status == GameStatus::Ended)
    }

    /// Why the map gave no answer to the last call.
    pub(crate) fn map_fault(&self) -> Option<String> {
        self.map.fault()
    }

    pub(crate) fn audit(&self) -> Audit {
        let image = self.store.image();
        let balance = |(game, robots): (GameId, &crate::domain::GameRobots)| {
            robots.books.balance(&robots.fleet).map_err(|book| {
                format!(
                    "game {game}: {} mined {}, but held {}, sold {}, lost {}",
                    book.kind.as_str(),
                    book.mined,
                    book.held,
                    book.sold,
                    book.lost
                )
            })
        };
        let running = image.games.iter().filter(|(_, game)| game.status == GameStatus::Running);
        Audit {
            books: image.fleets().try_for_each(balance),
            games: image.games.iter().count(),
            running: running.count(),
            open_minings: image.minings.iter().count(),
        }
    }
}

/// As they were spawned.
fn in_order(mut robots: Vec<Robot>) -> Vec<Robot> {
    robots.sort_unstable_by_key(|robot| robot.number);
    robots
}

fn unreadable(fault: String) -> Failure<Rejection> {
    Failure::Rejected(Rejection::Unreadable { fault })
}
