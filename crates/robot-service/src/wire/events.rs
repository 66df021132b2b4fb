//! The events of a decision, in the order in which they are told. Their ids follow from a seed that was drawn before.
//! Every event says which game, round, player and robot it is about.

use std::collections::BTreeMap;

use jiff::Timestamp;
use starkeep_contract::events::{About, Channel, NewEvent};
use starkeep_contract::robot_events::{
    FightingEvent, MiningEvent, MovementEvent, NeighboursEvent, ReachedPlanet, RegenerationEvent,
    ResourceDistributionEvent, RobotDestroyedEvent, RobotSpawnedEvent, SeenNeighbour,
};
use starkeep_contract::{PlanetId as WirePlanetId, PlayerId as WirePlayerId, RobotId as WireRobotId};
use starkeep_robot_core::{
    Amounts, AttackResult, Battle, CommandId, Destroyed, Fleet, GameId, IdGenerator, MiningResult,
    MoveResult, Neighbour, Planet, PlanetId, RegenerationResult, ResourceKind, Robot, RobotId,
};
use uuid::Uuid;

use super::messages;
use crate::domain::SpawnedRobots;

/// The channels of this service.
pub(crate) const CHANNELS: &[Channel] = &[
    Channel::SpawnNotification,
    Channel::Neighbours,
    Channel::Movement,
    Channel::Mining,
    Channel::Regeneration,
    Channel::Fighting,
    Channel::RobotDestroyed,
    Channel::ResourceDistribution,
];

/// Of events that no single command has caused.
const NO_COMMAND: Uuid = Uuid::nil();

/// What the events of a decision have in common.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Envelope {
    pub(crate) game: GameId,
    pub(crate) round: Option<u32>,
    pub(crate) at: Timestamp,
    pub(crate) id_seed: u64,
}

pub(crate) struct Events {
    envelope: Envelope,
    ids: IdGenerator,
    all: Vec<NewEvent>,
}

impl Events {
    pub(crate) fn new(envelope: Envelope) -> Self {
        Self { envelope, ids: IdGenerator::from_seed(envelope.id_seed), all: Vec::new() }
    }

    pub(crate) fn into_all(self) -> Vec<NewEvent> {
        self.all
    }

    /// A robot that is spawned beside those of the fleet.
    pub(crate) fn spawn(&mut self, transaction: CommandId, robot: &Robot, fleet: &Fleet) {
        let payload = RobotSpawnedEvent {
            robot_id: robot_id(robot.id),
            player_id: WirePlayerId(robot.player.0),
            other_seeable_robots: fleet.on_planet(robot.planet).map(robot_id).collect(),
        };
        self.tell(Channel::SpawnNotification, transaction.0, robot.id, Some(robot), &payload);
    }

    /// What is around robots that were spawned.
    pub(crate) fn surroundings(&mut self, spawned: &SpawnedRobots) {
        let SpawnedRobots { game, round, transaction, player, robots } = spawned;
        for (robot, neighbours) in robots {
            let about =
                About { subject: game.0, round: *round, player: Some(player.0), robot: Some(robot.0) };
            let payload = seen(neighbours);
            let id = self.ids.next_id();
            let (transaction, at) = (Some(transaction.0), self.envelope.at);
            self.all.push(NewEvent::new(Channel::Neighbours, id, about, transaction, at, &payload));
        }
    }

    /// Failures first; then what succeeded, each with what is around the planet that was reached. `fleet` is as it is after
    /// the whole batch.
    pub(crate) fn moves<'a>(
        &mut self,
        results: &[MoveResult],
        fleet: &Fleet,
        planet: impl Fn(PlanetId) -> Option<&'a Planet>,
        station_word: &str,
    ) {
        let (moved, failed): (Vec<_>, Vec<_>) = results.iter().partition(|result| result.outcome.is_ok());
        for result in failed {
            self.movement(result, None, Vec::new());
        }
        // Many may go to the same planet.
        let mut standing: BTreeMap<PlanetId, Vec<WireRobotId>> = BTreeMap::new();
        for result in moved {
            let target = planet(result.command.target);
            let reached = target.map(|planet| reached(planet, station_word));
            let robots = || fleet.on_planet(result.command.target).map(robot_id).collect();
            let robots = standing.entry(result.command.target).or_insert_with(robots);
            self.movement(result, reached, robots.clone());
            if let Some(robot) = &result.robot {
                self.neighbours(result.command.command, robot, target);
            }
        }
    }

    fn movement(&mut self, result: &MoveResult, planet: Option<ReachedPlanet>, robots: Vec<WireRobotId>) {
        let payload = MovementEvent {
            success: result.outcome.is_ok(),
            message: messages::movement(result),
            remaining_energy: result.robot.map(|robot| robot.energy),
            planet,
            robots,
        };
        let command = &result.command;
        self.tell(Channel::Movement, command.command.0, command.robot, result.robot.as_ref(), &payload);
    }

    fn neighbours(&mut self, transaction: CommandId, robot: &Robot, planet: Option<&Planet>) {
        let payload = seen(planet.map_or(&[][..], |planet| &planet.neighbours[..]));
        self.tell(Channel::Neighbours, transaction.0, robot.id, Some(robot), &payload);
    }

    pub(crate) fn minings(&mut self, results: &[MiningResult]) {
        for result in results {
            let held = |robot: &Robot, kind: ResourceKind| robot.cargo.of(kind);
            let payload = MiningEvent {
                success: result.outcome.is_ok(),
                message: messages::mining(result),
                remaining_energy: result.robot.map(|robot| robot.energy),
                updated_inventory: match (&result.outcome, &result.robot, result.resource) {
                    (Ok(_), Some(robot), Some(kind)) => held(robot, kind),
                    _ => 0,
                },
                resource_type: result.resource.map_or("none", ResourceKind::as_str).to_owned(),
            };
            let order = &result.order;
            self.tell(Channel::Mining, order.command.0, order.robot, result.robot.as_ref(), &payload);
        }
    }

    pub(crate) fn regenerations(&mut self, results: &[RegenerationResult]) {
        for result in results {
            let payload = RegenerationEvent {
                success: result.robot.is_some(),
                message: messages::regeneration(result),
                remaining_energy: result.robot.map(|robot| robot.energy),
            };
            let command = &result.command;
            self.tell(
                Channel::Regeneration,
                command.command.0,
                command.robot,
                result.robot.as_ref(),
                &payload,
            );
        }
    }

    /// Every attack; then, planet by planet, who was destroyed and what the others hold now.
    pub(crate) fn battle(&mut self, battle: &Battle) {
        battle.results.iter().for_each(|result| self.attack(result));
        let mut planets: Vec<PlanetId> = Vec::new();
        for Destroyed { robot, .. } in &battle.destroyed {
            if planets.last() != Some(&robot.planet) {
                planets.push(robot.planet);
            }
        }
        for planet in planets {
            for destroyed in battle.destroyed.iter().filter(|destroyed| destroyed.robot.planet == planet) {
                self.destroyed(destroyed);
            }
            for robot in battle.distributed.iter().filter(|robot| robot.planet == planet) {
                self.distributed(robot);
            }
        }
    }

    fn attack(&mut self, result: &AttackResult) {
        let AttackResult { command, attacker, target, .. } = result;
        let payload = FightingEvent {
            success: result.outcome.is_ok(),
            message: messages::fighting(result),
            attacker: attacker.map(|robot| robot_id(robot.id)),
            defender: target.map(|robot| robot_id(robot.id)),
            remaining_defender_health: target.map(|robot| robot.health),
            remaining_energy: attacker.map(|robot| robot.energy),
        };
        self.tell(Channel::Fighting, command.command.0, command.attacker, attacker.as_ref(), &payload);
    }

    fn destroyed(&mut self, Destroyed { robot, .. }: &Destroyed) {
        let payload =
            RobotDestroyedEvent { robot_id: robot_id(robot.id), player_id: WirePlayerId(robot.player.0) };
        self.tell(Channel::RobotDestroyed, NO_COMMAND, robot.id, Some(robot), &payload);
    }

    fn distributed(&mut self, robot: &Robot) {
        let held = |kind| Amounts::of(robot.cargo, kind);
        let payload = ResourceDistributionEvent {
            robot_id: robot_id(robot.id),
            coal: held(ResourceKind::Coal),
            iron: held(ResourceKind::Iron),
            gem: held(ResourceKind::Gem),
            gold: held(ResourceKind::Gold),
            platin: held(ResourceKind::Platin),
        };
        self.tell(Channel::ResourceDistribution, NO_COMMAND, robot.id, Some(robot), &payload);
    }

    /// `robot` is known also where `found` is not: then there is no such robot.
    fn tell(
        &mut self,
        channel: Channel,
        transaction: Uuid,
        robot: RobotId,
        found: Option<&Robot>,
        payload: &impl serde::Serialize,
    ) {
        let Envelope { game, round, at, .. } = self.envelope;
        let player = found.map(|robot| robot.player.0);
        let about = About { subject: game.0, round, player, robot: Some(robot.0) };
        self.all.push(NewEvent::new(channel, self.ids.next_id(), about, Some(transaction), at, payload));
    }
}

fn reached(planet: &Planet, station_word: &str) -> ReachedPlanet {
    ReachedPlanet {
        planet_id: planet_id(planet.id),
        movement_difficulty: planet.movement_difficulty,
        planet_type: if planet.is_station { station_word } else { "DEFAULT" }.to_owned(),
        resource_type: planet.resource.map(|kind| kind.as_str().to_owned()),
    }
}

fn seen(neighbours: &[Neighbour]) -> NeighboursEvent {
    let neighbours = neighbours.iter().map(|neighbour| SeenNeighbour {
        planet_id: planet_id(neighbour.planet),
        movement_difficulty: neighbour.movement_difficulty,
        direction: neighbour.direction.clone(),
    });
    NeighboursEvent { neighbours: neighbours.collect() }
}

fn robot_id(id: RobotId) -> WireRobotId {
    WireRobotId(id.0)
}

fn planet_id(id: PlanetId) -> WirePlanetId {
    WirePlanetId(id.0)
}
