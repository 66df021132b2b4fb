//! Robots, games, orders and minings as they are serialised. The types here are not the domain's, so that a renamed field
//! there never changes what was written before.

use serde::{Deserialize, Serialize};
use starkeep_core_types::WorldId;
use starkeep_executor::{FollowedGame, GameStatus, RoundState};
use starkeep_platform::domain::UnreadableChange;
use starkeep_robot_core::{
    Amounts, CommandId, GameId, Levels, Miner, MiningOrder, MiningSite, Neighbour, PlanetId, PlayerId,
    ResourceKind, Restoration, Robot, RobotId, Upgrade,
};
use uuid::Uuid;

use crate::domain::{MiningCall, Order, SpawnedRobots};

/// Names what no version of ours has written.
pub(super) fn unknown(what: &str, text: impl std::fmt::Display) -> UnreadableChange {
    UnreadableChange(format!("`{text}` is no {what}"))
}

pub(super) fn status_word(status: GameStatus) -> &'static str {
    match status {
        GameStatus::Created => "created",
        GameStatus::Running => "running",
        GameStatus::Ended => "ended",
    }
}

pub(super) fn read_status(word: &str) -> Option<GameStatus> {
    [GameStatus::Created, GameStatus::Running, GameStatus::Ended]
        .into_iter()
        .find(|status| status_word(*status) == word)
}

pub(super) fn round_state_word(state: RoundState) -> &'static str {
    match state {
        RoundState::Init => "init",
        RoundState::Started => "started",
        RoundState::InputEnded => "input-ended",
        RoundState::Ended => "ended",
    }
}

pub(super) fn read_round_state(word: &str) -> Option<RoundState> {
    [RoundState::Init, RoundState::Started, RoundState::InputEnded, RoundState::Ended]
        .into_iter()
        .find(|state| round_state_word(*state) == word)
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct GameForm {
    status: String,
    world: Option<Uuid>,
    round: u32,
    round_state: String,
    created: u64,
    started: Option<u64>,
}

impl From<&FollowedGame> for GameForm {
    fn from(game: &FollowedGame) -> Self {
        Self {
            status: status_word(game.status).to_owned(),
            world: game.world.map(|world| world.0),
            round: game.round,
            round_state: round_state_word(game.round_state).to_owned(),
            created: game.created,
            started: game.started,
        }
    }
}

impl TryFrom<GameForm> for FollowedGame {
    type Error = UnreadableChange;

    fn try_from(form: GameForm) -> Result<Self, UnreadableChange> {
        Ok(Self {
            status: read_status(&form.status).ok_or_else(|| unknown("status of a game", &form.status))?,
            world: form.world.map(WorldId),
            round: form.round,
            round_state: read_round_state(&form.round_state)
                .ok_or_else(|| unknown("state of a round", &form.round_state))?,
            created: form.created,
            started: form.started,
        })
    }
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RobotForm {
    id: Uuid,
    number: u64,
    player: Uuid,
    planet: Uuid,
    health: i64,
    energy: u32,
    /// In the order of `Upgrade::ALL`.
    levels: [u8; 7],
    /// In the order of `ResourceKind::ALL`.
    cargo: [u64; 5],
}

impl From<&Robot> for RobotForm {
    fn from(robot: &Robot) -> Self {
        Self {
            id: robot.id.0,
            number: robot.number,
            player: robot.player.0,
            planet: robot.planet.0,
            health: robot.health,
            energy: robot.energy,
            levels: Upgrade::ALL.map(|upgrade| robot.levels.of(upgrade)),
            cargo: amounts_form(robot.cargo),
        }
    }
}

impl TryFrom<RobotForm> for Robot {
    type Error = UnreadableChange;

    fn try_from(form: RobotForm) -> Result<Self, UnreadableChange> {
        let levels = Levels::new(form.levels)
            .ok_or_else(|| unknown("set of levels", format_args!("{:?}", form.levels)))?;
        Ok(Self {
            id: RobotId(form.id),
            number: form.number,
            player: PlayerId(form.player),
            planet: PlanetId(form.planet),
            health: form.health,
            energy: form.energy,
            levels,
            cargo: Amounts::new(form.cargo),
        })
    }
}

pub(super) fn amounts_form(amounts: Amounts) -> [u64; 5] {
    amounts.each().map(|(_, amount)| amount)
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(super) enum OrderForm {
    /// Robot and planet of each.
    Spawn {
        player: Uuid,
        robots: Vec<(Uuid, Uuid)>,
    },
    Upgrade {
        robot: Uuid,
        upgrade: String,
        level: u32,
    },
    RestoreHealth {
        robot: Uuid,
    },
    RestoreEnergy {
        robot: Uuid,
    },
}

impl From<&Order> for OrderForm {
    fn from(order: &Order) -> Self {
        match order {
            Order::Spawn { player, robots } => {
                let robots = robots.iter().map(|(robot, planet)| (robot.0, planet.0)).collect();
                Self::Spawn { player: player.0, robots }
            }
            Order::Upgrade { robot, upgrade, level } => {
                Self::Upgrade { robot: robot.0, upgrade: upgrade.as_str().to_owned(), level: *level }
            }
            Order::Restore { robot, restoration: Restoration::Health } => {
                Self::RestoreHealth { robot: robot.0 }
            }
            Order::Restore { robot, restoration: Restoration::Energy } => {
                Self::RestoreEnergy { robot: robot.0 }
            }
        }
    }
}

impl TryFrom<OrderForm> for Order {
    type Error = UnreadableChange;

    fn try_from(form: OrderForm) -> Result<Self, UnreadableChange> {
        Ok(match form {
            OrderForm::Spawn { player, robots } => {
                let robots = robots.into_iter().map(|(robot, planet)| (RobotId(robot), PlanetId(planet)));
                Self::Spawn { player: PlayerId(player), robots: robots.collect() }
            }
            OrderForm::Upgrade { robot, upgrade, level } => {
                let upgrade = Upgrade::parse(&upgrade).ok_or_else(|| unknown("upgrade", &upgrade))?;
                Self::Upgrade { robot: RobotId(robot), upgrade, level }
            }
            OrderForm::RestoreHealth { robot } => {
                Self::Restore { robot: RobotId(robot), restoration: Restoration::Health }
            }
            OrderForm::RestoreEnergy { robot } => {
                Self::Restore { robot: RobotId(robot), restoration: Restoration::Energy }
            }
        })
    }
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct MiningCallForm {
    /// Stays the first: the calls of a game are found by how their texts begin.
    game: Uuid,
    round: Option<u32>,
    planet: Uuid,
    resource: String,
    energy: u32,
    miners: Vec<MinerForm>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct MinerForm {
    command: Uuid,
    robot: Uuid,
    speed: u64,
    place: u32,
}

impl MiningCallForm {
    /// Matches the texts of a game's calls, as SQL's LIKE understands it.
    pub(super) fn pattern_of(game: GameId) -> String {
        format!(r#"{{"game":"{}"%"#, game.0)
    }
}

impl From<&MiningCall> for MiningCallForm {
    fn from(call: &MiningCall) -> Self {
        let miners = call.site.miners.iter().zip(&call.places).map(|(miner, place)| MinerForm {
            command: miner.order.command.0,
            robot: miner.order.robot.0,
            speed: miner.speed,
            place: *place,
        });
        Self {
            game: call.game.0,
            round: call.round,
            planet: call.site.planet.0,
            resource: call.site.resource.as_str().to_owned(),
            energy: call.energy,
            miners: miners.collect(),
        }
    }
}

impl TryFrom<MiningCallForm> for MiningCall {
    type Error = UnreadableChange;

    fn try_from(form: MiningCallForm) -> Result<Self, UnreadableChange> {
        let resource =
            ResourceKind::parse(&form.resource).ok_or_else(|| unknown("kind of resource", &form.resource))?;
        let places = form.miners.iter().map(|miner| miner.place).collect();
        let miners = form.miners.iter().map(|miner| Miner {
            order: MiningOrder { command: CommandId(miner.command), robot: RobotId(miner.robot) },
            speed: miner.speed,
        });
        let site = MiningSite { planet: PlanetId(form.planet), resource, miners: miners.collect() };
        Ok(Self { game: GameId(form.game), round: form.round, site, places, energy: form.energy })
    }
}

/// Planet, difficulty and direction.
type NeighbourForm = (Uuid, u32, String);

/// Stands in the same table as the calls of minings, and is told from them by its fields.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SpawnedForm {
    /// Stays the first, as in the calls of minings.
    game: Uuid,
    round: Option<u32>,
    transaction: Uuid,
    player: Uuid,
    /// The robots, and what is around each.
    spawned: Vec<(Uuid, Vec<NeighbourForm>)>,
}

impl From<&SpawnedRobots> for SpawnedForm {
    fn from(spawned: &SpawnedRobots) -> Self {
        let neighbour = |to: &Neighbour| (to.planet.0, to.movement_difficulty, to.direction.clone());
        let robots = spawned.robots.iter();
        Self {
            game: spawned.game.0,
            round: spawned.round,
            transaction: spawned.transaction.0,
            player: spawned.player.0,
            spawned: robots.map(|(id, around)| (id.0, around.iter().map(neighbour).collect())).collect(),
        }
    }
}

impl From<SpawnedForm> for SpawnedRobots {
    fn from(form: SpawnedForm) -> Self {
        let neighbour = |(planet, movement_difficulty, direction)| Neighbour {
            planet: PlanetId(planet),
            movement_difficulty,
            direction,
        };
        let robots = form.spawned.into_iter();
        Self {
            game: GameId(form.game),
            round: form.round,
            transaction: CommandId(form.transaction),
            player: PlayerId(form.player),
            robots: robots
                .map(|(id, around)| (RobotId(id), around.into_iter().map(neighbour).collect()))
                .collect(),
        }
    }
}

/// What the table of intents holds.
#[derive(Deserialize)]
#[serde(untagged)]
pub(super) enum CallForm {
    Mining(MiningCallForm),
    Spawned(SpawnedForm),
}
