//! What a decision writes: what was received about games, what happened to the robots of one game, or who finishes minings.
//! Robots are given as they are afterwards; nothing else of them is kept.

use jiff::Timestamp;
use starkeep_executor::FollowedGame;
use starkeep_platform::intent::{Intent, IntentId};
use starkeep_platform::replica::ReplicaId;
use starkeep_robot_core::{
    Amounts, Books, CommandId, GameId, MiningSite, Neighbour, PlanetId, PlayerId, Restoration, Robot,
    RobotId, Upgrade,
};

#[derive(Clone, Debug, PartialEq)]
pub enum Change {
    /// What the game service's events told, and how far they were read.
    Received {
        position: String,
        /// When events were missed before it, if any were.
        gap: Option<Timestamp>,
        games: Vec<ReceivedGame>,
    },
    Robots(Box<RobotsMoved>),
    /// Minings whose owner is gone belong to this replica.
    TakenOver {
        minings: Vec<IntentId>,
        by: ReplicaId,
    },
}

impl From<RobotsMoved> for Change {
    fn from(moved: RobotsMoved) -> Self {
        Self::Robots(Box::new(moved))
    }
}

/// A game as it is after the events; none if it was deleted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReceivedGame {
    pub id: GameId,
    pub state: Option<FollowedGame>,
}

/// What happened to the robots of a game.
#[derive(Clone, Debug, PartialEq)]
pub struct RobotsMoved {
    pub game: GameId,
    /// As they now are: new ones, if the order is to spawn them, otherwise those that changed. None of them is destroyed.
    pub robots: Vec<Robot>,
    pub destroyed: Vec<RobotId>,
    /// What is added to the books.
    pub books: Books,
    /// Commands that are not executed again.
    pub executed: Vec<CommandId>,
    /// An order that is not carried out again, by its transaction.
    pub order: Option<(CommandId, Order)>,
    /// Minings that the map is asked for.
    pub begun: Vec<Mining>,
    /// Minings that the map has answered.
    pub settled: Vec<IntentId>,
    /// Robots that were spawned, and whose surroundings are told later.
    pub untold: Option<Surroundings>,
    /// Spawned robots whose surroundings have been told.
    pub told: Vec<IntentId>,
}

impl RobotsMoved {
    /// Nothing happened yet.
    pub fn of(game: GameId) -> Self {
        Self {
            game,
            robots: Vec::new(),
            destroyed: Vec::new(),
            books: Books::default(),
            executed: Vec::new(),
            order: None,
            begun: Vec::new(),
            settled: Vec::new(),
            untold: None,
            told: Vec::new(),
        }
    }
}

/// What is around robots that were spawned, until it is told. Its id is that of the first robot.
pub(crate) type Surroundings = Intent<SpawnedRobots>;

/// The robots of one purchase.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpawnedRobots {
    pub game: GameId,
    pub round: Option<u32>,
    pub transaction: CommandId,
    pub player: PlayerId,
    /// With the neighbours of the planet of each.
    pub robots: Vec<(RobotId, Vec<Neighbour>)>,
}

/// A mining that is to be asked for. Its id is the transaction of the planet's first miner.
pub(crate) type Mining = Intent<MiningCall>;

/// What the map is asked for, and for whom.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MiningCall {
    pub game: GameId,
    pub round: Option<u32>,
    pub site: MiningSite,
    /// Where each miner's command stood in its batch: results are announced in that order.
    pub places: Vec<u32>,
    /// What each mining costs.
    pub energy: u32,
}

/// What trading orders, or whoever acts for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Order {
    /// With the planet of each.
    Spawn {
        player: PlayerId,
        robots: Vec<(RobotId, PlanetId)>,
    },
    Upgrade {
        robot: RobotId,
        upgrade: Upgrade,
        level: u32,
    },
    Restore {
        robot: RobotId,
        restoration: Restoration,
    },
}

impl Order {
    /// Do both ask for the same? Ids of robots are drawn anew for each request.
    pub fn is_repeat_of(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Spawn { player, robots }, Self::Spawn { player: other_player, robots: others }) => {
                let planets = |robots: &[(RobotId, PlanetId)]| -> Vec<PlanetId> {
                    robots.iter().map(|(_, planet)| *planet).collect()
                };
                player == other_player && planets(robots) == planets(others)
            }
            _ => self == other,
        }
    }
}

/// Books to which these amounts were added.
pub(crate) fn added(mut books: Books, more: &Books) -> Books {
    let add = |to: &mut Amounts, from: Amounts| to.add_all(from);
    add(&mut books.mined, more.mined);
    add(&mut books.sold, more.sold);
    add(&mut books.lost, more.lost);
    books
}
